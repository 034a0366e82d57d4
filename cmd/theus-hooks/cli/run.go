package cli

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	hooks "github.com/theus-hooks/theus-hooks"
	"github.com/theus-hooks/theus-hooks/internal/environ"
	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// isRun reports whether args call `run`, whose failures are part of the hook
// protocol.
func isRun(args []string) bool { return len(args) > 0 && args[0] == "run" }

// runFlags are the flags of run.
type runFlags struct {
	shared
	eventFile string
	format    string
	exitCode  bool
	onFailure string
	quiet     bool
	verbose   bool
	dryRun    bool
}

// guardedRun is run with the promise that whatever goes wrong, be it misuse of
// flags or a fault of ours, is answered as a guard that could be hidden: never
// with an exit code that lets a tool call through.
func (a *app) guardedRun(args []string) (code int) {
	r := &runCall{app: a, args: args[1:]}
	defer func() {
		if p := recover(); p != nil {
			code = r.refuse(fmt.Sprintf("internal error: %v; please report it", p))
		}
	}()
	if err := a.execute(args); err != nil {
		return r.refuse(err.Error())
	}
	return a.code
}

func (a *app) runCommand() *cobra.Command {
	flags := &runFlags{}
	cmd := &cobra.Command{
		Use:   "run EVENT",
		Short: "run the hooks of an event and answer as one hook",
		Long: `run reads the JSON of an event on standard input, runs every hook that is
configured for it, and answers as one hook would: exit code 0 to go on (with JSON
on standard output where there is something to pass on), 2 when the hooks block,
1 when something else went wrong. On PreToolUse what cannot be decided is blocked.`,
		Example: `  theus-hooks run PreToolUse < event.json
  theus-hooks run PreToolUse --format outcome --trust < event.json
  theus-hooks run Stop --event event.json --settings '{"hooks": {…}}'`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("want one EVENT, got %d arguments; for example `theus-hooks run PreToolUse < event.json`", len(args))
			}
			return a.run(args[0], flags)
		},
	}
	flags.bind(cmd)
	f := cmd.Flags()
	f.StringVar(&flags.eventFile, "event", "", "read the event from `FILE` instead of standard input")
	f.StringVar(&flags.format, "format", "hook", "what to print: hook (the protocol), outcome (all details as JSON), text (for a person)")
	f.BoolVar(&flags.exitCode, "exit-code", false, "exit with 2 on every block, also where only JSON could say it")
	f.StringVar(&flags.onFailure, "on-failure", "continue", "what the failure of a hook without onFailure does: continue or block")
	f.BoolVar(&flags.dryRun, "dry-run", false, "run nothing, print what explain prints")
	f.BoolVar(&flags.quiet, "quiet", false, "print no warnings")
	f.BoolVar(&flags.verbose, "verbose", false, "print a line for every hook, those that did not run included")
	return cmd
}

// run is the hot path.
func (a *app) run(name string, flags *runFlags) error {
	spec, ok := event.Fold(name)
	if !ok {
		return unknownEvent(name)
	}
	if flags.dryRun {
		return a.explain(name, flags, flags.format == "outcome")
	}
	engine, data, err := a.prepare(flags)
	if err != nil {
		return err
	}
	defer engine.Close()
	out, err := engine.Fire(a.ctx, spec.Name, data)
	if err != nil {
		return err
	}
	return a.printOutcome(engine, out, flags)
}

// prepare opens the engine and reads the event.
func (a *app) prepare(flags *runFlags) (*hooks.Engine, []byte, error) {
	opts, err := a.engineOptions(flags)
	if err != nil {
		return nil, nil, err
	}
	data, err := a.readEvent(flags.eventFile)
	if err != nil {
		return nil, nil, err
	}
	engine, err := hooks.Open(opts)
	return engine, data, err
}

func unknownEvent(name string) error {
	return &hooks.UnknownEventError{Name: name, Suggest: event.Suggest(name)}
}

// engineOptions turns flags and variables into options.
func (a *app) engineOptions(flags *runFlags) (hooks.Options, error) {
	opts := hooks.Options{
		Env: a.host.Env, Dir: a.host.Dir, ManagedDir: a.host.ManagedDir,
		ProjectDir: flags.projectDir, Settings: flags.settings, PluginDirs: flags.pluginDirs, Session: flags.session,
		Trust: flags.trust || environ.Get(a.host.Env, "THEUS_HOOKS_TRUST") == "1",
	}
	var err error
	if opts.Dialect, err = dialectNamed(flags.dialect, environ.Get(a.host.Env, "THEUS_HOOKS_DIALECT")); err != nil {
		return opts, err
	}
	if opts.Sources, err = scopes(flags.sources); err != nil {
		return opts, err
	}
	if err := a.checkPlaces(flags); err != nil {
		return opts, err
	}
	switch flags.onFailure {
	case "continue":
	case "block":
		opts.FailClosed = true
	default:
		return opts, usagef("--on-failure is %q; use continue or block", flags.onFailure)
	}
	switch flags.format {
	case "hook", "outcome", "text":
	default:
		return opts, usagef("--format is %q; use hook, outcome or text", flags.format)
	}
	return opts, nil
}

// checkPlaces refuses flags that name nothing: a guard may stand in the file
// that was meant.
func (a *app) checkPlaces(flags *runFlags) error {
	if dir := flags.projectDir; dir != "" {
		if info, err := os.Stat(a.abs(dir)); err != nil || !info.IsDir() {
			return usagef("--project-dir %q is no directory; give the project's root", dir)
		}
	}
	for _, arg := range flags.settings {
		if strings.HasPrefix(strings.TrimSpace(arg), "{") {
			continue
		}
		if _, err := os.Stat(a.abs(arg)); arg == "" || err != nil {
			return usagef("--settings %q is no file; give a file, or JSON text that begins with {", arg)
		}
	}
	return nil
}

// abs is a path of the command line, seen from the working directory.
func (a *app) abs(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(a.host.Dir, path)
}

// scopes reads --setting-sources.
func scopes(list string) ([]precedence.Scope, error) {
	if list == "" {
		return nil, nil
	}
	want := []precedence.Scope{}
	for word := range strings.SplitSeq(list, ",") {
		switch s := precedence.Scope(strings.TrimSpace(word)); s {
		case precedence.User, precedence.Project, precedence.Local:
			want = append(want, s)
		default:
			return nil, usagef("--setting-sources has %q; use user, project and local, joined by commas", word)
		}
	}
	return want, nil
}

// readEvent reads the event's JSON within its bound.
func (a *app) readEvent(file string) ([]byte, error) {
	in := a.streams.In
	if file != "" {
		f, err := os.Open(a.abs(file))
		if err != nil {
			return nil, usagef("--event: %v", err)
		}
		defer f.Close()
		in = f
	}
	if isTerminal(in) {
		return nil, usagef("the event is read from standard input, which is a terminal; pipe it in, or use --event FILE")
	}
	data, err := a.readAll(in)
	a.event = data
	if err != nil {
		return nil, fmt.Errorf("reading the event: %w", err)
	}
	return data, nil
}

// readAll reads within the bound of an event; one byte over it tells too much
// from just enough. A caller that ends us while it holds the stream open gets
// its answer at once; the reading goroutine then ends with the process.
func (a *app) readAll(in io.Reader) ([]byte, error) {
	type read struct {
		data []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(in, event.MaxBytes+1))
		done <- read{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-a.ctx.Done():
		return []byte{}, hooks.ErrCancelled
	}
}

func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// runCall is what is known of a run that went wrong.
type runCall struct {
	*app
	args []string
}

// refuse answers for a guard that could be hidden.
func (r *runCall) refuse(message string) int {
	ans := response.Refuse(r.spec(), message)
	err := r.write(ans.Stdout)
	fmt.Fprintf(r.streams.Err, "theus-hooks: %s\n", printable(strings.TrimSuffix(string(ans.Stderr), "\n")))
	if err != nil && ans.Exit == exitOK { // the denial was JSON and nobody got it
		return exitBlocked
	}
	return ans.Exit
}

// spec is the event of a call that went wrong: the one that its arguments name
// or that the event itself does, and of two the one that fails closed.
func (r *runCall) spec() *event.Spec {
	var named *event.Spec
	for _, arg := range r.args {
		if spec, ok := event.Fold(arg); ok && (named == nil || spec.FailClosed) {
			named = spec
		}
	}
	if named != nil && named.FailClosed {
		return named
	}
	if r.event == nil { // what went wrong came before the event was read
		_, _ = r.readEvent(r.eventArg())
	}
	if spec, ok := event.Lookup(event.PeekName(r.event)); ok && (named == nil || spec.FailClosed) {
		return spec
	}
	return named
}

// eventArg is the value of --event, which may stand among flags that cannot be
// parsed.
func (r *runCall) eventArg() string {
	for i, arg := range r.args {
		if value, ok := strings.CutPrefix(arg, "--event="); ok {
			return value
		}
		if arg == "--event" && i+1 < len(r.args) {
			return r.args[i+1]
		}
	}
	return ""
}

// printOutcome writes the answer in the format asked for and sets the exit code.
func (a *app) printOutcome(engine *hooks.Engine, out *response.Outcome, flags *runFlags) error {
	defer a.printNotes(out, flags)
	spill := engine.Spill(out.SessionID)
	if flags.format != "hook" {
		out.Bound(spill)
		a.code = outcomeCode(out)
	}
	switch flags.format {
	case "outcome":
		return a.write(append(out.JSON(), '\n'))
	case "text":
		return a.write([]byte(describe(out)))
	}
	ans := out.Answer(response.AnswerOptions{ExitCode: flags.exitCode, Spill: spill})
	a.code = ans.Exit
	if err := a.write(ans.Stdout); err != nil {
		return err
	}
	if len(ans.Stderr) > 0 {
		fmt.Fprintln(a.streams.Err, printable(strings.TrimSuffix(string(ans.Stderr), "\n")))
	}
	return nil
}

func (a *app) write(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if _, err := a.streams.Out.Write(text); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

// outcomeCode is the exit code of the formats that are not the protocol.
func outcomeCode(out *response.Outcome) int {
	if out.Blocked || out.Decision == response.DecisionDeny || out.Decision == response.DecisionBlock {
		return exitBlocked
	}
	return exitOK
}
