package response

import (
	"cmp"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// An Answer is what a caller sees that runs us as one hook.
type Answer struct {
	Exit   int // 0, 1 or 2
	Stdout []byte
	Stderr []byte // the reason of a block or refusal, nothing else
}

// AnswerOptions say how to answer.
type AnswerOptions struct {
	// ExitCode: every blocked outcome ends with exit code 2.
	ExitCode bool
	// Spill stores a text that is too long to pass on and returns where. kind
	// is "reason", "context" or "message". Without it, or when it fails, as much
	// as fits is passed on.
	Spill func(kind, text string) (path string, err error)
}

// Answer says the outcome as one hook would, so that the effect is that of all
// the hooks. Nothing to say is exit code 0 and no output. A block is exit code
// 2 with its reason on stderr where that says everything, because that is what
// every agent understands; else it is JSON that makes the denial in every form
// the event has.
func (o *Outcome) Answer(opts AnswerOptions) Answer {
	if o.spec == nil {
		return Refuse(nil, "only an outcome that Combine made can be answered")
	}
	return o.answer(opts, true)
}

// answer is Answer, with the sources of several reasons named or not.
func (o *Outcome) answer(opts AnswerOptions, named bool) Answer {
	b := bounder{spill: opts.Spill}
	t := texts{
		reason:     b.bound("reason", o.joinReasons(named), textLimit),
		context:    b.bound("context", lines(o.AdditionalContext), textLimit),
		message:    b.bound("message", lines(o.SystemMessages), textLimit),
		stopReason: b.bound("reason", o.StopReason, textLimit),
		bounder:    &b,
	}
	a := o.encode(t)
	if opts.ExitCode && o.Blocked {
		a.Exit = 2
	}
	if a.Exit != 0 && len(a.Stderr) == 0 {
		a.Stderr = []byte("a hook blocked " + o.Event + " and gave no reason\n")
	}
	return a
}

// texts are the texts of an answer, joined and within the limits.
type texts struct {
	reason, context, message, stopReason string

	bounder *bounder // of the other texts; nil: no limits
}

func (o *Outcome) encode(t texts) Answer {
	if o.spec.Form == event.FormPath {
		return o.encodePath(t)
	}
	denies := rank(o.Decision) == rank(DecisionDeny)
	object := o.object(t, denies)
	switch {
	case denies && o.exit2Suffices():
		return Answer{Exit: 2, Stderr: line(t.reason)}
	case denies && !o.jsonDenies():
		return Answer{Exit: 2, Stdout: line(object), Stderr: line(t.reason)}
	case denies || o.Blocked:
		return Answer{Stdout: line(object), Stderr: line(cmp.Or(t.reason, t.stopReason))}
	case len(o.notices) > 0:
		return o.encodeNotice(t, object)
	}
	return Answer{Stdout: line(object)}
}

// exit2Suffices reports whether exit code 2 with the reason on stderr says all
// there is to say about a denial.
func (o *Outcome) exit2Suffices() bool {
	if o.spec.Exit2 < event.EffectFeedback || o.spec.Form == event.FormAction {
		return false
	}
	return o.bare() && len(o.SystemMessages) == 0
}

// bare reports that nothing is to be passed on besides the decision and messages.
func (o *Outcome) bare() bool {
	return o.Continue && len(o.AdditionalContext) == 0 && len(o.fields) == 0 && o.TerminalSequence == "" && o.UpdatedInput == nil
}

// jsonDenies reports whether JSON has a word for what is denied here. Where it
// has none that every agent reads, exit code 2 stays beside it.
func (o *Outcome) jsonDenies() bool {
	return o.spec.Form != event.FormNone || !o.Continue
}

// encodeNotice passes on the text of an exit code 2 that only tells the user
// something: by exit code 2 again, or, with other things to say, as a system
// message where the event shows these.
func (o *Outcome) encodeNotice(t texts, object string) Answer {
	notice := line(lines(o.notices))
	switch {
	case o.bare() && (o.spec.Message != event.MessageShown || len(o.notices) == len(o.SystemMessages)):
		return Answer{Exit: 2, Stderr: line(cmp.Or(t.message, t.bounder.bound("message", lines(o.notices), textLimit)))}
	case o.spec.Message == event.MessageShown:
		return Answer{Stdout: line(object), Stderr: notice}
	}
	return Answer{Exit: 2, Stdout: line(object), Stderr: notice}
}

// encodePath answers for the hook that makes a worktree: its path, or a failure.
func (o *Outcome) encodePath(t texts) Answer {
	if o.Blocked {
		return Answer{Exit: 1, Stderr: line(t.reason)}
	}
	for _, f := range o.fields {
		return Answer{Stdout: line(parsed(f.raw).Text())}
	}
	return Answer{}
}

// object is the answer as one JSON object, "" when there is nothing to say.
func (o *Outcome) object(t texts, denies bool) string {
	var m members
	if !o.Continue {
		m.set("continue", "false")
		m.text("stopReason", t.stopReason)
	}
	m.text("systemMessage", t.message)
	m.text("terminalSequence", o.TerminalSequence)
	if denies && (o.spec.Form == event.FormBlock || o.spec.Form == event.FormPermission || o.spec.Block != event.EffectIgnored) {
		m.set("decision", `"block"`)
		m.text("reason", t.reason)
	}
	if inner := o.specific(t); !inner.empty() {
		m.set("hookSpecificOutput", o.wrap(inner))
	}
	if o.SuppressOutput && !m.empty() {
		m.set("suppressOutput", "true")
	}
	if m.empty() {
		return ""
	}
	return m.object()
}

// wrap puts the event's name before the fields of hookSpecificOutput.
func (o *Outcome) wrap(inner *members) string {
	return `{"hookEventName":` + jsontext.Quote(o.Event) + "," + inner.object()[1:]
}

// specific is hookSpecificOutput without the event's name.
func (o *Outcome) specific(t texts) *members {
	m := &members{}
	switch o.spec.Form {
	case event.FormPermission:
		if o.Decision != DecisionNone {
			m.set("permissionDecision", jsontext.Quote(string(o.Decision)))
			m.text("permissionDecisionReason", t.reason)
		}
		if o.UpdatedInput != nil {
			m.set("updatedInput", string(o.UpdatedInput))
		}
	case event.FormBehavior:
		if inner := o.behavior(t); !inner.empty() {
			m.set("decision", inner.object())
		}
	case event.FormAction:
		if rank(o.Decision) == rank(DecisionDeny) {
			m.set("action", `"decline"`)
		}
	}
	if o.spec.OutputField("additionalContext") != nil {
		m.text("additionalContext", t.context)
	}
	for _, f := range o.fields {
		m.set(f.rule.Name, t.bounder.field(f))
	}
	return m
}

// behavior is the answer to a permission request.
func (o *Outcome) behavior(t texts) *members {
	m := &members{}
	switch o.Decision {
	case DecisionAllow:
		m.set("behavior", `"allow"`)
		if o.UpdatedInput != nil {
			m.set("updatedInput", string(o.UpdatedInput))
		}
		if o.grants != "" {
			m.set("updatedPermissions", o.grants)
		}
	case DecisionDeny:
		m.set("behavior", `"deny"`)
		m.text("message", t.reason)
		if o.halts {
			m.set("interrupt", "true")
		}
	}
	return m
}

// Refuse is the answer where a guard could be hidden: the event, the policy or
// the flags cannot be used, or the fault is ours. PreToolUse and
// PermissionRequest are denied, any other event (spec may be nil for one that
// is not known) ends with exit code 1. message says what is wrong and what to do.
func Refuse(spec *event.Spec, message string) Answer {
	message = cmp.Or(strings.TrimSpace(message), "the hooks could not be run")
	switch {
	case spec == nil || !spec.FailClosed:
		return Answer{Exit: 1, Stderr: line(message)}
	case spec.Form == event.FormBehavior:
		o := &Outcome{Event: spec.Name, Decision: DecisionDeny, Blocked: true, Continue: true, spec: spec}
		o.reasons = []attributed{{text: message}}
		return o.Answer(AnswerOptions{})
	}
	return Answer{Exit: 2, Stderr: line(message)}
}

// line ends text with a line break; nothing stays nothing.
func line(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text + "\n")
}
