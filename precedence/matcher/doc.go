// Package matcher decides whether a group of handlers is meant for an event: it
// compares the group's `matcher` text with the event's subject.
//
// A matcher is one of three things. Empty text and "*" match everything. Text
// made of letters, digits, "_", "-", blanks, "," and "|" is a list of names,
// compared whole and with regard to case. Anything else is a JavaScript regular
// expression that may match anywhere in the subject. Expressions run on Go's
// regexp where they mean the same there, else on regexp2 in its ECMAScript
// mode, with a limit on the time of one match; either way the answer is the one
// JavaScript gives.
//
// The shortest use:
//
//	m, err := matcher.Compile("Edit|Write", matcher.Options{Tool: true})
//	if err != nil {
//		// a *SyntaxError
//	}
//	ok, err := m.Match("Write")
package matcher
