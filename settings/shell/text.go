package shell

import "strings"

// Kind says what a Piece stands for.
type Kind uint8

const (
	// Literal is known text.
	Literal Kind = iota
	// Any is text known only at run time; it may be empty.
	Any
	// Solid is Any without a blank in it.
	Solid
	// Words are zero or more words known only at run time: nothing, or the
	// piece's Text (the blanks in front) and then anything.
	Words
	// Lead is Words at the start of a command: nothing, or anything and then
	// the piece's Text (the blanks behind).
	Lead
)

// A Piece is a part of a Text.
type Piece struct {
	Kind Kind
	Text string
}

// A Text is what the shell would see of a command, in which parts may be known
// only at run time. Two literal pieces never follow each other.
type Text []Piece

// Literal returns the text if all of it is known.
func (t Text) Literal() (string, bool) {
	switch {
	case len(t) == 0:
		return "", true
	case len(t) == 1 && t[0].Kind == Literal:
		return t[0].Text, true
	}
	return "", false
}

// String is the text with "…" for what is not known.
func (t Text) String() string {
	if s, ok := t.Literal(); ok {
		return s
	}
	var b strings.Builder
	for _, p := range t {
		switch p.Kind {
		case Literal:
			b.WriteString(p.Text)
		case Any, Solid, quotedAny:
			b.WriteString("…")
		case Words:
			b.WriteString(p.Text + "…")
		case Lead:
			b.WriteString("…" + p.Text)
		}
	}
	return b.String()
}

// unknown is the text that may be anything.
func unknown() Text { return Text{{Kind: Any}} }

// add appends a piece and joins it with the one before where that changes
// nothing.
func (t Text) add(p Piece) Text {
	if p.Kind == Literal && p.Text == "" {
		return t
	}
	if len(t) > 0 && p.Kind <= Solid {
		last := &t[len(t)-1]
		if last.Kind == p.Kind {
			last.Text += p.Text
			return t
		}
	}
	return append(t, p)
}
