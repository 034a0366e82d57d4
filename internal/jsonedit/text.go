package jsonedit

import (
	"bytes"
	"slices"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// A Text is a JSON text that was read the relaxed way. Its methods take values
// of this text and return a new one; the Text itself stays as it is.
type Text struct {
	data  []byte
	root  jsontext.Value
	style style
}

// An Item is what Append adds: a member of an object, or an element of an array,
// which has no key.
type Item struct {
	Key string
	Raw string // JSON without white space
	// Lines is how many levels of Raw are laid out over several lines, where the
	// text as a whole has more than one.
	Lines int
}

// Parse reads data as jsontext.ParseRelaxed does and returns what it forgave
// with it. The error is a *jsontext.SyntaxError or a *jsontext.LimitError.
func Parse(data []byte, lim jsontext.Limits) (*Text, []jsontext.Forgiveness, error) {
	root, notes, err := jsontext.ParseRelaxed(data, lim)
	if err != nil {
		return nil, notes, err
	}
	return &Text{data: data, root: root, style: styleOf(data, root)}, notes, nil
}

// Object is the text of a new object, without a line break behind it.
func Object(items ...Item) []byte {
	raws := make([]string, len(items))
	depth := 0
	for i, item := range items {
		raws[i] = jsontext.Quote(item.Key) + ":" + item.Raw
		depth = max(depth, item.Lines)
	}
	return []byte(plain.layout("{"+strings.Join(raws, ",")+"}", depth+1, ""))
}

// Root is the value of the text.
func (t *Text) Root() jsontext.Value { return t.root }

// Loose reports whether white space follows the opening bracket of an object or
// array that is not empty. A container that held nothing before Append is not
// loose, one that Append made is.
func (t *Text) Loose(container jsontext.Value) bool {
	return len(spans(container)) > 0 && strings.IndexByte(" \t\r\n", t.data[container.Offset()+1]) >= 0
}

// Replace returns the text with raw in the place of v.
func (t *Text) Replace(v jsontext.Value, raw string) []byte {
	return t.apply(edit{v.Offset(), end(v), raw})
}

// Append returns the text with the items behind those of an object or array.
// They are written as their neighbours are: each on a line of its own with the
// same indentation, or on the same line.
func (t *Text) Append(container jsontext.Value, items ...Item) []byte {
	if len(items) == 0 {
		return t.data
	}
	have := spans(container)
	if len(have) == 0 {
		at := container.Offset() + 1
		indent := t.indent(at) + t.style.unit
		return t.apply(edit{at, at, t.style.join(items, indent, t.style.separator(indent))})
	}
	last := have[len(have)-1]
	tail := t.scan(last.end, end(container)-1)
	from := last.end
	if tail.comma >= 0 {
		from = tail.comma + 1
	}
	at, newline := t.behindComments(from)
	indent, own := t.ownLine(last.start)
	separator := t.style.blank()
	switch {
	case own:
		separator = cmpOr(newline, t.style.newline) + indent
	case newline != "": // a comment to the end of the line: what follows needs another line
		indent = t.indent(container.Offset()) + t.style.unit
		separator = newline + indent
	default:
		indent = t.indent(last.start)
	}
	added := separator + t.style.join(items, indent, separator)
	if tail.comma >= 0 {
		return t.apply(edit{at, at, added + ","})
	}
	return t.apply(edit{last.end, last.end, ","}, edit{at, at, added})
}

// Remove returns the text without the item of that index, with the comma and
// the white space that belong to it. Comments stay.
func (t *Text) Remove(container jsontext.Value, index int) []byte {
	have := spans(container)
	item := have[index]
	before := t.scan(container.Offset()+1, item.start)
	if index > 0 {
		before = t.scan(have[index-1].end, item.start)
	}
	last := index == len(have)-1
	next := end(container) - 1
	if !last {
		next = have[index+1].start
	}
	after := t.scan(item.end, next)
	stop := item.end
	var edits []edit
	switch {
	case after.comma >= 0:
		edits = append(edits, edit{after.comma, after.comma + 1, ""})
		if after.comma == item.end {
			stop = after.comma + 1
		}
	case before.comma >= 0:
		edits = append(edits, edit{before.comma, before.comma + 1, ""})
	}
	start := before.end
	if before.line && !breaks(t.data[stop:]) {
		start = item.start // what follows must not become part of the comment
	}
	if index == 0 && !last && stop > item.end && !bytes.ContainsRune(t.data[start:item.start], '\n') {
		edits = append(edits, edit{stop, stop + blanks(t.data[stop:next]), ""})
	}
	return t.apply(append(edits, edit{start, item.end, ""})...)
}

// An edit replaces the bytes from start to end.
type edit struct {
	start, end int
	text       string
}

func (t *Text) apply(edits ...edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, t.data[at:e.start]...), e.text...)
		at = e.end
	}
	return append(out, t.data[at:]...)
}

// A span is where an item stands, its key included.
type span struct{ start, end int }

func spans(container jsontext.Value) []span {
	var list []span
	for m := range container.Members() {
		list = append(list, span{m.KeyOffset, end(m.Value)})
	}
	for _, v := range container.Elements() {
		list = append(list, span{v.Offset(), end(v)})
	}
	return list
}

func end(v jsontext.Value) int { return v.Offset() + len(v.Raw()) }

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
