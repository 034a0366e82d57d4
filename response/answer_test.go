package response

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/settings/event"
)

func answerOf(event string, t *testing.T, opts AnswerOptions, results ...Result) Answer {
	t.Helper()
	ev := example(t, event)
	var verdicts []Verdict
	for i, res := range results {
		verdicts = append(verdicts, Decode(ev, Hook{ID: string(rune('a' + i)), Name: string(rune('a' + i))}, res))
	}
	return Combine(ev, verdicts).Answer(opts)
}

func TestAnswerOfSeveral(t *testing.T) {
	denyMessage := exited(0, `{"systemMessage":"look",`+denyJSON[1:], "")
	tests := []struct {
		name, event string
		results     []Result
		exit        int
		out, err    string
	}{
		{"no hook", "PreToolUse", nil, 0, "", ""},
		{"a rewrite gives way to a deny", "PreToolUse", []Result{exited(0, pre(`"updatedInput":{}`), ""), exited(2, "", "no")}, 2, "", "no\n"},
		{
			"a message beside a deny", "PreToolUse",
			[]Result{denyMessage},
			0,
			`{"systemMessage":"look","decision":"block","reason":"x","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x"}}` + "\n", "x\n",
		},
		{
			"context beside a deny", "PreToolUse",
			[]Result{exited(2, "", "no"), exited(0, pre(`"additionalContext":"c"`), "")},
			0,
			`{"decision":"block","reason":"no","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no","additionalContext":"c"}}` + "\n", "no\n",
		},
		{"a silenced deny", "PreToolUse", []Result{exited(0, `{"suppressOutput":true,`+denyJSON[1:], "")}, 2, "", "x\n"},
		{"only suppressed", "PreToolUse", []Result{exited(0, `{"suppressOutput":true}`, "")}, 0, "", ""},
		{
			"a block and a title", "UserPromptSubmit",
			[]Result{exited(2, "", "no"), exited(0, `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","sessionTitle":"s"}}`, "")},
			0,
			`{"decision":"block","reason":"no","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","sessionTitle":"s"}}` + "\n", "no\n",
		},
		{
			"feedback and context", "PostToolUse",
			[]Result{exited(2, "", "no"), exited(0, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}`, "")},
			0,
			`{"decision":"block","reason":"no","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}` + "\n", "no\n",
		},
		{"two notices", "SessionStart", []Result{exited(2, "", "n1"), exited(2, "", "n2")}, 2, "", "n1\nn2\n"},
		{
			"a notice and context", "SessionStart",
			[]Result{exited(2, "", "n1"), exited(0, "c", "")},
			0,
			`{"systemMessage":"n1","hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c"}}` + "\n", "n1\n",
		},
		{"a notice and a message", "SessionStart", []Result{exited(2, "", "n1"), exited(0, `{"systemMessage":"m"}`, "")}, 0, `{"systemMessage":"n1\nm"}` + "\n", "n1\n"},
		{"a notice where messages are dropped", "SessionEnd", []Result{exited(2, "", "n1"), exited(0, `{"terminalSequence":"\u0007"}`, "")}, 2, `{"terminalSequence":"\u0007"}` + "\n", "n1\n"},
		{"a stop and a block on Stop", "Stop", []Result{exited(2, "", "go on"), exited(0, `{"continue":false,"stopReason":"enough"}`, "")}, 0, `{"continue":false,"stopReason":"enough"}` + "\n", ""},
		{
			"a stop and a deny", "PreToolUse",
			[]Result{exited(2, "", "no"), exited(0, `{"continue":false,"stopReason":"enough"}`, "")},
			0,
			`{"continue":false,"stopReason":"enough","decision":"block","reason":"a: no\nb: enough","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"a: no\nb: enough"}}` + "\n",
			"a: no\nb: enough\n",
		},
		{"a failed removal", "WorktreeRemove", []Result{exited(1, "", "busy"), exited(0, `{"terminalSequence":"\u0007"}`, "")}, 2, `{"terminalSequence":"\u0007"}` + "\n", "busy\n"},
		{
			"a model that is asked about", "PreModelSwitch",
			[]Result{exited(0, `{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"allow"}}`, ""), {Status: TimedOut}},
			2, "",
			"hook b: it timed out\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := answerOf(tt.event, t, AnswerOptions{}, tt.results...)
			if a.Exit != tt.exit || string(a.Stdout) != tt.out || string(a.Stderr) != tt.err {
				t.Errorf("got %d\n%s%s", a.Exit, a.Stdout, a.Stderr)
			}
		})
	}
}

func TestAnswerExitCode(t *testing.T) {
	opts := AnswerOptions{ExitCode: true}
	deny := exited(0, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"m"}}}`, "")
	for name, tt := range map[string]struct {
		event string
		res   Result
		want  Answer
	}{
		"permission": {"PermissionRequest", deny, Answer{2, append(deny.Stdout, '\n'), []byte("m\n")}},
		"stopped":    {"SessionStart", exited(0, `{"continue":false}`, ""), Answer{2, []byte(`{"continue":false}` + "\n"), []byte("a hook blocked SessionStart and gave no reason\n")}},
		"worktree":   {"WorktreeCreate", exited(1, "", "full"), Answer{2, nil, []byte("full\n")}},
		"open":       {"PreToolUse", exited(0, allowJSON, ""), Answer{0, []byte(allowJSON + "\n"), nil}},
		"past":       {"PostToolUse", exited(0, `{"decision":"block","reason":"r","systemMessage":"m"}`, ""), Answer{0, []byte(`{"systemMessage":"m","decision":"block","reason":"r"}` + "\n"), []byte("r\n")}},
	} {
		if diff := cmp.Diff(tt.want, answerOf(tt.event, t, opts, tt.res)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestRefuse(t *testing.T) {
	const text = "managed settings cannot be read"
	for _, spec := range append(event.All(), nil) {
		want := Answer{1, nil, []byte(text + "\n")}
		switch {
		case spec == nil:
		case spec.Name == "PreToolUse":
			want.Exit = 2
		case spec.Name == "PermissionRequest":
			want = Answer{0, []byte(`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"` + text + `"}}}` + "\n"), []byte(text + "\n")}
		}
		if diff := cmp.Diff(want, Refuse(spec, text+"\n")); diff != "" {
			t.Errorf("%v (-want +got):\n%s", spec, diff)
		}
	}
	if a := Refuse(nil, " "); string(a.Stderr) != "the hooks could not be run\n" {
		t.Errorf("without a message: %q", a.Stderr)
	}
}

// spillage stands for the session's folder.
type spillage struct{ kinds, texts []string }

func (s *spillage) keep(kind, text string) (string, error) {
	s.kinds, s.texts = append(s.kinds, kind), append(s.texts, text)
	return fmt.Sprintf("/state/%d.txt", len(s.texts)), nil
}

func TestLimits(t *testing.T) {
	fits, long := strings.Repeat("é", 10_000), strings.Repeat("é", 10_001)
	preview := strings.Repeat("é", 2_000) + `…\n[10001 characters in all; the whole text is in /state/1.txt]`
	context := func(text string) Result { return exited(0, pre(`"additionalContext":"`+text+`"`), "") }

	var kept spillage
	if a := answerOf("PreToolUse", t, AnswerOptions{Spill: kept.keep}, context(fits)); len(kept.texts) > 0 || !strings.Contains(string(a.Stdout), `"`+fits+`"`) {
		t.Error("10,000 characters of two bytes were shortened")
	}
	a := answerOf("PreToolUse", t, AnswerOptions{Spill: kept.keep}, context(long))
	if want := pre(`"additionalContext":"`+preview+`"`) + "\n"; string(a.Stdout) != want {
		t.Errorf("got %.300q…", a.Stdout)
	}
	if len(kept.texts) != 1 || kept.kinds[0] != "context" || kept.texts[0] != long {
		t.Errorf("kept %v of %d texts", kept.kinds, len(kept.texts))
	}

	kept = spillage{}
	a = answerOf("PreToolUse", t, AnswerOptions{Spill: kept.keep}, exited(0, `{"continue":false,"stopReason":"`+long+`"}`, ""))
	if n := strings.Count(string(a.Stdout), preview); n != 3 || len(kept.texts) != 1 {
		t.Errorf("a text in three places: %d previews, kept %d times", n, len(kept.texts))
	}
	if n := utf8.RuneCount(a.Stderr); n > 2_100 {
		t.Errorf("%d characters on stderr", n)
	}
	for _, kind := range []string{"systemMessage", "context on its own"} {
		kept = spillage{}
		res := exited(0, long, "")
		if kind == "systemMessage" {
			res = exited(0, `{"systemMessage":"`+long+`"}`, "")
		}
		if a := answerOf("SessionStart", t, AnswerOptions{Spill: kept.keep}, res); !strings.Contains(string(a.Stdout), preview) {
			t.Errorf("%s: %.200s", kind, a.Stdout)
		}
	}
}

// A text that cannot be kept anywhere is passed on as far as it fits.
func TestLimitsWithoutPlace(t *testing.T) {
	long := strings.Repeat("é", 30_000)
	for name, tt := range map[string]struct {
		spill func(string, string) (string, error)
		note  string
	}{
		"none":  {nil, "[30000 characters in all; the rest could not be kept]"},
		"fails": {func(string, string) (string, error) { return "", errors.New("disk full") }, "[30000 characters in all; the rest could not be kept: disk full]"},
	} {
		a := answerOf("PreToolUse", t, AnswerOptions{Spill: tt.spill}, exited(2, "", long))
		if n := utf8.RuneCountInString(strings.TrimSuffix(string(a.Stderr), "\n")); n != 10_000 || !strings.HasSuffix(string(a.Stderr), tt.note+"\n") {
			t.Errorf("%s: %d characters, …%q", name, n, string(a.Stderr[len(a.Stderr)-80:]))
		}
	}
}

func TestBound(t *testing.T) {
	long := strings.Repeat("x", 20_000)
	ev := example(t, "SessionStart")
	o := Combine(ev, said(ev, long, "short", `{"systemMessage":"`+long+`y","hookSpecificOutput":{"hookEventName":"SessionStart","initialUserMessage":"`+long+`z"}}`))
	var kept spillage
	o.Bound(kept.keep)
	if diff := cmp.Diff([]string{"message", "context", "context"}, kept.kinds); diff != "" {
		t.Error(diff)
	}
	if len(o.AdditionalContext[0]) > 2_200 || o.AdditionalContext[1] != "short" || len(o.SystemMessages[0]) > 2_200 || len(o.HookSpecificOutput) > 5_000 {
		t.Errorf("still long: %d %d %d", len(o.AdditionalContext[0]), len(o.SystemMessages[0]), len(o.HookSpecificOutput))
	}
	if a := o.Answer(AnswerOptions{Spill: kept.keep}); len(kept.kinds) != 3 || len(a.Stdout) > 10_000 {
		t.Errorf("shortened twice: %v", kept.kinds)
	}
}

func TestOutcomeJSON(t *testing.T) {
	ev, err := event.Decode(mustSpec(t, "PreToolUse"), []byte(`{"session_id":"s1","tool_name":"Bash","tool_input":{"command":"a <b> & c","n":1.0}}`))
	if err != nil {
		t.Fatal(err)
	}
	hook := guard
	hook.Matcher = "Bash"
	hook.AlsoIn = []Source{{"user", "/home/dev/.theus/settings.json", 3, "hooks.PreToolUse[0].hooks[0]"}}
	res := exited(0, pre(`"permissionDecision":"ask","permissionDecisionReason":"<sure>?","updatedInputPatch":{"x":2}`), "")
	res.Shell, res.Duration = "builtin", 3*time.Millisecond+123*time.Microsecond+456
	late := Decode(ev, Hook{ID: "2", Type: "command"}, Result{Status: TimedOut, Duration: 2 * time.Second, Error: "timed out after 2s", DiscardedBytes: 7, Truncated: true, Stdout: []byte("\xff")})
	o := Combine(ev, []Verdict{Decode(ev, hook, res), late})
	value := "1"
	o.Env = map[string]*string{"B": nil, "A": &value}
	o.Skipped = []Skip{{Hook: hook, Reason: "matcher", Detail: `matcher "Write" is not "Bash"`}}
	o.Conflicts = []Conflict{{Field: "x", Won: "1"}}
	golden(t, "testdata/outcome.json", o.JSON())
	golden(t, "testdata/outcome-empty.json", Combine(example(t, "Stop"), nil).JSON())
}

func mustSpec(t *testing.T, name string) *event.Spec {
	t.Helper()
	spec, ok := event.Lookup(name)
	if !ok {
		t.Fatal(name)
	}
	return spec
}

// golden compares with a file that lays the JSON out over lines; the layout is
// taken away, nothing else.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for line := range strings.Lines(string(text)) {
		want.WriteString(strings.TrimSpace(line))
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// An outcome that was not combined cannot be answered, and does not crash.
func TestForeignOutcome(t *testing.T) {
	o := &Outcome{Event: "PreToolUse", Decision: DecisionDeny}
	if a := o.Answer(AnswerOptions{}); a.Exit != 1 || len(a.Stderr) == 0 {
		t.Errorf("answer %+v", a)
	}
	o.Bound(nil)
	if o.LetStop(8); o.KeepsGoing() {
		t.Error("keeps going")
	}
}
