package shell

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of the text that is parsed. The parser recurses once per level and
// takes time that grows faster than the text, so both keep hostile text cheap.
const (
	MaxChars = 10_000
	MaxDepth = 200
)

// Errors of Parse that say nothing about the text's syntax. A syntax error is
// a *ParseError.
var (
	ErrTooLong = fmt.Errorf("longer than %d characters", MaxChars)
	ErrTooDeep = fmt.Errorf("nested deeper than %d levels", MaxDepth)
	// ErrJoint: a backslash at a line's end stands where bash and the parser go
	// on differently, so the tree may not be what bash runs.
	ErrJoint = errors.New("a line is continued in a place that is read in two ways")
	// ErrHash: a # stands right after a part of a word, where the parser takes the
	// rest of the line for a comment, and bash does not.
	ErrHash = errors.New("a # within a word is read in two ways")
)

// A ParseError says where a text stops being bash.
type ParseError struct {
	Line, Column int // from 1
	Msg          string
}

// Error names the place and what the parser found there.
func (e *ParseError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// A Script is command text that was read as bash.
type Script struct {
	Text string
	File *syntax.File
}

// Parse reads text as bash within the package's bounds. The error is
// ErrTooLong, ErrTooDeep, ErrJoint, ErrHash or a *ParseError.
func Parse(text string) (*Script, error) {
	if len(text) > MaxChars && utf8.RuneCountInString(text) > MaxChars {
		return nil, ErrTooLong
	}
	if nesting(text) > MaxDepth {
		return nil, ErrTooDeep
	}
	joined, hash := strings.Contains(text, "\\\n"), strings.ContainsRune(text, '#')
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(hash)).Parse(strings.NewReader(text), "")
	switch {
	case joined && (strings.Contains(text, "$\\\n") || strings.Contains(text, "\\\\\\\n") || anyComment(file, text, isContinued)):
		return nil, ErrJoint
	case hash && anyComment(file, text, isWithinWord):
		return nil, ErrHash
	}
	if err != nil {
		var perr syntax.ParseError
		if errors.As(err, &perr) {
			return nil, &ParseError{Line: int(perr.Pos.Line()), Column: int(perr.Pos.Col()), Msg: perr.Text}
		}
		return nil, &ParseError{Line: 1, Column: 1, Msg: err.Error()}
	}
	return &Script{Text: text, File: file}, nil
}

// anyComment reports whether something holds of one of the comments, given what
// stands before it and the text from its sign on.
func anyComment(file *syntax.File, text string, holds func(before, comment string) bool) bool {
	if file == nil {
		return false
	}
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok {
			at := c.Hash.Offset()
			found = found || holds(text[:at], text[at:])
		}
		return !found
	})
	return found
}

// isContinued reports whether a comment ends in a backslash: the parser takes the
// next line for a part of it, bash does not.
func isContinued(_, comment string) bool {
	line, _, _ := strings.Cut(comment, "\n")
	return strings.HasSuffix(line, `\`)
}

// isWithinWord reports whether a comment may be none: its sign is text within a
// word, as in $x#y, which the parser overlooks after quotes and expansions.
func isWithinWord(before, _ string) bool {
	for strings.HasSuffix(before, "\\\n") {
		before = before[:len(before)-2]
	}
	return before != "" && !strings.ContainsRune(" \t\n;&|(<>", rune(before[len(before)-1]))
}

// nesting is the deepest run of brackets that text may open, quotes not looked
// at: a bound for the parser, not a measure of the script.
func nesting(text string) int {
	depth, deepest := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{':
			depth++
			deepest = max(deepest, depth)
		case ')', '}':
			depth = max(depth-1, 0)
		}
	}
	return deepest
}
