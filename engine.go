package hooks

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/theus-hooks/theus-hooks/exec"
	"github.com/theus-hooks/theus-hooks/exec/background"
	"github.com/theus-hooks/theus-hooks/exec/command"
	"github.com/theus-hooks/theus-hooks/exec/session"
	"github.com/theus-hooks/theus-hooks/internal/environ"
	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/response/agent"
	"github.com/theus-hooks/theus-hooks/settings"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// Options configure an Engine. The zero value of a field is said beside it.
type Options struct {
	// Env is the environment that hooks inherit and that names the home and
	// state directories, as os.Environ returns it. Nil: an empty one.
	Env []string
	// Dir is the working directory, absolute; used where an event names none.
	// "": the home directory.
	Dir string
	// Dialect is the naming scheme. Nil: settings.Theus.
	Dialect *settings.Dialect
	// ProjectDir overrides the project root. "": searched for from the event's
	// cwd upwards.
	ProjectDir string
	// Settings are further sources: a file, or JSON text that begins with "{".
	Settings []string
	// PluginDirs are directories of plugins to read besides those that settings
	// enable.
	PluginDirs []string
	// Sources limits which of user, project and local settings are read. Nil:
	// all. Managed settings are always read.
	Sources []precedence.Scope
	// ManagedDir holds managed settings. "": the place of the dialect and the
	// system.
	ManagedDir string
	// Trust: the caller vouches for the workspace, so project and local hooks run.
	Trust bool
	// TrustDir keeps which workspaces a person trusted. "": the place in the
	// user's state directory, from Env.
	TrustDir string
	// FailClosed: the failure of a hook that sets no onFailure counts as a block.
	FailClosed bool
	// StateDir keeps what hooks of one session share between events. "": the
	// user's state directory, from Env.
	StateDir string
	// Session overrides the session of the events. "": the event's session_id.
	Session string
	// Agent is who fires the events: they are read, and FireFor answered, in its
	// own way. Nil: Theus, whose way is ours.
	Agent *agent.Agent
	// NoTools: cat and jq are never done in process, as with
	// THEUS_HOOKS_BUILTIN_TOOLS=0 in Env.
	NoTools bool
	// Window is the size of the caller's terminal, for hooks with one of their own.
	// Zero: there is none.
	Window Window
	// Deadline bounds a firing: hooks that still run are ended, and what is known
	// is answered, within two seconds after it. 0: only their own time limits do.
	Deadline time.Duration
	// Executable is a program of ours, such as theus-hooks, that is started to
	// carry on each hook in the background, so that these outlive this process.
	// "": they are part of this process, and Close ends them.
	Executable string
}

// A Window is the size of a terminal in characters.
type Window = command.Window

// An Engine fires events. Open makes one.
type Engine struct {
	opts   Options
	runner exec.Runner
	// How many hooks there are around this engine, and the environment that tells
	// its own hooks so.
	depth   int
	hookEnv []string

	group    background.Group // hooks in the background of this process
	detached *background.Detached
}

// ErrCancelled is returned when the context ended before all hooks did. A
// guard may be among those, so nothing was decided.
var ErrCancelled = errors.New("the call was cancelled before it was decided")

// An UnknownEventError names an event that is not in the table.
type UnknownEventError struct {
	Name    string
	Suggest string // the event likely meant, or ""
}

// Error names the event, and the one likely meant.
func (e *UnknownEventError) Error() string {
	if e.Suggest != "" {
		return fmt.Sprintf("unknown event %q; did you mean %s?", e.Name, e.Suggest)
	}
	return fmt.Sprintf("unknown event %q; known are %s", e.Name, strings.Join(event.Names(), ", "))
}

// A PolicyError says that managed settings cannot be read. A guard may be
// hidden behind them, so no hook was asked.
type PolicyError struct {
	Problems []settings.Problem
}

// Error lists the problems with their places.
func (e *PolicyError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return "managed settings cannot be read, so nothing is allowed until an administrator mends them: " + strings.Join(lines, "; ")
}

// A SettingsError says that settings which were named for this call alone cannot
// be read. A guard may stand in them, so no hook was asked.
type SettingsError struct{ Problems []settings.Problem }

// Error lists the problems with their places.
func (e *SettingsError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return "the settings given for this call cannot be read: " + strings.Join(lines, "; ")
}

// depthVariable counts how many hooks there are around a hook: one may call an
// agent whose hooks call us again.
const depthVariable, maxDepth = "THEUS_HOOKS_DEPTH", 8

// A DepthError says that hooks run hooks that run hooks, too deep to be meant.
type DepthError struct{ Depth int }

// Error says what to look for.
func (e *DepthError) Error() string {
	return fmt.Sprintf("hooks run each other, %d deep; look for a hook that calls theus-hooks run for its own event, as the configuration of an agent does that this dialect reads too", e.Depth)
}

// Open returns an Engine. The error says which option cannot be used.
func Open(opts Options) (*Engine, error) {
	if opts.Dir != "" && !filepath.IsAbs(opts.Dir) {
		return nil, fmt.Errorf("hooks: Options.Dir %q is not absolute", opts.Dir)
	}
	if opts.Dialect == nil {
		opts.Dialect = settings.Theus
	}
	e := &Engine{opts: opts}
	e.depth, _ = strconv.Atoi(environ.Get(opts.Env, depthVariable)) // what is no number counts as none
	e.hookEnv = environ.Set(slices.Clone(opts.Env), depthVariable, strconv.Itoa(max(e.depth, 0)+1))
	if opts.NoTools {
		e.hookEnv = environ.Set(e.hookEnv, "THEUS_HOOKS_BUILTIN_TOOLS", "0")
	}
	e.runner.Register(event.Command, exec.HandlerFunc(e.runCommand))
	if opts.Executable != "" {
		e.detached = &background.Detached{Executable: opts.Executable, Args: []string{"theus-hooks", background.Command}, Env: opts.Env}
	}
	return e, nil
}

// Close ends the hooks that run in the background of this process, and releases
// what the engine holds.
func (e *Engine) Close() error {
	e.group.Close()
	return nil
}

// runCommand runs a command hook, until it goes on in the background by itself.
func (e *Engine) runCommand(ctx context.Context, call exec.Call) response.Result {
	run := job(call)
	run.Window = e.opts.Window
	result, left := command.RunOrLeave(ctx, run, declaresAsync)
	if left == nil && !endedAsync(result) {
		return result
	}
	lost, err := e.carryOn(call, result, left)
	if err != nil {
		return response.Result{Status: response.CouldNotStart, Error: err.Error()}
	}
	return response.Result{
		Status: response.Background, Error: lost, Shell: result.Shell, ShellWhy: result.ShellWhy, Duration: result.Duration,
	}
}

// job is what a call of a command hook comes down to.
func job(call exec.Call) command.Job {
	h := call.Hook.Handler
	program, args := h.Command, h.Args
	if h.Exec { // a shell would expand the variables itself
		program, args = call.Expand(program), make([]string, len(h.Args))
		for i, arg := range h.Args {
			args[i] = call.Expand(arg)
		}
	}
	return command.Job{
		Command: program, Args: args, Exec: h.Exec, Shell: h.Shell, Pty: h.Pty,
		Dir: call.Dir, Env: call.Env, Stdin: call.Event, Timeout: call.Timeout,
	}
}

// Fire runs the hooks of one event and combines what they say. name is the
// event's exact name, data its JSON.
//
// The error is an *UnknownEventError, an *event.InputError, a *PolicyError, a
// *SettingsError, a *DepthError or ErrCancelled; with any of them a guard may not have been asked, and
// response.Refuse has the answer for that. Everything else that goes wrong is
// in the outcome's Problems.
func (e *Engine) Fire(ctx context.Context, name string, data []byte) (*response.Outcome, error) {
	f, err := e.FireFor(ctx, name, data)
	if err != nil {
		return nil, err
	}
	return f.Outcome, nil
}

// fire runs the hooks of an event, unless it repeats one.
func (e *Engine) fire(ctx context.Context, ev *event.Event, repeat string) (*response.Outcome, error) {
	if e.depth > maxDepth {
		return nil, &DepthError{e.depth}
	}
	cfg := e.config(ev.Cwd())
	if err := unreadable(cfg); err != nil {
		return nil, err
	}
	sess, stateErr := e.session(ev.SessionID())
	plan := cfg.Plan(ev, spent(sess))
	once(plan, repeat)
	late := lookLate(sess)
	ended := e.endSession(ev, sess)
	report := e.runner.Run(ctx, plan, e.runOptions(cfg, sess))
	ended(ctx)
	if ctx.Err() != nil {
		return nil, ErrCancelled
	}
	out := response.Combine(ev, report.Verdicts)
	late.tell(ctx, out, ev.Spec())
	e.capStops(ctx, sess, out, ev.Spec())
	complete(out, cfg, plan, report, stateErr)
	if sess != nil {
		for _, text := range sess.Warnings() {
			out.Problems = append(out.Problems, response.Problem{Severity: "warning", Code: "session-state", Message: text})
		}
	}
	return out, nil
}

// unreadable is the error of settings behind which a guard may be hidden.
func unreadable(cfg *precedence.Config) error {
	switch {
	case len(cfg.Broken) > 0:
		return &PolicyError{cfg.Broken}
	case len(cfg.Unusable) > 0:
		return &SettingsError{cfg.Unusable}
	}
	return nil
}

func (e *Engine) runOptions(cfg *precedence.Config, sess *session.Session) exec.Options {
	opts := exec.Options{
		Config: cfg, Env: e.hookEnv, Session: sess, FailClosed: e.opts.FailClosed, Deadline: e.opts.Deadline,
		Background: e.startBackground(sess),
	}
	if e.opts.Agent != nil {
		opts.EnvFiles = e.opts.Agent.EnvFiles
	}
	return opts
}

// Spill returns a function that keeps texts too long to pass on with the state
// of a session, for response.AnswerOptions.
func (e *Engine) Spill(sessionID string) func(kind, text string) (string, error) {
	return func(kind, text string) (string, error) {
		sess, err := e.session(sessionID)
		if err != nil {
			return "", err
		}
		if sess == nil {
			return "", errNoSession
		}
		return sess.Spill(kind, text)
	}
}

var errNoSession = errors.New("the event names no session, or the state of sessions has no place")

// config reads the settings that hold for an event that happens in cwd.
func (e *Engine) config(cwd string) *precedence.Config {
	return precedence.Load(precedence.Options{
		Dialect: e.opts.Dialect, Env: e.opts.Env, Dir: e.opts.Dir, EventDir: cwd, ProjectDir: e.opts.ProjectDir,
		Settings: e.opts.Settings, PluginDirs: e.opts.PluginDirs, Scopes: e.opts.Sources, ManagedDir: e.opts.ManagedDir, Trust: e.opts.Trust, TrustDir: e.opts.TrustDir,
	})
}

// session opens the state of a session; nil without an error when the event
// belongs to none.
func (e *Engine) session(id string) (*session.Session, error) {
	if e.opts.Session != "" {
		id = e.opts.Session
	}
	if id == "" {
		return nil, nil
	}
	root := e.opts.StateDir
	if root == "" {
		var err error
		if root, err = session.DefaultRoot(e.opts.Env, runtime.GOOS); err != nil {
			return nil, err
		}
	}
	return session.Open(root, id)
}

// spent says of a hook that runs once whether it has run in the session.
func spent(sess *session.Session) func(id string) bool {
	if sess == nil {
		return nil
	}
	return sess.Spent
}

// complete adds to an outcome what its verdicts do not know.
func complete(out *response.Outcome, cfg *precedence.Config, plan *precedence.Plan, report exec.Report, stateErr error) {
	problems := planProblems(cfg, plan)
	if stateErr != nil {
		problems = append(problems, stateProblem("nothing is kept for this session", stateErr))
	}
	out.Problems = append(append(problems, report.Problems...), out.Problems...)
	skipped := append(slices.Clone(plan.Skipped), report.Skipped...)
	slices.SortStableFunc(skipped, func(a, b *precedence.Choice) int { return a.Order - b.Order })
	for _, c := range skipped {
		out.Skipped = append(out.Skipped, response.Skip{Hook: exec.Identity(c.Hook), Reason: string(c.Reason), Detail: c.Detail()})
	}
	out.Env = make(map[string]*string, len(report.Exports))
	for _, change := range report.Exports {
		if change.Unset {
			out.Env[change.Name] = nil
		} else {
			out.Env[change.Name] = &change.Value
		}
	}
}

// planProblems are the problems of reading the settings and of selecting.
func planProblems(cfg *precedence.Config, plan *precedence.Plan) []response.Problem {
	problems := []response.Problem{}
	for _, list := range [][]settings.Problem{cfg.Problems, plan.Problems} {
		for _, p := range list {
			problems = append(problems, problem(p))
		}
	}
	return problems
}

func problem(p settings.Problem) response.Problem {
	message := p.Message
	if p.Hint != "" {
		message += "; " + p.Hint
	}
	return response.Problem{Severity: string(p.Severity), Code: p.Code, Message: message, File: p.File, Line: p.Line, Column: p.Column, Path: p.Path}
}
