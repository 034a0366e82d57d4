package event

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// Bounds of an event's JSON.
const (
	MaxBytes = 64 << 20
	MaxDepth = 1000
)

// An Event is one firing: the JSON that its hooks receive, and a typed view of
// the parts that select and run them. Missing or wrongly typed fields read as
// empty; the raw value is never lost. Events are read-only and safe for
// concurrent use.
type Event struct {
	spec *Spec
	json jsontext.Value
	top  map[string]jsontext.Value // members of json; of a doubled key the last
	line []byte

	aliases []string
}

// An InputError says why an event cannot be used.
type InputError struct {
	Found string
	Hint  string
	Err   error // the syntax or limit error below, or nil
}

// Error is what was found and what to do.
func (e *InputError) Error() string {
	msg := "unusable event: " + e.Found
	if e.Hint != "" {
		msg += "; " + e.Hint
	}
	return msg
}

// Unwrap returns the error of the JSON reader, if that was the cause.
func (e *InputError) Unwrap() error { return e.Err }

// Decode reads the JSON of one event. A byte order mark is dropped, and a
// missing hook_event_name is added as the last key; apart from that and the
// white space between tokens, hooks receive the exact bytes. The error is an
// *InputError.
func Decode(spec *Spec, data []byte) (*Event, error) {
	data, _ = jsontext.TrimBOM(data)
	v, err := jsontext.Parse(data, jsontext.Limits{Bytes: MaxBytes, Depth: MaxDepth})
	if err != nil {
		return nil, syntaxError(spec, data, err)
	}
	if v.Kind() != jsontext.Object {
		return nil, &InputError{Found: fmt.Sprintf("a JSON %v where an object is wanted", v.Kind()), Hint: hint(spec)}
	}
	name := v.Get("hook_event_name")
	if name.Exists() && name.Text() != spec.Name {
		return nil, &InputError{
			Found: fmt.Sprintf("hook_event_name is %s, but %s was asked for", clip(name.Raw()), spec.Name),
			Hint:  "pass the event that the JSON names",
		}
	}
	line := jsontext.Compact(data)
	if !name.Exists() {
		if line, err = jsontext.Set(line, jsontext.Quote(spec.Name), "hook_event_name"); err != nil {
			return nil, &InputError{Found: "hook_event_name cannot be added", Hint: "add it to the event", Err: err}
		}
		if v, err = jsontext.Parse(line, jsontext.Limits{}); err != nil {
			return nil, &InputError{Found: "hook_event_name cannot be added", Hint: "add it to the event", Err: err}
		}
	}
	top := map[string]jsontext.Value{}
	for m := range v.Members() {
		top[m.Key] = m.Value
	}
	return &Event{spec: spec, json: v, top: top, line: append(line, '\n')}, nil
}

func syntaxError(spec *Spec, data []byte, err error) error {
	if len(strings.TrimSpace(string(data[:min(len(data), 64)]))) == 0 && len(data) <= 64 {
		return &InputError{Found: "no JSON on standard input", Hint: hint(spec), Err: err}
	}
	var limit *jsontext.LimitError
	if errors.As(err, &limit) {
		return &InputError{Found: err.Error(), Hint: "send a smaller event", Err: err}
	}
	return &InputError{Found: "not JSON: " + err.Error(), Hint: hint(spec), Err: err}
}

func hint(spec *Spec) string {
	return fmt.Sprintf(`send one object such as {"session_id":"s","cwd":"/","hook_event_name":%q}`, spec.Name)
}

func clip(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}

// PeekName returns the hook_event_name of what may be an event, "" where there
// is none to be read. It is for deciding how to fail.
func PeekName(data []byte) string {
	data, _ = jsontext.TrimBOM(data)
	v, err := jsontext.Parse(data, jsontext.Limits{Bytes: MaxBytes, Depth: MaxDepth})
	if err != nil {
		return ""
	}
	return v.Get("hook_event_name").Text()
}

// Spec is the row of the event.
func (e *Event) Spec() *Spec { return e.spec }

// Name is the event's name.
func (e *Event) Name() string { return e.spec.Name }

// Line is the JSON that hooks receive: one line with its line break. The
// caller must not change it.
func (e *Event) Line() []byte { return e.line }

// Subject is the value that matchers are compared with, "" where the event has
// none.
func (e *Event) Subject() string {
	rule := e.spec.Subject
	if rule.Field == "" {
		return ""
	}
	s := e.Text(rule.Field)
	if !rule.Base || s == "" {
		return s
	}
	if !strings.Contains(s, "/") {
		s = strings.ReplaceAll(s, `\`, "/") // a path of Windows
	}
	return path.Base(s)
}

// Aliases are other names of the subject, which matchers may use as well: those
// that the calling agent has for its tool.
func (e *Event) Aliases() []string { return e.aliases }

// WithAliases is the event with other names for its subject.
func (e *Event) WithAliases(names []string) *Event {
	named := *e
	named.aliases = names
	return &named
}

// Text is the string at the given keys, "" when there is none or it is not a string.
func (e *Event) Text(keys ...string) string { return e.at(keys).Text() }

// Raw is the exact JSON at the given keys, "" when there is none. Without keys
// it is the whole event.
func (e *Event) Raw(keys ...string) string { return e.at(keys).Raw() }

// Bool is the boolean at the given keys, false when there is none.
func (e *Event) Bool(keys ...string) bool { return e.at(keys).Bool() }

func (e *Event) at(keys []string) jsontext.Value {
	if len(keys) == 0 {
		return e.json
	}
	return e.top[keys[0]].Path(keys[1:]...)
}

// SessionID is the session the event belongs to.
func (e *Event) SessionID() string { return e.Text("session_id") }

// Cwd is the working directory the event names.
func (e *Event) Cwd() string { return e.Text("cwd") }

// ToolName is the tool of a tool event.
func (e *Event) ToolName() string { return e.Text("tool_name") }

// Scalar is the text of the string, number or boolean at the given keys:
// strings decoded, others as written. ok is false for anything else.
func (e *Event) Scalar(keys ...string) (text string, ok bool) {
	switch v := e.json.Path(keys...); v.Kind() {
	case jsontext.String:
		return v.Text(), true
	case jsontext.Number, jsontext.Bool:
		return v.Raw(), true
	}
	return "", false
}

// With is the event with the JSON value raw at the given keys, for a hook that
// is to see what another has made of it. The error is an *InputError.
func (e *Event) With(raw string, keys ...string) (*Event, error) {
	line, err := jsontext.Set(e.line[:len(e.line)-1:len(e.line)-1], raw, keys...)
	if err != nil {
		return nil, &InputError{Found: "the event cannot be changed at " + strings.Join(keys, "."), Err: err}
	}
	changed, err := Decode(e.spec, line)
	if err == nil && changed.Raw(keys...) != raw {
		return nil, &InputError{Found: strings.Join(keys, ".") + " stands in the event more than once", Hint: "send each key once"}
	}
	if err != nil {
		return nil, err
	}
	return changed.WithAliases(e.aliases), nil
}
