package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	hooks "github.com/theus-hooks/theus-hooks"
	"github.com/theus-hooks/theus-hooks/envfile"
	"github.com/theus-hooks/theus-hooks/internal/environ"
	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/response/agent"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// runFlags are the flags of run.
type runFlags struct {
	shared
	eventFile string
	format    string
	exitCode  bool
	onFailure string
	deadline  time.Duration
	// deadlineSet: the caller has said a deadline; 0 is none.
	deadlineSet bool
	envFiles    []string
	noTools     bool
	quiet       bool
	verbose     bool
	dryRun      bool
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
  theus-hooks run PreToolUse --agent codex < event.json
  theus-hooks run PreToolUse --format outcome --trust < event.json
  theus-hooks run Stop --event event.json --settings '{"hooks": {…}}'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("want one EVENT, got %d arguments; for example `theus-hooks run PreToolUse < event.json`", len(args))
			}
			flags.deadlineSet = cmd.Flags().Changed("deadline")
			return a.run(args[0], flags)
		},
	}
	flags.bind(cmd)
	f := cmd.Flags()
	flags.bindAgent(cmd)
	f.DurationVar(&flags.deadline, "deadline", 0, "answer by then with what is known, such as 20s; 0: no deadline (default: the agent's limit, if it has one)")
	f.StringArrayVar(&flags.envFiles, "env-file", nil, "a dotenv `FILE` whose variables hooks get (repeatable)")
	f.BoolVar(&flags.noTools, "no-builtin-tools", false, "never do in process what cat and jq do")
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
	if flags.dryRun {
		return a.explain(name, flags, flags.format == "outcome")
	}
	caller, name, err := eventOf(flags.agent, name)
	if err != nil {
		return err
	}
	engine, data, err := a.prepare(flags, caller)
	if err != nil {
		return err
	}
	defer engine.Close()
	fired, err := engine.FireFor(a.ctx, name, data)
	if err != nil {
		return err
	}
	return a.printOutcome(engine, fired, flags)
}

// eventOf finds the calling agent, nil for ours, and the name of an event as
// the engine wants it.
func eventOf(agentName, name string) (*agent.Agent, string, error) {
	caller, err := agentNamed(agentName)
	if err != nil {
		return nil, "", err
	}
	if caller == nil {
		if spec, ok := event.Fold(name); ok {
			return nil, spec.Name, nil
		}
		if other, _ := agentOf(name); other != nil {
			return nil, "", usagef("%q is an event of %s; add --agent %s", name, other.Title, other.Name)
		}
		return nil, "", unknownEvent(name)
	}
	if _, ok := caller.Event(name); !ok {
		return nil, "", &agent.UnknownEventError{Agent: caller.Name, Event: name, Known: caller.EventNames()}
	}
	return caller, name, nil
}

// agentNamed is the agent of --agent; nil: Theus, or none said.
func agentNamed(name string) (*agent.Agent, error) {
	if name == "" || name == "theus" {
		return nil, nil
	}
	caller, ok := agent.Lookup(name)
	if !ok {
		return nil, usagef("--agent is %q; use %s", name, strings.Join(agent.Names(), ", "))
	}
	return caller, nil
}

// prepare opens the engine and reads the event. What that takes is part of the
// deadline.
func (a *app) prepare(flags *runFlags, caller *agent.Agent) (*hooks.Engine, []byte, error) {
	begin := time.Now()
	opts, err := a.engineOptions(flags)
	if err != nil {
		return nil, nil, err
	}
	if opts.Agent = caller; caller != nil && !flags.deadlineSet {
		opts.Deadline = caller.Deadline()
	}
	ctx := a.ctx
	if opts.Deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, begin.Add(opts.Deadline), fmt.Errorf("the event had not come when the deadline did, after %s", opts.Deadline))
		defer cancel()
	}
	data, err := a.readEvent(ctx, flags.eventFile)
	if err != nil {
		return nil, nil, err
	}
	if opts.Deadline > 0 {
		opts.Deadline = max(opts.Deadline-time.Since(begin), time.Millisecond)
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
		Env: a.host.Env, Dir: a.host.Dir, ManagedDir: a.host.ManagedDir, Executable: a.host.Executable,
		ProjectDir: flags.projectDir, Settings: flags.settings, PluginDirs: flags.pluginDirs, Session: flags.session,
		NoTools: flags.noTools, Window: window(),
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
	if opts.Env, err = a.withEnvFiles(flags.envFiles); err != nil {
		return opts, err
	}
	if opts.Deadline = flags.deadline; flags.deadline < 0 {
		return opts, usagef("--deadline is %s; give a time such as 20s", flags.deadline)
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

// withEnvFiles is the environment with the variables of dotenv files.
func (a *app) withEnvFiles(files []string) ([]string, error) {
	env := a.host.Env
	for _, file := range files {
		path := a.abs(file)
		text, err := envfile.Read(path)
		if _, missing := os.Stat(path); err == nil {
			err = missing
		}
		var changes []envfile.Change
		if err == nil {
			changes, _, err = envfile.Dotenv(text)
		}
		if err != nil {
			return nil, usagef("--env-file %q: %v", file, err)
		}
		env = envfile.Apply(env, changes)
	}
	return env, nil
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

// printOutcome writes the answer in the format asked for and sets the exit code.
func (a *app) printOutcome(engine *hooks.Engine, fired *hooks.Firing, flags *runFlags) error {
	out := fired.Outcome
	defer a.printNotes(out, flags)
	spill := engine.Spill(out.SessionID)
	if flags.format != "hook" {
		out.Bound(spill)
		a.code = outcomeCode(out)
	}
	switch flags.format {
	case "outcome":
		return a.deliver(out, append(out.JSON(), '\n'))
	case "text":
		return a.deliver(out, []byte(describe(out)))
	}
	ans := fired.Answer(response.AnswerOptions{ExitCode: flags.exitCode, Notes: flags.verbose, Spill: spill})
	a.code = ans.Exit
	if len(ans.Stderr) > 0 {
		fmt.Fprintln(a.streams.Err, printable(strings.TrimSuffix(string(ans.Stderr), "\n")))
	}
	return a.deliver(out, ans.Stdout)
}

// deliver writes what goes to standard output. A block that nobody can read
// there is said by the exit code.
func (a *app) deliver(out *response.Outcome, text []byte) error {
	err := a.write(text)
	if err == nil && a.code != exitBlocked && len(text) > 0 && isNull(a.streams.Out) {
		err = errNobodyReads
	}
	switch {
	case err == nil, err == errNobodyReads && !out.Blocked:
		return nil
	case !out.Blocked:
		return err
	}
	a.code = exitBlocked
	a.say("blocked: %s (%v)", out.Reason, err)
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
