package response

import (
	"cmp"
	"slices"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// json applies output that is, or was meant to be, JSON.
func (d *decoder) json(out output) {
	switch out.kind {
	case plainOutput:
	case asyncOutput:
		d.async(out)
	case brokenOutput:
		d.bad("%s", out.why)
		for _, obj := range out.objects {
			d.honour(findDenials(obj))
		}
	case jsonOutput:
		if keys := doubledKeys(out.object()); len(keys) > 0 {
			d.doubled(out.object(), keys)
			return
		}
		d.object(out.object())
	}
}

// async reports a decision in an output that says it comes later: nothing in
// it counts, whatever it looks like.
func (d *decoder) async(out output) {
	for _, obj := range out.objects {
		if found := findDenials(obj); len(found) > 0 {
			d.warn("async-decision", `it answers "async": true and so runs in the background, where it cannot decide; %s is not used`, found[0].text())
		}
	}
}

// doubled applies an object that says something twice: if one reading denies,
// it denies; else nothing of it can be trusted.
func (d *decoder) doubled(obj jsontext.Value, keys []string) {
	list := strings.Join(keys, ", ")
	if d.honour(findDenials(obj)) {
		d.warn("doubled-key", "its output has %s more than once; the strictest value counts", list)
		return
	}
	d.bad("its output has %s more than once, so it is not clear what it says", list)
}

// doubledKeys lists the doubled keys of the parts that decide.
func doubledKeys(obj jsontext.Value) []string {
	keys := obj.Doubled()
	for m := range obj.Members() {
		if m.Key == "hookSpecificOutput" {
			keys = append(keys, m.Value.Doubled()...)
			keys = append(keys, m.Value.Get("decision").Doubled()...)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// object applies one hook output by the schema of the event.
func (d *decoder) object(obj jsontext.Value) {
	r := &reader{d: d, spec: d.spec}
	r.object(obj)
	r.resolve()
	d.say = r.say
	r.faults(obj)
}

// reader collects what one object says and how it departs from the schema.
type reader struct {
	d    *decoder
	spec *event.Spec
	say  say

	top    word   // "decision" and "reason"
	inner  word   // of hookSpecificOutput
	whole  string // updatedInput
	patch  string // updatedInputPatch
	refuse string // a stop or block that the event has no use for

	misfits   []misfit
	misplaced []string // fields of other events
	unknown   []string
	seen      int    // fields that are known
	other     string // hookEventName, when it is another event's
}

// word is a decision as written, with its reason.
type word struct{ value, reason string }

// misfit is a field whose value the schema does not allow.
type misfit struct{ path, text string }

func (r *reader) object(obj jsontext.Value) {
	for m := range obj.Members() {
		if m.Value.Kind() == jsontext.Null && knownKey(m.Key) {
			r.seen++ // as if it were not there
			continue
		}
		r.member(m)
	}
}

func (r *reader) member(m jsontext.Member) {
	r.seen++
	switch m.Key {
	case "continue":
		if b, ok := r.boolean(m.Key, m.Value); ok && !b {
			r.say.stop = true
		}
	case "stopReason":
		r.say.stopReason, _ = r.str(m.Key, m.Value, nil)
	case "suppressOutput":
		r.say.suppress, _ = r.boolean(m.Key, m.Value)
	case "systemMessage":
		r.say.message, _ = r.str(m.Key, m.Value, nil)
	case "terminalSequence":
		r.say.terminal, _ = r.str(m.Key, m.Value, nil)
	case "decision":
		r.top.value, _ = r.str(m.Key, m.Value, topDecisions)
	case "reason":
		r.top.reason, _ = r.str(m.Key, m.Value, nil)
	case "async":
		r.boolean(m.Key, m.Value)
	case "asyncTimeout":
		r.is(m.Key, m.Value, jsontext.Number)
	case "hookSpecificOutput":
		if r.is(m.Key, m.Value, jsontext.Object) {
			r.specific(m.Value)
		}
	default:
		r.seen--
		r.stranger(m.Key)
	}
}

// stranger notes an unknown field, up to a number that a person would read.
func (r *reader) stranger(path string) {
	if len(r.unknown) < 20 {
		r.unknown = append(r.unknown, path)
	}
}

// topKeys are the fields that every event's output may have.
var topKeys = []string{
	"continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason",
	"terminalSequence", "async", "asyncTimeout", "hookSpecificOutput",
}

var topDecisions = []string{"approve", "block"}

func knownKey(key string) bool { return slices.Contains(topKeys, key) }

// specific reads hookSpecificOutput. Under the name of another event only a
// denial is looked for, later.
func (r *reader) specific(obj jsontext.Value) {
	name := obj.Get("hookEventName")
	switch {
	case (!name.Exists() || name.Kind() == jsontext.Null) && obj.Raw() != "{}":
		r.d.warn("missing-event-name", `hookSpecificOutput has no hookEventName; add "hookEventName": %q, other agents refuse the output without it`, r.spec.Name)
	case name.Exists() && name.Text() != r.spec.Name:
		r.other = name.Raw()
		return
	}
	for m := range obj.Members() {
		rule := r.spec.OutputField(m.Key)
		switch {
		case m.Key == "hookEventName" || m.Value.Kind() == jsontext.Null:
		case rule != nil:
			r.seen++
			r.output(rule, m.Value)
		case outputElsewhere(m.Key):
			r.misplaced = append(r.misplaced, m.Key)
		default:
			r.stranger("hookSpecificOutput." + m.Key)
		}
	}
}

// outputElsewhere reports whether another event has such an output field.
func outputElsewhere(key string) bool {
	return slices.ContainsFunc(event.All(), func(s *event.Spec) bool { return s.OutputField(key) != nil })
}

// output reads one field of hookSpecificOutput.
func (r *reader) output(rule *event.OutputField, v jsontext.Value) {
	path := "hookSpecificOutput." + rule.Name
	if !r.fits(path, v, rule) {
		return
	}
	switch rule.Name {
	case "permissionDecision", "action":
		r.inner.value = v.Text()
		if r.spec.Form == event.FormAction {
			r.field(rule, v)
		}
	case "permissionDecisionReason":
		r.inner.reason = v.Text()
	case "updatedInput":
		r.whole = v.Raw()
	case "updatedInputPatch":
		r.patch = v.Raw()
	case "additionalContext":
		r.say.context = v.Text()
	case "decision":
		r.behavior(path, v)
	case "updatedMCPToolOutput":
		if !strings.HasPrefix(r.d.ev.ToolName(), "mcp__") {
			r.d.warn("no-effect", "updatedMCPToolOutput is for MCP tools only; use updatedToolOutput")
			return
		}
		r.field(rule, v)
	case "worktreePath":
		named := r.d.worktree(v.Text())
		r.say.fields, r.say.decision, r.say.reason = named.fields, named.decision, named.reason
	default:
		r.field(rule, v)
	}
}

func (r *reader) field(rule *event.OutputField, v jsontext.Value) {
	r.say.fields = append(r.say.fields, field{rule, string(jsontext.Compact([]byte(v.Raw())))})
}

// behavior reads the decision object of a permission request.
func (r *reader) behavior(path string, obj jsontext.Value) {
	for m := range obj.Members() {
		p := path + "." + m.Key
		if m.Value.Kind() == jsontext.Null && m.Key != "behavior" {
			continue // as if it were not there
		}
		switch m.Key {
		case "behavior":
			r.inner.value, _ = r.str(p, m.Value, []string{"allow", "deny"})
		case "message":
			r.inner.reason, _ = r.str(p, m.Value, nil)
		case "interrupt":
			r.say.interrupt, _ = r.boolean(p, m.Value)
		case "updatedInput":
			if r.is(p, m.Value, jsontext.Object) {
				r.whole = m.Value.Raw()
			}
		case "updatedInputPatch":
			if r.is(p, m.Value, jsontext.Object) {
				r.patch = m.Value.Raw()
			}
		case "updatedPermissions":
			if r.is(p, m.Value, jsontext.Array) {
				r.say.grants = string(jsontext.Compact([]byte(m.Value.Raw())))
			}
		default:
			r.stranger(p)
		}
	}
	if !obj.Get("behavior").Exists() {
		r.misfit(path+".behavior", `is missing, want "allow" or "deny"`)
	}
}

// resolve turns the words that were read into the event's decision.
func (r *reader) resolve() {
	r.universal()
	if r.whole != "" {
		r.say.input = append(r.say.input, change{raw: string(jsontext.Compact([]byte(r.whole)))})
	}
	if r.patch != "" {
		r.say.input = append(r.say.input, change{raw: string(jsontext.Compact([]byte(r.patch))), patch: true})
	}
	switch {
	case r.inner.value != "":
		r.decide(r.inner.value, cmp.Or(r.inner.reason, r.top.reason))
		if r.top.value == "block" && rank(r.say.decision) < rank(DecisionDeny) {
			r.d.warn("overridden", `"decision": "block" is overridden by %q beside it`, r.inner.value)
		}
	case r.top.value == "approve" && r.spec.Form == event.FormPermission:
		r.decide("allow", cmp.Or(r.inner.reason, r.top.reason))
	case r.top.value == "block" && r.spec.Block != event.EffectIgnored:
		r.deny(r.d.effect(r.spec.Block), cmp.Or(r.inner.reason, r.top.reason))
	}
	if r.say.stop && r.spec.CanBlock() && r.spec.Exit2 != event.EffectContinues && rank(r.say.decision) < rank(DecisionDeny) {
		r.deny(event.EffectBlocks, cmp.Or(r.say.stopReason, r.top.reason))
	}
	if r.say.decision == DecisionDefer && len(r.say.input) > 0 {
		r.d.warn("rewrite-ignored", "updatedInput has no effect beside defer")
		r.say.input = nil
	}
}

// universal drops the fields that the event does not honour.
func (r *reader) universal() {
	if r.say.stop && r.spec.Continue == event.ContinueDiscarded {
		r.say.stop = false
		r.refuse = `"continue": false`
	}
	if r.say.message != "" && r.spec.Message == event.MessageDiscarded {
		r.say.message = ""
		r.d.warn("no-effect", "systemMessage is not shown on %s", r.spec.Name)
	}
	if why := checkTerminal(r.say.terminal); why != "" {
		r.say.terminal = ""
		r.d.warn("terminal-sequence", "terminalSequence is dropped: %s", why)
	}
	if trim(r.say.context) == "" {
		r.say.context = ""
	}
}

// decide applies a decision of hookSpecificOutput.
func (r *reader) decide(value, reason string) {
	switch value {
	case "deny", "decline", "cancel":
		r.deny(event.EffectBlocks, reason)
	case "accept":
		r.say.decision = DecisionAllow
	default:
		r.say.decision = Decision(value)
		if r.spec.Form == event.FormPermission {
			r.say.reason = trim(reason)
		}
	}
}

// deny applies a denial in JSON; its reason falls back on stderr, and then on a
// text that names the hook.
func (r *reader) deny(e event.Effect, reason string) {
	if e == event.EffectIgnored {
		r.refuse = `"decision": "block"`
		return
	}
	r.say.decision, r.say.reason = denial(r.spec), cmp.Or(trim(reason), r.d.fallback())
}

// fallback is the reason of a denial that gives none.
func (d *decoder) fallback() string {
	return cmp.Or(clean(d.res.Stderr), "hook "+d.hook.Label()+" blocked this and gave no reason")
}

// faults reports what was wrong with the object, and drops what that makes
// unusable: all but what holds the action back.
func (r *reader) faults(obj jsontext.Value) {
	d := r.d
	if r.other != "" {
		d.say = d.say.restriction()
	}
	r.foreign(obj)
	if r.other != "" {
		d.bad("hookSpecificOutput.hookEventName is %s, want %q; of such an output only a denial counts", clip(r.other, 80), r.spec.Name)
	}
	for _, m := range r.misfits {
		d.bad("%s", m.text)
	}
	if len(r.misfits) > 0 && !d.say.restricts() {
		d.say = say{}
	}
	if r.refuse != "" && rank(d.say.decision) < rank(DecisionDeny) {
		d.warn("no-effect", "%s has no effect on %s%s", r.refuse, d.where(), d.insteadOfStop())
	}
	for _, key := range r.misplaced {
		d.report("error", "misplaced-field", "hookSpecificOutput.%s is not a field of %s, %s", key, r.spec.Name, outputFields(r.spec))
	}
	if len(r.misplaced) > 0 && r.seen == 1 { // hookSpecificOutput, and nothing known in it
		d.status = BadOutput
	}
	r.strangers()
}

// strangers warns of unknown fields that look like misspelt ones, and of an
// object that has no other.
func (r *reader) strangers() {
	for _, path := range r.unknown {
		if near := r.near(path); near != "" {
			r.d.warn("unknown-field", "%s is not a field of %s; did you mean %q?", clip(path, 80), r.spec.Name, near)
			return
		}
	}
	if r.seen == 0 && len(r.unknown) > 0 {
		r.d.warn("unknown-field", "its JSON has no field that a hook can answer with; found %s", clip(strings.Join(r.unknown, ", "), 200))
	}
}

// insteadOfStop is the hint for an event that drops "continue": false but can
// be blocked.
func (d *decoder) insteadOfStop() string {
	if d.spec.CanBlock() && d.effect(d.spec.Exit2) != event.EffectIgnored {
		return "; print " + denyForm(d.spec)
	}
	return ""
}

// outputFields says what an event's hookSpecificOutput may hold.
func outputFields(spec *event.Spec) string {
	if len(spec.Output) == 0 {
		return "which has none"
	}
	names := make([]string, len(spec.Output))
	for i, f := range spec.Output {
		names[i] = f.Name
	}
	return "which has " + strings.Join(names, ", ")
}
