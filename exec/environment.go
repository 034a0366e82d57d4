package exec

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/theus-hooks/theus-hooks/envfile"
	"github.com/theus-hooks/theus-hooks/internal/environ"
	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/settings"
)

// gitLocal are the variables that tie a process to one repository (those that
// `git rev-parse --local-env-vars` lists, and two more). A hook that inherits
// them from a git hook around us would work on the wrong repository.
var gitLocal = [...]string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS",
	"GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_NAMESPACE", "GIT_NO_REPLACE_OBJECTS",
	"GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_QUARANTINE_PATH", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
}

// notInherited names the variables of the caller that hooks do not get.
func notInherited(name string) bool {
	switch {
	case strings.HasPrefix(name, "OTEL_"), strings.HasPrefix(name, "BASH_FUNC_"):
		return true
	case name == "SHELLOPTS", name == "BASHOPTS": // noexec among them would make every guard in bash approve
		return true
	}
	if !strings.HasPrefix(name, "GIT_") {
		return false
	}
	for _, g := range gitLocal {
		if name == g {
			return true
		}
	}
	return strings.HasPrefix(name, "GIT_CONFIG_KEY_") || strings.HasPrefix(name, "GIT_CONFIG_VALUE_")
}

// prepareEnvironment finds out, once a run, what does not depend on the hook.
func (r *run) prepareEnvironment() {
	r.parent = environ.Filter(r.opts.Env, notInherited)
	ev := r.plan.Event
	for _, v := range []settings.Var{{Name: "THEUS_SESSION_ID", Value: ev.SessionID()}, {Name: "THEUS_EFFORT", Value: ev.Text("effort", "level")}} {
		if room := maxOwn; v.Value != "" && r.fits("the event", v, &room) {
			r.named = append(r.named, v)
		}
	}
	room := envfile.MaxApplied
	for _, v := range r.opts.Config.Env() {
		if restricted(v.Source.Scope) && envfile.RunsCode(v.Name) {
			r.refuse("the env of "+v.Source.Name, v.Name)
			continue
		}
		if r.fits("the env of "+v.Source.Name, v.Var, &room) {
			r.settings = append(r.settings, v.Var)
		}
	}
}

// maxOwn bounds what a hook's own variables may add to its environment, in bytes.
const maxOwn = envfile.MaxApplied / 2

// fits reports whether a program can still be started with the variable, and
// takes its size from room. One that is too long is left out, as with it no hook
// would start, and no guard either.
func (r *run) fits(where string, v settings.Var, room *int) bool {
	size := len(v.Name) + len(v.Value) + 2
	if size > envfile.MaxEntry() || size > *room {
		r.warn("long-variable", "%s sets %s to %d bytes, too many for the environment of a program; it was left out", where, v.Name, len(v.Value))
		return false
	}
	*room -= size
	return true
}

// environment is what a hook sees that builds on the exports base: the caller's
// variables, the exports, the settings' env.
func (r *run) environment(base []envfile.Change) []string {
	env := envfile.Apply(r.parent, base)
	for _, v := range r.settings {
		env = environ.Set(env, v.Name, v.Value)
	}
	return env
}

// exportsFor are the exports of the session that a hook builds on.
func (r *run) exportsFor(ctx context.Context, id string) []envfile.Change {
	if r.opts.Session == nil {
		return nil
	}
	base, err := r.opts.Session.Base(ctx, r.plan.Event.Name(), id)
	if err != nil {
		r.warn("session-state", "exports of earlier hooks are missing: %v", err)
	}
	return base
}

// restricted: the scope comes with a repository, so it must not set variables
// that run code by themselves.
func restricted(s precedence.Scope) bool { return s == precedence.Project || s == precedence.Local }

// hookEnv is the complete environment of one hook. The error says why its own
// variables cannot be had.
func (r *run) hookEnv(ctx context.Context, t *task) ([]string, error) {
	h := t.choice.Hook
	if r.shared == nil || r.plan.Event.Spec().ExportStage > 0 { // with a stage each hook builds on its own exports
		r.shared = r.environment(r.exportsFor(ctx, h.ID()))
	}
	env := append(make([]string, 0, len(r.shared)+16), r.shared...)
	own, err := r.dotenv(h)
	if err != nil {
		return nil, err
	}
	room := maxOwn
	for _, v := range own {
		if r.fits("the envFile of hook "+h.Label(), settings.Var{Name: v.Name, Value: v.Value}, &room) {
			env = environ.Set(env, v.Name, v.Value)
		}
	}
	for _, v := range h.Handler.Env {
		if restricted(h.Source.Scope) && envfile.RunsCode(v.Name) {
			r.refuse("the env of hook "+h.Label(), v.Name)
			continue
		}
		if r.fits("the env of hook "+h.Label(), v, &room) {
			env = environ.Set(env, v.Name, v.Value)
		}
	}
	for _, v := range r.fixed(t) {
		for _, name := range r.opts.Config.Dialect.Names(v.Name) {
			env = environ.Set(env, name, v.Value)
		}
	}
	return environ.Set(env, "PWD", t.dir), nil
}

// dotenv are the variables in the file that a handler's envFile names. A hook
// without them would not be the one that was configured.
func (r *run) dotenv(h *precedence.Hook) ([]envfile.Change, error) {
	name := h.Handler.EnvFile
	if name == "" {
		return nil, nil
	}
	p := r.opts.Config.Project
	path := from(p.Root, name)
	if _, err := os.Stat(path); err != nil {
		path = from(p.Main, name)
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("its envFile %q is not there (looked for %s)", name, from(p.Root, name))
	}
	text, err := envfile.Read(path)
	if err != nil {
		return nil, fmt.Errorf("its envFile %s: %w", path, err)
	}
	changes, problems, err := envfile.Dotenv(text)
	if err != nil {
		return nil, fmt.Errorf("its envFile %s: %w", path, err)
	}
	for _, problem := range problems {
		r.warn("env-file", "envFile of hook %s (%s): %s", h.Label(), path, problem.Message)
	}
	return slices.DeleteFunc(changes, func(c envfile.Change) bool {
		refused := restricted(h.Source.Scope) && envfile.RunsCode(c.Name)
		if refused {
			r.refuse("the envFile of hook "+h.Label(), c.Name)
		}
		return refused
	}), nil
}

func (r *run) refuse(where, name string) {
	r.warn("refused-variable", "%s sets %s, which can run code by itself; it was left out", where, name)
}

// fixed are the variables that no setting can change.
func (r *run) fixed(t *task) []settings.Var {
	vars := []settings.Var{
		{Name: "THEUS", Value: "1"},
		{Name: "THEUS_CHILD_SESSION", Value: "1"},
		{Name: "THEUS_PROJECT_DIR", Value: slashed(r.opts.Config.Project.Main)},
		{Name: "THEUS_ENV_FILE", Value: slashed(t.envFile)},
	}
	vars = append(vars, r.named...)
	return append(vars, r.pluginVars(t.choice.Hook.Source.Plugin)...)
}

// pluginVars are the variables of a plugin's hooks. Its folder for data is made
// here, for the first hook that may use it.
func (r *run) pluginVars(p *precedence.PluginInfo) []settings.Var {
	if p == nil {
		return nil
	}
	vars := []settings.Var{{Name: "THEUS_PLUGIN_ROOT", Value: slashed(p.Root)}}
	for _, o := range r.opts.Config.PluginOptions(p.ID) {
		name := "THEUS_PLUGIN_OPTION_" + strings.ToUpper(strings.ReplaceAll(o.Name, "-", "_"))
		if !envfile.ValidName(name) || strings.ContainsRune(o.Value, 0) {
			r.warn("plugin-option", "the option %q of the plugin %s cannot be a variable; it was left out", o.Name, p.ID)
			continue
		}
		vars = append(vars, settings.Var{Name: name, Value: o.Value})
	}
	if p.Data == "" {
		return vars
	}
	if !r.preview {
		if err := os.MkdirAll(p.Data, 0o700); err != nil {
			r.warn("plugin-data", "the plugin %s has no folder for its data: %v", p.ID, err)
		}
	}
	return append(vars, settings.Var{Name: "THEUS_PLUGIN_DATA", Value: slashed(p.Data)})
}

// slashed writes a Windows path so that no shell eats its separators.
func slashed(path string) string {
	if runtime.GOOS == "windows" {
		return filepath.ToSlash(path)
	}
	return path
}

// dir is where a hook runs: its own cwd, else the event's if it exists, else
// the project, else home.
func (r *run) dir(h *precedence.Hook) (string, error) {
	p := r.opts.Config.Project
	if own := h.Handler.Cwd; own != "" {
		for _, root := range []string{p.Root, p.Main} {
			if dir := from(root, own); isDir(dir) {
				return dir, nil
			}
		}
		return "", fmt.Errorf("its cwd %q is no directory (looked for %s)", own, from(p.Root, own))
	}
	for _, dir := range []string{r.plan.Event.Cwd(), p.Main, p.Home} {
		if filepath.IsAbs(dir) && isDir(dir) {
			return dir, nil
		}
	}
	return "", fmt.Errorf("there is no directory to run in: neither the event's cwd %q nor the project %s nor a home directory exists", r.plan.Event.Cwd(), p.Main)
}

func from(root, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(root, path)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func (r *run) warn(code, format string, args ...any) {
	r.report.Problems = append(r.report.Problems, response.Problem{Severity: "warning", Code: code, Message: fmt.Sprintf(format, args...)})
}
