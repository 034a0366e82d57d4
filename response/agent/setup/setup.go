package setup

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/theus-hooks/theus-hooks/internal/jsonedit"
	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/response/agent"
)

// MaxBytes is the size up to which a configuration file is read.
const MaxBytes = 4 << 20

var limits = jsontext.Limits{Bytes: MaxBytes, Depth: 200}

// A Setup is what an agent's configuration shall hold.
type Setup struct {
	agent   string
	config  *agent.Config
	events  []call
	program string
}

// A call is an event of the agent to register.
type call struct {
	own, name string // the agent's name of it and ours
	matcher   string // "": the group has none
}

// New is the setup of an agent whose hooks start theus-hooks by that word of a
// shell: Name, or a path that was quoted.
func New(a *agent.Agent, program string) *Setup {
	s := &Setup{agent: a.Name, config: &a.Config, program: program}
	for _, own := range a.EventNames() {
		spec, ok := a.Event(own)
		if !ok || slices.ContainsFunc(a.Config.Omit, func(o agent.Omission) bool { return o.Event == own }) {
			continue
		}
		c := call{own: own, name: spec.Name}
		if spec.Subject.Field != "" && !slices.Contains(a.Config.NoMatcher, own) {
			c.matcher = a.Config.MatchAll
		}
		s.events = append(s.events, c)
	}
	return s
}

// Events is how many events the setup registers.
func (s *Setup) Events() int { return len(s.events) }

// A Change is what becomes of a file.
type Change struct {
	Text []byte // all of it
	// Gone: nothing is left that was not written by Install; the file goes.
	Gone bool
	// Notes are about what stands in the file and may keep hooks from running.
	Notes []Note
}

// A Note is about a place of a configuration file. As an error it is the reason
// why the file was not changed.
type Note struct {
	Line, Column int // from 1; 0: the file as a whole
	Message      string
}

// Error gives the place, where there is one, and the message: "3:12: …".
func (n *Note) Error() string {
	if n.Line == 0 {
		return n.Message
	}
	return fmt.Sprintf("%d:%d: %s", n.Line, n.Column, n.Message)
}

// document is a configuration file that was read.
type document struct {
	*jsonedit.Text
	data  []byte
	hooks jsontext.Value // missing when there is none
	notes []jsontext.Forgiveness
}

// read parses the text of a file and refuses what cannot be edited without loss.
// The error is a *Note.
func read(data []byte) (*document, error) {
	text, notes, err := jsonedit.Parse(data, limits)
	if err != nil {
		return nil, refusal(err)
	}
	d := &document{Text: text, data: data, notes: notes}
	if kind := d.Root().Kind(); kind != jsontext.Object {
		return nil, d.note(d.Root(), "found %s, want an object", article(kind))
	}
	if err := d.oneOf(d.Root(), "hooks"); err != nil {
		return nil, err
	}
	d.hooks = d.Root().Get("hooks")
	if kind := d.hooks.Kind(); kind != jsontext.Object && kind != jsontext.Missing {
		return nil, d.note(d.hooks, `"hooks" is %s, want an object; correct it or take it out`, article(kind))
	}
	return d, nil
}

// become reads the text again after a change.
func (d *document) become(data []byte) (*document, error) {
	if bytes.Equal(d.data, data) {
		return d, nil
	}
	return read(data)
}

// maxEntries bounds the entries of ours that a file may have: each is changed for
// itself, and the file read again.
const maxEntries = 200

// open reads the text of a file that was not changed yet.
func (s *Setup) open(data []byte) (*document, error) {
	d, err := read(data)
	if err != nil {
		return nil, err
	}
	n := 0
	for m := range d.hooks.Members() {
		for e := range entries(m.Value) {
			if s.callsAny(e.value.Get("command").Text()) {
				n++
			}
		}
	}
	if n > maxEntries {
		return nil, d.note(d.hooks, "more than %d entries call %s", maxEntries, Name)
	}
	return d, nil
}

// isBlank reports whether there is nothing but white space, and maybe a byte order mark.
func isBlank(text []byte) bool {
	text, _ = jsontext.TrimBOM(text)
	return len(bytes.Trim(text, " \t\r\n")) == 0
}

func refusal(err error) error {
	if syntax, ok := errors.AsType[*jsontext.SyntaxError](err); ok {
		return &Note{syntax.Line, syntax.Column, fmt.Sprintf("found %s, want %s", syntax.Found, syntax.Want)}
	}
	return &Note{Message: err.Error()}
}

// note is a message about the place of a value.
func (d *document) note(v jsontext.Value, format string, args ...any) *Note {
	line, column := jsontext.Position(d.data, v.Offset())
	return &Note{line, column, fmt.Sprintf(format, args...)}
}

// oneOf refuses a key that stands twice: readers do not agree which one counts.
func (d *document) oneOf(object jsontext.Value, key string) error {
	if slices.Contains(object.Doubled(), key) {
		return d.note(object.Get(key), "%q stands here for the second time; make one of the two", key)
	}
	return nil
}

func article(kind jsontext.Kind) string {
	switch kind {
	case jsontext.Array, jsontext.Object:
		return "an " + kind.String()
	case jsontext.Null, jsontext.Missing:
		return kind.String()
	}
	return "a " + kind.String()
}

// remarks are the notes on a file that Install leaves as it is.
func (s *Setup) remarks(d *document) []Note {
	var notes []Note
	for _, f := range d.notes {
		if !slices.Contains(s.config.Forgives, f.What) {
			line, column := jsontext.Position(d.data, f.Offset)
			notes = append(notes, Note{line, column, fmt.Sprintf("a %s, which %s may refuse with the whole file", f.What, s.agent)})
		}
	}
	for m := range d.Root().Members() {
		if len(s.config.Keys) > 0 && !slices.Contains(s.config.Keys, m.Key) {
			notes = append(notes, *d.note(m.Value, "the key %q, for which %s may refuse the whole file", m.Key, s.agent))
		}
	}
	for _, sw := range s.config.Off {
		if v := d.Root().Path(sw.Path...); v.Kind() == jsontext.Bool && v.Bool() == sw.Off {
			notes = append(notes, *d.note(v, "%s here turns every hook off", v.Raw()))
		}
	}
	return notes
}
