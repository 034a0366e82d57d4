package response

import (
	"cmp"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// modelAnswer applies the answer of a prompt or agent hook:
// {"ok": bool, "reason": string, "impossible": bool}. One that answers as a
// command would is read as such.
func (d *decoder) modelAnswer(out output) {
	if out.kind != jsonOutput {
		d.noAnswer(out.text)
		return
	}
	obj := out.object()
	ok := obj.Get("ok")
	switch {
	case !ok.Exists() && out.answers():
		d.json(out)
	case ok.Kind() != jsontext.Bool:
		d.noAnswer(out.text)
	case !saysNo(obj):
	case obj.Get("impossible").Bool() && d.hook.Type == "prompt" && d.spec.Exit2 == event.EffectContinues:
		d.warn("impossible", "what it asks for is impossible, so the agent may stop: %s", firstLine(obj.Get("reason").Text()))
	default:
		d.notOK(cmp.Or(trim(obj.Get("reason").Text()), d.fallback()))
	}
}

// saysNo reports whether any "ok" of the object is false, doubled keys included.
func saysNo(obj jsontext.Value) bool {
	for m := range obj.Members() {
		if m.Key == "ok" && m.Value.Raw() == "false" {
			return true
		}
	}
	return false
}

func (d *decoder) noAnswer(text string) {
	d.status = ModelError
	d.warn("hook-model-error", `the model's answer is not {"ok": true} or {"ok": false, "reason": "…"}; found %s`, cmp.Or(clip(text, 80), "nothing"))
}

// notOK applies "ok": false.
func (d *decoder) notOK(reason string) {
	if d.spec.NotOK == event.NotOKIgnored {
		d.warn("no-effect", `"ok": false has no effect on %s; it said: %s`, d.spec.Name, firstLine(reason))
		return
	}
	d.deny(d.effect(d.spec.Exit2), reason, `"ok": false`)
	if d.spec.NotOK == event.NotOKStops && d.hook.Type == "prompt" && !d.hook.ContinueOnBlock {
		d.say.stop, d.say.stopReason = true, reason
	}
}
