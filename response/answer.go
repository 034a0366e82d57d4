package response

import (
	"cmp"

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
	// Notes: the caller writes to standard error besides, whatever the outcome.
	Notes bool
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
	return o.statement(&bounder{spill: opts.Spill}, named).Answer(opts.ExitCode)
}

// Answer says the statement as one hook would; see Outcome.Answer. exitCode
// makes it end with 2 when it blocks.
func (s *Statement) Answer(exitCode bool) Answer {
	a := s.encode()
	if exitCode && s.Blocked {
		a.Exit = 2
	}
	if a.Exit != 0 && len(a.Stderr) == 0 {
		a.Stderr = []byte("a hook blocked " + s.Spec.Name + " and gave no reason\n")
	}
	return a
}

func (s *Statement) encode() Answer {
	if s.Spec.Form == event.FormPath {
		return s.encodePath()
	}
	denies, object := s.Denies(), s.object()
	switch {
	case denies && s.exit2Suffices():
		return Answer{Exit: 2, Stderr: line(s.Reason)}
	case denies && !s.jsonDenies():
		return Answer{Exit: 2, Stdout: line(object), Stderr: line(s.Reason)}
	case denies || s.Blocked:
		return Answer{Stdout: line(object), Stderr: line(cmp.Or(s.Reason, s.StopReason))}
	case s.Notice != "":
		return s.encodeNotice(object)
	}
	return Answer{Stdout: line(object)}
}

// exit2Suffices reports whether exit code 2 with the reason on stderr says all
// there is to say about a denial.
func (s *Statement) exit2Suffices() bool {
	if s.Spec.Exit2 < event.EffectFeedback || s.Spec.Form == event.FormAction {
		return false
	}
	return s.bare() && s.Message == ""
}

// bare reports that nothing is to be passed on besides the decision and messages.
func (s *Statement) bare() bool {
	return !s.Stop && s.Context == "" && len(s.Values) == 0 && s.Terminal == "" && s.Input == nil
}

// jsonDenies reports whether JSON has a word for what is denied here. Where it
// has none that every agent reads, exit code 2 stays beside it.
func (s *Statement) jsonDenies() bool {
	return s.Spec.Form != event.FormNone || s.Stop
}

// encodeNotice passes on the text of an exit code 2 that only tells the user
// something: by exit code 2 again, or, with other things to say, as a system
// message where the event shows these.
func (s *Statement) encodeNotice(object string) Answer {
	switch {
	case s.bare() && s.onlyNotices:
		return Answer{Exit: 2, Stderr: line(cmp.Or(s.Message, s.Notice))}
	case s.Spec.Message == event.MessageShown:
		return Answer{Stdout: line(object), Stderr: line(s.Notice)}
	}
	return Answer{Exit: 2, Stdout: line(object), Stderr: line(s.Notice)}
}

// encodePath answers for the hook that makes a worktree: its path, or a failure.
func (s *Statement) encodePath() Answer {
	if s.Blocked {
		return Answer{Exit: 1, Stderr: line(s.Reason)}
	}
	for _, v := range s.Values {
		return Answer{Stdout: line(parsed(v.Raw).Text())}
	}
	return Answer{}
}

// object is the answer as one JSON object, "" when there is nothing to say.
func (s *Statement) object() string {
	var m members
	if s.Stop {
		m.set("continue", "false")
		m.text("stopReason", s.StopReason)
	}
	m.text("systemMessage", s.Message)
	m.text("terminalSequence", s.Terminal)
	if s.Denies() && (s.Spec.Form == event.FormBlock || s.Spec.Form == event.FormPermission || s.Spec.Block != event.EffectIgnored) {
		m.text("decision", cmp.Or(s.Words.Deny, "block"))
		m.text("reason", s.Reason)
	}
	if inner := s.specific(); inner != "" {
		m.set("hookSpecificOutput", inner)
	}
	if s.Suppress && !m.empty() {
		m.set("suppressOutput", "true")
	}
	if m.empty() {
		return ""
	}
	return m.object()
}

// specific is hookSpecificOutput, "" when it has nothing to say.
func (s *Statement) specific() string {
	m := &members{}
	switch s.Spec.Form {
	case event.FormPermission:
		if s.Decision != DecisionNone && !s.Words.TopLevel {
			m.set("permissionDecision", jsontext.Quote(string(s.Decision)))
			m.text("permissionDecisionReason", s.Reason)
		}
		if s.Input != nil {
			m.set(cmp.Or(s.Words.Input, "updatedInput"), string(s.Input))
		}
	case event.FormBehavior:
		if inner := s.behavior(); !inner.empty() {
			m.set("decision", inner.object())
		}
	case event.FormAction:
		if s.Denies() {
			m.set("action", `"decline"`)
		}
	}
	if s.Spec.OutputField("additionalContext") != nil {
		m.text("additionalContext", s.Context)
	}
	for _, v := range s.Values {
		m.set(v.Name, v.Raw)
	}
	if m.empty() {
		return ""
	}
	return `{"hookEventName":` + jsontext.Quote(cmp.Or(s.Words.Event, s.Spec.Name)) + "," + m.object()[1:]
}

// behavior is the answer to a permission request.
func (s *Statement) behavior() *members {
	m := &members{}
	switch s.Decision {
	case DecisionAllow:
		m.set("behavior", `"allow"`)
		if s.Input != nil {
			m.set("updatedInput", string(s.Input))
		}
		if s.Permissions != "" {
			m.set("updatedPermissions", s.Permissions)
		}
	case DecisionDeny:
		m.set("behavior", `"deny"`)
		m.text("message", s.Reason)
		if s.Interrupt {
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
	message = cmp.Or(trim(message), "the hooks could not be run")
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
