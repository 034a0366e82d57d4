package jsontext

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// Limits bounds what a document may cost before it is looked at.
// A zero field means no bound.
type Limits struct {
	Bytes int // length of the text
	Depth int // nesting of arrays and objects; 1 allows a flat one
}

// A SyntaxError says where a text stops being JSON.
type SyntaxError struct {
	Offset       int // in bytes, from 0
	Line, Column int // from 1; the column counts characters
	Found        string
	Want         string
}

// Error names the place, what stands there and what was expected.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: found %s, want %s", e.Line, e.Column, e.Found, e.Want)
}

// A LimitError says that a text is larger or deeper than its reader accepts.
type LimitError struct {
	What   string // "bytes" or "levels of nesting"
	Limit  int
	Offset int
}

// Error names the bound that was passed.
func (e *LimitError) Error() string {
	return fmt.Sprintf("more than %d %s", e.Limit, e.What)
}

// Position converts a byte offset into a line and a column, both from 1. The
// column counts characters, and a byte order mark is not one.
func Position(data []byte, offset int) (line, column int) {
	return NewIndex(data).Position(offset)
}

// An Index finds positions in one text without reading it again. It is immutable
// and safe for concurrent use.
type Index struct {
	data  []byte
	lines []int // offset of the first byte of each line
	marks []mark
}

// A mark is a place inside a long line with its column, from 0. A file without
// line breaks would else be counted from its start for each position.
type mark struct{ offset, column int }

// stride is the distance of marks in bytes.
const stride = 2048

// NewIndex reads data once for its line breaks.
func NewIndex(data []byte) *Index {
	start := 0
	if _, marked := TrimBOM(data); marked {
		start = len(bom)
	}
	ix := &Index{data: data, lines: []int{start}}
	for i, c := range data {
		if c == '\n' {
			ix.mark(i)
			ix.lines = append(ix.lines, i+1)
		}
	}
	ix.mark(len(data))
	return ix
}

// mark sets the marks of the last line, which ends at end.
func (ix *Index) mark(end int) {
	at := mark{offset: ix.lines[len(ix.lines)-1]}
	for end-at.offset > stride {
		next := at.offset + stride
		for back := 0; back < utf8.UTFMax && !utf8.RuneStart(ix.data[next]); back++ {
			next--
		}
		at = mark{next, at.column + utf8.RuneCount(ix.data[at.offset:next])}
		ix.marks = append(ix.marks, at)
	}
}

// Position is that of the function of the same name.
func (ix *Index) Position(offset int) (line, column int) {
	offset = min(max(offset, ix.lines[0]), len(ix.data))
	line = sort.Search(len(ix.lines), func(i int) bool { return ix.lines[i] > offset })
	from := mark{offset: ix.lines[line-1]}
	if i := sort.Search(len(ix.marks), func(i int) bool { return ix.marks[i].offset > offset }); i > 0 && ix.marks[i-1].offset > from.offset {
		from = ix.marks[i-1]
	}
	return line, from.column + utf8.RuneCount(ix.data[from.offset:offset]) + 1
}

const bom = "\xef\xbb\xbf"

// TrimBOM removes a leading UTF-8 byte order mark and reports whether there was one.
func TrimBOM(data []byte) ([]byte, bool) {
	if len(data) >= len(bom) && string(data[:len(bom)]) == bom {
		return data[len(bom):], true
	}
	return data, false
}

// scanner validates one text without recursion, so that no nesting can exhaust
// the stack. A bit per level tells objects from arrays.
type scanner struct {
	data  []byte
	pos   int
	limit int
	stack []bool // true: object
}

// Check reports whether data is exactly one JSON value within lim. The error is
// a *SyntaxError or a *LimitError.
func Check(data []byte, lim Limits) error {
	if lim.Bytes > 0 && len(data) > lim.Bytes {
		return &LimitError{What: "bytes", Limit: lim.Bytes, Offset: lim.Bytes}
	}
	s := &scanner{data: data, limit: lim.Depth}
	return s.document()
}

func (s *scanner) document() error {
	if err := s.value(); err != nil {
		return err
	}
	for len(s.stack) > 0 {
		if err := s.next(); err != nil {
			return err
		}
	}
	s.space()
	if s.pos < len(s.data) {
		return s.fail("the end of the text")
	}
	return nil
}

// value reads a scalar whole, or opens an array or object.
func (s *scanner) value() error {
	s.space()
	if s.pos >= len(s.data) {
		return s.fail("a value")
	}
	switch c := s.data[s.pos]; {
	case c == '{' || c == '[':
		return s.open(c == '{')
	case c == '"':
		return s.str("a value")
	case c == '-' || c >= '0' && c <= '9':
		return s.number()
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(string(s.data[s.pos:min(s.pos+len(word), len(s.data))]), word) {
			s.pos += len(word)
			return nil
		}
	}
	return s.fail("a value")
}

func (s *scanner) open(object bool) error {
	if s.limit > 0 && len(s.stack) >= s.limit {
		return &LimitError{What: "levels of nesting", Limit: s.limit, Offset: s.pos}
	}
	s.pos++
	s.space()
	if s.pos < len(s.data) && (object && s.data[s.pos] == '}' || !object && s.data[s.pos] == ']') {
		s.pos++
		return nil
	}
	s.stack = append(s.stack, object)
	if object {
		return s.member()
	}
	return s.value()
}

func (s *scanner) member() error {
	s.space()
	if err := s.str("a key in double quotes"); err != nil {
		return err
	}
	s.space()
	if s.pos >= len(s.data) || s.data[s.pos] != ':' {
		return s.fail(`":"`)
	}
	s.pos++
	return s.value()
}

// next continues the innermost open array or object after one of its values.
func (s *scanner) next() error {
	s.space()
	object := s.stack[len(s.stack)-1]
	end, want := byte(']'), `"," or "]"`
	if object {
		end, want = '}', `"," or "}"`
	}
	switch {
	case s.pos >= len(s.data):
		return s.fail(want)
	case s.data[s.pos] == end:
		s.pos++
		s.stack = s.stack[:len(s.stack)-1]
		return nil
	case s.data[s.pos] != ',':
		return s.fail(want)
	}
	s.pos++
	if object {
		return s.member()
	}
	return s.value()
}

func (s *scanner) str(want string) error {
	if s.pos >= len(s.data) || s.data[s.pos] != '"' {
		return s.fail(want)
	}
	for s.pos++; s.pos < len(s.data); s.pos++ {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return nil
		case c < 0x20:
			return s.fail("the string to go on (a line break or control character is written as an escape)")
		case c == '\\':
			if err := s.escape(); err != nil {
				return err
			}
		}
	}
	return s.fail(`the closing "\""`)
}

func (s *scanner) escape() error {
	s.pos++
	if s.pos >= len(s.data) {
		return s.fail("an escape")
	}
	c := s.data[s.pos]
	if c != 'u' {
		if strings.IndexByte(`"\/bfnrt`, c) < 0 {
			return s.fail(`an escape (write a backslash as "\\")`)
		}
		return nil
	}
	for range 4 {
		s.pos++
		if s.pos >= len(s.data) || !isHex(s.data[s.pos]) {
			return s.fail("four hex digits")
		}
	}
	return nil
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func (s *scanner) number() error {
	if s.data[s.pos] == '-' {
		s.pos++
	}
	if s.pos < len(s.data) && s.data[s.pos] == '0' {
		s.pos++
	} else if err := s.digits(); err != nil {
		return err
	}
	if s.pos < len(s.data) && s.data[s.pos] == '.' {
		s.pos++
		if err := s.digits(); err != nil {
			return err
		}
	}
	if s.pos < len(s.data) && (s.data[s.pos] == 'e' || s.data[s.pos] == 'E') {
		s.pos++
		if s.pos < len(s.data) && (s.data[s.pos] == '+' || s.data[s.pos] == '-') {
			s.pos++
		}
		return s.digits()
	}
	return nil
}

func (s *scanner) digits() error {
	start := s.pos
	for s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' {
		s.pos++
	}
	if s.pos == start {
		return s.fail("a digit")
	}
	return nil
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

func (s *scanner) fail(want string) error {
	found := "the end of the text"
	if s.pos >= len(s.data) { // named where the text ends for a reader, not behind blank lines
		s.pos = len(bytes.TrimRight(s.data, " \t\r\n"))
	} else {
		r, size := utf8.DecodeRune(s.data[s.pos:])
		found = fmt.Sprintf("%q", r)
		if r == utf8.RuneError && size == 1 {
			found = fmt.Sprintf("byte 0x%02x", s.data[s.pos])
		}
	}
	line, column := Position(s.data, s.pos)
	return &SyntaxError{Offset: s.pos, Line: line, Column: column, Found: found, Want: want}
}
