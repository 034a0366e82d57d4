package hooks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	hooks "github.com/theus-hooks/theus-hooks"
	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/response/agent"
)

// Events captured from real agents decode and run as they are, meet the hooks of
// one settings file, and give the same outcome and answer to the byte every
// time, but for durations.
func TestEventsOfRealAgents(t *testing.T) {
	opts := options(t, `{"hooks":{
		"PreToolUse":[{"matcher":"Bash|Write","hooks":[
			{"type":"command","name":"guard","command":"echo no >&2; exit 2"},{"type":"command","name":"silent","command":"cat >/dev/null"}]}],
		"UserPromptSubmit":[{"hooks":[{"type":"command","name":"context","command":"echo hello"}]}]}}`)
	files, err := filepath.Glob("settings/event/testdata/events/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	fired := 0
	for _, file := range files {
		if filepath.Base(file) == "env.json" {
			continue // no event
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fired++
		t.Run(file, func(t *testing.T) { fireSample(t, opts, filepath.Base(filepath.Dir(file)), data) })
	}
	if fired < 35 {
		t.Errorf("only %d events were fired", fired)
	}
}

func fireSample(t *testing.T, opts hooks.Options, caller string, data []byte) {
	var ok bool
	if opts.Agent, ok = agent.Lookup(caller); !ok {
		t.Fatalf("no agent %s", caller)
	}
	engine := open(t, opts)
	var first string
	for range 3 {
		fired, err := engine.FireFor(t.Context(), "", data)
		if err != nil {
			t.Fatal(err)
		}
		out := fired.Outcome
		answer := fired.Answer(response.AnswerOptions{})
		checkOutcome(t, out)
		if out.Event == "PreToolUse" && (answer.Exit != 2 || len(answer.Stdout) > 0 || string(answer.Stderr) != "no\n") {
			t.Errorf("answered by %d, stdout %q, stderr %q", answer.Exit, answer.Stdout, answer.Stderr)
		}
		for i := range out.Hooks {
			out.Hooks[i].Result.Duration = 0
		}
		text, err := jsontext.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		all := fmt.Sprintf("%s\n%d\n%s\n%s", text, answer.Exit, answer.Stdout, answer.Stderr)
		if first == "" {
			first = all
		}
		if diff := cmp.Diff(first, all); diff != "" {
			t.Errorf("not the same again: %s", diff)
		}
	}
}

func checkOutcome(t *testing.T, out *response.Outcome) {
	t.Helper()
	switch out.Event {
	case "PreToolUse":
		if !out.Blocked || out.Reason != "no" || len(out.Hooks) != 2 {
			t.Errorf("blocked %v, reason %q, %d hooks ran", out.Blocked, out.Reason, len(out.Hooks))
		}
	case "UserPromptSubmit":
		if strings.Contains(t.Name(), "qwen/UserPromptSubmit-2") { // fired again for the same prompt
			if len(out.AdditionalContext) > 0 || len(out.Skipped) != 1 || out.Skipped[0].Reason != "duplicate" {
				t.Errorf("context %q, skipped %v", out.AdditionalContext, out.Skipped)
			}
			return
		}
		if diff := cmp.Diff([]string{"hello"}, out.AdditionalContext); diff != "" {
			t.Error(diff)
		}
	default:
		if out.Blocked || len(out.Hooks) > 0 || len(out.Problems) > 0 {
			t.Errorf("blocked %v, %d hooks ran, problems %v", out.Blocked, len(out.Hooks), out.Problems)
		}
	}
}

// Asking twice for the answer gives it twice, and says once what it cannot tell.
func TestAnsweredTwice(t *testing.T) {
	opts := options(t, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"cat ask.json"}]}]}}`)
	ask := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}`
	if err := os.WriteFile(filepath.Join(opts.Dir, "ask.json"), []byte(ask), 0o600); err != nil {
		t.Fatal(err)
	}
	var ok bool
	if opts.Agent, ok = agent.Lookup("codex"); !ok {
		t.Fatal("no agent codex")
	}
	fired, err := open(t, opts).FireFor(t.Context(), "PreToolUse", []byte(bashCall))
	if err != nil {
		t.Fatal(err)
	}
	first := fired.Answer(response.AnswerOptions{})
	again := fired.Answer(response.AnswerOptions{})
	if diff := cmp.Diff(first, again); diff != "" || first.Exit != 2 {
		t.Errorf("%+v, then %s", first, diff)
	}
	if n := len(fired.Outcome.Problems); n != 1 {
		t.Errorf("%d problems: %+v", n, fired.Outcome.Problems)
	}
}
