package precedence

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings"
)

// A PluginInfo is the plugin that a source belongs to.
type PluginInfo struct {
	// ID is "name@marketplace", or "name@inline" for one given by its directory.
	ID string
	// Root is the plugin's directory, Data the one it may keep things in, which
	// need not exist. Both absolute; Data is "" when the user has no directory.
	Root, Data string
	// Forced: managed settings enable it, so its hooks count as managed ones.
	Forced bool
}

// A pluginState is what settings say of a plugin; forced ones are on.
type pluginState struct{ on, forced bool }

// plugins reads the enabled plugins, lowest precedence of all. Whether one is
// enabled is known only when everything else was read.
func (l *loader) plugins(trusted bool) {
	states := l.pluginStates(trusted)
	var list []PluginInfo
	if slices.ContainsFunc(slices.Collect(maps.Values(states)), func(s pluginState) bool { return s.on }) {
		list = l.installed(states)
	}
	for _, dir := range l.opts.PluginDirs {
		dir = absFrom(l.opts.dir(), dir)
		switch {
		case !l.wantsUser():
			l.problem(settings.Warning, "plugin-not-read", dir, "", "plugins are read with the user's settings, which --setting-sources leaves out")
		case !isDir(dir):
			l.problem(settings.Warning, "not-found", dir, "give the directory of a plugin", "no such directory")
		default:
			list = append(list, PluginInfo{ID: l.pluginName(dir) + "@inline", Root: dir})
		}
	}
	rest := l.sources
	l.sources = nil
	for i := range list {
		list[i].Data = l.pluginData(list[i].ID)
		l.plugin(&list[i])
	}
	l.sources = append(l.sources, rest...)
}

func (l *loader) wantsUser() bool {
	return l.opts.Scopes == nil || slices.Contains(l.opts.Scopes, User)
}

// pluginStates adds up what settings say: of user settings and the command line
// the last word counts, managed settings overrule both. A trusted repository may
// switch off what those switch on, unless it is forced, and on only what none of
// them says anything about.
func (l *loader) pluginStates(trusted bool) map[string]pluginState {
	states := map[string]pluginState{}
	l.eachSwitch(func(scope Scope, p settings.Switch) {
		switch scope {
		case User, CommandLine:
			states[p.Name] = pluginState{on: p.On}
		case Managed:
			states[p.Name] = pluginState{on: p.On, forced: p.On}
		}
	})
	said := maps.Clone(states)
	l.eachSwitch(func(scope Scope, p settings.Switch) {
		if before, ok := said[p.Name]; trusted && scope.ofRepository() && (!ok || before.on && !before.forced) {
			states[p.Name] = pluginState{on: p.On}
		}
	})
	return states
}

func (l *loader) eachSwitch(do func(Scope, settings.Switch)) {
	for _, s := range l.sources {
		for _, p := range s.File.EnabledPlugins {
			do(s.Scope, p)
		}
	}
}

// installed reads the registry of plugins, in the order of their ids:
//
//	{"plugins": {"name@marketplace": [{"installPath": "/…", "scope": "user"}, …]}}
//
// An entry may be one object in place of a list. Entries of scope project or
// local name the project they are for.
func (l *loader) installed(states map[string]pluginState) []PluginInfo {
	dir := l.opts.userDir()
	if dir == "" {
		return nil
	}
	path := filepath.Join(dir, "plugins", "installed_plugins.json")
	root, ok := l.object(path)
	if !ok {
		return nil
	}
	var list []PluginInfo
	for _, id := range slices.Sorted(maps.Keys(states)) {
		state := states[id]
		if !state.on || !state.forced && !l.wantsUser() {
			continue
		}
		switch place := l.installPath(root.Path("plugins", id)); {
		case place == "":
			l.problem(settings.Warning, "plugin-missing", path, "install it, or take it out of enabledPlugins", "the plugin %q is enabled and not installed", id)
		default:
			list = append(list, PluginInfo{ID: id, Root: absFrom(filepath.Dir(path), place), Forced: state.forced})
		}
	}
	return list
}

// installPath chooses among the places a plugin is installed at: one for this
// project before one for all, the last of each.
func (l *loader) installPath(entry jsontext.Value) string {
	entries := []jsontext.Value{entry}
	if entry.Kind() == jsontext.Array {
		entries = nil
		for _, e := range entry.Elements() {
			entries = append(entries, e)
		}
	}
	everywhere, here := "", ""
	for _, e := range entries {
		place := e.Get("installPath").Text()
		project := e.Get("projectPath").Text()
		switch {
		case place == "":
		case project == "":
			everywhere = place
		case sameDir(project, l.project.Root) || sameDir(project, l.project.Main):
			here = place
		}
	}
	if here != "" {
		return here
	}
	return everywhere
}

// object reads a JSON object that is not a settings file. Problems with it are
// warnings; ok is false when there is none.
func (l *loader) object(path string) (jsontext.Value, bool) {
	data, _, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return jsontext.Value{}, false
	}
	if err != nil {
		l.problem(settings.Warning, "unreadable", path, "make it a readable JSON file, or remove it", "%v", err)
		return jsontext.Value{}, false
	}
	v, _, err := jsontext.ParseRelaxed(data, jsontext.Limits{Bytes: settings.MaxBytes, Depth: settings.MaxDepth})
	if err == nil && v.Kind() != jsontext.Object {
		err = errors.New("it is not an object")
	}
	if err != nil {
		l.problem(settings.Warning, "syntax", path, "", "cannot be read: %v", err)
		return jsontext.Value{}, false
	}
	return v, true
}

func (l *loader) manifest(root string) string {
	return filepath.Join(root, filepath.FromSlash(l.opts.dialect().Manifest()))
}

// pluginName is the name a plugin gives itself, else that of its directory.
func (l *loader) pluginName(root string) string {
	if data, _, err := readFile(l.manifest(root)); err == nil {
		if v, _, err := jsontext.ParseRelaxed(data, jsontext.Limits{Bytes: settings.MaxBytes, Depth: settings.MaxDepth}); err == nil {
			if name := v.Get("name").Text(); name != "" {
				return name
			}
		}
	}
	return filepath.Base(root)
}

// pluginData is where a plugin keeps things: a folder of its own that updates
// leave alone.
func (l *loader) pluginData(id string) string {
	dir := l.opts.userDir()
	if dir == "" {
		return ""
	}
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, id)
	return filepath.Join(dir, "plugins", "data", safe)
}

// plugin reads the hooks of one plugin: hooks/hooks.json, then what "hooks" of
// its manifest names or is.
func (l *loader) plugin(p *PluginInfo) {
	before := l.seen
	l.seen = nil // its files are its own, whatever else reads them
	defer func() { l.seen = before }()
	if !isDir(p.Root) {
		l.problem(settings.Warning, "plugin-missing", p.Root, "install it again, or take it out of enabledPlugins", "the directory of the plugin %q is gone", p.ID)
		return
	}
	l.pluginFile(p, filepath.Join(p.Root, "hooks", "hooks.json"))
	path := l.manifest(p.Root)
	manifest, ok := l.object(path)
	if !ok {
		return
	}
	switch hooks := manifest.Get("hooks"); hooks.Kind() {
	case jsontext.Object:
		l.pluginFile(p, path)
	case jsontext.String:
		l.pluginPath(p, path, hooks)
	case jsontext.Array:
		for _, e := range hooks.Elements() {
			l.pluginPath(p, path, e)
		}
	case jsontext.Missing:
	default:
		l.problem(settings.Warning, "wrong-type", path, "", "hooks is %s, want a path, a list of paths or an object", hooks.Kind())
	}
}

// pluginPath reads a file that a manifest names. It must be inside the plugin,
// links included: what a plugin ships is what was installed.
func (l *loader) pluginPath(p *PluginInfo, manifest string, v jsontext.Value) {
	name := filepath.FromSlash(strings.TrimPrefix(v.Text(), "./"))
	path := filepath.Join(p.Root, name)
	if v.Kind() != jsontext.String || !filepath.IsLocal(name) || !inside(p.Root, path) {
		l.problem(settings.Warning, "plugin-path", manifest, "name a file inside the plugin, such as \"./hooks/more.json\"", "hooks names %s, which is no path inside the plugin", v.Raw())
		return
	}
	if _, err := os.Stat(path); err != nil {
		l.problem(settings.Warning, "not-found", manifest, "", "hooks names %s: %v", v.Raw(), cause(err))
		return
	}
	l.pluginFile(p, path)
}

// inside reports whether a path, links followed, is inside root. One that does
// not exist is.
func inside(root, path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	sub, err := filepath.Rel(realRoot, real)
	return err == nil && filepath.IsLocal(sub)
}

// pluginFile reads a file with hooks of a plugin. Only its hooks count: other
// keys of settings have no say in plugins.
func (l *loader) pluginFile(p *PluginInfo, path string) {
	if !inside(p.Root, path) {
		l.problem(settings.Warning, "plugin-path", path, "", "it leads out of the plugin %q, so it is not read", p.ID)
		return
	}
	before := len(l.sources)
	l.file(Plugin, path, p.Root)
	for _, s := range l.sources[before:] {
		s.Plugin = p
		f := s.File
		f.Policy, f.Env, f.DisabledHooks, f.HookModules, f.EnabledPlugins, f.PluginOptions = settings.Policy{}, nil, nil, nil, nil, nil
	}
}

// String names the plugin and where it is.
func (p *PluginInfo) String() string { return fmt.Sprintf("%s (%s)", p.ID, p.Root) }
