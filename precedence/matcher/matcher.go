package matcher

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds of a matcher that is a regular expression.
const (
	MaxChars = 10_000
	MaxDepth = 200 // nested groups
	// TimeLimit is the longest a match may take.
	TimeLimit = time.Second
)

// ErrRunaway is returned by Match when an expression does not come to an end
// within TimeLimit, or needs too much memory.
var ErrRunaway = errors.New("the pattern takes too long to match")

// Options says what a matcher is compared with.
type Options struct {
	// Narrow: only letters, digits, "_" and "|" make a list of names. It is
	// the rule of FileChanged and StopFailure.
	Narrow bool
	// Tool: the subject is the name of a tool. Then Task and Agent are one
	// tool, and "mcp__*" means every MCP tool.
	Tool bool
}

// A SyntaxError says why a text is no regular expression of JavaScript.
type SyntaxError struct {
	Text   string
	Offset int // in characters, from 0
	Msg    string
	Hint   string // what may have been meant, may be empty
}

// Error is what is wrong, and what may have been meant.
func (e *SyntaxError) Error() string {
	msg := fmt.Sprintf("matcher %q: %s at character %d", clip(e.Text), e.Msg, e.Offset+1)
	if e.Hint != "" {
		msg += "; " + e.Hint
	}
	return msg
}

func clip(s string) string {
	if utf8.RuneCountInString(s) > 80 {
		return string([]rune(s)[:80]) + "…"
	}
	return s
}

// A Matcher is one compiled matcher. It is immutable and safe for concurrent
// use.
type Matcher struct {
	text string
	kind kind
	tool bool
	expr *expression // of kindRegex
}

type kind uint8

const (
	kindAll kind = iota
	kindList
	kindMCP // "mcp__*", understood as a glob
	kindRegex
)

// Compile reads a matcher; "" stands for one that is absent. The error is a
// *SyntaxError. Lists cost no more than a look at their characters.
func Compile(text string, opts Options) (*Matcher, error) {
	m := &Matcher{text: text, tool: opts.Tool}
	switch {
	case text == "" || text == "*":
		m.kind = kindAll
	case isList(text, opts.Narrow):
		m.kind = kindList
		if strings.Trim(text, " ,|") == "" {
			m.kind = kindAll // a list without a name excludes nothing
		}
	case opts.Tool && text == "mcp__*":
		m.kind = kindMCP
	default:
		m.kind = kindRegex
		expr, err := compile(text, TimeLimit)
		if err != nil {
			return nil, err
		}
		m.expr = expr
	}
	return m, nil
}

// isList reports whether text is made of the characters of a list.
func isList(text string, narrow bool) bool {
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '|':
		case !narrow && (c == '-' || c == ' ' || c == ','):
		default:
			return false
		}
	}
	return true
}

// Text is what the matcher was compiled from.
func (m *Matcher) Text() string { return m.text }

// Kind is how the text was read: "all", "list" or "regex".
func (m *Matcher) Kind() string {
	switch m.kind {
	case kindAll:
		return "all"
	case kindRegex:
		return "regex"
	default:
		return "list"
	}
}

// Excludes reports whether the matcher is an expression with a negative
// look-around, which says what it is not about.
func (m *Matcher) Excludes() bool {
	return m.kind == kindRegex && (strings.Contains(m.text, "(?!") || strings.Contains(m.text, "(?<!"))
}

// Engine is what compares: "exact", "re2" or "ecmascript".
func (m *Matcher) Engine() string {
	switch {
	case m.kind != kindRegex:
		return "exact"
	case m.expr.re2 != nil:
		return "re2"
	default:
		return "ecmascript"
	}
}

// Match compares the matcher with a subject. The error is ErrRunaway: it is not
// known whether the matcher matches.
func (m *Matcher) Match(subject string) (bool, error) {
	switch m.kind {
	case kindAll:
		return true, nil
	case kindList:
		return m.listed(subject), nil
	case kindMCP:
		return strings.HasPrefix(subject, "mcp__"), nil
	}
	if m.tool && isAgent(subject) {
		return m.matchAgent(subject)
	}
	return m.expr.match(subject)
}

func isAgent(name string) bool { return name == "Agent" || name == "Task" }

// matchAgent compares an expression with the tool that has two names: with the
// one the expression speaks of, so that it can also exclude the tool, else with
// either.
func (m *Matcher) matchAgent(subject string) (bool, error) {
	agent, task := strings.Contains(m.text, "Agent"), strings.Contains(m.text, "Task")
	switch {
	case agent && !task:
		return m.expr.match("Agent")
	case task && !agent:
		return m.expr.match("Task")
	}
	if ok, err := m.expr.match("Agent"); ok || err != nil {
		return ok, err
	}
	return m.expr.match("Task")
}

// listed looks for a subject in a list.
func (m *Matcher) listed(subject string) bool {
	agent := m.tool && isAgent(subject)
	if !agent && !strings.Contains(m.text, subject) {
		return false // the usual case, found fast
	}
	rest := m.text
	for rest != "" {
		name := rest
		if i := strings.IndexAny(rest, "|,"); i >= 0 {
			name, rest = rest[:i], rest[i+1:]
		} else {
			rest = ""
		}
		name = strings.Trim(name, " ")
		if name == "" {
			continue
		}
		if name == subject || agent && isAgent(name) {
			return true
		}
	}
	return false
}
