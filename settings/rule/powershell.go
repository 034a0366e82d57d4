package rule

import (
	"errors"
	"strings"

	"github.com/theus-hooks/theus-hooks/settings/shell"
)

// The bounds of PowerShell text, as those of package shell for bash.
const maxBlocks = 200

var (
	errUnclosed = errors.New("a quote or bracket is not closed")
	errTooDeep  = errors.New("nested too deep")
)

// readPowerShell finds the commands of a PowerShell text. There is no parser
// to lean on: statements are cut at line breaks, ";", "|", "&&", "||" and
// braces, quotes are read, and what depends on variables is unknown.
func readPowerShell(text string) *script {
	if len(text) > shell.MaxChars && len([]rune(text)) > shell.MaxChars {
		return &script{err: shell.ErrTooLong}
	}
	text = curlyQuotes.Replace(text)
	ps := &pwsh{text: text}
	ps.block(0)
	if ps.err != nil {
		return &script{err: ps.err}
	}
	s := newScript(ps.commands)
	s.wholes = func() []string { return []string{strings.TrimSpace(text)} }
	return s
}

// curlyQuotes are quotes to PowerShell too, in any mixture.
var curlyQuotes = strings.NewReplacer("‘", "'", "’", "'", "‚", "'", "‛", "'", "“", `"`, "”", `"`, "„", `"`)

// pwsh is the state of a reading.
type pwsh struct {
	text     string
	at       int
	depth    int
	layers   int // Invoke-Expression in Invoke-Expression
	commands []shell.Command
	err      error
}

// pwshWord is one word of a statement, lit when all of it is known.
type pwshWord struct {
	text  shell.Text
	sep   string
	known bool
	lit   string
	value bool // it starts as a value does: a quote, a variable, a parenthesis
}

// block reads statements up to the closing bracket, or to the end for 0.
func (ps *pwsh) block(closing byte) {
	if ps.depth++; ps.depth > maxBlocks {
		ps.err = errTooDeep
	}
	defer func() { ps.depth-- }()
	for ps.err == nil {
		done := ps.statement(closing)
		if done {
			return
		}
	}
}

// statement reads one statement and what ends it; true at the end of the block.
func (ps *pwsh) statement(closing byte) bool {
	var words []pwshWord
	from := ps.at
	for ps.err == nil {
		sep := ps.blanks()
		if ps.at >= len(ps.text) {
			if closing != 0 {
				ps.err = errUnclosed
			}
			ps.command(words, from, ps.at)
			return true
		}
		c := ps.text[ps.at]
		switch {
		case c == closing && closing != 0:
			ps.command(words, from, ps.at)
			ps.at++
			return true
		case strings.IndexByte("\n\r;|", c) >= 0, c == '&' && len(words) > 0:
			ps.command(words, from, ps.at)
			ps.at++
			return false
		case c == ')' || c == '}':
			ps.err = errUnclosed
			return true
		}
		w := ps.word()
		w.sep = sep
		words = append(words, w)
	}
	return true
}

// blanks skips white space, comments and escaped line breaks.
func (ps *pwsh) blanks() string {
	from := ps.at
	plain := true
	for ps.at < len(ps.text) {
		rest := ps.text[ps.at:]
		switch {
		case rest[0] == ' ' || rest[0] == '\t':
			ps.at++
			continue
		case strings.HasPrefix(rest, "`\n"):
			ps.at += 2
		case strings.HasPrefix(rest, "`\r\n"):
			ps.at += 3
		case strings.HasPrefix(rest, "<#"):
			end := strings.Index(rest, "#>")
			if end < 0 {
				ps.err = errUnclosed
				return " "
			}
			ps.at += end + 2
		case rest[0] == '#':
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			ps.at += end
		default:
			if plain {
				return ps.text[from:ps.at]
			}
			return " "
		}
		plain = false
	}
	return " "
}

// word reads one word.
func (ps *pwsh) word() pwshWord {
	t := textBuilder{value: strings.IndexByte("'\"$@({", ps.text[ps.at]) >= 0}
	for ps.err == nil && ps.at < len(ps.text) {
		c := ps.text[ps.at]
		switch {
		case strings.IndexByte(" \t\n\r;|)}", c) >= 0, c == '&' && !t.empty():
			return t.word()
		case c == '&':
			ps.at++
			t.literal("&")
			return t.word()
		case c == '\'' || c == '"':
			ps.quoted(&t, c)
		case c == '@' && ps.hereString(&t):
		case c == '(' || c == '{':
			ps.at++
			ps.block(closer(c))
			t.any()
		case c == '$':
			ps.variable(&t)
		case c == '`' && ps.at+1 < len(ps.text):
			if rest := ps.text[ps.at+1:]; rest[0] == '\n' || strings.HasPrefix(rest, "\r\n") {
				return t.word() // an escaped line break
			}
			t.literal(ps.text[ps.at+1 : ps.at+2])
			ps.at += 2
		default:
			t.literal(ps.text[ps.at : ps.at+1])
			ps.at++
		}
	}
	return t.word()
}

func closer(c byte) byte {
	if c == '(' {
		return ')'
	}
	return '}'
}

// quoted reads a quoted string.
func (ps *pwsh) quoted(t *textBuilder, q byte) {
	t.begin()
	for ps.at++; ps.at < len(ps.text); {
		c := ps.text[ps.at]
		switch {
		case c == q && strings.HasPrefix(ps.text[ps.at+1:], string(q)):
			t.literal(string(q))
			ps.at += 2
		case c == q:
			ps.at++
			return
		case q == '"' && c == '`' && ps.at+1 < len(ps.text):
			t.literal(ps.text[ps.at+1 : ps.at+2])
			ps.at += 2
		case q == '"' && c == '$':
			ps.variable(t)
		default:
			t.literal(ps.text[ps.at : ps.at+1])
			ps.at++
		}
		if ps.err != nil {
			return
		}
	}
	ps.err = errUnclosed
}

// hereString reads @'…'@ or @"…"@, if one starts here.
func (ps *pwsh) hereString(t *textBuilder) bool {
	rest := ps.text[ps.at:]
	if len(rest) < 3 || rest[1] != '\'' && rest[1] != '"' {
		return false
	}
	body := strings.TrimLeft(rest[2:], " \t\r")
	if !strings.HasPrefix(body, "\n") {
		return false
	}
	end := strings.Index(body, "\n"+rest[1:2]+"@")
	if end < 0 {
		ps.err = errUnclosed
		return true
	}
	inner := ""
	if end > 0 {
		inner = body[1:end]
	}
	if rest[1] == '"' && strings.Contains(inner, "$") {
		t.any()
		ps.nested(inner)
	} else {
		t.begin()
		t.literal(inner)
	}
	ps.at = len(ps.text) - len(body) + end + 3
	return true
}

// nested finds the commands in the $(…) of a here-string.
func (ps *pwsh) nested(text string) {
	inner := &pwsh{text: text, depth: ps.depth, layers: ps.layers}
	var t textBuilder
	for inner.err == nil && inner.at < len(text) {
		if text[inner.at] == '$' {
			inner.variable(&t)
			continue
		}
		inner.at++
	}
	ps.commands = append(ps.commands, inner.commands...)
	ps.err = inner.err
}

// variable reads what a "$" starts: a name, ${…}, or $(…) with its commands.
func (ps *pwsh) variable(t *textBuilder) {
	ps.at++
	if ps.at >= len(ps.text) {
		t.literal("$")
		return
	}
	switch c := ps.text[ps.at]; {
	case c == '(':
		ps.at++
		ps.block(')')
	case c == '{':
		end := strings.IndexByte(ps.text[ps.at:], '}')
		if end < 0 {
			ps.err = errUnclosed
			return
		}
		ps.at += end + 1
	default:
		from := ps.at
		for ps.at < len(ps.text) && (plain(ps.text[ps.at:ps.at+1], "_:?^") || ps.text[ps.at] >= 0x80) {
			ps.at++
		}
		if ps.at == from {
			t.literal("$")
			return
		}
	}
	t.any()
}

// textBuilder collects a word.
type textBuilder struct {
	text  shell.Text
	begun bool
	value bool
}

func (t *textBuilder) begin()      { t.begun = true }
func (t *textBuilder) empty() bool { return !t.begun }

func (t *textBuilder) literal(s string) {
	t.begun = true
	if n := len(t.text); n > 0 && t.text[n-1].Kind == shell.Literal {
		t.text[n-1].Text += s
		return
	}
	t.text = append(t.text, shell.Piece{Kind: shell.Literal, Text: s})
}

func (t *textBuilder) any() {
	t.begun = true
	if n := len(t.text); n == 0 || t.text[n-1].Kind != shell.Any {
		t.text = append(t.text, shell.Piece{Kind: shell.Any})
	}
}

func (t *textBuilder) word() pwshWord {
	lit, known := t.text.Literal()
	return pwshWord{text: t.text, lit: lit, known: known, value: t.value}
}
