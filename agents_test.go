package hooks_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/response"
)

// Events captured from real agents decode and run as they are, and give the
// same outcome to the byte every time, but for durations.
func TestEventsOfRealAgents(t *testing.T) {
	opts := options(t, `{"hooks":{
		"PreToolUse":[{"matcher":"Bash|run_shell_command|write_file","hooks":[
			{"type":"command","name":"guard","command":"echo no >&2; exit 2"},{"type":"command","name":"silent","command":"cat >/dev/null"}]}],
		"UserPromptSubmit":[{"hooks":[{"type":"command","name":"context","command":"echo hello"}]}]}}`)
	engine := open(t, opts)
	files, err := filepath.Glob("settings/event/testdata/events/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	fired := 0
	for _, file := range files {
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), ".")
		name, _, _ = strings.Cut(name, "-")
		if agent := filepath.Base(filepath.Dir(file)); agent == "gemini" || name == "env" {
			continue // other event names; no event
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fired++
		t.Run(file, func(t *testing.T) {
			var first string
			for range 3 {
				out, err := engine.Fire(t.Context(), name, data)
				if err != nil {
					t.Fatal(err)
				}
				checkOutcome(t, name, out)
				for i := range out.Hooks {
					out.Hooks[i].Result.Duration = 0
				}
				text, err := jsontext.Marshal(out)
				if err != nil {
					t.Fatal(err)
				}
				if first == "" {
					first = string(text)
				}
				if diff := cmp.Diff(first, string(text)); diff != "" {
					t.Errorf("not the same again: %s", diff)
				}
			}
		})
	}
	if fired < 20 {
		t.Errorf("only %d events were fired", fired)
	}
}

func checkOutcome(t *testing.T, name string, out *response.Outcome) {
	t.Helper()
	switch name {
	case "PreToolUse":
		if !out.Blocked || out.Reason != "no" || len(out.Hooks) != 2 {
			t.Errorf("blocked %v, reason %q, %d hooks ran", out.Blocked, out.Reason, len(out.Hooks))
		}
	case "UserPromptSubmit":
		if diff := cmp.Diff([]string{"hello"}, out.AdditionalContext); diff != "" {
			t.Error(diff)
		}
	default:
		if out.Blocked || len(out.Hooks) > 0 || len(out.Problems) > 0 {
			t.Errorf("blocked %v, %d hooks ran, problems %v", out.Blocked, len(out.Hooks), out.Problems)
		}
	}
}
