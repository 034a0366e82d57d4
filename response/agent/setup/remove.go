package setup

import (
	"iter"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// Remove takes out the entries that are exactly as Install writes them, for
// whatever event and with whatever timeout, and what Install made around them.
// The error is a *Note.
func (s *Setup) Remove(text []byte) (*Change, error) {
	change := &Change{Text: text}
	if isBlank(text) {
		return change, nil
	}
	d, err := s.open(text)
	for err == nil {
		e, ok := s.last(d)
		if !ok {
			return change, nil
		}
		change = e.remove(d)
		if change.Gone || isBlank(change.Text) {
			return change, nil
		}
		d, err = read(change.Text)
	}
	return nil, err
}

// An entry is a handler in a group of an event.
type entry struct {
	value jsontext.Value
	list  jsontext.Value // the array it is in
	index int
	group jsontext.Value
	alone bool // nothing else is in the list

	event  string
	groups jsontext.Value // the event's array
	place  int            // of the group in groups
	member int            // of the event in "hooks"
}

// entries yields the handlers of an event's array.
func entries(groups jsontext.Value) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		for place, group := range groups.Elements() {
			list := group.Get("hooks")
			n := length(list)
			for index, value := range list.Elements() {
				if !yield(entry{value: value, list: list, index: index, group: group, alone: n == 1, groups: groups, place: place}) {
					return
				}
			}
		}
	}
}

// last finds the entry of ours that stands last. Taken out in this order, the
// entries leave the text that they were put into.
func (s *Setup) last(d *document) (found entry, ok bool) {
	member := 0
	for m := range d.hooks.Members() {
		for e := range entries(m.Value) {
			if s.callsAny(e.value.Get("command").Text()) {
				e.event, e.member = m.Key, member
				found, ok = e, true
			}
		}
		member++
	}
	return found, ok
}

// remove takes the entry out with all that Install would have made around it.
func (e *entry) remove(d *document) *Change {
	if !e.alone || foreignKeys(e.group) {
		return &Change{Text: d.Remove(e.list, e.index)}
	}
	if length(e.groups) > 1 || !d.Loose(e.groups) {
		return &Change{Text: d.Remove(e.groups, e.place)}
	}
	if length(d.hooks) > 1 || !d.Loose(d.hooks) {
		return &Change{Text: d.Remove(d.hooks, e.member)}
	}
	if length(d.Root()) > 1 || !d.Loose(d.Root()) {
		return &Change{Text: d.Remove(d.Root(), place(d.Root(), "hooks"))}
	}
	return d.vanish()
}

// vanish is the change when the whole object was made by Install: into a file
// with nothing but blanks in it, which is before the object, or into a new file,
// which ends with a line break.
func (d *document) vanish() *Change {
	root := d.Root()
	before, after := d.data[:root.Offset()], d.data[root.Offset()+len(root.Raw()):]
	switch {
	case len(after) == 0 && isBlank(before):
		return &Change{Text: before}
	case len(before) == 0 && isBlank(after):
		return &Change{Gone: true}
	}
	return &Change{Text: d.Replace(root, "{}")}
}

// foreignKeys reports whether a group holds more than Install writes.
func foreignKeys(group jsontext.Value) bool {
	for m := range group.Members() {
		if m.Key != "matcher" && m.Key != "hooks" {
			return true
		}
	}
	return false
}

func length(container jsontext.Value) int {
	n := 0
	for range container.Members() {
		n++
	}
	for range container.Elements() {
		n++
	}
	return n
}

// place is the index of a key in an object.
func place(object jsontext.Value, key string) int {
	i := 0
	for m := range object.Members() {
		if m.Key == key {
			return i
		}
		i++
	}
	return -1
}
