package jsonedit

import (
	"bytes"
	"strings"
)

// A gap is what stands between two values: white space, comments, a comma.
type gap struct {
	comma int  // offset of the comma, -1 when there is none
	end   int  // behind the last comment or comma
	line  bool // the last one is a comment that ends with its line
}

// scan reads the gap from start to end, in which no value stands.
func (t *Text) scan(start, end int) gap {
	g := gap{comma: -1, end: start}
	for i := start; i < end; {
		switch t.data[i] {
		case ',':
			g = gap{comma: i, end: i + 1}
			i++
		case '/':
			i, g.line = t.comment(i)
			g.end = i
		default:
			i++
		}
	}
	return g
}

// comment returns the offset behind the comment at i, of one to the end of the
// line (line) that of the line break.
func (t *Text) comment(i int) (end int, line bool) {
	if t.data[i+1] == '*' {
		return i + 4 + bytes.Index(t.data[i+2:], []byte("*/")), false
	}
	n := bytes.IndexByte(t.data[i:], '\n')
	if n < 0 {
		return len(t.data), true
	}
	if t.data[i+n-1] == '\r' {
		n--
	}
	return i + n, true
}

// behindComments skips the comments that follow on the same line. Behind one to
// the end of the line it returns that line's break.
func (t *Text) behindComments(at int) (behind int, newline string) {
	for {
		i := at + blanks(t.data[at:])
		if i >= len(t.data) || t.data[i] != '/' {
			return at, ""
		}
		stop, line := t.comment(i)
		if line {
			return stop, lineBreak(t.data[stop:])
		}
		at = stop
	}
}

// ownLine reports whether nothing stands before at on its line, and with which
// indentation.
func (t *Text) ownLine(at int) (indent string, own bool) {
	start := bytes.LastIndexByte(t.data[:at], '\n') + 1
	indent = string(t.data[start:at])
	return indent, start > 0 && strings.Trim(indent, " \t") == ""
}

// indent is the white space at the start of the line of at.
func (t *Text) indent(at int) string {
	line := t.data[bytes.LastIndexByte(t.data[:at], '\n')+1 : at]
	return string(line[:blanks(line)])
}

func lineBreak(data []byte) string {
	if bytes.HasPrefix(data, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// breaks reports whether the rest of the line is blank.
func breaks(data []byte) bool {
	rest := data[blanks(data):]
	return len(rest) == 0 || rest[0] == '\n' || bytes.HasPrefix(rest, []byte("\r\n"))
}

func blanks(data []byte) int {
	return len(data) - len(bytes.TrimLeft(data, " \t"))
}
