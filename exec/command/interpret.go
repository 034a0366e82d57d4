package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// interpretGrace is how long an interpreter that was told to stop may take: the
// ending of the program that it waits for, and a little more.
const interpretGrace = killGrace + 2*deathWait

// An interpreter runs one script in process.
type interpreter struct {
	tag string
	// programs counts the programs that are running, those of background
	// jobs included.
	programs sync.WaitGroup
	// functions are the names of those that the script declares.
	functions map[string]bool
	stdin     source
	// suspect: something in the script is not proven to run as in bash, so a
	// status of 2 has to come from a program or from exit 2.
	suspect bool

	// cancel ends the script.
	cancel context.CancelFunc

	mu     sync.Mutex
	last   []string // the builtin, function or program called last
	broken error    // what the script cannot go on after
}

// fail ends the script with an error. The runner itself would go on after one
// inside a substitution.
func (in *interpreter) fail(err error) error {
	in.mu.Lock()
	if in.broken == nil {
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
func interpret(ctx context.Context, job Job, eng engine, tag string, streams *stdio) (ending, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	in := &interpreter{
		tag: tag, functions: functions(eng.script.File),
		stdin:   source{file: streams.theirs[0], data: job.Stdin},
		suspect: eng.why != "",
		cancel:  cancel,
	}
	repair(eng.script.File)
	runner, err := in.runner(job, streams)
	if err != nil {
		return ending{}, err
	}
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("the builtin shell broke: %v", p)
			}
		}()
		done <- runner.Run(ctx, eng.script.File)
	}()
	var answer error
	select {
	case answer = <-done:
	case <-ctx.Done():
		timer := time.NewTimer(interpretGrace)
		defer timer.Stop()
		select {
		case answer = <-done:
		case <-timer.C:
			return ending{stopped: true}, nil
		}
	}
	cancel()
	in.programs.Wait()
	return in.ending(answer)
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
	broken := in.broken
	in.mu.Unlock()
	var exit exitError
	var status interp.ExitStatus
	switch {
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
		interp.Env(expand.ListEnviron(job.Env...)),
		interp.Dir(job.Dir),
		interp.StdIO(streams.theirs[0], streams.theirs[1], streams.theirs[2]),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return in.exec }),
		interp.CallHandler(in.call),
		interp.OpenHandler(in.open),
		interp.StatHandler(stat),
	)
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
	in.programs.Add(1)
	defer in.programs.Done()
	if err, ok := in.own(ctx, args); ok {
		return err
	}
	hc := interp.HandlerCtx(ctx)
	env := exported(hc)
	path, err := lookPath(args[0], hc.Dir, env)
	if err != nil {
		return refused(hc, args[0], err)
	}
	files, funnels, err := childFiles(hc)
	if err != nil {
		return in.fail(err)
	}
	in.stdin.share(files[0])
	proc, err := start(program{path: path, argv: args, dir: hc.Dir, env: env, files: files})
	if err != nil {
		_ = finishFunnels(ctx, funnels)
		return refused(hc, args[0], err)
	}
	for _, f := range funnels {
		f.letGo()
	}
	end := proc.wait(ctx, in.tag)
	switch err := finishFunnels(ctx, funnels); {
	case err != nil:
		return in.fail(err)
	case end.stopped:
		return ctx.Err()
	case end.code != 0:
		return exitError{end: end}
	}
	return nil
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

// childFiles are the streams of a program that the runner starts now. Where one
// is no file but a buffer of the runner's, a funnel leads into it.
func childFiles(hc interp.HandlerContext) (files [3]*os.File, funnels []*funnel, err error) {
	files[0], _ = hc.Stdin.(*os.File)
	if files[1], _ = hc.Stdout.(*os.File); files[1] == nil {
		f, err := newFunnel(hc.Stdout)
		if err != nil {
			return files, funnels, err
		}
		files[1], funnels = f.in, append(funnels, f)
	}
	if files[2], _ = hc.Stderr.(*os.File); files[2] == nil {
		if hc.Stderr == hc.Stdout {
			files[2] = files[1]
			return files, funnels, nil
		}
		f, err := newFunnel(hc.Stderr)
		if err != nil {
			return files, funnels, err
		}
		files[2], funnels = f.in, append(funnels, f)
	}
	return files, funnels, nil
}

// maxSubstitution bounds what a command substitution may take in, as it is
// held in memory.
const maxSubstitution = 16 << 20

// A funnel copies what a program writes into a writer of the runner's. One
// goroutine reads; finish waits for it, so that the writer is used by one
// goroutine at a time.
type funnel struct {
	in, out *os.File
	done    chan struct{}
	// Set before done is closed.
	err error
	nul bool // something in it was a NUL, which bash takes out and says so
}

func newFunnel(w io.Writer) (*funnel, error) {
	r, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	f := &funnel{in: in, out: r, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		defer r.Close()
		n, _ := io.Copy(io.MultiWriter(w, f), io.LimitReader(r, maxSubstitution))
		if n == maxSubstitution {
			f.err = fmt.Errorf("a command substitution takes more than %d MiB", maxSubstitution>>20)
		}
	}()
	return f, nil
}

// Write looks for NUL bytes.
func (f *funnel) Write(p []byte) (int, error) {
	f.nul = f.nul || bytes.IndexByte(p, 0) >= 0
	return len(p), nil
}

func (f *funnel) letGo() { f.in.Close() }

// finish waits for the end of the stream, as bash does, or for ctx and then a
// moment more.
func (f *funnel) finish(ctx context.Context) error {
	f.letGo()
	select {
	case <-f.done:
	case <-ctx.Done():
		_ = f.out.SetReadDeadline(time.Now().Add(drainStopped))
		<-f.done
	}
	return f.err
}

func finishFunnels(ctx context.Context, funnels []*funnel) (err error) {
	for _, f := range funnels {
		err = errors.Join(err, f.finish(ctx))
		if f.nul {
			fmt.Fprintln(interp.HandlerCtx(ctx).Stderr, "command substitution: a NUL byte was taken out")
		}
	}
	return err
}
