package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/theus-hooks/theus-hooks/envfile"
	"github.com/theus-hooks/theus-hooks/exec/session"
	"github.com/theus-hooks/theus-hooks/internal/environ"
	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/settings"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// Parallel is how many hooks of one event run at a time, at most: fewer where
// the system lets this process open few files.
const Parallel = 32

// A Call is one hook to run.
type Call struct {
	Hook *precedence.Hook
	// Event is the JSON for its standard input, one line with its line break.
	// It is shared and must not be changed.
	Event   []byte
	Dir     string           // working directory, exists
	Env     []string         // the complete environment
	Timeout time.Duration    // how long it may run
	Session *session.Session // nil: none
	// Leave gives the hook away, for a handler whose hook goes on in the background
	// by itself: what it says is to be recorded in the session, and the result here
	// is Background. Its Error says why nobody will hear it, if so. It is called
	// once at most, before the handler returns.
	Leave func() BackgroundCall
}

// Expand replaces the path placeholders ${THEUS_PROJECT_DIR},
// ${THEUS_PLUGIN_ROOT} and ${THEUS_PLUGIN_DATA}, and the dialect's names for
// them, by the values in the call's environment. It is for hooks that no shell
// reads; what is not set stays as written.
func (c Call) Expand(text string) string {
	for _, prefix := range []string{"THEUS_", "CLAUDE_"} {
		for _, name := range []string{"PROJECT_DIR", "PLUGIN_ROOT", "PLUGIN_DATA"} {
			if value, ok := environ.Lookup(c.Env, prefix+name); ok {
				text = strings.ReplaceAll(text, "${"+prefix+name+"}", value)
			}
		}
	}
	return text
}

// A Handler runs the hooks of one type. It returns by the call's timeout and
// two seconds at the latest, leaves nothing behind when ctx ends, and is safe
// for concurrent use.
type Handler interface {
	Handle(ctx context.Context, call Call) response.Result
}

// A HandlerFunc is a function as a Handler.
type HandlerFunc func(ctx context.Context, call Call) response.Result

// Handle calls f.
func (f HandlerFunc) Handle(ctx context.Context, call Call) response.Result { return f(ctx, call) }

// A Runner runs hooks by the handlers registered with it. The zero value has
// none. Registering is not safe while hooks run.
type Runner struct {
	handlers map[event.Types]Handler
}

// Register sets the handler of a type.
func (r *Runner) Register(t event.Types, h Handler) {
	if r.handlers == nil {
		r.handlers = map[event.Types]Handler{}
	}
	r.handlers[t] = h
}

// Runs reports whether a handler of the type is registered.
func (r *Runner) Runs(t event.Types) bool { return r.handlers[t] != nil }

// CannotRun says that no handler is registered for the hook.
func CannotRun(h *precedence.Hook) string {
	return fmt.Sprintf("this program cannot run %s hooks", h.Handler.TypeName)
}

// Options are what a run needs beside its plan.
type Options struct {
	Config *precedence.Config
	// Env is the environment of the caller, as os.Environ returns it.
	Env []string
	// EnvFiles names variables, besides the dialect's own, in which the caller has
	// a shell file that gets the exports.
	EnvFiles []string
	// Session keeps exports between calls; nil: they are lost.
	Session *session.Session
	// FailClosed: the failure of a hook that sets no onFailure counts as a block.
	FailClosed bool
	// Deadline bounds the whole run: hooks that it finds running or waiting are
	// timed out. 0: none.
	Deadline time.Duration
	// Background carries on hooks that are not waited for. Nil: they cannot be
	// started. lost says why nobody will hear what this one says, if so; the error
	// why it could not be started.
	Background func(call BackgroundCall) (lost string, err error)
}

// A Report is what came of a run.
type Report struct {
	Verdicts []response.Verdict // of the hooks that ran, in configuration order
	Exports  []envfile.Change   // of this run, in configuration order
	Problems []response.Problem
	// Skipped are selected hooks that must run once and that another call of the
	// session has run, or runs, since the plan was made.
	Skipped []*precedence.Choice
}

// Run runs the selected hooks of plan and waits for all of them. When ctx ends
// they are ended, and their results say so.
func (r *Runner) Run(ctx context.Context, plan *precedence.Plan, opts Options) Report {
	run := &run{runner: r, plan: plan, opts: opts, begin: time.Now()}
	run.prepare(ctx)
	defer run.cleanUp()

	// Each goroutine owns the tasks of its lane until it has returned; nothing
	// else is shared but the event's bytes, which nobody writes.
	var wait sync.WaitGroup
	slots := make(chan struct{}, parallel())
	for i, lane := range run.lanes() {
		wait.Go(func() { run.follow(ctx, lane, i+1, slots) })
	}
	wait.Wait()

	for _, t := range run.tasks {
		run.report.Verdicts = append(run.report.Verdicts, t.verdict)
		run.spend(t)
		if lost := t.verdict.Report.Result.Error; lost != "" && t.status() == response.Background {
			run.warn("background-lost", "hook %s runs in the background, and what it says is lost: %s", t.hook.Label(), lost)
		}
	}
	run.readExports(ctx)
	return run.report
}

// A run is the state of one Run.
type run struct {
	runner *Runner
	plan   *precedence.Plan
	opts   Options
	begin  time.Time
	tasks  []*task
	report Report

	parent   []string       // what hooks inherit of the caller's environment
	settings []settings.Var // env of the settings
	named    []settings.Var // what the event gives
	shared   []string       // the environment before the hook's own variables
	preview  bool           // nothing is run, so nothing is made

	evaluated bool // env files have been
}

// A task is one hook of a run.
type task struct {
	choice  *precedence.Choice
	hook    response.Hook
	dir     string
	env     []string
	envFile string         // "": none could be made
	claim   *session.Claim // of a hook that runs once
	err     error          // why the hook cannot be started
	verdict response.Verdict
}

func (t *task) status() response.Status { return t.verdict.Report.Result.Status }

func (r *run) prepare(ctx context.Context) {
	r.prepareEnvironment()
	for _, c := range r.plan.Selected {
		t := &task{choice: c, hook: Identity(c.Hook)}
		t.hook.FailClosed = t.hook.FailClosed || r.opts.FailClosed && !c.Hook.Handler.OnFailure
		if InBackground(c.Hook) {
			t.hook.FailClosed = false // a block would come too late
		}
		if !r.claimRun(t) {
			r.report.Skipped = append(r.report.Skipped, c)
			continue
		}
		r.tasks = append(r.tasks, t)
		if c.Broken != "" {
			t.hook.FailClosed, t.err = true, errors.New(c.Broken)
			continue
		}
		t.envFile = r.newEnvFile()
		if t.dir, t.err = r.dir(c.Hook); t.err == nil {
			t.env, t.err = r.hookEnv(ctx, t)
		}
	}
}

// lanes are the tasks by what may start at the same time: those of a sequential
// group follow one another, every other has a lane of its own.
func (r *run) lanes() [][]*task {
	var lanes [][]*task
	for i, t := range r.tasks {
		group := t.choice.Hook.Group
		if group.Sequential && i > 0 && r.tasks[i-1].choice.Hook.Group == group {
			lanes[len(lanes)-1] = append(lanes[len(lanes)-1], t)
			continue
		}
		lanes = append(lanes, []*task{t})
	}
	return lanes
}

// follow runs the tasks of a lane, each on the event as those before it have
// rewritten the tool's input.
func (r *run) follow(ctx context.Context, lane []*task, number int, slots chan struct{}) {
	ev := r.plan.Event
	for i, t := range lane {
		t.verdict = judge(ev, t.hook, r.waitFor(ctx, t, ev, slots))
		if len(lane) > 1 {
			t.verdict.Chain = number
		}
		input := t.verdict.UpdatedInput(ev)
		if input == nil || i == len(lane)-1 {
			continue
		}
		changed, err := ev.With(string(input), "tool_input")
		if err != nil {
			t.verdict.Problems = append(t.verdict.Problems, response.Problem{
				Severity: "warning", Code: "rewrite-not-seen", File: t.hook.Source.File, Line: t.hook.Source.Line, Path: t.hook.Source.Path,
				Message: fmt.Sprintf("the hooks after %s do not see its rewrite: %v", t.hook.Label(), err),
			})
			continue
		}
		ev = changed
	}
}

// judge is response.Decode that survives a fault of ours in it.
func judge(ev *event.Event, hook response.Hook, result response.Result) (verdict response.Verdict) {
	defer func() {
		if p := recover(); p != nil {
			verdict = response.Decode(ev, hook, crashed(p))
		}
	}()
	return response.Decode(ev, hook, result)
}

// crashed is the result of a hook where the fault is ours. It is a failure, so
// that a guard that fails closed does.
func crashed(p any) response.Result {
	return response.Result{Status: response.CouldNotStart, Error: fmt.Sprintf("internal error: %v", p)}
}

// waitFor runs a task as soon as one of the slots is free.
func (r *run) waitFor(ctx context.Context, t *task, ev *event.Event, slots chan struct{}) response.Result {
	waiting, cancel := ctx, context.CancelFunc(func() {})
	if r.opts.Deadline > 0 {
		waiting, cancel = context.WithDeadline(ctx, r.begin.Add(r.opts.Deadline))
	}
	defer cancel()
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
		return r.one(ctx, t, ev)
	case <-waiting.Done():
	}
	if ctx.Err() == nil {
		return response.Result{Status: response.TimedOut, Error: r.missed("it had not started")}
	}
	return response.Result{Status: response.Cancelled, Error: "the call ended before the hook started"}
}

func (r *run) missed(what string) string {
	return fmt.Sprintf("%s when the deadline of the call came, %s after it began", what, r.opts.Deadline)
}

// one runs a hook and survives its handler.
func (r *run) one(ctx context.Context, t *task, ev *event.Event) (result response.Result) {
	defer func() {
		if p := recover(); p != nil {
			result = crashed(p)
		}
	}()
	h := t.choice.Hook
	handler, ok := r.runner.handlers[h.Handler.Type]
	switch {
	case t.err != nil:
		return response.Result{Status: response.CouldNotStart, Error: t.err.Error()}
	case !ok:
		return response.Result{Status: response.CouldNotStart, Error: CannotRun(h)}
	}
	if InBackground(h) {
		return r.startBackground(t, ev)
	}
	timeout, cut := r.timeout(h)
	if timeout <= 0 {
		return response.Result{Status: response.TimedOut, Error: r.missed("it had not started")}
	}
	call := Call{Hook: h, Event: ev.Line(), Dir: t.dir, Env: t.env, Timeout: timeout, Session: r.opts.Session}
	call.Leave = func() BackgroundCall { return r.handOver(t, call, true) }
	result = handler.Handle(ctx, call)
	if cut && result.Status == response.TimedOut {
		result.Error = r.missed("it still ran")
	}
	return result
}

// timeout is how long a hook may run that starts now; cut says that the
// deadline makes it shorter. What all hooks of an event share is not theirs
// anew one after the other.
func (r *run) timeout(h *precedence.Hook) (timeout time.Duration, cut bool) {
	gone := time.Since(r.begin)
	timeout = h.Timeout
	if h.Group.Sequential && r.plan.Event.Spec().Timeout.Budget > 0 {
		timeout = max(timeout-gone, time.Millisecond)
	}
	if left := r.opts.Deadline - gone; r.opts.Deadline > 0 && left < timeout {
		return left, true
	}
	return timeout, false
}

// claimRun reports whether a hook may run: one that runs once only if no other
// call of the session has run it or does so now. Where that cannot be found
// out it runs, since it may be a guard.
func (r *run) claimRun(t *task) bool {
	c := t.choice
	if !c.Hook.Handler.Once || r.opts.Session == nil || c.Broken != "" {
		return true
	}
	claim, err := r.opts.Session.Claim(c.Hook.ID())
	if err != nil {
		r.warn("session-state", "hook %s may run again: %v", t.hook.Label(), err)
		return true
	}
	if claim == nil {
		c.Skip(precedence.OnceSpent, "it runs once a session, and another call runs it")
		return false
	}
	t.claim = claim
	return true
}

// spend marks a hook that runs once, after a run that succeeded.
func (r *run) spend(t *task) {
	if t.claim == nil || t.status() != response.OK {
		return
	}
	if err := t.claim.Spend(); err != nil {
		r.warn("session-state", "hook %s will run again: %v", t.hook.Label(), err)
	}
}

// Identity is a hook as outcomes name it.
func Identity(h *precedence.Hook) response.Hook {
	out := response.Hook{
		ID: h.ID(), Name: h.Handler.Name, Type: h.Handler.TypeName, Source: place(h),
		Matcher: h.Group.Matcher.Text, FailClosed: h.Handler.FailClosed, Observe: h.Handler.Observe,
	}
	for _, twin := range h.AlsoIn {
		out.AlsoIn = append(out.AlsoIn, place(twin))
	}
	return out
}

func place(h *precedence.Hook) response.Source {
	at := h.Handler.Place
	return response.Source{Scope: string(h.Source.Scope), File: h.Source.Name, Line: at.Line, Path: at.Path}
}
