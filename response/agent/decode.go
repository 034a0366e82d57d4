package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// maxBytes bounds an agent's event: the canonical one holds it twice.
const maxBytes = event.MaxBytes/2 - 4096

// An Event is an agent's event, made canonical.
type Event struct {
	Name string // the canonical name: "PreToolUse"
	// Data is the canonical JSON. Its last key "agent" holds the agent's name and
	// its own event as it came, but for an agent that is passed through.
	Data []byte
	// Subjects are the agent's own names of what matchers are compared with,
	// where they are not the canonical one.
	Subjects []string
	// Repeat says why the event is known to repeat one that was fired before, so
	// that hooks need not run again; "" where it is new, or may be.
	Repeat string

	hook   *hook
	input  jsontext.Value // tool_input in canonical keys
	fields []field        // of tool_input, those in use
}

// An UnknownEventError is an event that the agent has, or that somebody asked
// for, and that hooks cannot be given.
type UnknownEventError struct {
	Agent string
	Event string
	Known []string // the agent's own names
}

// Error names the events that are known.
func (e *UnknownEventError) Error() string {
	found := fmt.Sprintf("%q is not an event of %s that hooks know", e.Event, e.Agent)
	if e.Event == "" {
		found = "the event of " + e.Agent + " does not say which it is"
	}
	return found + "; known are " + strings.Join(e.Known, ", ")
}

// Decode makes an agent's event canonical. named is the event that the call
// names, by either name and in any case; "" leaves it to the JSON. Unknown keys,
// numbers and strings are passed on as they are. The error is an
// *UnknownEventError or an *event.InputError.
func (a *Agent) Decode(named string, data []byte) (*Event, error) {
	var want *hook
	if named != "" {
		if want = a.fold(named); want == nil {
			return nil, a.unknown(named)
		}
	}
	if a.plain {
		return a.pass(want, data)
	}
	data, _ = jsontext.TrimBOM(data)
	own, err := jsontext.Parse(data, jsontext.Limits{Bytes: maxBytes, Depth: event.MaxDepth - 2})
	if err != nil || own.Kind() != jsontext.Object {
		return nil, a.unusable(want, data, err)
	}
	h, err := a.which(want, own)
	if err != nil {
		return nil, err
	}
	return a.canonical(h, own), nil
}

func (a *Agent) unknown(name string) error {
	return &UnknownEventError{Agent: a.Name, Event: name, Known: a.EventNames()}
}

// pass leaves the event as it is.
func (a *Agent) pass(want *hook, data []byte) (*Event, error) {
	if want == nil {
		name := event.PeekName(data)
		if want = a.hook(name, jsontext.Value{}); want == nil {
			return nil, a.unknown(name)
		}
	}
	return &Event{Name: want.name, Data: data, hook: want}, nil
}

// unusable is the error of package event for what is no object.
func (a *Agent) unusable(want *hook, data []byte, err error) error {
	var limit *jsontext.LimitError
	if errors.As(err, &limit) {
		return &event.InputError{Found: err.Error(), Hint: "send a smaller event", Err: err}
	}
	if want == nil {
		want = a.fold(a.EventNames()[0]) // as an example
	}
	spec, _ := event.Lookup(want.name)
	own := *spec
	own.Name = want.own // as the hint shows it
	_, err = event.Decode(&own, data)
	return err
}

// which finds the event that own is.
func (a *Agent) which(want *hook, own jsontext.Value) (*hook, error) {
	name := own.Get("hook_event_name")
	switch {
	case name.Exists() && want != nil && name.Text() != want.own:
		return nil, &event.InputError{
			Found: fmt.Sprintf("hook_event_name is %s, but %s was asked for", clip(name.Raw()), want.own),
			Hint:  "pass the event that the JSON names",
		}
	case want != nil:
		return a.hook(want.own, own), nil
	}
	if h := a.hook(name.Text(), own); h != nil {
		return h, nil
	}
	return nil, a.unknown(clip(name.Text()))
}

func clip(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}

// canonical writes the event in our names.
func (a *Agent) canonical(h *hook, own jsontext.Value) *Event {
	ev := &Event{Name: h.name, hook: h}
	t := a.call(own)
	var to object
	for m := range own.Members() {
		key, ok := rename(h.fields, own, m.Key)
		switch {
		case !ok || key == "agent":
		case key == "hook_event_name":
			to.set(key, jsontext.Quote(h.name))
		case key == "tool_calls":
			to.set(key, a.batch(m.Value))
		case key == "tool_name" || key == "tool_input":
			to.set(key, t.member(key, m.Value))
		default:
			to.set(key, ev.translate(h.values, key, m.Value))
		}
	}
	if !own.Get("hook_event_name").Exists() {
		to.set("hook_event_name", jsontext.Quote(h.name))
	}
	if h.add != nil {
		h.add(own, &to)
	}
	if h.repeats != nil {
		ev.Repeat = h.repeats(own)
	}
	t.describe(ev, own)
	var self object
	self.set("name", jsontext.Quote(a.Name))
	self.set("event", own.Raw())
	to.set("agent", self.string())
	ev.Data = []byte(to.string())
	return ev
}

// translate is the value in our words; the agent's own remains a subject.
func (ev *Event) translate(values []value, key string, v jsontext.Value) string {
	for _, known := range values {
		if known.key != key || known.own != v.Text() {
			continue
		}
		if spec, ok := event.Lookup(ev.Name); ok && spec.Subject.Field == key {
			ev.Subjects = append(ev.Subjects, known.own)
		}
		return jsontext.Quote(known.name)
	}
	return v.Raw()
}

// rename is our name of a key of from; ok is false for a key whose place another
// takes: what the agent itself does not read must not hide what it does.
func rename(fields []field, from jsontext.Value, key string) (name string, ok bool) {
	for _, f := range fields {
		switch {
		case f.old && f.own == key && from.Get(f.name).Exists():
			return "", false
		case f.own == key:
			return f.name, true
		case f.name == key && !f.old && from.Get(f.own).Exists():
			return "", false
		}
	}
	return key, true
}

// call is what a tool call is in our names.
type call struct {
	name   string // "": as it is
	also   []string
	fields []field
}

// call looks up the tool of an event, or of one call in a batch. A tool of the
// agent's own is that, whatever server the event speaks of besides.
func (a *Agent) call(own jsontext.Value) call {
	var served string
	var may []string
	if a.served != nil {
		served, may = a.served(own)
	}
	t := a.tool(own.Get("tool_name").Text())
	switch {
	case t != nil && served != "":
		return call{name: t.name, also: append(slices.Clone(t.also), served), fields: t.fields}
	case t != nil:
		return call{name: t.name, also: t.also, fields: t.fields}
	}
	return call{name: served, also: may}
}

// member is the JSON of tool_name or tool_input in our names.
func (c call) member(key string, v jsontext.Value) string {
	if key == "tool_input" {
		return c.rename(v)
	}
	if c.name == "" {
		return v.Raw()
	}
	return jsontext.Quote(c.name)
}

// rename is a tool's input with our keys.
func (c call) rename(input jsontext.Value) string {
	if len(c.fields) == 0 || input.Kind() != jsontext.Object {
		return input.Raw()
	}
	var to object
	for m := range input.Members() {
		if key, ok := rename(c.fields, input, m.Key); ok {
			to.set(key, m.Value.Raw())
		}
	}
	return to.string()
}

// batch is a list of tool calls in our names.
func (a *Agent) batch(list jsontext.Value) string {
	if list.Kind() != jsontext.Array || len(a.tools) == 0 {
		return list.Raw()
	}
	var calls []string
	for _, own := range list.Elements() {
		c, to := a.call(own), object{}
		for m := range own.Members() {
			raw := m.Value.Raw()
			if m.Key == "tool_name" || m.Key == "tool_input" {
				raw = c.member(m.Key, m.Value)
			}
			to.set(m.Key, raw)
		}
		if own.Kind() != jsontext.Object {
			calls = append(calls, own.Raw())
			continue
		}
		calls = append(calls, to.string())
	}
	return "[" + strings.Join(calls, ",") + "]"
}

// describe notes on the event what its answer must know of the call.
func (c call) describe(ev *Event, own jsontext.Value) {
	name := own.Get("tool_name").Text()
	if spec, ok := event.Lookup(ev.Name); !ok || spec.Subject.Field != "tool_name" {
		return
	}
	if c.name != "" && c.name != name {
		ev.Subjects = append(ev.Subjects, name)
	}
	ev.Subjects = append(ev.Subjects, c.also...)
	input := own.Get("tool_input")
	for _, f := range c.fields {
		if !f.old || input.Get(f.own).Exists() && !input.Get(f.name).Exists() {
			ev.fields = append(ev.fields, f)
		}
	}
	ev.input = input
	if len(c.fields) > 0 {
		// What was parsed and written by ourselves parses again.
		ev.input, _ = jsontext.Parse([]byte(c.rename(input)), jsontext.Limits{})
	}
}

// ownKey is the agent's name of a key of the tool's input.
func (ev *Event) ownKey(key string) string {
	i := slices.IndexFunc(ev.fields, func(f field) bool { return f.name == key })
	if i < 0 {
		return key
	}
	return ev.fields[i].own
}
