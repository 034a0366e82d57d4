package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tidwall/sjson"
)

// ErrPath is returned by Set for a path that is empty or holds an empty key.
var ErrPath = errors.New("jsontext: empty path or key")

// Set returns doc with the value at path replaced, or added as the last member
// of its object; missing objects on the way are created. Keys are plain text.
// The rest of the document keeps its bytes. doc must have been validated, raw
// must be JSON.
func Set(doc []byte, raw string, path ...string) ([]byte, error) {
	if len(path) == 0 {
		return nil, ErrPath
	}
	escaped := make([]string, len(path))
	for i, key := range path {
		if key == "" {
			return nil, ErrPath
		}
		escaped[i] = escapeKey(key)
	}
	return sjson.SetRawBytes(doc, strings.Join(escaped, "."), []byte(raw))
}

// escapeKey makes a key safe as one segment of an sjson path: the leading colon
// says "a key, not an index", and every other character that has a meaning is
// escaped.
func escapeKey(key string) string {
	var b strings.Builder
	b.WriteByte(':')
	for i := range len(key) {
		if c := key[i]; c < 0x80 && !isWord(c) {
			b.WriteByte('\\')
		}
		b.WriteByte(key[i])
	}
	return b.String()
}

func isWord(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// Compact removes the white space between tokens. doc must have been
// validated; strings and numbers keep their exact bytes.
func Compact(doc []byte) []byte {
	out := make([]byte, 0, len(doc))
	for i := 0; i < len(doc); {
		switch doc[i] {
		case ' ', '\t', '\n', '\r':
			i++
		case '"':
			end := skipString(doc, i)
			out = append(out, doc[i:end]...)
			i = end
		default:
			out = append(out, doc[i])
			i++
		}
	}
	return out
}

// Marshal encodes v as encoding/json does, but leaves <, > and & as they are
// and adds no line break.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Quote encodes s as a JSON string; bytes that are not UTF-8 become U+FFFD.
func Quote(s string) string {
	text, _ := Marshal(s) // a string always encodes
	return string(text)
}

// Indent lays doc out over several lines, two spaces a level.
func Indent(doc []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(doc), "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
