package precedence

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/settings"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

const flagFile = "app/flag.json"

// fileOf are the files of the scopes, in configuration order.
var fileOf = []struct {
	scope Scope
	file  string
}{
	{Plugin, "plugin/hooks/hooks.json"},
	{User, userFile},
	{Project, projectFile},
	{Local, localFile},
	{CommandLine, flagFile},
	{Managed, managedFile},
}

// A damage is one way to break a settings file that has a guard called name.
type damage struct {
	do func(w *world, file, name string)
	// survives: the guard beside what is broken still runs.
	survives bool
	// hides: in managed settings the damage may hide a guard.
	hides bool
	// quiet: nothing is wrong.
	quiet bool
}

func guardText(name, beside string) string {
	return fmt.Sprintf(`{"hooks":[{"type":"command","command":%q}%s]}`, name, beside)
}

func groups(text string) string { return `{"hooks":{"PreToolUse":[` + text + `]}}` }

var damages = map[string]damage{
	"valid": {
		do:       func(w *world, file, name string) { w.write(file, groups(guardText(name, ""))) },
		survives: true, quiet: true,
	},
	"a broken entry": {
		do: func(w *world, file, name string) {
			w.write(file, groups(guardText(name, `,7,{"type":"command"},{"type":"nope","command":"x"}`)))
		},
		survives: true,
	},
	"a broken group": {
		do: func(w *world, file, name string) {
			w.write(file, groups(`"x",{"matcher":"Bash"},{"hooks":7},`+guardText(name, "")))
		},
		survives: true,
	},
	"a broken event": {
		do: func(w *world, file, name string) {
			w.write(file, `{"hooks":{"Stop":7,"Sotp":[],"PreToolUse":[`+guardText(name, "")+`]}}`)
		},
		survives: true,
	},
	"a list of hooks": {do: func(w *world, file, _ string) { w.write(file, `{"hooks":[]}`) }, hides: true},
	"cut off":         {do: func(w *world, file, name string) { w.write(file, groups(guardText(name, ""))[:40]) }, hides: true},
	"not an object":   {do: func(w *world, file, _ string) { w.write(file, `[1]`) }, hides: true},
	"utf-16":          {do: func(w *world, file, _ string) { w.write(file, "\xff\xfe{\x00}\x00") }, hides: true},
	"empty":           {do: func(w *world, file, _ string) { w.write(file, "") }, hides: true},
	"a directory":     {do: func(w *world, file, _ string) { w.mkdir(file) }, hides: true},
	"a dangling link": {do: func(w *world, file, _ string) { w.symlink("nowhere", file) }, hides: true},
	"a loop of links": {do: func(w *world, file, _ string) { w.symlink(w.path(file), file) }, hides: true},
	"too long": {
		do: func(w *world, file, _ string) {
			w.write(file, "{}")
			if err := os.Truncate(w.path(file), settings.MaxBytes+1); err != nil {
				w.t.Fatal(err)
			}
		}, hides: true,
	},
}

// Each source damaged in each way: the guards of the others stand, and what is
// not broken of the damaged one, too.
func TestDamageCostsItself(t *testing.T) {
	for how, d := range damages {
		for _, broken := range fileOf {
			t.Run(how+" in "+string(broken.scope), func(t *testing.T) {
				w := newWorld(t)
				w.opts.Settings, w.opts.PluginDirs = []string{"flag.json"}, []string{w.path("plugin")}
				var want []string
				for _, f := range fileOf {
					if f.scope == broken.scope {
						d.do(w, f.file, string(f.scope))
					} else {
						w.write(f.file, groups(guardText(string(f.scope), "")))
					}
					if f.scope != broken.scope || d.survives {
						want = append(want, "+ "+string(f.scope))
					}
				}
				cfg := Load(w.opts)
				got := slices.DeleteFunc(selection(cfg.Plan(decode(t, "PreToolUse", bashCall), nil)), func(s string) bool { return !strings.HasPrefix(s, "+ ") })
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("what runs: %s", diff)
				}
				if d.quiet != (len(cfg.Problems) == 0) {
					t.Errorf("problems: %v", cfg.Problems)
				}
				if hidden := broken.scope == Managed && d.hides; hidden != (len(cfg.Broken) > 0) && how != "empty" {
					t.Errorf("managed policy unreadable: %v", cfg.Broken)
				}
				for _, p := range cfg.Problems {
					if want := broken.scope == Managed; want != (p.Severity == settings.Error) && p.Code != "unknown-event" && how != "empty" {
						t.Errorf("severity %s of %s", p.Severity, p)
					}
				}
			})
		}
	}
}

// For each policy key: a repository, trusted or not, that tries to get more than
// the user and managed settings allow gets nothing.
func TestRepositoryCannotWiden(t *testing.T) {
	registry := func(w *world) {
		w.write("home/.theus/plugins/installed_plugins.json", fmt.Sprintf(`{"plugins":{"p@m":{"installPath":%q}}}`, w.path("plugin")))
		w.write("plugin/hooks/hooks.json", groups(guardText("plugin", "")))
	}
	tests := []struct {
		name                      string
		set                       func(w *world)
		repository, user, managed string // top-level keys
		want                      []string
	}{
		{"disableAllHooks of the user", nil, `"disableAllHooks":false,`, `"disableAllHooks":true,`, ``, []string{"+ managed", "disabled-all user", "disabled-all project", "disabled-all local"}},
		{"disableAllHooks of managed settings", nil, `"disableAllHooks":false,`, ``, `"disableAllHooks":true,`, []string{"disabled-all user", "disabled-all project", "disabled-all local", "disabled-all managed"}},
		{"the hooks of others", nil, `"disableAllHooks":true,`, ``, ``, []string{"+ user", "+ managed", "disabled-all project", "disabled-all local"}},
		{"allowManagedHooksOnly", nil, `"allowManagedHooksOnly":false,`, ``, `"allowManagedHooksOnly":true,`, []string{"+ managed", "managed-only user", "managed-only project", "managed-only local"}},
		{"allowManagedHooksOnly against the user", nil, `"allowManagedHooksOnly":true,`, ``, ``, []string{"+ user", "+ project", "+ local", "+ managed"}},
		{"strictPluginOnlyCustomization", nil, `"strictPluginOnlyCustomization":false,`, ``, `"strictPluginOnlyCustomization":["hooks"],`, []string{"+ managed", "managed-only user", "managed-only project", "managed-only local"}},
		{"strictPluginOnlyCustomization against the user", nil, `"strictPluginOnlyCustomization":true,`, ``, ``, []string{"+ user", "+ project", "+ local", "+ managed"}},
		{"a plugin that the user switched off", registry, `"enabledPlugins":{"p@m":true},`, `"enabledPlugins":{"p@m":false},`, ``, []string{"+ user", "+ project", "+ local", "+ managed"}},
		{"a plugin that managed settings switched off", registry, `"enabledPlugins":{"p@m":true},`, `"enabledPlugins":{"p@m":true},`, `"enabledPlugins":{"p@m":false},`, []string{"+ user", "+ project", "+ local", "+ managed"}},
		{"a plugin that managed settings force", registry, `"enabledPlugins":{"p@m":false},`, ``, `"enabledPlugins":{"p@m":true},`, []string{"+ plugin", "+ user", "+ project", "+ local", "+ managed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			if tt.set != nil {
				tt.set(w)
			}
			w.guard(userFile, "user", tt.user)
			w.guard(managedFile, "managed", tt.managed)
			w.guard(projectFile, "project", tt.repository)
			w.guard(localFile, "local", tt.repository)
			w.want(w.plan("PreToolUse", bashCall), tt.want...)
			// Without trust it has no say at all: the others run as before.
			w.opts.Trust = false
			for _, line := range selection(w.plan("PreToolUse", bashCall)) {
				name, runs := strings.CutPrefix(line, "+ ")
				if runs && (name == "project" || name == "local" || !slices.Contains(tt.want, line)) {
					t.Errorf("untrusted: %s", line)
				}
			}
		})
	}
}

// A trusted repository may switch on a plugin that nobody else speaks of, and
// switch off one that is not forced.
func TestRepositoryAndPlugins(t *testing.T) {
	w := newWorld(t)
	w.write("home/.theus/plugins/installed_plugins.json", fmt.Sprintf(
		`{"plugins":{"a@m":[{"installPath":%q}],"b@m":[{"installPath":"/nowhere"},{"installPath":%q,"projectPath":%q},{"installPath":"/elsewhere","projectPath":"/other"}]}}`,
		w.path("a"), w.path("b"), w.path("app")))
	w.write("a/hooks/hooks.json", groups(guardText("a", "")))
	w.write("b/hooks/hooks.json", groups(guardText("b", "")))
	w.write(userFile, `{"enabledPlugins":{"a@m":true}}`)
	w.write(projectFile, `{"enabledPlugins":{"b@m":true}}`)
	w.want(w.plan("PreToolUse", bashCall), "+ a", "+ b")
	w.write(localFile, `{"enabledPlugins":{"a@m":false}}`)
	w.want(w.plan("PreToolUse", bashCall), "+ b")
	w.opts.Trust = false
	w.want(w.plan("PreToolUse", bashCall), "+ a")
}

// The lists that limit http hooks: what others allow adds up, a repository takes
// from it.
func TestLimitsOfHTTPHooks(t *testing.T) {
	w := newWorld(t)
	if p := Load(w.opts).Policy; p.HTTPHookURLs() != nil || p.HTTPHookEnv() != nil {
		t.Errorf("nothing set: %v, %v", p.HTTPHookURLs(), p.HTTPHookEnv())
	}
	w.write(userFile, `{"allowedHttpHookUrls":["u"],"httpHookAllowedEnvVars":["U"]}`)
	w.write(managedFile, `{"allowedHttpHookUrls":["m"]}`)
	w.write(projectFile, `{"allowedHttpHookUrls":["u","p"],"httpHookAllowedEnvVars":[]}`)
	w.write(localFile, `{"allowedHttpHookUrls":["*"]}`)
	w.opts.Settings = []string{`{"allowedHttpHookUrls":[]}`}
	p := Load(w.opts).Policy
	if diff := cmp.Diff([][]string{{"u", "m"}, {"u", "p"}, {"*"}}, p.HTTPHookURLs()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([][]string{{"U"}, {}}, p.HTTPHookEnv()); diff != "" {
		t.Error(diff)
	}
	w.opts.Trust = false
	if diff := cmp.Diff([][]string{{"u", "m"}}, Load(w.opts).Policy.HTTPHookURLs()); diff != "" {
		t.Error(diff)
	}
}

func TestList(t *testing.T) {
	w := newWorld(t)
	w.write(userFile, groups(`{"matcher":"Bash","hooks":[{"type":"command","command":"same"},{"type":"command","command":"user"}]}`))
	w.write(projectFile, groups(`{"matcher":"Bash","hooks":[{"type":"command","command":"same"}]},{"matcher":"Edit","hooks":[{"type":"command","command":"same"}]},
		{"matcher":"(","hooks":[{"type":"command","command":"broken"}]}`))
	w.write(managedFile, groups(guardText("managed", `,{"type":"mcp_tool","server":"s","tool":"t"}`)))
	spec, _ := event.Lookup("PreToolUse")
	var got []string
	for _, c := range Load(w.opts).List(spec) {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", c.Hook.Source.Scope, c.Hook.Group.Matcher.Text, c.Hook.Handler.Command, c.Reason)))
	}
	want := []string{
		"managed  managed", "managed   unsupported-here",
		"project Bash same", "project Edit same", "project ( broken invalid",
		"user Bash same duplicate", "user Bash user",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// many writes hooks spread over files, and returns the options that read them.
func many(w *world, files, hooks int) Options {
	for i := range files {
		var list []string
		for j := range hooks {
			list = append(list, fmt.Sprintf(`{"matcher":"Edit|Write","hooks":[{"type":"command","name":"h%d-%d","if":"Edit(src/%d/**)","command":"guard --number %d < in | tail -1","timeout":5}]}`, i, j, j, i*hooks+j))
		}
		file := fmt.Sprintf("managed/managed-settings.d/%02d.json", i)
		w.write(file, `{"hooks":{"PreToolUse":[`+strings.Join(list, ",\n")+`]}}`)
	}
	return w.opts
}

func BenchmarkManyHooks(b *testing.B) {
	w := newWorld(b)
	opts := many(w, 50, 200)
	spec, _ := event.Lookup("PreToolUse")
	ev, err := event.Decode(spec, []byte(`{"session_id":"s","tool_name":"Edit","tool_input":{"file_path":"/x/src/7/a.go"}}`))
	if err != nil {
		b.Fatal(err)
	}
	for name, do := range map[string]func(*Config) int{
		"explain": func(c *Config) int { p := c.Plan(ev, nil); return len(p.Selected) + len(p.Skipped) },
		"list":    func(c *Config) int { return len(c.List(spec)) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if n := do(Load(opts)); n != 10_000 {
					b.Fatal(n)
				}
			}
		})
	}
}

// What a call pays before its hooks: nothing configured, and a trusted project
// with two scripts.
func BenchmarkLoad(b *testing.B) {
	w := newWorld(b)
	w.opts.Trust = false
	run := func(name string) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Load(w.opts)
			}
		})
	}
	run("nothing")
	w.write("app/a.sh", strings.Repeat("echo a\n", 200))
	w.write("app/b.py", strings.Repeat("print(1)\n", 200))
	w.write(projectFile, groups(`{"hooks":[{"type":"command","command":"\"$THEUS_PROJECT_DIR\"/a.sh"},{"type":"command","command":"python3 b.py"}]}`))
	run("untrusted")
	w.trust()
	run("trusted")
	w.opts.Trust = true
	run("vouched")
}
