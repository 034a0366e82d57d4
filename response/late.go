package response

import (
	"cmp"
	"slices"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// A Late is what a hook in the background says when it has ended: the action is
// past, so nothing in it decides.
type Late struct {
	Status   Status
	Context  string // for the model
	Message  string // its systemMessage
	Failure  string // what went wrong, for the user
	Wake     string // why the agent is to be woken
	Problems []Problem
}

// Empty reports whether there is nothing to tell.
func (l Late) Empty() bool {
	return l.Context == "" && l.Message == "" && l.Failure == "" && l.Wake == "" && len(l.Problems) == 0
}

// DecodeLate says what the result of a hook amounts to that ran in the
// background of an event. With wakes its exit code 2 wakes the agent. Fields of
// the wrong type are dropped one by one, decisions are not used; both are
// reported.
func DecodeLate(spec *event.Spec, hook Hook, res Result, wakes bool) Late {
	d := &lateDecoder{decoder: decoder{spec: spec, hook: hook, res: res, status: res.Status}}
	d.decode(wakes)
	d.late.Status, d.late.Problems = d.status, d.problems
	if hook.Observe {
		d.late.Context, d.late.Message, d.late.Wake = "", "", ""
	}
	return d.late
}

type lateDecoder struct {
	decoder
	late Late
}

func (d *lateDecoder) decode(wakes bool) {
	out := lateOutput(d.res)
	switch d.res.Status {
	case OK:
		d.output(out)
	case Blocked:
		d.exit2(out, wakes)
	case Failed:
		if out.kind == jsonOutput && out.answers() {
			d.status = OK
			d.output(out)
			return
		}
		d.failed()
	default:
		d.failed()
	}
}

// lateOutput is what a hook printed without its word that it goes on in the
// background.
func lateOutput(res Result) output {
	out := readOutput(res)
	if out.kind != asyncOutput {
		return out
	}
	res.Stdout = behindFirst(res.Stdout)
	return readOutput(res)
}

// behindFirst is text without the object that it begins with.
func behindFirst(text []byte) []byte {
	text, _ = jsontext.TrimBOM(text)
	valid := strings.TrimSpace(strings.ToValidUTF8(string(text), "\uFFFD"))
	_, err := jsontext.Parse([]byte(valid), jsontext.Limits{Depth: outputDepth})
	if end := behindValue(err); end >= 0 {
		return []byte(valid[end:])
	}
	return nil
}

func (d *lateDecoder) output(out output) {
	switch out.kind {
	case jsonOutput:
		d.object(out.object())
	case brokenOutput:
		d.status, d.fault = BadOutput, out.why
		d.failed()
	case plainOutput:
		if out.hidden != "" {
			d.warn("json-after-text", "its JSON is not read, because stdout must hold nothing else; found %s", out.hidden)
		}
		if d.spec.PlainContext {
			d.late.Context = out.text
		}
	}
}

// exit2 wakes the agent, or does nothing: what it could block is past.
func (d *lateDecoder) exit2(out output, wakes bool) {
	stderr := clean(d.res.Stderr)
	if out.kind == jsonOutput {
		d.object(out.object())
	}
	switch {
	case !wakes:
		d.ignored("exit code 2", stderr)
	case stderr != "":
		d.late.Wake = stderr
	default:
		d.late.Wake = cmp.Or(out.text, d.hookText("it ended with exit code 2 and gave no reason"))
	}
}

func (d *lateDecoder) ignored(what, said string) {
	if said = firstLine(said); said != "" {
		said = "; it said: " + said
	}
	d.warn("background-decision", "it runs in the background, where it cannot decide; %s is not used%s", what, said)
}

func (d *lateDecoder) failed() {
	_, text := d.failure()
	text = "in the background " + text
	if d.hook.Observe {
		d.warn("background-failed", "%s", text)
		return
	}
	d.late.Failure = d.hookText(text)
}

// object reads the two fields that mean something afterwards.
func (d *lateDecoder) object(obj jsontext.Value) {
	for m := range obj.Members() {
		switch m.Key {
		case "systemMessage":
			d.late.Message = d.text(m.Key, m.Value)
		case "hookSpecificOutput":
			d.specific(m.Value)
		}
	}
	used, said := decisions(obj), ""
	for _, f := range findDenials(obj) {
		said = cmp.Or(said, f.reason)
		if !slices.Contains(used, f.path) {
			used = append(used, f.path)
		}
	}
	if len(used) > 0 {
		d.ignored(clip(strings.Join(used, ", "), 200), said)
	}
}

// decisions lists the fields of an output that would do something in a hook
// that is waited for.
func decisions(obj jsontext.Value) []string {
	var list []string
	for m := range obj.Members() {
		switch m.Key {
		case "continue":
			if m.Value.Raw() == "false" {
				list = append(list, m.Key)
			}
		case "decision", "terminalSequence":
			list = append(list, m.Key)
		case "hookSpecificOutput":
			for n := range m.Value.Members() {
				if n.Key != "additionalContext" && n.Key != "permissionDecisionReason" && outputElsewhere(n.Key) {
					list = append(list, m.Key+"."+n.Key)
				}
			}
		}
	}
	return list
}

func (d *lateDecoder) specific(v jsontext.Value) {
	name := v.Get("hookEventName")
	switch {
	case v.Kind() == jsontext.Null:
	case v.Kind() != jsontext.Object:
		d.misfit("hookSpecificOutput", "an object", v)
	case name.Exists() && name.Text() != d.spec.Name:
		d.warn("other-event", "hookSpecificOutput.hookEventName is %s, want %q; it is not used", clip(name.Raw(), 80), d.spec.Name)
	default:
		d.late.Context = d.text("hookSpecificOutput.additionalContext", v.Get("additionalContext"))
	}
}

func (d *lateDecoder) text(path string, v jsontext.Value) string {
	if v.Exists() && v.Kind() != jsontext.Null && v.Kind() != jsontext.String {
		d.misfit(path, "a string", v)
		return ""
	}
	return trim(v.Text())
}

func (d *lateDecoder) misfit(path, want string, v jsontext.Value) {
	d.warn("background-field", "%s is %s, want %s; it is not used", path, clip(v.Raw(), 80), want)
}

// Carries reports whether the outcome's answer brings l to those it is for. On
// Stop context makes the agent go on, so there only what wakes it is told; what
// is said where a subagent begins or ends does not reach the agent itself.
func (o *Outcome) Carries(l Late) bool {
	if o.spec == nil || o.spec.OfSubagent {
		return false
	}
	forModel := l.Context != "" || l.Message != "" || l.Wake != ""
	forUser := l.Message != "" || l.Failure != ""
	return (!forModel || o.spec.OutputField("additionalContext") != nil) &&
		(!forUser || o.spec.Message == event.MessageShown) &&
		(!forModel || o.spec.Exit2 != event.EffectContinues || l.Wake != "")
}

// AddLate adds what hooks of earlier events said in the background to an
// outcome: for the model, and where somebody sees it, for the user.
func (o *Outcome) AddLate(l Late) {
	for _, text := range []string{l.Context, l.Message, l.Wake} {
		if text != "" {
			o.AdditionalContext = append(o.AdditionalContext, text)
		}
	}
	for _, text := range []string{l.Message, l.Failure} {
		if text != "" {
			o.SystemMessages = append(o.SystemMessages, text)
		}
	}
	if l.Wake != "" {
		o.wakes = append(o.wakes, l.Wake)
	}
	o.Problems = append(o.Problems, l.Problems...)
	o.finish()
}
