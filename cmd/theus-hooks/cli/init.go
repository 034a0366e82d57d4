package cli

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/theus-hooks/theus-hooks/internal/environ"
	"github.com/theus-hooks/theus-hooks/response/agent"
	"github.com/theus-hooks/theus-hooks/response/agent/setup"
)

// initFlags are the flags of init.
type initFlags struct {
	agent      string
	scope      string
	projectDir string
	dryRun     bool
	remove     bool
}

func (a *app) initCommand() *cobra.Command {
	flags := &initFlags{}
	cmd := &cobra.Command{
		Use:   "init --agent NAME",
		Short: "make an agent call theus-hooks, or undo it",
		Long: `init writes entries into the agent's own configuration, so that every event it has
calls theus-hooks, which then runs the hooks of .theus/settings.json. What stands in
the file stays as it is, and --remove gives it back byte for byte. The change goes to
standard output, what else the agent needs to standard error.`,
		Example: `  theus-hooks init --agent codex
  theus-hooks init --agent gemini --scope project --dry-run
  theus-hooks init --agent codex --remove`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("init takes no argument, got %q; the agent is --agent NAME: %s", args[0], strings.Join(configurable(), ", "))
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error { return a.init(flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.agent, "agent", "", "the agent to set up: "+strings.Join(configurable(), ", "))
	f.StringVar(&flags.scope, "scope", "user", "whose configuration: user (all projects), project")
	f.StringVar(&flags.projectDir, "project-dir", "", "with --scope project: the project's root (default: the working directory)")
	f.BoolVar(&flags.dryRun, "dry-run", false, "show the change and write nothing")
	f.BoolVar(&flags.remove, "remove", false, "take out what init put in")
	return cmd
}

// configurable are the agents with a configuration of their own to write.
func configurable() []string {
	return slices.DeleteFunc(agent.Names(), func(name string) bool {
		a, _ := agent.Lookup(name)
		return a.Config.File == ""
	})
}

func (a *app) init(flags *initFlags) error {
	caller, err := a.toSetUp(flags)
	if err != nil {
		return err
	}
	user, project, err := a.configFiles(caller, flags.projectDir)
	if err != nil {
		return err
	}
	path, other := user, project
	if flags.scope == "project" {
		path, other = project, user
	}
	if path == "" {
		return errors.New("which directory? set HOME, or name a project with --scope project --project-dir")
	}
	s, err := a.setupFor(caller, flags)
	if err != nil {
		return err
	}
	file, err := setup.Open(path)
	if err != nil {
		return err
	}
	if flags.remove {
		return a.removeSetup(s, file, flags)
	}
	return a.install(s, caller, file, other, flags)
}

// toSetUp is the agent that the flags name.
func (a *app) toSetUp(flags *initFlags) (*agent.Agent, error) {
	list := strings.Join(configurable(), ", ")
	caller, ok := agent.Lookup(flags.agent)
	switch {
	case flags.agent == "":
		return nil, usagef("which agent? use --agent with one of %s", list)
	case !ok:
		return nil, usagef("--agent is %q; use %s", flags.agent, list)
	case caller.Config.File == "":
		return nil, usagef("%s needs no init: it reads .theus/settings.json by itself; for another agent use --agent with one of %s", caller.Name, list)
	case flags.scope != "user" && flags.scope != "project":
		return nil, usagef("--scope is %q; use user or project", flags.scope)
	case flags.projectDir != "" && flags.scope != "project":
		return nil, usagef("--project-dir is for a project's configuration; add --scope project")
	}
	return caller, nil
}

// configFiles are the agent's files of the user and of the project, "" where it
// is not known which directory that would be.
func (a *app) configFiles(caller *agent.Agent, projectDir string) (user, project string, err error) {
	if err := a.checkPlaces(&runFlags{shared: shared{projectDir: projectDir}}); err != nil {
		return "", "", err
	}
	home := environ.Get(a.host.Env, "HOME")
	if home == "" && runtime.GOOS == "windows" {
		home = environ.Get(a.host.Env, "USERPROFILE")
	}
	if filepath.IsAbs(home) || environ.Get(a.host.Env, caller.Config.HomeVar) != "" {
		user = a.abs(caller.Config.UserFile(a.host.Env, home))
	}
	if a.host.Dir != "" || filepath.IsAbs(projectDir) {
		project = caller.Config.ProjectFile(a.abs(projectDir))
	}
	return user, project, nil
}

// setupFor decides how the entries start this program: by its name, where the
// PATH has it, else by its place. An agent that does not find a hook's command
// goes on without the hook.
func (a *app) setupFor(caller *agent.Agent, flags *initFlags) (*setup.Setup, error) {
	if flags.remove || a.onPath() {
		return setup.New(caller, setup.Name), nil
	}
	if a.host.Executable == "" {
		return nil, errors.New(setup.Name + " is not on PATH, and where this program stands is not known; put it on PATH")
	}
	// In test scripts it is the companion that does the work of the command.
	dir, base := filepath.Split(a.host.Executable)
	program := dir + strings.Replace(base, companionName, setup.Name, 1)
	a.say("%s is not on PATH, so the entries start %s; call init again when it moved", setup.Name, program)
	return setup.New(caller, setup.Quote(program)), nil
}

func (a *app) onPath() bool {
	name := setup.Name
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	for _, dir := range filepath.SplitList(environ.Get(a.host.Env, "PATH")) {
		if filepath.IsAbs(dir) && isProgram(filepath.Join(dir, name)) {
			return true
		}
	}
	return false
}

func (a *app) install(s *setup.Setup, caller *agent.Agent, file *setup.File, other string, flags *initFlags) error {
	change, err := s.Install(file.Text, file.Exists)
	if err != nil {
		return unchangedError(file, err)
	}
	changed, err := a.carryOut(file, change, flags)
	if err != nil {
		return err
	}
	for _, note := range change.Notes {
		a.say("warning: %s:%v", file.Path, &note)
	}
	if other != file.Path && a.has(s, other) {
		a.say("warning: %s calls %s as well, so hooks would run twice; take one out with `%s`", other, setup.Name, undo(caller, flags.scope != "project"))
	}
	what := fmt.Sprintf("%d events of %s call %s", s.Events(), caller.Name, setup.Name)
	switch {
	case !changed:
		a.say("%s is as it should be: %s", file.Path, what)
	case flags.dryRun:
		a.say("with this in %s, %s; nothing was written", file.Path, what)
	default:
		a.say("wrote %s: %s", file.Path, what)
	}
	for _, o := range caller.Config.Omit {
		a.say("%s is left out: %s", o.Event, o.Why)
	}
	a.say("next: put hooks into ~/.theus/settings.json or a project's .theus/settings.json; those of a project run after `theus-hooks trust grant` there")
	needs := caller.Config.Needs
	if flags.scope == "project" {
		needs = slices.Concat(needs, caller.Config.ProjectNeeds)
	}
	for _, need := range needs {
		a.say("next: %s", need)
	}
	if !flags.dryRun {
		a.say("undo with `%s`", undo(caller, flags.scope == "project"))
	}
	return nil
}

func (a *app) removeSetup(s *setup.Setup, file *setup.File, flags *initFlags) error {
	change, err := s.Remove(file.Text)
	if err != nil {
		return unchangedError(file, err)
	}
	changed, err := a.carryOut(file, change, flags)
	switch {
	case err != nil:
		return err
	case !changed:
		a.say("%s has no entries of %s for %s", file.Path, setup.Name, flags.agent)
	case flags.dryRun:
		a.say("this would go from %s; nothing was written", file.Path)
	case change.Gone:
		a.say("took the entries out of %s, and with them the file: it held nothing else", file.Path)
	default:
		a.say("took the entries out of %s", file.Path)
	}
	return nil
}

// carryOut shows a change and makes it.
func (a *app) carryOut(file *setup.File, change *setup.Change, flags *initFlags) (changed bool, err error) {
	if !change.Gone && bytes.Equal(change.Text, file.Text) {
		return false, nil
	}
	from, to := file.Path, file.Path
	if !file.Exists {
		from = "/dev/null"
	}
	if change.Gone {
		to = "/dev/null"
	}
	text := diff.Diff(from, unixLines(file.Text), to, unixLines(change.Text))
	if err := a.write([]byte(printable(string(text)))); err != nil {
		return false, err
	}
	if flags.dryRun {
		return true, nil
	}
	if file.Real != file.Path {
		a.say("%s is a link to %s, which is written", file.Path, file.Real)
	}
	return true, file.Write(change, flags.scope == "project")
}

// has reports whether the file at path has entries of ours. What cannot be read
// has none.
func (a *app) has(s *setup.Setup, path string) bool {
	if path == "" {
		return false
	}
	file, err := setup.Open(path)
	if err != nil || !file.Exists {
		return false
	}
	change, err := s.Remove(file.Text)
	return err == nil && (change.Gone || !bytes.Equal(change.Text, file.Text))
}

// say prints one line for a person.
func (a *app) say(format string, args ...any) {
	fmt.Fprintf(a.streams.Err, "theus-hooks: %s\n", printable(oneLine(fmt.Sprintf(format, args...))))
}

// unchangedError is the error of a file that was not written.
func unchangedError(file *setup.File, err error) error {
	return fmt.Errorf("%s:%w; nothing was changed", file.Path, err)
}

func undo(caller *agent.Agent, project bool) string {
	command := "theus-hooks init --agent " + caller.Name + " --remove"
	if project {
		command += " --scope project"
	}
	return command
}

// unixLines keeps the carriage returns of line ends out of what is shown.
func unixLines(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }
