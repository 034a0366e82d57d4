package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"github.com/theus-hooks/theus-hooks/internal/environ"
)

// interpretGrace is how long an interpreter that was told to stop may take: the
// ending of the program that it waits for, and a little more.
const interpretGrace = killGrace + sweepTime + 2*deathWait

// errAbandoned is said of a script that the interpreter would not stop.
var errAbandoned = errors.New("the builtin shell is still busy with it")

// An interpreter runs one script in process.
type interpreter struct {
	tag string
	// functions are the names of those that the script declares.
	functions map[string]bool
	stdin     source
	// suspect: something in the script is not proven to run as in bash, so a
	// status of 2 has to come from a program or from exit 2.
	suspect bool
	noTools bool     // as in the job
	leaving *leaving // of a script that is one program
	left    *process // that program, if it was left; under mu

	// cancel ends the script.
	cancel context.CancelFunc

	mu     sync.Mutex
	last   []string // the builtin, function or program called last
	broken error    // what the script cannot go on after
	note   string   // on how it ran
	over   bool     // the script has ended: nothing more is started
	// reopened are the streams that it opened again. The runner does not close what
	// exec redirects, and who waits for the stream's end would wait in vain.
	reopened []*os.File
	// uses counts what uses the streams: the programs that run, of background jobs
	// too, and redirections that open one again.
	uses sync.WaitGroup
}

// begin registers a use of the streams, such as a program that is to be started, if
// the script still runs. Who got true says uses.Done when it is over.
func (in *interpreter) begin() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if !in.over {
		in.uses.Add(1)
	}
	return !in.over
}

// finish lets nothing more start.
func (in *interpreter) finish() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.over = true
}

// end ends what a script that has ended left running in the background. From then
// on nothing uses the streams.
func (in *interpreter) end() {
	in.finish()
	in.cancel()
	in.uses.Wait()
	closeAll(in.reopened)
}

func (in *interpreter) keep(f *os.File) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.reopened = append(in.reopened, f)
}

// fail ends the script with an error. The runner itself would go on after one
// inside a substitution. What becomes of programs in the background after its end
// does not change how it ended.
func (in *interpreter) fail(err error) error {
	in.mu.Lock()
	if in.broken == nil && !in.over {
		in.broken = err
	}
	in.mu.Unlock()
	in.cancel()
	return err
}

// interpret runs the script of eng. The error says why nothing ran.
//
// Ownership: the script runs in a goroutine of its own, which alone uses the
// runner; it answers once, on done, which has room for the answer. This
// function waits for that, or for interpretGrace after the end of ctx, and
// then for the programs of background jobs, which the cancelled context ends.
// A script that does not answer is abandoned: it keeps its ends of the streams,
// since closing a file under a program that just starts would give that
// program another file, and whoever waits for the answer closes them then.
func interpret(ctx context.Context, job Job, eng engine, tag string, streams *stdio) (ending, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	in := &interpreter{
		tag: tag, functions: functions(eng.script.File),
		stdin:   source{file: streams.theirs[0], data: job.Stdin},
		suspect: eng.why != "",
		noTools: job.NoTools,
		cancel:  cancel,
	}
	if isOneProgram(eng.script.File) {
		in.leaving = job.leaving
	}
	repair(eng.script.File)
	runner, err := in.runner(job, streams)
	if err != nil {
		return ending{}, err
	}
	done := make(chan error, 1)
	go func() { done <- runSafely(ctx, runner, eng.script.File) }()
	answer, ok := answerOf(ctx, done)
	if !ok {
		in.finish()
		go in.abandon(streams.give(), done)
		return ending{stopped: true, broke: errAbandoned}, nil
	}
	in.end()
	end, err := in.ending(answer)
	end.note = in.note
	return end, err
}

// abandon closes the streams of a script that does not end once it has ended after
// all.
func (in *interpreter) abandon(theirs [3]*os.File, done <-chan error) {
	<-done
	in.end()
	closeAll(theirs[:])
}

// remark notes something on how the script ran.
func (in *interpreter) remark(note string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.note = note
}

// runSafely turns a panic of the runner into an error.
func runSafely(ctx context.Context, runner *interp.Runner, file *syntax.File) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the builtin shell broke: %v", p)
		}
	}()
	return runner.Run(ctx, file)
}

// answerOf waits for the answer, and after the end of ctx for no longer than
// interpretGrace.
func answerOf(ctx context.Context, done <-chan error) (answer error, ok bool) {
	select {
	case answer = <-done:
		return answer, true
	case <-ctx.Done():
	}
	timer := time.NewTimer(interpretGrace)
	defer timer.Stop()
	select {
	case answer = <-done:
		return answer, true
	case <-timer.C:
		return nil, false
	}
}

func functions(f *syntax.File) map[string]bool {
	names := map[string]bool{}
	syntax.Walk(f, func(n syntax.Node) bool {
		if d, ok := n.(*syntax.FuncDecl); ok && d.Name != nil {
			names[d.Name.Value] = true
		}
		return true
	})
	return names
}

// ending reads what the runner answered.
func (in *interpreter) ending(answer error) (ending, error) {
	in.mu.Lock()
	broken, left := in.broken, in.left
	in.mu.Unlock()
	var exit exitError
	var status interp.ExitStatus
	switch {
	case left != nil:
		return ending{left: left}, nil
	case broken != nil:
		return ending{broke: broken}, nil
	case answer == nil:
		return ending{}, nil
	case errors.Is(answer, context.Canceled), errors.Is(answer, context.DeadlineExceeded):
		return ending{stopped: true}, nil
	case errors.As(answer, &exit):
		if exit.missing != nil {
			return exit.end, exit.missing
		}
		return exit.end, nil
	case !errors.As(answer, &status):
		return ending{broke: answer}, nil
	case status == 2 && in.suspect && !in.exits2():
		return ending{broke: errNoBlock}, nil
	default:
		return ending{code: int(status)}, nil
	}
}

func (in *interpreter) runner(job Job, streams *stdio) (*interp.Runner, error) {
	return interp.New(
		interp.Env(expand.ListEnviron(withoutOld(job.Env)...)),
		interp.Dir(job.Dir),
		interp.StdIO(streams.theirs[0], streams.theirs[1], streams.theirs[2]),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return in.exec }),
		interp.CallHandler(in.call),
		interp.OpenHandler(in.open),
		interp.StatHandler(stat),
	)
}

// withoutOld returns env without an OLDPWD that is no directory, which bash
// forgets when it starts.
func withoutOld(env []string) []string {
	old, set := environ.Lookup(env, "OLDPWD")
	if !set || old != "" && checkDir(old) == nil {
		return env
	}
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool { return strings.HasPrefix(entry, "OLDPWD=") })
}

// An exitError is a nonzero ending of a program on its way through the runner.
type exitError struct {
	end     ending
	missing *lookupError // the program that could not be started
}

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", e.end.code) }

func (e exitError) Unwrap() error { return interp.ExitStatus(e.end.code) }

// exec runs one program for the runner.
func (in *interpreter) exec(ctx context.Context, args []string) error {
	if !in.begin() {
		return context.Canceled
	}
	defer in.uses.Done()
	if ok, err := in.own(ctx, args); ok {
		return err
	}
	hc := interp.HandlerCtx(ctx)
	env := exported(hc)
	path, missing := lookPath(args[0], hc.Dir, withHome(env))
	ok, rest, err := in.serve(ctx, path, env, args)
	if ok {
		return err
	}
	if rest != nil {
		defer rest.stop()
	}
	if missing != nil {
		return refused(hc, args[0], missing)
	}
	files, funnels, err := childFiles(hc)
	if err != nil {
		return in.fail(err)
	}
	if rest != nil {
		files[0] = rest.file
	}
	in.stdin.share(files[0])
	prog := program{path: path, argv: args, dir: hc.Dir, env: env, files: files}
	if strings.ContainsRune(args[0], '/') {
		prog.name = args[0]
	}
	if err = ctx.Err(); err != nil { // nobody would wait for it
		_ = finishFunnels(ctx, funnels)
		return err
	}
	proc, err := start(prog)
	if err != nil {
		_ = finishFunnels(ctx, funnels)
		if isShortage(err) { // a script would take it for an answer
			return in.fail(startError(args[0], err))
		}
		return refused(hc, args[0], err)
	}
	for _, f := range funnels {
		f.letGo()
	}
	end, left := proc.waitOrLeave(ctx, in.tag, in.leaving)
	if left {
		in.leave(proc)
		_ = finishFunnels(ctx, funnels)
		return in.fail(errLeft)
	}
	switch err := finishFunnels(ctx, funnels); {
	case err != nil:
		return in.fail(err)
	case end.stopped:
		return ctx.Err()
	case end.broke != nil:
		return in.fail(end.broke)
	case end.code != 0:
		return exitError{end: end}
	}
	return nil
}

// leave notes that the script's program goes on without us.
func (in *interpreter) leave(proc *process) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.left = proc
}

// refused says on stderr why a program did not start, as a shell would.
func refused(hc interp.HandlerContext, name string, err error) error {
	var missing *lookupError
	if !errors.As(startError(name, err), &missing) {
		return err
	}
	fmt.Fprintf(hc.Stderr, "%v\n", missing)
	return exitError{end: ending{code: missing.status()}, missing: missing}
}

// exported is the environment of a program that the runner starts now. The
// runner lists a variable again when it changes, and does not list PWD and
// OLDPWD, which bash does.
func exported(hc interp.HandlerContext) []string {
	var list []string
	hc.Env.Each(func(name string, v expand.Variable) bool {
		if v.Exported && v.IsSet() && v.Kind == expand.String {
			list = append(list, name+"="+v.Str)
		} else {
			list = slices.DeleteFunc(list, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
		}
		return true
	})
	if old := hc.Env.Get("OLDPWD"); old.IsSet() {
		list = append(list, "OLDPWD="+old.Str)
	}
	return cleanEnv(append(list, "PWD="+hc.Dir))
}
