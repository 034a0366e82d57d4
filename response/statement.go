package response

import (
	"encoding/json"

	"github.com/theus-hooks/theus-hooks/settings/event"
)

// A Statement is what an outcome has to say to a caller, each text joined and
// within its limits. It stands between the outcome and its answer: an encoder
// for an agent that cannot hear some of it changes the statement and answers
// with that.
type Statement struct {
	Spec     *event.Spec
	Decision Decision
	Blocked  bool
	Reason   string // of the decision; never empty for a denial

	Context string // for the model
	Message string // for the user
	// Notice is the text of exit codes 2 that block nothing. Where the event
	// shows messages it is part of Message, too.
	Notice string

	Stop       bool // "continue": false
	StopReason string
	Suppress   bool // "suppressOutput": true
	Terminal   string

	Input  json.RawMessage // the whole tool input after rewriting, nil: unchanged
	Values []Value         // other fields of hookSpecificOutput

	Permissions string // "updatedPermissions" of a granted permission, as JSON
	Interrupt   bool   // of a denied permission

	// Words are the agent's own spellings; zero: those of the hook output format.
	Words Words

	onlyNotices bool // Message says nothing else
}

// A Value is one field of hookSpecificOutput.
type Value struct {
	Name string
	Raw  string // JSON
}

// Words are how an agent spells what others spell differently. The zero value
// is the hook output format.
type Words struct {
	Event string // hookEventName; "" is the event's name
	Deny  string // a top-level decision that denies; "" is "block"
	Input string // the key of a rewritten input; "" is "updatedInput"
	// TopLevel: permissions are decided at top level alone.
	TopLevel bool
}

// Statement is what the outcome says, its texts shortened as opts.Spill has it.
// ok is false for an outcome that Combine did not make.
func (o *Outcome) Statement(opts AnswerOptions) (s *Statement, ok bool) {
	if o.spec == nil {
		return nil, false
	}
	return o.statement(&bounder{spill: opts.Spill}, true), true
}

// statement has the sources of several reasons named or not, and no limits
// without a bounder.
func (o *Outcome) statement(b *bounder, named bool) *Statement {
	s := &Statement{
		Spec: o.spec, Decision: o.Decision, Blocked: o.Blocked,
		Reason:  b.bound("reason", o.joinReasons(named), textLimit),
		Context: b.bound("context", lines(o.AdditionalContext), textLimit),
		Message: b.bound("message", lines(o.SystemMessages), textLimit),
		Stop:    !o.Continue, StopReason: b.bound("reason", o.StopReason, textLimit),
		Suppress: o.SuppressOutput, Terminal: o.TerminalSequence, Input: o.UpdatedInput,
		Permissions: o.grants, Interrupt: o.halts,
		onlyNotices: o.spec.Message != event.MessageShown || len(o.notices) == len(o.SystemMessages),
	}
	s.Notice = b.bound("message", lines(o.notices), textLimit)
	for _, f := range o.fields {
		s.Values = append(s.Values, Value{f.rule.Name, b.field(f)})
	}
	return s
}

// Denies reports whether the decision is a denial, in the event's own word.
func (s *Statement) Denies() bool { return rank(s.Decision) == rank(DecisionDeny) }

// Deny makes the decision a denial for reason, which is added to those of a
// denial that is there. A rewrite of what is denied is dropped.
func (s *Statement) Deny(reason string) {
	if s.Denies() {
		reason = lines([]string{s.Reason, reason})
	}
	s.Decision, s.Reason, s.Input = denial(s.Spec), trim(reason), nil
	s.Blocked = s.Blocked || s.Spec.CanBlock()
}
