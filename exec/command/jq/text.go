package jq

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// ofString makes a function of one of a string.
func ofString(f func(string) any) function {
	return func(_ *run, v any, _ []any) any {
		if s, ok := v.(string); ok {
			return f(s)
		}
		return errFilter
	}
}

// ofStrings makes a function of one of two strings.
func ofStrings(f func(r *run, s, t string) any) function {
	return func(r *run, v any, args []any) any {
		s, ok1 := v.(string)
		t, ok2 := args[0].(string)
		if ok1 && ok2 {
			return f(r, s, t)
		}
		return errFilter
	}
}

// trims is ltrimstr or rtrimstr, which later versions of jq do otherwise for
// what is not text.
func trims(trim func(s, t string) string) function {
	return func(r *run, v any, args []any) any {
		s, ok1 := v.(string)
		t, ok2 := args[0].(string)
		if !ok1 || !ok2 || t == "" {
			return r.unsure("trimming what is not text")
		}
		return trim(s, t)
	}
}

// finds is index or rindex, which jq 1.6 counts in bytes.
func finds(find func(s, t string) int) function {
	return func(r *run, v any, args []any) any {
		s, ok1 := v.(string)
		t, ok2 := args[0].(string)
		if !ok1 || !ok2 || t == "" || !ascii(s) || !ascii(t) {
			return r.unsure("an index in what is not ASCII")
		}
		if at := find(s, t); at >= 0 {
			return at
		}
		return nil
	}
}

// changeCase flips the case of the letters from low to high.
func changeCase(s string, low, high byte) string {
	b := []byte(s)
	for i, c := range b {
		if c >= low && c <= high {
			b[i] ^= 'a' - 'A'
		}
	}
	return string(b)
}

func (r *run) split(s, t string) any {
	if t == "" {
		return r.unsure("a split at nothing")
	}
	parts := []any{}
	if s == "" {
		return parts
	}
	r.spend(len(s) + 16*strings.Count(s, t))
	for _, part := range strings.Split(s, t) {
		parts = append(parts, part)
	}
	return parts
}

func (r *run) join(v any, args []any) any {
	l, ok1 := v.([]any)
	sep, ok2 := args[0].(string)
	if !ok1 || !ok2 {
		return r.unsure("a join of something else")
	}
	if r.spend(len(sep) * len(l)); r.why != "" {
		return errFilter
	}
	var b strings.Builder
	for i, each := range l {
		if i > 0 {
			b.WriteString(sep)
		}
		switch each := each.(type) {
		case nil:
		case []any, map[string]any:
			return errFilter
		case string:
			b.WriteString(each)
		default:
			b.WriteString(r.compact(each))
		}
		if b.Len() > maxText {
			return r.unsure("much text")
		}
	}
	r.spend(b.Len())
	return b.String()
}

func (r *run) tostring(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return r.compact(v)
}

// format is @name.
func (r *run) format(v any, args []any) any {
	switch name := args[0].(string); name {
	case "@text":
		return r.tostring(v)
	case "@json":
		return r.compact(v)
	case "@html":
		return r.html(r.tostring(v))
	case "@uri":
		return r.uri(r.tostring(v))
	case "@base64":
		s := r.tostring(v)
		r.spend(2 * len(s))
		return base64.StdEncoding.EncodeToString([]byte(s))
	case "@sh":
		if l, ok := v.([]any); ok {
			return r.row(l, " ", shellWord)
		}
		return r.row([]any{v}, " ", shellWord)
	default:
		l, ok := v.([]any)
		if !ok {
			return errFilter
		}
		if name == "@csv" {
			return r.row(l, ",", csvField)
		}
		return r.row(l, "\t", tsvField)
	}
}

// row is plain values in a row, each written by field if it is text.
func (r *run) row(l []any, sep string, field func(string) string) any {
	var parts []string
	for _, v := range l {
		switch v := v.(type) {
		case []any, map[string]any:
			return errFilter
		case string:
			r.spend(2 * len(v))
			parts = append(parts, field(v))
		case nil:
			if sep == " " {
				parts = append(parts, "null")
				continue
			}
			parts = append(parts, "")
		default:
			parts = append(parts, r.compact(v))
		}
	}
	return strings.Join(parts, sep)
}

func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func csvField(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func tsvField(s string) string {
	for _, pair := range [][2]string{{`\`, `\\`}, {"\t", `\t`}, {"\n", `\n`}, {"\r", `\r`}} {
		s = strings.ReplaceAll(s, pair[0], pair[1])
	}
	return s
}

// html leaves out the apostrophe, which builds of jq write in two ways.
func (r *run) html(s string) any {
	if strings.Contains(s, "'") {
		return r.unsure("an apostrophe in @html")
	}
	r.spend(6 * len(s))
	for _, pair := range [][2]string{{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {`"`, "&quot;"}} {
		s = strings.ReplaceAll(s, pair[0], pair[1])
	}
	return s
}

// uri leaves out the signs that jq 1.7 began to escape.
func (r *run) uri(s string) any {
	if strings.ContainsAny(s, "!*'()") {
		return r.unsure("signs in @uri")
	}
	r.spend(3 * len(s))
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}
