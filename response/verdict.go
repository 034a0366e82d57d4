package response

import (
	"slices"

	"github.com/theus-hooks/theus-hooks/settings/event"
)

// A Verdict is what one hook's result amounts to by the rules of its event.
// The zero Verdict says nothing.
type Verdict struct {
	Report   HookReport
	Problems []Problem
	// Chain is the same number, from 1, for hooks that ran one after the other:
	// each saw the rewrites of those before it, so changing them is no conflict.
	// 0: the hook ran beside the others.
	Chain int

	say say
}

// say is what a verdict adds to the outcome. Every field is neutral when zero.
type say struct {
	decision Decision // "" or none: no opinion
	reason   string   // never empty for a denial

	stop       bool // "continue": false
	stopReason string

	suppress bool
	message  string
	context  string
	terminal string
	// notice is the text of an exit code 2 that the user sees and that blocks nothing.
	notice string

	fields []field  // of hookSpecificOutput, except decisions, rewrites and context
	input  []change // of the tool's input, in order

	grants    string // updatedPermissions, as JSON
	interrupt bool   // of a denied permission request
}

// field is one value for a single-valued or merged output field.
type field struct {
	rule *event.OutputField
	raw  string // JSON
}

// restricts reports whether the verdict holds the action back in any way.
func (s *say) restricts() bool {
	return s.stop || rank(s.decision) > rank(DecisionAllow)
}

// restriction is s without everything that is not a restriction or its text.
func (s *say) restriction() say {
	if !s.restricts() {
		return say{}
	}
	return say{decision: s.decision, reason: s.reason, interrupt: s.interrupt, stop: s.stop, stopReason: s.stopReason}
}

// accepts reports whether the fields answer an MCP server with accept.
func (s *say) accepts() bool {
	return slices.ContainsFunc(s.fields, func(f field) bool { return f.rule.Name == "action" && f.raw == `"accept"` })
}

// rank orders decisions by strength.
func rank(d Decision) int {
	switch d {
	case DecisionAllow:
		return 1
	case DecisionAsk:
		return 2
	case DecisionDefer:
		return 3
	case DecisionDeny, DecisionBlock:
		return 4
	}
	return 0
}

// denial is the word by which an event's outcome says that it is blocked.
func denial(spec *event.Spec) Decision {
	switch spec.Form {
	case event.FormPermission, event.FormBehavior, event.FormAction:
		return DecisionDeny
	}
	return DecisionBlock
}
