package precedence

import (
	"os"
	"testing"
	"time"
)

// A file that was caught while somebody wrote it is read once more.
func TestFileThatIsBeingRewritten(t *testing.T) {
	tests := []struct {
		name, before string
		age          time.Duration
		rewritten    bool
		groups       int
	}{
		{"caught empty", "", 0, true, 1},
		{"caught cut off", `{"hooks":`, 0, true, 1},
		{"stays cut off", `{"hooks":`, 0, false, 0},
		{"cut off long ago", `{"hooks":`, time.Hour, true, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.write(userFile, tt.before)
			then := time.Now().Add(-tt.age)
			if err := os.Chtimes(w.path(userFile), then, then); err != nil {
				t.Fatal(err)
			}
			data, info, err := readFile(w.path(userFile))
			if err != nil {
				t.Fatal(err)
			}
			if tt.rewritten {
				w.guard(userFile, "x", "")
			}
			file := parseSettled(w.path(userFile), "s.json", data, info)
			if len(file.Groups) != tt.groups || file.Lost != (tt.groups == 0) {
				t.Errorf("%d groups, lost %v, %v", len(file.Groups), file.Lost, file.Problems)
			}
		})
	}
}

// What a plugin is called is part of what its hooks are called, so that an id
// means the same hook whichever plugins there are.
func TestIDsOfPlugins(t *testing.T) {
	w := newWorld(t)
	w.write("one/hooks/hooks.json", groups(guardText("x", "")))
	w.write("two/hooks/hooks.json", groups(guardText("x", "")))
	ids := func(dirs ...string) map[string]string {
		found := map[string]string{}
		w.opts.PluginDirs = dirs
		for _, c := range w.plan("PreToolUse", bashCall).Selected {
			found[c.Hook.Source.Plugin.ID] = c.Hook.ID()
		}
		return found
	}
	both, alone := ids(w.path("one"), w.path("two")), ids(w.path("two"))
	if len(both) != 2 || both["one@inline"] == both["two@inline"] || both["two@inline"] != alone["two@inline"] {
		t.Errorf("both %v, alone %v", both, alone)
	}
}

// The timeout of a plugin's hook does not raise the budget that all share.
func TestPluginsDoNotRaiseABudget(t *testing.T) {
	w := newWorld(t)
	w.write("one/hooks/hooks.json", `{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"x","timeout":50}]}]}}`)
	w.opts.PluginDirs = []string{w.path("one")}
	plan := w.plan("SessionEnd", `{"session_id":"s"}`)
	if len(plan.Selected) != 1 || plan.Selected[0].Hook.Timeout != 1500*time.Millisecond {
		t.Errorf("selected %v", plan.Selected)
	}
}
