package jsontext

import (
	"iter"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Kind is the JSON type of a Value.
type Kind uint8

// The kinds. Missing is that of the zero Value and of a key that is not there.
const (
	Missing Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"nothing", "null", "boolean", "number", "string", "array", "object"}

// String is the name used in messages: "object", "null", …
func (k Kind) String() string { return kindNames[k] }

// Value is one value of a validated document. It refers to the document's text
// and is cheap to copy.
type Value struct {
	raw    string
	offset int
}

// A Member is one key of an object with its value, as written: doubled keys
// come as two members.
type Member struct {
	Key       string // decoded
	KeyOffset int
	Value     Value
}

// Parse validates data within lim and returns its value. The error is a
// *SyntaxError or a *LimitError.
func Parse(data []byte, lim Limits) (Value, error) {
	if err := Check(data, lim); err != nil {
		return Value{}, err
	}
	text := string(data)
	trimmed := strings.TrimLeft(text, " \t\r\n")
	return Value{raw: strings.TrimRight(trimmed, " \t\r\n"), offset: len(text) - len(trimmed)}, nil
}

// Kind returns the JSON type.
func (v Value) Kind() Kind {
	if v.raw == "" {
		return Missing
	}
	switch v.raw[0] {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	}
	return Number
}

// Exists reports whether there is a value, null included.
func (v Value) Exists() bool { return v.raw != "" }

// Raw is the exact text of the value.
func (v Value) Raw() string { return v.raw }

// Offset is the byte offset of the value in the text that was parsed.
func (v Value) Offset() int { return v.offset }

// Text is the decoded string, or "" when the value is not a string. A lone
// surrogate becomes U+FFFD, and so do bytes that are not UTF-8.
func (v Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	return unquote(v.raw)
}

// Bool is the truth of a boolean, false for anything else.
func (v Value) Bool() bool { return v.raw == "true" }

// Float is the number, or 0 when the value is not one.
func (v Value) Float() float64 {
	if v.Kind() != Number {
		return 0
	}
	f, _ := strconv.ParseFloat(v.raw, 64) // out of range: ±Inf, which callers bound
	return f
}

func (v Value) gjson() gjson.Result {
	kind := gjson.Null
	if k := v.Kind(); k == Object || k == Array {
		kind = gjson.JSON
	}
	return gjson.Result{Type: kind, Raw: v.raw, Index: v.offset}
}

// Members yields the members of an object in the order of the text, nothing
// for other kinds.
func (v Value) Members() iter.Seq[Member] {
	return func(yield func(Member) bool) {
		if v.Kind() != Object {
			return
		}
		v.gjson().ForEach(func(key, value gjson.Result) bool {
			return yield(Member{unquote(key.Raw), key.Index, Value{value.Raw, value.Index}})
		})
	}
}

// Elements yields the elements of an array with their index, nothing for other kinds.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.Kind() != Array {
			return
		}
		i := 0
		v.gjson().ForEach(func(_, value gjson.Result) bool {
			i++
			return yield(i-1, Value{value.Raw, value.Index})
		})
	}
}

// Get returns the value of key in an object; of a doubled key the last, as
// JSON.parse and jq have it. The key is compared decoded and is never a path.
func (v Value) Get(key string) Value {
	var found Value
	for m := range v.Members() {
		if m.Key == key {
			found = m.Value
		}
	}
	return found
}

// Path is Get along several keys.
func (v Value) Path(keys ...string) Value {
	for _, key := range keys {
		v = v.Get(key)
	}
	return v
}

// Doubled returns the keys of an object that stand in it more than once, each
// once, in the order of their second appearance.
func (v Value) Doubled() []string {
	seen := map[string]int{}
	var doubled []string
	for m := range v.Members() {
		if seen[m.Key]++; seen[m.Key] == 2 {
			doubled = append(doubled, m.Key)
		}
	}
	return doubled
}

// unquote decodes a validated JSON string with its quotes.
func unquote(raw string) string {
	body := raw[1 : len(raw)-1]
	if strings.IndexByte(body, '\\') < 0 {
		return strings.ToValidUTF8(body, string(utf8.RuneError))
	}
	var b strings.Builder
	b.Grow(len(body))
	for i := 0; i < len(body); {
		if body[i] != '\\' {
			b.WriteByte(body[i])
			i++
			continue
		}
		r, n := unescape(body[i:])
		b.WriteRune(r)
		i += n
	}
	return strings.ToValidUTF8(b.String(), string(utf8.RuneError))
}

// unescape decodes the escape at the start of s and returns its length.
func unescape(s string) (rune, int) {
	if s[1] != 'u' {
		if i := strings.IndexByte("bfnrt", s[1]); i >= 0 {
			return rune("\b\f\n\r\t"[i]), 2
		}
		return rune(s[1]), 2
	}
	r := hex4(s[2:])
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if pair := utf16.DecodeRune(r, hex4(s[8:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

func hex4(s string) rune {
	n, _ := strconv.ParseUint(s[:4], 16, 16) // validated before
	return rune(n)
}

// Query evaluates a gjson path, which the user wrote, on a validated document,
// and returns the text of what it finds. Never call it with text of an event or
// a settings file as path.
func Query(doc, path string) (string, bool) {
	r := gjson.Get(doc, path)
	if r.Type == gjson.String {
		return unquoteResult(r), true
	}
	return r.Raw, r.Exists()
}

func unquoteResult(r gjson.Result) string {
	if len(r.Raw) >= 2 && r.Raw[0] == '"' {
		return unquote(r.Raw)
	}
	return r.Str // made by a modifier
}
