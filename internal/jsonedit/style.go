package jsonedit

import (
	"bytes"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// A style is how a text is laid out.
type style struct {
	newline string
	unit    string // one level of indentation
	oneLine bool   // the whole text stands on one line
	tight   bool   // and has no white space at all
}

// plain is the style of a text that shows none.
var plain = style{newline: "\n", unit: "  "}

func styleOf(data []byte, root jsontext.Value) style {
	s := plain
	if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
		s.newline = "\r\n"
	}
	inside := data[root.Offset():end(root)]
	s.oneLine = bytes.IndexByte(inside, '\n') < 0 && len(spans(root)) > 0
	s.tight = s.oneLine && len(jsontext.Compact(inside)) == len(inside)
	if unit := firstIndent(data, root); unit != "" {
		s.unit = unit
	}
	return s
}

// firstIndent is the indentation of the first item, in the order of the text,
// that stands on a line of its own and deeper than the line of its container.
func firstIndent(data []byte, v jsontext.Value) string {
	t := &Text{data: data}
	outer := t.indent(v.Offset())
	for _, s := range spans(v) {
		if indent, own := t.ownLine(s.start); own && strings.HasPrefix(indent, outer) && len(indent) > len(outer) {
			return indent[len(outer):]
		}
	}
	for m := range v.Members() {
		if unit := firstIndent(data, m.Value); unit != "" {
			return unit
		}
	}
	return ""
}

// blank is what stands behind a comma or a colon on the same line.
func (s style) blank() string {
	if s.tight {
		return ""
	}
	return " "
}

// separator is what stands before an item that starts a line.
func (s style) separator(indent string) string {
	if s.oneLine {
		return s.blank()
	}
	return s.newline + indent
}

// join writes items that follow one another.
func (s style) join(items []Item, indent, separator string) string {
	texts := make([]string, len(items))
	for i, item := range items {
		if item.Key != "" {
			texts[i] = jsontext.Quote(item.Key) + ":" + s.blank()
		}
		texts[i] += s.layout(item.Raw, item.Lines, indent)
	}
	return strings.Join(texts, ","+separator)
}

// layout writes a value that starts on a line with that indentation.
func (s style) layout(raw string, lines int, indent string) string {
	v, err := jsontext.Parse([]byte(raw), jsontext.Limits{})
	if err != nil {
		return raw
	}
	open, items := "", []Item(nil)
	for m := range v.Members() {
		open, items = "{}", append(items, Item{m.Key, m.Value.Raw(), lines - 1})
	}
	for _, e := range v.Elements() {
		open, items = "[]", append(items, Item{"", e.Raw(), lines - 1})
	}
	if len(items) == 0 {
		return raw
	}
	before, separator, after := "", s.blank(), ""
	deeper := indent + s.unit
	switch {
	case lines > 0 && s.oneLine:
		before, after = " ", s.blank()
	case lines > 0:
		before, separator, after = s.newline+deeper, s.newline+deeper, s.newline+indent
	default:
		deeper = indent
	}
	return open[:1] + before + s.join(items, deeper, separator) + after + open[1:]
}
