// Package cli is the theus-hooks command: it reads flags, calls the engine and
// prints. It holds no rule of its own.
//
// Voice: lower case, no full stop, and every refusal says what to type instead.
// Standard output is the protocol, standard error is for people.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/theus-hooks/theus-hooks/exec/background"
	"github.com/theus-hooks/theus-hooks/response/agent"
	"github.com/theus-hooks/theus-hooks/settings"
)

// Streams are the standard streams of a call.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Host is the world around a call, as far as tests must be able to replace it.
type Host struct {
	Env []string // as os.Environ returns it
	Dir string   // the working directory, "" when there is none
	// Executable is the path of this program, "" when it is not known.
	Executable string
	// ManagedDir holds managed settings; "": the system's place. No flag or
	// variable of the command moves it.
	ManagedDir string
	// Check carries out `check`: what goes to standard output, and whether
	// problems were found. Nil: the companion is started for it.
	Check func(CheckCall) (report []byte, failed bool, err error)
}

// Exit codes. Those of `run` are part of the hook protocol: 0 go on, 2 blocked,
// 1 anything else.
const (
	exitOK      = 0
	exitFailed  = 1
	exitBlocked = 2
	exitMisuse  = 64
)

// app is one call of the command.
type app struct {
	streams Streams
	host    Host
	args    []string
	ctx     context.Context
	code    int    // exit code of the command that ran
	event   []byte // what was read of the event, nil before
}

// Main runs the command with args, without the program's name, and returns its
// exit code.
func Main(args []string, streams Streams, host Host) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// A reader that has gone must not end us by a signal, which many agents take
	// for "go on": writing fails instead, and the exit code says what it says.
	// Ignoring the signal would reach the hooks.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	a := &app{streams: streams, host: host, args: args, ctx: ctx}
	if isRun(args) {
		keepDescriptors()
		return a.guardedRun(args)
	}
	if err := a.execute(args); err != nil {
		return a.fail(err)
	}
	return a.code
}

// execute runs the command that args name. Only that one is built: on the hot
// path the others, and what cobra adds of its own, would cost more than the
// whole of an event without hooks.
func (a *app) execute(args []string) error {
	if len(args) == 1 && args[0] == "--version" {
		args = []string{"version"}
	}
	root := a.root()
	root.SetArgs(args)
	for _, c := range commands {
		if len(args) > 0 && args[0] == c.name {
			root.CompletionOptions.DisableDefaultCmd = true
			root.SetHelpCommand(&cobra.Command{Hidden: true})
			root.AddCommand(c.build(a))
			return root.Execute()
		}
	}
	for _, c := range commands {
		root.AddCommand(c.build(a))
	}
	return root.Execute()
}

func init() { cobra.EnableCommandSorting = false } // the help lists them in the order below

// commands are all commands, in the order of the help.
var commands = [...]struct {
	name  string
	build func(*app) *cobra.Command
}{
	{"run", (*app).runCommand},
	{"explain", (*app).explainCommand},
	{"list", (*app).listCommand},
	{"check", (*app).checkCommand},
	{"test", (*app).testCommand},
	{"trust", (*app).trustCommand},
	{"env", (*app).envCommand},
	{"wait", (*app).waitCommand},
	{"events", (*app).eventsCommand},
	{"init", (*app).initCommand},
	{"schema", (*app).schemaCommand},
	{"version", (*app).versionCommand},
	{background.Command, (*app).backgroundCommand},
}

// fail prints an error of any command but run.
func (a *app) fail(err error) int {
	fmt.Fprintf(a.streams.Err, "theus-hooks: %s\n", printable(err.Error()))
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitMisuse
	}
	return exitFailed
}

// A usageError is a command line that cannot be carried out.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "theus-hooks",
		Short: "run the hooks of a coding agent",
		Long: `theus-hooks runs the hooks that are configured for an event of a coding agent
and answers with one combined decision.`,
		Example: `  theus-hooks run PreToolUse < event.json
  eval "$(theus-hooks env --session ID)"
  theus-hooks test hooks_test/`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q; `theus-hooks --help` lists them", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.streams.In)
	root.SetOut(a.streams.Out)
	root.SetErr(a.streams.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%v; `%s --help` lists the flags", err, cmd.CommandPath())
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	return root
}

// shared are the flags that several commands take.
type shared struct {
	projectDir string
	settings   []string
	pluginDirs []string
	sources    string
	dialect    string
	trust      bool
	session    string
	agent      string
}

func (s *shared) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.projectDir, "project-dir", "", "the project's root (default: searched for upwards)")
	f.StringArrayVar(&s.settings, "settings", nil, "a further settings `FILE|JSON` (repeatable)")
	f.StringArrayVar(&s.pluginDirs, "plugin-dir", nil, "a further plugin's directory `DIR` (repeatable)")
	f.StringVar(&s.sources, "setting-sources", "", "which of `user,project,local` to read (managed always is)")
	f.StringVar(&s.dialect, "dialect", "", "names of directories and variables: theus or claude")
	f.BoolVar(&s.trust, "trust", false, "vouch for the workspace: run project and local hooks")
	f.StringVar(&s.session, "session", "", "the session's `ID` (default: the event's session_id)")
}

// bindAgent adds the flag that says who calls.
func (s *shared) bindAgent(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.agent, "agent", "", "who calls, and so how it is answered: "+strings.Join(agent.Names(), ", "))
}

// printable escapes control characters, so that text of hooks and settings
// cannot drive a terminal. Line breaks and tabs stay.
func printable(s string) string {
	clean := func(r rune) bool {
		return (r < ' ' && r != '\n' && r != '\t') || r == 0x7f || r >= 0x80 && r < 0xa0
	}
	if !strings.ContainsFunc(s, clean) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if clean(r) {
			fmt.Fprintf(&b, `\x%02x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.streams.Out, "theus-hooks", Version())
			return err
		},
	}
}

// Version is the version the binary was built from, "(devel)" for a work tree.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	i := slices.IndexFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "vcs.revision" })
	if i < 0 {
		return info.Main.Version
	}
	return info.Main.Version + " " + info.Settings[i].Value
}

// dialectNamed resolves --dialect, else THEUS_HOOKS_DIALECT, else theus.
func dialectNamed(flag, variable string) (*settings.Dialect, error) {
	name := flag
	if name == "" {
		name = variable
	}
	if name == "" {
		return settings.Theus, nil
	}
	d, ok := settings.LookupDialect(name)
	if !ok {
		return nil, usagef("unknown dialect %q; use theus or claude", name)
	}
	return d, nil
}
