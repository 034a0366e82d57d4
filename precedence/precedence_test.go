package precedence

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/settings/event"
)

// world is a directory with a home, a project and managed settings.
type world struct {
	t    testing.TB
	root string
	opts Options
}

func newWorld(t testing.TB) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: root}
	w.mkdir("home")
	w.mkdir("app/.theus")
	w.mkdir("managed")
	w.opts = Options{
		Env: []string{"HOME=" + w.path("home")}, Dir: w.path("app"), ManagedDir: w.path("managed"), Trust: true,
	}
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }

func (w *world) mkdir(name string) {
	w.t.Helper()
	if err := os.MkdirAll(w.path(name), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(name, text string) {
	w.t.Helper()
	w.mkdir(filepath.Dir(name))
	if err := os.WriteFile(w.path(name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// guard writes a settings file with one command hook on PreToolUse, after more
// top-level keys.
func (w *world) guard(name, command, more string) {
	w.write(name, fmt.Sprintf(`{%s"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":%q}]}]}}`, more, command))
}

const (
	userFile    = "home/.theus/settings.json"
	projectFile = "app/.theus/settings.json"
	localFile   = "app/.theus/settings.local.json"
	managedFile = "managed/managed-settings.json"
)

func decode(t testing.TB, name, text string) *event.Event {
	t.Helper()
	spec, ok := event.Lookup(name)
	if !ok {
		t.Fatalf("no event %s", name)
	}
	ev, err := event.Decode(spec, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return ev
}

const bashCall = `{"session_id":"s","tool_name":"Bash","tool_input":{"command":"rm -rf /"}}`

// selection lists what a plan makes of the hooks: "+ command" or "reason command".
func selection(p *Plan) []string {
	var lines []string
	for _, c := range p.Selected {
		line := "+ " + c.Hook.Handler.Command
		if c.Broken != "" {
			line = "broken " + c.Hook.Handler.Command
		}
		lines = append(lines, line)
	}
	for _, c := range p.Skipped {
		lines = append(lines, string(c.Reason)+" "+c.Hook.Handler.Command)
	}
	return lines
}

func (w *world) plan(name, text string) *Plan {
	w.t.Helper()
	return Load(w.opts).Plan(decode(w.t, name, text), nil)
}

func (w *world) want(plan *Plan, want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, selection(plan)); diff != "" {
		w.t.Errorf("selection (-want +got): %s", diff)
	}
}

func (w *world) allScopes() {
	w.guard(userFile, "user", "")
	w.guard(projectFile, "project", "")
	w.guard(localFile, "local", "")
	w.guard(managedFile, "managed", "")
	w.guard("managed/managed-settings.d/10-b.json", "managed-10", "")
	w.guard("managed/managed-settings.d/05-a.json", "managed-05", "")
	w.guard("managed/managed-settings.d/.hidden.json", "hidden", "")
	w.guard("managed/managed-settings.d/note.txt", "note", "")
	w.opts.Settings = []string{`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"flag"}]}]}}`}
}

func TestSourcesAddUpInConfigurationOrder(t *testing.T) {
	w := newWorld(t)
	w.allScopes()
	w.want(w.plan("PreToolUse", bashCall), "+ user", "+ project", "+ local", "+ flag", "+ managed", "+ managed-05", "+ managed-10")
	w.opts.Scopes = []Scope{Local}
	w.want(w.plan("PreToolUse", bashCall), "+ local", "+ flag", "+ managed", "+ managed-05", "+ managed-10")
}

func TestReasons(t *testing.T) {
	tests := []struct {
		name string
		set  func(w *world)
		want []string
	}{
		{"untrusted", func(w *world) { w.opts.Trust = false }, []string{"+ user", "+ flag", "+ managed", "untrusted project", "untrusted local"}},
		{
			"the user switches hooks off",
			func(w *world) { w.guard(userFile, "user", `"disableAllHooks":true,`) },
			[]string{"+ managed", "disabled-all user", "disabled-all project", "disabled-all local", "disabled-all flag"},
		},
		{
			"a repository cannot switch them on again",
			func(w *world) {
				w.guard(userFile, "user", `"disableAllHooks":true,`)
				w.guard(projectFile, "project", `"disableAllHooks":false,`)
				w.guard(localFile, "local", `"disableAllHooks":false,`)
			},
			[]string{"+ managed", "disabled-all user", "disabled-all project", "disabled-all local", "disabled-all flag"},
		},
		{
			"a repository switches only its own off",
			func(w *world) { w.guard(localFile, "local", `"disableAllHooks":true,`) },
			[]string{"+ user", "+ flag", "+ managed", "disabled-all project", "disabled-all local"},
		},
		{
			"an untrusted repository switches nothing",
			func(w *world) { w.opts.Trust = false; w.guard(localFile, "local", `"disableAllHooks":true,`) },
			[]string{"+ user", "+ flag", "+ managed", "untrusted project", "untrusted local"},
		},
		{
			"the command line switches on for its call",
			func(w *world) {
				w.guard(userFile, "user", `"disableAllHooks":true,`)
				w.opts.Settings = []string{`{"disableAllHooks":false}`}
			},
			[]string{"+ user", "+ project", "+ local", "+ managed"},
		},
		{
			"the command line switches off for its call",
			func(w *world) { w.opts.Settings = []string{`{"disableAllHooks":true}`} },
			[]string{"+ managed", "disabled-all user", "disabled-all project", "disabled-all local"},
		},
		{
			"managed switches everything off",
			func(w *world) { w.guard(managedFile, "managed", `"disableAllHooks":true,`) },
			[]string{"disabled-all user", "disabled-all project", "disabled-all local", "disabled-all flag", "disabled-all managed"},
		},
		{
			"managed only",
			func(w *world) { w.guard(managedFile, "managed", `"allowManagedHooksOnly":"surely",`) },
			[]string{"+ managed", "managed-only user", "managed-only project", "managed-only local", "managed-only flag"},
		},
		{
			"managed only is for managed settings",
			func(w *world) { w.guard(projectFile, "project", `"allowManagedHooksOnly":true,`) },
			[]string{"+ user", "+ project", "+ local", "+ flag", "+ managed"},
		},
		{
			"plugins only",
			func(w *world) { w.guard(managedFile, "managed", `"strictPluginOnlyCustomization":true,`) },
			[]string{"+ flag", "+ managed", "managed-only user", "managed-only project", "managed-only local"},
		},
		{
			"enabled false",
			func(w *world) {
				w.write(userFile, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"user","enabled":false}]}]}}`)
			},
			[]string{"+ project", "+ local", "+ flag", "+ managed", "disabled user"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.guard(userFile, "user", "")
			w.guard(projectFile, "project", "")
			w.guard(localFile, "local", "")
			w.guard(managedFile, "managed", "")
			w.opts.Settings = []string{`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"flag"}]}]}}`}
			tt.set(w)
			w.want(w.plan("PreToolUse", bashCall), tt.want...)
		})
	}
}

func (w *world) symlink(target, name string) {
	w.t.Helper()
	w.mkdir(filepath.Dir(name))
	if err := os.Symlink(target, w.path(name)); err != nil {
		w.t.Fatal(err)
	}
}

func TestBrokenPartsOfOneFile(t *testing.T) {
	w := newWorld(t)
	w.write(projectFile, "\xef\xbb\xbf"+`{"hooks":{
		"MoonPhase":[{"hooks":[{"type":"command","command":"moon"}]}],
		"PreToolUse":["x",{"hooks":[{"type":"comand","command":"typo"},{"type":"command","command":"good"}]}]}}`)
	cfg := Load(w.opts)
	w.want(cfg.Plan(decode(t, "PreToolUse", bashCall), nil), "+ good", "invalid typo")
	var got []string
	for _, p := range cfg.Problems {
		got = append(got, fmt.Sprintf("%s:%d:%d %s %s", p.File, p.Line, p.Column, p.Path, p.Severity))
	}
	want := []string{
		".theus/settings.json:1:1  warning", ".theus/settings.json:2:3 hooks.MoonPhase warning",
		".theus/settings.json:3:17 hooks.PreToolUse[0] warning", ".theus/settings.json:3:32 hooks.PreToolUse[1].hooks[0].type warning",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMatcherAndRule(t *testing.T) {
	w := newWorld(t)
	w.write(projectFile, `{"hooks":{
		"PreToolUse":[
			{"matcher":"Edit|Write","hooks":[{"type":"command","command":"edits"}]},
			{"matcher":"^Ba","hooks":[{"type":"command","command":"regex"}]},
			{"hooks":[{"type":"command","command":"rm","if":"Bash(rm *)"},{"type":"command","command":"git","if":"Bash(git *)"}]},
			{"hooks":[{"type":"http","url":"https://hooks.example.com/x","name":"web"}]}],
		"Stop":[{"matcher":"ignored","hooks":[{"type":"command","command":"stop"},{"type":"command","command":"never","if":"Bash"}]}],
		"SessionStart":[{"hooks":[{"type":"prompt","prompt":"p"}]}]}}`)
	w.want(w.plan("PreToolUse", bashCall), "+ regex", "+ rm", "+ ", "matcher edits", "if git")
	w.want(w.plan("Stop", `{"session_id":"s"}`), "+ stop", "if never")
	w.want(w.plan("SessionStart", `{"session_id":"s","source":"startup"}`), "type-not-allowed ")
}

// Matchers may use the calling agent's own name of a tool; one that excludes is
// compared with the name it speaks of.
func TestMatcherOnAliases(t *testing.T) {
	w := newWorld(t)
	var groups []string
	for i, text := range []string{"run_shell_command", "^run_", "Bash", "Write|write_file", "^(?!Bash$)", "^(?!run_shell_command$)", "^(?!Write$)"} {
		groups = append(groups, fmt.Sprintf(`{"matcher":%q,"hooks":[{"type":"command","command":"%d"}]}`, text, i))
	}
	w.write(projectFile, `{"hooks":{"PreToolUse":[`+strings.Join(groups, ",")+`]}}`)
	ev := decode(t, "PreToolUse", bashCall).WithAliases([]string{"run_shell_command"})
	w.want(Load(w.opts).Plan(ev, nil), "+ 0", "+ 1", "+ 2", "+ 6", "matcher 3", "matcher 4", "matcher 5")
}

func TestBrokenMatcher(t *testing.T) {
	w := newWorld(t)
	group := `[{"matcher":"Bash(","hooks":[{"type":"command","command":"a"},{"type":"command","command":"b"}]},
		{"matcher":7,"hooks":[{"type":"command","command":"c","enabled":false},{"type":"command","command":"d"}]},
		{"matcher":"[","hooks":[{"type":"command","command":"e","enabled":false}]}]`
	w.write(projectFile, fmt.Sprintf(`{"hooks":{"PreToolUse":%s,"PostToolUse":%s}}`, group, group))
	plan := w.plan("PreToolUse", bashCall)
	w.want(plan, "broken a", "broken d", "invalid b", "disabled c", "disabled e")
	if got := plan.Selected[0].Broken; !strings.Contains(got, ".theus/settings.json:1:") || !strings.Contains(got, "PreToolUse[0].hooks[0]") {
		t.Errorf("the text names neither file and line nor hook: %q", got)
	}
	w.want(w.plan("PostToolUse", bashCall), "invalid a", "invalid b", "disabled c", "invalid d", "disabled e")
	w.opts.Trust = false // the group is out before its matcher is looked at
	w.want(w.plan("PreToolUse", bashCall), "untrusted a", "untrusted b", "untrusted c", "untrusted d", "untrusted e")
}

func TestDuplicates(t *testing.T) {
	w := newWorld(t)
	w.write(userFile, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x","timeout":50},{"type":"command","command":"y"}]}]}}`)
	w.write(projectFile, `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x","timeout":5},{"type":"command","command":"x","if":"Bash(rm *)"}]},
		{"matcher":"Edit","hooks":[{"type":"command","command":"y"}]}]}}`)
	plan := w.plan("PreToolUse", bashCall)
	w.want(plan, "+ y", "+ x", "+ x", "duplicate x", "matcher y")
	kept := plan.Selected[1].Hook
	if kept.Source.Scope != Project || kept.Timeout != 50*time.Second || len(kept.AlsoIn) != 1 || kept.AlsoIn[0].Source.Scope != User {
		t.Errorf("kept %s with %v, also in %d places", kept.Where(), kept.Timeout, len(kept.AlsoIn))
	}
}

func TestIDs(t *testing.T) {
	w := newWorld(t)
	w.write(projectFile, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"},{"type":"command","command":"x"},{"type":"command","command":"y"}]}]}}`)
	ids := func() []string {
		var list []string
		spec, _ := event.Lookup("Stop")
		hooks := Load(w.opts).hooks(spec)
		for i := range hooks {
			list = append(list, hooks[i].ID())
		}
		return list
	}
	first := ids()
	w.write(projectFile, `{"hooks": {"Stop": [
		{"hooks": [{"timeout": 9, "command": "y", "type": "command", "name": "n"}]},
		{"hooks": [{"type": "command", "command": "x"}, {"type": "command", "command": "x"}]}]}}`)
	second := ids()
	if diff := cmp.Diff([]string{first[2], first[0], first[1]}, second); diff != "" {
		t.Errorf("moved and reformatted: %s", diff)
	}
	if first[0] == first[1] || len(first[0]) != 12 {
		t.Errorf("ids %v", first)
	}
}

func TestSessionEndBudget(t *testing.T) {
	for _, tt := range []struct {
		timeout string
		want    time.Duration
	}{{"", 1500 * time.Millisecond}, {`,"timeout":10`, 10 * time.Second}, {`,"timeout":500`, 60 * time.Second}} {
		w := newWorld(t)
		w.write(projectFile, `{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"a"`+tt.timeout+`},{"type":"command","command":"b"}]}]}}`)
		for _, c := range w.plan("SessionEnd", `{"session_id":"s"}`).Selected {
			if c.Hook.Timeout != tt.want {
				t.Errorf("timeout %q: %s has %v, want %v", tt.timeout, c.Hook.Handler.Command, c.Hook.Timeout, tt.want)
			}
		}
	}
}

func TestOnceAndUnsupported(t *testing.T) {
	w := newWorld(t)
	w.write(projectFile, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"once","once":true},{"type":"command","command":"bg","async":true},
		{"type":"command","command":"wake","asyncRewake":true},{"type":"mcp_tool","server":"s","tool":"t"}]}]}}`)
	w.want(w.plan("PreToolUse", bashCall), "+ once", "+ bg", "+ wake", "unsupported-here ")
	all := func(string) bool { return true }
	plan := Load(w.opts).Plan(decode(t, "PreToolUse", bashCall), all)
	w.want(plan, "+ bg", "+ wake", "once-spent once", "unsupported-here ")
}

// An event that fails closed and does not say which tool it is about may be
// about any.
func TestUnknownSubject(t *testing.T) {
	w := newWorld(t)
	w.write(projectFile, `{"hooks":{
		"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"list","if":"Bash(rm *)"}]},{"matcher":"^Ed.t","hooks":[{"type":"command","command":"regex"}]}],
		"PostToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"past"}]}]}}`)
	for _, name := range []string{"", `"tool_name":null,`, `"tool_name":3,`, `"tool_name":["Bash"],`, `"tool_name":"",`} {
		plan := w.plan("PreToolUse", `{"session_id":"s",`+name+`"tool_input":{"command":"ls"}}`)
		w.want(plan, "+ list", "+ regex")
		if len(plan.Problems) != 1 || plan.Problems[0].Code != "no-subject" {
			t.Errorf("%s: problems %v", name, plan.Problems)
		}
	}
	w.want(w.plan("PostToolUse", `{"session_id":"s"}`), "matcher past")
}

// A guard that must not fail, and cannot run as it is written, denies.
func TestInvalidGuardThatFailsClosed(t *testing.T) {
	w := newWorld(t)
	group := `[{"matcher":"Bash","hooks":[{"type":"command","command":"","onFailure":"block"}]},{"matcher":"Edit","hooks":[{"type":"x","onFailure":"block"}]},
		{"hooks":[{"type":"command","command":""}]}]`
	w.write(projectFile, fmt.Sprintf(`{"hooks":{"PreToolUse":%s,"PostToolUse":%s}}`, group, group))
	w.want(w.plan("PreToolUse", bashCall), "broken ", "invalid ", "invalid ")
	w.want(w.plan("PostToolUse", bashCall), "invalid ", "invalid ", "invalid ")
}
