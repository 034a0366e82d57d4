package jsontext

import "bytes"

// Forgiveness is something that is not JSON and was read all the same.
type Forgiveness struct {
	Offset int
	What   string // "byte order mark", "comment" or "trailing comma"
}

// ParseRelaxed is Parse for text written by people: a byte order mark, // and
// /* */ comments and commas before a closing bracket are blanked out, so that
// every offset stays true, and listed.
func ParseRelaxed(data []byte, lim Limits) (Value, []Forgiveness, error) {
	if lim.Bytes > 0 && len(data) > lim.Bytes {
		return Value{}, nil, &LimitError{What: "bytes", Limit: lim.Bytes, Offset: lim.Bytes}
	}
	clean, notes := relax(data)
	v, err := Parse(clean, lim)
	return v, notes, err
}

// relax blanks what ParseRelaxed forgives. A comma is only blanked when a value
// stood before it, so that "[,]" stays an error.
func relax(data []byte) ([]byte, []Forgiveness) {
	out := bytes.Clone(data)
	var notes []Forgiveness
	i, comma := 0, -1 // comma: offset of a comma after which no value came yet
	if _, ok := TrimBOM(data); ok {
		notes = append(notes, Forgiveness{0, "byte order mark"})
		blank(out[:len(bom)])
		i = len(bom)
	}
	value := false // a value or a closing bracket stands right before
	for i < len(out) {
		switch c := out[i]; {
		case c == '"':
			i = skipString(out, i)
			value, comma = true, -1
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := commentEnd(out, i)
			if end < 0 { // never closed: left for the parser to complain about
				return out, notes
			}
			notes = append(notes, Forgiveness{i, "comment"})
			blank(out[i:end])
			i = end
		case c == ',':
			comma = -1
			if value {
				comma = i
			}
			value = false
			i++
		case c == '}' || c == ']':
			if comma >= 0 {
				notes = append(notes, Forgiveness{comma, "trailing comma"})
				out[comma] = ' '
			}
			value, comma = true, -1
			i++
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		default:
			value, comma = c != '{' && c != '[' && c != ':', -1
			i++
		}
	}
	return out, notes
}

func skipString(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

// commentEnd returns the offset behind the comment at i, or -1 when it is not closed.
func commentEnd(data []byte, i int) int {
	if data[i+1] == '/' {
		if n := bytes.IndexByte(data[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(data)
	}
	if n := bytes.Index(data[i+2:], []byte("*/")); n >= 0 {
		return i + 2 + n + 2
	}
	return -1
}

// blank overwrites text with spaces but keeps its line breaks.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}
