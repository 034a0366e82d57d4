package response

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/settings/event"
)

// FuzzDecode lets a hook print anything, on any event and with any exit code.
func FuzzDecode(f *testing.F) {
	for _, path := range []string{"testdata/events.txt", "testdata/events-2.txt"} {
		for _, c := range readCases(f, path) {
			f.Add(indexOf(c.event), *c.result.ExitCode, c.result.Stdout, c.result.Stderr)
		}
	}
	f.Add(5, 0, []byte("{\"async\":true}\n{\"decision\":\"block\"}"), []byte{})
	f.Add(5, 0, []byte(`{"decision":"block","decision":"approve"}{"continue":false}`), []byte{})
	f.Add(5, 3, []byte("\xef\xbb\xbf{\"hookSpecificOutput\":{\"permissionDecision\":\"Deny\",\"updatedInputPatch\":{\"a\":null}}}"), []byte("\xff\x00"))
	f.Fuzz(func(t *testing.T, index, code int, stdout, stderr []byte) {
		ev := example(t, event.All()[uint(index)%uint(len(event.All()))].Name)
		code = int(uint(code) % 5)
		v := Decode(ev, guard, exited(code, string(stdout), string(stderr)))
		o := Combine(ev, []Verdict{v})
		a := o.answer(AnswerOptions{}, false)
		checkSafe(t, ev, code, o, a)
		if unmade(o) {
			return
		}
		again := Combine(ev, []Verdict{asHook(ev, o, "us")})
		if long := len(o.Reason)+len(lines(o.AdditionalContext))+len(lines(o.SystemMessages)) > textLimit; long {
			return // shortened on the way
		}
		if diff := cmp.Diff(normalOf(o), normalOf(again)); diff != "" {
			t.Fatalf("the answer says something else (-want +got):\n%s\n%s", diff, answerText(o))
		}
	})
}

func indexOf(name string) int {
	for i, n := range event.Names() {
		if n == name {
			return i
		}
	}
	return -1
}

// checkSafe holds what must be true of every outcome and answer.
func checkSafe(t *testing.T, ev *event.Event, code int, o *Outcome, a Answer) {
	t.Helper()
	spec := ev.Spec()
	if code == 2 && spec.Exit2 >= event.EffectBlocks && !o.Blocked && o.Continue {
		t.Fatalf("exit code 2 does not block: %s", o.JSON())
	}
	if !json.Valid(o.JSON()) {
		t.Fatalf("the outcome is not JSON: %s", o.JSON())
	}
	if len(a.Stdout) > 0 && spec.Form != event.FormPath && !json.Valid(a.Stdout) {
		t.Fatalf("the answer is not JSON: %s", a.Stdout)
	}
	if bytes.Count(a.Stdout, []byte("\n")) > 1 {
		t.Fatalf("the answer is not one line: %q", a.Stdout)
	}
	denied := rank(o.Decision) == rank(DecisionDeny)
	switch {
	case a.Exit < 0 || a.Exit > 2:
		t.Fatalf("exit code %d", a.Exit)
	case a.Exit != 0 && len(a.Stderr) == 0:
		t.Fatalf("exit code %d without a reason", a.Exit)
	case denied && o.Reason == "":
		t.Fatalf("a denial without a reason: %s", o.JSON())
	case denied && a.Exit == 0 && len(a.Stdout) == 0:
		t.Fatalf("a denial that is not answered: %s", o.JSON())
	case o.Blocked && o.UpdatedInput != nil:
		t.Fatalf("a blocked call is rewritten: %s", o.JSON())
	}
}

func BenchmarkDecodeCombineAnswer(b *testing.B) {
	ev := example(b, "PreToolUse")
	res := exited(0, denyJSON, "")
	for b.Loop() {
		o := Combine(ev, []Verdict{Decode(ev, guard, res), Decode(ev, guard, exited(0, "", ""))})
		if a := o.Answer(AnswerOptions{}); a.Exit != 2 {
			b.Fatal(a.Exit)
		}
	}
}
