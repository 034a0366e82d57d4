package response

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/theus-hooks/theus-hooks/settings/event"
)

// Decode says what the result of one hook amounts to by the rules of its event.
//
// A denial is never lost to a fault beside it: whatever else is wrong with an
// output, a clear deny, block or stop in it counts, and what was wrong is
// reported. Nothing else of a faulty output is used.
func Decode(ev *event.Event, hook Hook, res Result) Verdict {
	d := &decoder{ev: ev, spec: ev.Spec(), hook: hook, res: res, status: res.Status}
	d.decode()
	if res.Warning != "" {
		d.warn("shell-differs", "%s", res.Warning)
	}
	d.failClosed()
	if hook.Observe {
		d.observe()
	}
	return d.verdict()
}

// decoder is the state of one Decode: what is known of the hook, and what has
// been found so far.
type decoder struct {
	ev   *event.Event
	spec *event.Spec
	hook Hook
	res  Result

	status   Status
	fault    string // the first thing that made the output bad
	say      say
	problems []Problem
}

func (d *decoder) verdict() Verdict {
	if d.spec.Form == event.FormAction && rank(d.say.decision) == rank(DecisionDeny) && d.say.accepts() {
		d.say.fields = nil // denied by other means than the action it names
	}
	report := HookReport{Hook: d.hook, Result: d.res, Decision: cmp.Or(d.say.decision, DecisionNone), Reason: d.say.reason}
	report.Result.Status = d.status
	if report.Reason == "" {
		report.Reason = d.say.notice
	}
	return Verdict{Report: report, Problems: d.problems, say: d.say}
}

func (d *decoder) decode() {
	switch d.res.Status {
	case Background:
	case OK:
		d.output()
	case Blocked:
		d.exit2()
	case Failed:
		d.exitOther()
	default:
		d.unfinished()
	}
}

// output applies what a hook printed that ended as it should.
func (d *decoder) output() {
	out := readOutput(d.res)
	switch {
	case d.hook.Type == "prompt" || d.hook.Type == "agent":
		d.modelAnswer(out)
	case out.kind == plainOutput && out.text != "" && d.hook.Type == "http":
		d.bad("the response is not a JSON object: %s", clip(out.text, 80))
	case out.kind == plainOutput && d.spec.Form == event.FormPath:
		d.say = d.worktree(lastLine(out.text))
	case out.kind == plainOutput && d.spec.PlainContext:
		d.say.context = out.text
		d.note(out)
		if d.res.Truncated {
			d.warn("output-truncated", "its text was cut off at the output limit; %d bytes were dropped", d.res.DiscardedBytes)
		}
	case out.kind == plainOutput:
		d.note(out)
	default:
		d.json(out)
	}
}

// note reports JSON that plain text around it hides, above all a denial.
func (d *decoder) note(out output) {
	if out.hidden == "" {
		return
	}
	found := findDenials(out.object())
	switch {
	case len(found) > 0 && d.hook.FailClosed: // a guard that must not fail meant to deny
		d.bad("stdout must hold nothing but its JSON, which says %s; found %s", found[0].text(), out.hidden)
		return
	case len(found) > 0:
		d.report("error", "json-after-text", "its JSON is not read, so %s does not count, because stdout must hold nothing else; found %s", found[0].text(), out.hidden)
		return
	}
	d.warn("json-after-text", "its JSON is not read, because stdout must hold nothing else; found %s", out.hidden)
}

// exit2 applies exit code 2, which no output can take back.
func (d *decoder) exit2() {
	out := readOutput(d.res)
	if out.kind != plainOutput {
		d.json(out)
		d.status = Blocked
	}
	if d.spec.Exit2DropsOutput {
		d.say.fields = nil
	}
	if d.spec.Form == event.FormPath {
		d.say = say{}
	}
	reason := d.reason()
	if rank(d.say.decision) == rank(DecisionDeny) {
		reason = d.say.reason
	} else if d.say.decision == DecisionAllow { // nothing may come of both
		d.say.decision, d.say.reason = "", ""
	}
	d.deny(d.effect(d.spec.Exit2), reason, "exit code 2")
}

// reason is the hook's text for an exit code 2: stderr, else a text that names
// the hook.
func (d *decoder) reason() string {
	if text := clean(d.res.Stderr); text != "" {
		return text
	}
	text := fmt.Sprintf("hook %s ended with exit code 2 and gave no reason on stderr", d.hook.Label())
	if out := readOutput(d.res); out.kind == plainOutput && out.text != "" {
		text += "; on stdout: " + clip(out.text, 500)
	}
	return text
}

// exitOther applies an exit code other than 0 and 2: a hook output on stdout
// decides all the same, anything else is a failure that blocks nothing.
func (d *decoder) exitOther() {
	out := readOutput(d.res)
	if out.kind != plainOutput && len(out.objects) > 0 {
		d.json(out)
	}
	switch {
	case d.spec.Exit2 == event.EffectFails:
		d.say = say{}
	case out.kind == jsonOutput && out.answers():
		if d.status != BadOutput {
			d.status = OK
		}
		return
	}
	if !d.say.restricts() {
		d.say, d.status = say{}, Failed
		d.failed()
	}
}

// unfinished applies a run that did not exit by itself. What a killed hook had
// printed can only hold the action back; that of the others is not read.
func (d *decoder) unfinished() {
	if d.res.Status == Killed {
		if out := readOutput(d.res); out.kind == jsonOutput {
			d.json(out)
			d.status, d.say = Killed, d.say.restriction()
		}
	}
	code, text := d.failure()
	switch {
	case d.say.restricts():
		d.warn(code, "%s", text)
	case d.status == TimedOut && d.spec.TimeoutBlocks:
		d.deny(d.effect(d.spec.Exit2), d.hookText(text), "a timeout")
	case d.status == Cancelled && d.spec.FailClosed:
		d.deny(event.EffectBlocks, d.hookText(text), "a cancelled guard")
	default:
		d.failed()
	}
}

// failed reports a hook that gave no answer, and what follows from that. On an
// event whose hook stands for the operation, the operation has failed with it.
func (d *decoder) failed() {
	code, text := d.failure(d.consequence())
	d.warn(code, "%s", text)
	if d.spec.Exit2 == event.EffectFails {
		d.deny(event.EffectFails, cmp.Or(clean(d.res.Stderr), d.hookText(text)), "")
	}
}

// consequence tells the author of a guard what its failure means.
func (d *decoder) consequence() string {
	switch {
	case d.hook.FailClosed, !d.spec.CanBlock(), d.spec.Exit2 == event.EffectFails:
		return ""
	case d.status == Failed && d.spec.Exit2 >= event.EffectBlocks:
		return ", and only exit code 2 blocks"
	}
	return ", so it enforces nothing"
}

// failure is what went wrong with the run: a code and words, the given ones
// before what the hook or its runner said.
func (d *decoder) failure(more ...string) (code, text string) {
	detail := cmp.Or(d.res.Error, clean(d.res.Stderr))
	switch d.status {
	case CouldNotStart:
		code, text = "hook-not-started", "it could not be started"
	case TimedOut:
		code, text, detail = "hook-timed-out", cmp.Or(d.res.Error, "it timed out"), clean(d.res.Stderr)
	case Killed:
		code, text = "hook-killed", "it was killed by signal "+cmp.Or(d.res.Signal, "(unknown)")
	case HTTPError:
		code, text = "hook-http-error", "its request failed"
	case ModelError:
		code, text = "hook-model-error", "the model gave no usable answer"
	case Cancelled:
		code, text = "hook-cancelled", "it was cancelled before it answered"
	case BadOutput:
		return "bad-output", d.fault
	default:
		code, text = "hook-failed", "it failed"
		if d.res.ExitCode != nil {
			text = fmt.Sprintf("it ended with exit code %d", *d.res.ExitCode)
		}
	}
	text += strings.Join(more, "")
	if line := firstLine(detail); line != "" {
		text += ": " + line
	}
	return code, text
}

// failClosed applies "onFailure": "block".
func (d *decoder) failClosed() {
	if !d.hook.FailClosed || !d.failing() || rank(d.say.decision) == rank(DecisionDeny) {
		return
	}
	_, text := d.failure()
	d.deny(d.effect(d.spec.OnFailure), d.hookText("it failed, and its failure blocks: "+text), `"onFailure": "block"`)
}

func (d *decoder) failing() bool {
	return slices.Contains([]Status{Failed, CouldNotStart, TimedOut, Killed, BadOutput, HTTPError, ModelError, Cancelled}, d.status)
}

// effect is what a block does on this firing.
func (d *decoder) effect(e event.Effect) event.Effect {
	if slices.Contains(d.spec.Unblockable, d.ev.Subject()) {
		return event.EffectIgnored
	}
	return e
}

// deny applies a block of the given effect. by is what asked for it, for the
// report where the event takes no block.
func (d *decoder) deny(e event.Effect, reason, by string) {
	switch e {
	case event.EffectIgnored:
		d.warn("no-effect", "%s has no effect on %s%s; it said: %s", by, d.where(), d.instead(), firstLine(reason))
	case event.EffectNotice:
		d.say.notice = reason
	default:
		d.say.decision, d.say.reason = denial(d.spec), reason
	}
}

// where names the event, with the subject where that decides.
func (d *decoder) where() string {
	if slices.Contains(d.spec.Unblockable, d.ev.Subject()) {
		return d.spec.Name + " of " + d.ev.Subject()
	}
	return d.spec.Name
}

// instead is the hint for an event that takes a denial by other means.
func (d *decoder) instead() string {
	if d.spec.Form == event.FormBehavior {
		return "; print " + denyForm(d.spec)
	}
	return ""
}

// observe makes a verdict of a hook in observe mode say nothing.
func (d *decoder) observe() {
	if d.say.restricts() {
		d.warn("observed", "it only observes; enforced, it would have answered %s: %s",
			cmp.Or(d.say.decision, "continue: false"), firstLine(cmp.Or(d.say.reason, d.say.stopReason)))
	}
	d.say = say{}
}

// bad reports an output that cannot be used.
func (d *decoder) bad(format string, args ...any) {
	d.status = BadOutput
	d.fault = cmp.Or(d.fault, fmt.Sprintf(format, args...))
	d.report("error", "bad-output", format, args...)
}

func (d *decoder) warn(code, format string, args ...any) {
	d.report("warning", code, format, args...)
}

func (d *decoder) report(severity, code, format string, args ...any) {
	d.problems = append(d.problems, problem(d.hook, severity, code, fmt.Sprintf(format, args...)))
}

func (d *decoder) hookText(text string) string { return "hook " + d.hook.Label() + ": " + text }

// problem names the hook and its place.
func problem(h Hook, severity, code, text string) Problem {
	return Problem{
		Severity: severity, Code: code, Message: "hook " + h.Label() + ": " + text,
		File: h.Source.File, Line: h.Source.Line, Path: h.Source.Path,
	}
}
