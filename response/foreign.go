package response

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// A finding is a field that says no (or "ask") in one of the ways that hooks of
// the known agents say it, at the right place or not.
type finding struct {
	path, key string // key without case, "_" and "-"
	raw       string
	decision  Decision // DecisionDeny or DecisionAsk
	reason    string
}

func (f finding) text() string { return fmt.Sprintf("%q: %s", f.path, clip(f.raw, 80)) }

// The words of other agents' formats. Keys are compared without case, "_" and "-".
var (
	decisionKeys = []string{"decision", "permissiondecision", "permission", "behavior", "action"}
	falseKeys    = []string{"ok", "allow", "allowed", "approve", "approved", "permitted", "continue"} // false denies
	trueKeys     = []string{"block", "blocked", "deny", "denied", "cancel", "halt"}                   // true denies
	denyWords    = []string{"deny", "denied", "block", "blocked", "reject", "rejected", "refuse", "decline", "cancel"}
	reasonKeys   = []string{"permissiondecisionreason", "reason", "message", "errormessage", "usermessage", "agentmessage", "stopreason"}
)

// findDenials lists every field of an output that denies or asks, doubled keys
// included.
func findDenials(obj jsontext.Value) []finding {
	reason := foreignReason(obj)
	list := findAt(obj, "", reason)
	for m := range obj.Members() {
		if m.Key != "hookSpecificOutput" {
			continue
		}
		list = append(list, findAt(m.Value, "hookSpecificOutput.", cmp.Or(foreignReason(m.Value), reason))...)
		for n := range m.Value.Members() {
			if n.Key == "decision" {
				list = append(list, findAt(n.Value, "hookSpecificOutput.decision.", cmp.Or(foreignReason(n.Value), foreignReason(m.Value), reason))...)
			}
		}
	}
	return list
}

// findAt lists those of one object.
func findAt(obj jsontext.Value, prefix, reason string) []finding {
	var list []finding
	for m := range obj.Members() {
		f := finding{path: prefix + m.Key, key: plainKey(m.Key), raw: m.Value.Raw(), reason: reason}
		switch text := strings.ToLower(m.Value.Text()); {
		case slices.Contains(decisionKeys, f.key) && slices.Contains(denyWords, text),
			slices.Contains(falseKeys, f.key) && f.raw == "false",
			slices.Contains(trueKeys, f.key) && f.raw == "true":
			f.decision = DecisionDeny
		case slices.Contains(decisionKeys, f.key) && text == "ask":
			f.decision = DecisionAsk
		default:
			continue
		}
		list = append(list, f)
	}
	return list
}

// foreignReason is the first text that explains a denial in any known format.
func foreignReason(obj jsontext.Value) string {
	for _, key := range reasonKeys {
		for m := range obj.Members() {
			if plainKey(m.Key) == key && trim(m.Value.Text()) != "" {
				return trim(m.Value.Text())
			}
		}
	}
	return ""
}

func plainKey(key string) string {
	if len(key) > 64 {
		return key // no key of any format
	}
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(key, "_", ""), "-", ""))
}

// honour applies findings where the event can be held back, the strictest of
// them, and reports whether there was one.
func (d *decoder) honour(found []finding) bool {
	used := false
	var without []finding // effect
	for _, f := range found {
		switch {
		case !d.holds(f):
			without = append(without, f)
			continue
		case f.decision == DecisionAsk && rank(d.say.decision) < rank(DecisionAsk):
			d.say.decision, d.say.reason = DecisionAsk, f.reason
		case f.decision == DecisionDeny && rank(d.say.decision) < rank(DecisionDeny):
			d.say.decision, d.say.reason = denial(d.spec), cmp.Or(f.reason, d.fallback())
		}
		if f.path == "continue" {
			d.say.stop = true
		}
		used = true
	}
	if len(without) > 0 {
		d.powerless(without[0])
	}
	return used
}

// holds reports whether a finding means that the event's action is held back.
// On events where a block makes the agent go on, only those words count that
// mean a block there.
func (d *decoder) holds(f finding) bool {
	e := d.spec.Exit2
	if d.spec.CanBlock() {
		e = max(e, event.EffectBlocks)
	}
	e = d.effect(e)
	switch {
	case f.path == "continue":
		return d.spec.Continue == event.ContinueStops && e == event.EffectBlocks
	case f.decision == DecisionAsk:
		rule := d.spec.OutputField("permissionDecision")
		return rule != nil && slices.Contains(rule.Values, "ask")
	case e == event.EffectFeedback || e == event.EffectContinues:
		return f.key == "decision" || f.key == "ok"
	}
	return e >= event.EffectBlocks
}

// powerless reports a finding that the event has no use for, unless it is a
// misplaced field, which is reported as one.
func (d *decoder) powerless(f finding) {
	if _, key, ok := strings.Cut(f.path, "hookSpecificOutput."); ok && outputElsewhere(key) {
		return
	}
	d.warn("no-effect", "%s has no effect on %s%s", f.text(), d.where(), d.insteadOfStop())
}

// foreign applies the denials of an object that are not made by the event's
// own fields.
func (r *reader) foreign(obj jsontext.Value) {
	if rank(r.d.say.decision) >= rank(DecisionDeny) {
		return
	}
	found := slices.DeleteFunc(findDenials(obj), func(f finding) bool {
		switch f.path {
		case "continue":
			return true
		case "decision":
			return r.spec.Block != event.EffectIgnored && r.top.value != "" || r.inner.value != ""
		case "hookSpecificOutput.permissionDecision", "hookSpecificOutput.action", "hookSpecificOutput.decision.behavior":
			return r.inner.value != ""
		}
		return false
	})
	r.unknown = slices.DeleteFunc(r.unknown, func(path string) bool {
		return slices.ContainsFunc(found, func(f finding) bool { return f.path == path })
	})
	if r.d.honour(found) && r.other == "" {
		r.foundElsewhere(found)
	}
}

// foundElsewhere reports denials that are not made in the event's own way, and
// excuses the faults that they explain.
func (r *reader) foundElsewhere(found []finding) {
	r.d.warn("foreign-decision", "%s is not how %s is answered; it counts here, but elsewhere the action goes on; print %s", found[0].text(), r.spec.Name, strings.Replace(denyForm(r.spec), `"deny"`, jsontext.Quote(string(found[0].decision)), 1))
	r.unknown, r.misplaced = nil, nil
	r.misfits = slices.DeleteFunc(r.misfits, func(m misfit) bool {
		return slices.ContainsFunc(found, func(f finding) bool { return f.path == m.path })
	})
}

// denyForm is how a hook denies on the event, ready to be printed.
func denyForm(spec *event.Spec) string {
	begin := fmt.Sprintf(`{"hookSpecificOutput":{"hookEventName":%q,`, spec.Name)
	switch spec.Form {
	case event.FormPermission:
		return begin + `"permissionDecision":"deny","permissionDecisionReason":"…"}}`
	case event.FormBehavior:
		return begin + `"decision":{"behavior":"deny","message":"…"}}}`
	case event.FormAction:
		return begin + `"action":"decline"}}`
	case event.FormPath:
		return "the reason on stderr and end with exit code 1"
	}
	return `{"decision":"block","reason":"…"}`
}

// near returns the known field that an unknown one is probably meant to be.
func (r *reader) near(path string) string {
	candidates := topKeys
	if rest, ok := strings.CutPrefix(path, "hookSpecificOutput."); ok {
		path, candidates = rest, []string{"hookEventName"}
		for _, f := range r.spec.Output {
			candidates = append(candidates, f.Name)
		}
	}
	for _, c := range candidates {
		if event.Near(path, c) {
			return c
		}
	}
	return ""
}
