package setup

import (
	"bytes"
	"slices"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsonedit"
	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// Install puts the missing entries into the text of a file, corrects those that
// are ours and not as they should be, and leaves alone an event that is served
// by a command of ours with more arguments. A file that does not exist yet is
// made. The error is a *Note: the file cannot be edited without loss.
func (s *Setup) Install(text []byte, exists bool) (*Change, error) {
	if isBlank(text) {
		made := append(bytes.Clone(text), jsonedit.Object(s.all())...)
		if !exists {
			made = append(made, '\n')
		}
		return &Change{Text: made}, nil
	}
	d, err := s.open(text)
	if err != nil {
		return nil, err
	}
	change := &Change{Text: text, Notes: s.remarks(d)}
	if !d.hooks.Exists() {
		change.Text = d.Append(d.Root(), s.all())
		return change, nil
	}
	var missing []jsonedit.Item
	for _, c := range s.events {
		next, note, err := s.serve(d, c)
		if err != nil {
			return nil, err
		}
		if note != nil {
			change.Notes = append(change.Notes, *note)
		}
		if next == nil {
			missing = append(missing, s.event(c))
		} else if d, err = d.become(next); err != nil {
			return nil, err
		}
	}
	change.Text = d.Append(d.hooks, missing...)
	return change, nil
}

// serve makes one event right and returns the whole text, nil when the event is
// not there at all. The note says what was left as somebody changed it.
func (s *Setup) serve(d *document, c call) ([]byte, *Note, error) {
	if err := d.oneOf(d.hooks, c.own); err != nil {
		return nil, nil, err
	}
	groups := d.hooks.Get(c.own)
	switch groups.Kind() {
	case jsontext.Missing:
		return nil, nil, nil
	case jsontext.Array:
	default:
		return nil, nil, d.note(groups, "%q is %s, want an array; correct it or take it out", c.own, article(groups.Kind()))
	}
	for e := range entries(groups) {
		kind := s.calls(e.value.Get("command").Text(), c)
		if kind != ours && (kind != varied || !s.matchesAll(e.group)) {
			continue
		}
		if at, why := hinders(e); why != "" {
			return d.data, d.note(at, "%s is registered with %s, so it does not guard; take that out", c.own, why), nil
		}
		if kind == varied {
			return d.data, d.note(e.value, "%s is served by %q, which stays as it is", c.own, e.value.Get("command").Text()), nil
		}
		if s.matchesAll(e.group) || e.alone {
			next, err := s.correct(d, e, c)
			return next, nil, err
		}
		// It stands among hooks for some of the calls only, so it moves to a group of its own.
		without, err := read(d.Remove(e.list, e.index))
		if err != nil {
			return nil, nil, err
		}
		return s.serve(without, c)
	}
	return d.Append(groups, jsonedit.Item{Raw: s.group(c)}), nil, nil
}

// hinders names what keeps an entry of ours from guarding, and its place.
func hinders(e entry) (at jsontext.Value, why string) {
	if kind := e.value.Get("type"); kind.Text() != "command" {
		return e.value, `a "type" that is not "command"`
	}
	if v := e.value.Get("if"); v.Exists() {
		return v, `an "if"`
	}
	for _, v := range []jsontext.Value{e.value, e.group} {
		for _, key := range []string{"async", "asyncRewake", "disabled"} {
			if sw := v.Get(key); sw.Bool() {
				return sw, jsontext.Quote(key)
			}
		}
		if sw := v.Get("enabled"); sw.Kind() == jsontext.Bool && !sw.Bool() {
			return sw, `"enabled": false`
		}
	}
	return e.value, ""
}

// correct writes what is not right of an entry of ours, one thing at a time.
func (s *Setup) correct(d *document, e entry, c call) ([]byte, error) {
	next := d.data
	timeout := jsonedit.Item{Key: "timeout", Raw: s.config.Number(s.config.Wait(c.own))}
	command := e.value.Get("command")
	switch given := e.value.Get("timeout"); {
	case !s.matchesAll(e.group):
		next = d.Replace(e.group.Get("matcher"), jsontext.Quote(c.matcher))
	case command.Text() != s.command(c.name):
		next = d.Replace(command, jsontext.Quote(s.command(c.name)))
	case !given.Exists():
		next = d.Append(e.value, timeout)
	case s.config.Read(given.Float()) < s.config.Wait(c.own):
		next = d.Replace(given, timeout.Raw)
	default:
		return next, nil
	}
	corrected, err := d.become(next)
	if err != nil {
		return nil, err
	}
	next, _, err = s.serve(corrected, c)
	return next, err
}

// matchesAll reports whether a group is for all there is to match.
func (s *Setup) matchesAll(group jsontext.Value) bool {
	m := group.Get("matcher")
	return !m.Exists() || m.Kind() == jsontext.String && slices.Contains([]string{"", "*", s.config.MatchAll}, m.Text())
}

// all is the member "hooks" with everything in it.
func (s *Setup) all() jsonedit.Item {
	members := make([]string, len(s.events))
	for i, c := range s.events {
		item := s.event(c)
		members[i] = jsontext.Quote(item.Key) + ":" + item.Raw
	}
	return jsonedit.Item{Key: "hooks", Raw: "{" + strings.Join(members, ",") + "}", Lines: 2}
}

func (s *Setup) event(c call) jsonedit.Item {
	return jsonedit.Item{Key: c.own, Raw: "[" + s.group(c) + "]", Lines: 1}
}

// group is the element of an event's array that is ours.
func (s *Setup) group(c call) string {
	matcher := ""
	if c.matcher != "" {
		matcher = `"matcher":` + jsontext.Quote(c.matcher) + ","
	}
	return `{` + matcher + `"hooks":[{"type":"command","command":` + jsontext.Quote(s.command(c.name)) +
		`,"timeout":` + s.config.Number(s.config.Wait(c.own)) + `}]}`
}
