package rule

import "fmt"

// MaxChars is the longest rule text that is read.
const MaxChars = 10_000

// A Rule is one parsed `if` value: a rule, or several joined by "|" of which
// one must fire. It is immutable and safe for concurrent use.
type Rule struct {
	text  string
	parts []part
}

// A SyntaxError says why a text is not a rule.
type SyntaxError struct {
	Text   string // the whole rule
	Offset int    // in bytes, from 0, where reading stopped
	Msg    string // what is wrong
	Hint   string // what to write instead, may be empty
}

// Error is what is wrong and what to write instead.
func (e *SyntaxError) Error() string {
	msg := fmt.Sprintf("rule %s: %s", quote(e.Text), e.Msg)
	if e.Hint != "" {
		msg += "; " + e.Hint
	}
	return msg
}

// Parse reads a rule. The error is a *SyntaxError; the rule that comes with it
// is never nil and fires for every call it might have been meant for.
func Parse(text string) (*Rule, error) {
	return parse(text)
}

// String is the text the rule was read from.
func (r *Rule) String() string { return r.text }

// Tools lists the tool names, or globs of them, that the rule is written for,
// in the order of the text.
func (r *Rule) Tools() []string {
	names := make([]string, len(r.parts))
	for i := range r.parts {
		names[i] = r.parts[i].tool
	}
	return names
}

// Match compares the rule with a call. anchor is the directory at which "/p"
// path patterns of the rule's source start; when it is empty they may match
// anything.
func (r *Rule) Match(c *Call, anchor string) Match {
	m := Match{rule: r, call: c}
	for i := range r.parts {
		f := r.parts[i].match(c, anchor)
		if f.fires {
			return Match{Fires: true, rule: r, call: c, finding: f}
		}
		if i == 0 || !f.otherTool {
			m.finding = f
		}
	}
	return m
}
