package response

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// normal is what an outcome means. Names of sources and limits are added when
// it is encoded, so they have no part in it.
type normal struct {
	Decision          Decision
	Blocked, Continue bool
	StopReason        string
	Rewrite           string
	Reasons           string
	Contexts          string
	Messages          string
}

func normalOf(o *Outcome) normal {
	return normal{
		o.Decision, o.Blocked, o.Continue, o.StopReason, string(o.UpdatedInput),
		o.joinReasons(false), lines(o.AdditionalContext), lines(o.SystemMessages),
	}
}

// asHook runs an outcome's answer through the rules for one hook.
func asHook(ev *event.Event, o *Outcome, id string) Verdict {
	a := o.answer(AnswerOptions{}, false)
	return Decode(ev, Hook{ID: id, Name: id, Type: "command"}, exited(a.Exit, string(a.Stdout), string(a.Stderr)))
}

// Generators.

func anyEvent(t *rapid.T) *event.Event {
	spec, _ := event.Lookup(rapid.SampledFrom(event.Names()).Draw(t, "event"))
	ev, err := event.Decode(spec, []byte(spec.Example.Input))
	if err != nil {
		t.Fatal(err)
	}
	return ev
}

func someText(t *rapid.T, label string) string {
	return rapid.SampledFrom([]string{"", " ", "a", "b\nc", "  <é> & \"q\" ", "{", "{}", "\x1b[1m\u2028"}).Draw(t, label)
}

// anyResult is what one hook may do on an event: mostly answers that use the
// event's own fields, and some that do not.
func anyResult(t *rapid.T, spec *event.Spec, patches bool) Result {
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return exited(0, "", "")
	case 1:
		return exited(0, someText(t, "stdout"), someText(t, "stderr"))
	case 2, 3:
		return exited(2, rapid.SampledFrom([]string{"", "text", anyObject(t, spec, patches)}).Draw(t, "stdout"), someText(t, "stderr"))
	case 4:
		return exited(1, rapid.SampledFrom([]string{"", anyObject(t, spec, patches)}).Draw(t, "stdout"), someText(t, "stderr"))
	case 5:
		return Result{Status: rapid.SampledFrom([]Status{CouldNotStart, TimedOut, Killed, HTTPError, ModelError, Cancelled, Background}).Draw(t, "status")}
	}
	return exited(0, anyObject(t, spec, patches), someText(t, "stderr"))
}

func anyObject(t *rapid.T, spec *event.Spec, patches bool) string {
	var m members
	flip := func(label string) bool { return rapid.IntRange(0, 3).Draw(t, label) == 0 }
	if flip("stop") {
		m.set("continue", "false")
		m.text("stopReason", someText(t, "stopReason"))
	}
	if flip("message") {
		m.text("systemMessage", someText(t, "systemMessage"))
	}
	if flip("top") {
		m.text("decision", rapid.SampledFrom([]string{"block", "approve", "deny", "maybe"}).Draw(t, "decision"))
		m.text("reason", someText(t, "reason"))
	}
	if flip("foreign") {
		m.text(rapid.SampledFrom([]string{"permission", "permissionDecision", "note"}).Draw(t, "key"), rapid.SampledFrom([]string{"deny", "ask", "allow"}).Draw(t, "value"))
	}
	if flip("bell") {
		m.set("terminalSequence", `"\u0007"`)
	}
	var inner members
	inner.set("hookEventName", jsontext.Quote(spec.Name))
	for _, rule := range spec.Output {
		if (patches || !rule.Ours) && rapid.Bool().Draw(t, rule.Name) {
			inner.set(rule.Name, anyValue(t, spec, rule))
		}
	}
	m.set("hookSpecificOutput", inner.object())
	return m.object()
}

func anyValue(t *rapid.T, spec *event.Spec, rule event.OutputField) string {
	switch {
	case rule.Name == "decision":
		return rapid.SampledFrom([]string{
			`{"behavior":"allow"}`, `{"behavior":"allow","updatedInput":{"a":1}}`, `{"behavior":"allow","updatedPermissions":[1]}`,
			`{"behavior":"deny"}`, `{"behavior":"deny","message":"m","interrupt":true}`, `{"behavior":"allow","message":"m"}`,
		}).Draw(t, "behavior")
	case rule.Values != nil:
		return jsontext.Quote(rapid.SampledFrom(rule.Values).Draw(t, "value"))
	case rule.Name == "worktreePath":
		return rapid.SampledFrom([]string{`"/srv/w"`, `"w"`}).Draw(t, "path")
	case rule.Type == "string":
		return jsontext.Quote(someText(t, "text"))
	case rule.Type == "boolean":
		return rapid.SampledFrom([]string{"true", "false"}).Draw(t, "bool")
	case rule.Type == "array":
		return rapid.SampledFrom([]string{`[]`, `["/a"]`, `["/a","/b"]`}).Draw(t, "array")
	}
	return rapid.SampledFrom([]string{`{}`, `{"command":"x"}`, `{"a":{"b":1.0}}`}).Draw(t, "object")
}

func anyVerdicts(t *rapid.T, ev *event.Event, patches bool) []Verdict {
	n := rapid.IntRange(1, 5).Draw(t, "hooks")
	var list []Verdict
	for i := range n {
		name := string(rune('a' + i))
		hook := Hook{
			ID: name, Name: name, Type: "command",
			FailClosed: rapid.IntRange(0, 4).Draw(t, "closed") == 0, Observe: rapid.IntRange(0, 9).Draw(t, "observe") == 0,
		}
		list = append(list, Decode(ev, hook, anyResult(t, ev.Spec(), patches)))
	}
	return list
}

func same(t *rapid.T, what string, want, got normal) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// Properties.

// The order in which hooks finish is that in which they are decoded.
func TestOrderOfFinishing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := anyEvent(t)
		n := rapid.IntRange(1, 5).Draw(t, "hooks")
		results := make([]Result, n)
		for i := range results {
			results[i] = anyResult(t, ev.Spec(), true)
		}
		var first []byte
		for range 2 {
			verdicts := make([]Verdict, n)
			for _, i := range rapid.Permutation(indices(n)).Draw(t, "order") {
				name := string(rune('a' + i))
				verdicts[i] = Decode(ev, Hook{ID: name, Name: name}, results[i])
			}
			o := Combine(ev, verdicts)
			text := append(o.JSON(), o.Answer(AnswerOptions{}).Stdout...)
			if first != nil && string(text) != string(first) {
				t.Fatalf("other bytes:\n%s\n%s", first, text)
			}
			first = text
		}
	})
}

func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func TestSilentHookChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := anyEvent(t)
		verdicts := anyVerdicts(t, ev, true)
		silent := Decode(ev, Hook{ID: "z", Name: "z"}, exited(0, "", ""))
		more := slices.Insert(slices.Clone(verdicts), rapid.IntRange(0, len(verdicts)).Draw(t, "at"), silent)
		without, with := Combine(ev, verdicts), Combine(ev, more)
		if ev.Spec().Form == event.FormPath && without.Decision == DecisionNone && len(without.fields) == 0 {
			return // nothing ran that could have made a worktree; now something did
		}
		same(t, "a silent hook changed the outcome", normalOf(without), normalOf(with))
		if a, b := without.Answer(AnswerOptions{}), with.Answer(AnswerOptions{}); !cmp.Equal(a, b) {
			t.Fatalf("a silent hook changed the answer:\n%s", cmp.Diff(a, b))
		}
	})
}

func TestDenyAbsorbs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := anyEvent(t)
		spec := ev.Spec()
		if spec.Exit2 < event.EffectBlocks {
			return
		}
		verdicts := anyVerdicts(t, ev, true)
		deny := Decode(ev, Hook{ID: "z", Name: "z"}, exited(2, "", "no"))
		verdicts = slices.Insert(verdicts, rapid.IntRange(0, len(verdicts)).Draw(t, "at"), deny)
		o := Combine(ev, verdicts)
		if spec.Exit2 == event.EffectContinues && !o.Continue {
			if o.Blocked || o.Decision != DecisionNone {
				t.Fatalf("a stop did not win over a block: %s", o.JSON())
			}
			return
		}
		if rank(o.Decision) != rank(DecisionDeny) || !o.Blocked || !strings.Contains(o.joinReasons(false), "no") || o.UpdatedInput != nil {
			t.Fatalf("a deny did not hold: %s", o.JSON())
		}
		a := o.Answer(AnswerOptions{})
		if a.Exit == 0 && len(a.Stdout) == 0 {
			t.Fatalf("a deny is not answered: %s", o.JSON())
		}
	})
}

// Our answer means to a caller what all the hooks would have meant.
func TestAnswerRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := anyEvent(t)
		o := Combine(ev, anyVerdicts(t, ev, true))
		if unmade(o) {
			return
		}
		again := asHook(ev, o, "us")
		same(t, "our answer says something else: "+answerText(o), normalOf(o), normalOf(Combine(ev, []Verdict{again})))
		if o.Blocked || o.Decision != DecisionNone {
			return
		}
		for _, p := range again.Problems {
			t.Fatalf("our answer has a problem: %s\n%s", p.Message, answerText(o))
		}
	})
}

// unmade reports a worktree event whose hooks all ran in the background: as one
// hook we cannot say that.
func unmade(o *Outcome) bool {
	return o.spec.Form == event.FormPath && !o.Blocked && len(o.fields) == 0
}

func answerText(o *Outcome) string {
	a := o.answer(AnswerOptions{}, false)
	return string(rune('0'+a.Exit)) + "\nstdout: " + string(a.Stdout) + "\nstderr: " + string(a.Stderr)
}

// Hooks may be grouped at will: each group run by a theus-hooks of its own, as
// one hook of another. Patches are made on what came before, so that only the
// first group may hold any.
func TestGroupingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := anyEvent(t)
		first := anyVerdicts(t, ev, true)
		groups := [][]Verdict{first}
		all := slices.Clone(first)
		for range rapid.IntRange(1, 2).Draw(t, "groups") {
			group := anyVerdicts(t, ev, false)
			groups, all = append(groups, group), append(all, group...)
		}
		var nested []Verdict
		for i, group := range groups {
			o := Combine(ev, group)
			if unmade(o) || ev.Spec().Form == event.FormPath && o.Blocked {
				return // a group without a path has failed, though another may have one
			}
			nested = append(nested, asHook(ev, o, string(rune('A'+i))))
		}
		same(t, "grouping changed the outcome", normalOf(Combine(ev, all)), normalOf(Combine(ev, nested)))
	})
}
