package response

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/settings/event"
)

func TestDecodeLate(t *testing.T) {
	hook := Hook{Name: "h", Type: "command"}
	said := `{"systemMessage":"m","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}`
	for _, tt := range []struct {
		name   string
		event  string
		result Result
		wakes  bool
		want   Late
		codes  string // of the problems
	}{
		{"both fields", "PostToolUse", exited(0, said, ""), false, Late{Status: OK, Context: "c", Message: "m"}, ""},
		{"nothing", "PostToolUse", exited(0, " \n", "chatter"), false, Late{Status: OK}, ""},
		{"text", "PostToolUse", exited(0, "text", ""), false, Late{Status: OK}, ""},
		{"text that is context", "SessionStart", exited(0, "text\n", ""), false, Late{Status: OK, Context: "text"}, ""},
		{"behind its word", "PostToolUse", exited(0, "{\"async\":true,\"asyncTimeout\":5}\n"+said, ""), false, Late{Status: OK, Context: "c", Message: "m"}, ""},
		{"its word alone", "PostToolUse", exited(0, `{"async":true}`, ""), false, Late{Status: OK}, ""},
		{"its word and text", "SessionStart", exited(0, "{\"async\":true}\ntext", ""), false, Late{Status: OK, Context: "text"}, ""},
		{"null", "PostToolUse", exited(0, `{"systemMessage":null,"hookSpecificOutput":null}`, ""), false, Late{Status: OK}, ""},
		{"one wrong type", "PostToolUse", exited(0, `{"systemMessage":7,"hookSpecificOutput":{"additionalContext":"c"}}`, ""), false, Late{Status: OK, Context: "c"}, "background-field"},
		{"two wrong types", "PostToolUse", exited(0, `{"systemMessage":[],"hookSpecificOutput":"x"}`, ""), false, Late{Status: OK}, "background-field background-field"},
		{"another event", "PostToolUse", exited(0, `{"systemMessage":"m","hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"c"}}`, ""), false, Late{Status: OK, Message: "m"}, "other-event"},
		{"a decision", "PreToolUse", exited(0, `{"systemMessage":"m","decision":"block","reason":"no"}`, ""), false, Late{Status: OK, Message: "m"}, "background-decision"},
		{"a permission", "PreToolUse", exited(0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","updatedInput":{}}}`, ""), false, Late{Status: OK}, "background-decision"},
		{"a stop", "Stop", exited(0, `{"continue":false}`, ""), false, Late{Status: OK}, "background-decision"},
		{"going on", "Stop", exited(0, `{"continue":true,"suppressOutput":true}`, ""), false, Late{Status: OK}, ""},
		{"another agent's denial", "PreToolUse", exited(0, `{"permission":"deny"}`, ""), false, Late{Status: OK}, "background-decision"},
		{"exit code 2", "PreToolUse", exited(2, "", "no"), false, Late{Status: Blocked}, "background-decision"},
		{"exit code 2 and fields", "PostToolUse", exited(2, said, "no"), false, Late{Status: Blocked, Context: "c", Message: "m"}, "background-decision"},
		{"exit code 1", "PostToolUse", exited(1, "", "no disk\nat all"), false, Late{Status: Failed, Failure: "hook h: in the background it ended with exit code 1: no disk"}, ""},
		{"exit code 1 with an answer", "PostToolUse", exited(1, said, ""), false, Late{Status: OK, Context: "c", Message: "m"}, ""},
		{"half an object", "PostToolUse", exited(0, `{"systemMessage":`, ""), false, Late{Status: BadOutput, Failure: "hook h: in the background stdout begins with { but is not JSON: "}, ""},
		{"cancelled", "PostToolUse", Result{Status: Cancelled, Error: "the session ended"}, true, Late{Status: Cancelled, Failure: "hook h: in the background it was cancelled before it answered: the session ended"}, ""},
		{"wake", "Stop", exited(2, "", "red\n"), true, Late{Status: Blocked, Wake: "red"}, ""},
		{"wake by stdout", "Stop", exited(2, "red\n", " "), true, Late{Status: Blocked, Wake: "red"}, ""},
		{"wake and fields", "PostToolUse", exited(2, said, "red"), true, Late{Status: Blocked, Context: "c", Message: "m", Wake: "red"}, ""},
		{"wake without a word", "Stop", exited(2, "", ""), true, Late{Status: Blocked, Wake: "hook h: it ended with exit code 2 and gave no reason"}, ""},
		{"no wake at 1", "Stop", exited(1, "", "x"), true, Late{Status: Failed, Failure: "hook h: in the background it ended with exit code 1: x"}, ""},
		{"no wake that could not start", "Stop", Result{Status: CouldNotStart, Error: "gone"}, true, Late{Status: CouldNotStart, Failure: "hook h: in the background it could not be started: gone"}, ""},
		{"no wake at its time limit", "Stop", Result{Status: TimedOut, Error: "timed out after 1s"}, true, Late{Status: TimedOut, Failure: "hook h: in the background timed out after 1s"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec, _ := event.Lookup(tt.event)
			got := DecodeLate(spec, hook, tt.result, tt.wakes)
			var codes []string
			for _, p := range got.Problems {
				codes = append(codes, p.Code)
				if !strings.HasPrefix(p.Message, "hook h: ") {
					t.Errorf("problem %q does not name the hook", p.Message)
				}
			}
			if tt.want.Status == BadOutput && strings.HasPrefix(got.Failure, tt.want.Failure) {
				got.Failure = tt.want.Failure // then what the reader of JSON says
			}
			got.Problems = nil
			if diff := cmp.Diff(tt.want, got); diff != "" || strings.Join(codes, " ") != tt.codes {
				t.Errorf("problems %q, want %q; %s", codes, tt.codes, diff)
			}
		})
	}
}

// In observe mode nothing is said; a failure is a problem only.
func TestDecodeLateObserved(t *testing.T) {
	spec, _ := event.Lookup("SessionStart")
	hook := Hook{Name: "h", Type: "command", Observe: true}
	if l := DecodeLate(spec, hook, exited(0, "text", ""), false); !l.Empty() {
		t.Errorf("%+v", l)
	}
	if l := DecodeLate(spec, hook, exited(2, "", "up"), true); !l.Empty() {
		t.Errorf("%+v", l)
	}
	if l := DecodeLate(spec, hook, exited(1, "", ""), false); l.Failure != "" || len(l.Problems) != 1 {
		t.Errorf("%+v", l)
	}
}

func TestCarries(t *testing.T) {
	context, message, failure, wake, problem := Late{Context: "c"}, Late{Message: "m"}, Late{Failure: "f"}, Late{Wake: "w"}, Late{Problems: []Problem{{}}}
	for _, tt := range []struct {
		event string
		want  []bool // context, message, failure, wake, problem
	}{
		{"UserPromptSubmit", []bool{true, true, true, true, true}},
		{"PostToolUse", []bool{true, true, true, true, true}},
		{"Stop", []bool{false, false, true, true, true}},
		{"SubagentStart", []bool{false, false, false, false, false}},
		{"SubagentStop", []bool{false, false, false, false, false}},
		{"Notification", []bool{false, false, false, false, true}},
		{"CwdChanged", []bool{false, false, true, false, true}},
	} {
		spec, _ := event.Lookup(tt.event)
		ev, err := event.Decode(spec, []byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		var got []bool
		for _, l := range []Late{context, message, failure, wake, problem} {
			got = append(got, Combine(ev, nil).Carries(l))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.event, diff)
		}
	}
}

// A wake that an overridden stop cannot carry is not lost.
func TestLetStopKeepsTheWake(t *testing.T) {
	spec, _ := event.Lookup("Stop")
	ev, err := event.Decode(spec, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	out := Combine(ev, nil)
	out.AddLate(Late{Wake: "up"})
	if !out.KeepsGoing() {
		t.Error("a wake does not keep the agent going")
	}
	out.LetStop(8)
	if len(out.AdditionalContext) > 0 || len(out.SystemMessages) != 2 || out.SystemMessages[0] != "up" {
		t.Errorf("context %q, messages %q", out.AdditionalContext, out.SystemMessages)
	}
}

func FuzzDecodeLate(f *testing.F) {
	f.Add(`{"async":true}`+"\n"+`{"systemMessage":"m"}`, 0, true)
	f.Add(`{"hookSpecificOutput":{"additionalContext":[]}}`, 2, false)
	f.Add("\xef\xbb\xbf{\"async\":true}{", 1, true)
	spec, _ := event.Lookup("PostToolUse")
	f.Fuzz(func(t *testing.T, stdout string, code int, wakes bool) {
		l := DecodeLate(spec, Hook{Name: "h", Type: "command"}, exited(code, stdout, ""), wakes)
		if l.Wake != "" && (code != 2 || !wakes) {
			t.Errorf("woken by %d: %q", code, l.Wake)
		}
	})
}
