package response

import (
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// mergePatch applies a JSON Merge Patch (RFC 7396) to a document. What the
// patch does not touch keeps its bytes and its place; new keys come last. Both
// texts must be JSON within the depth this package accepts, or target empty.
func mergePatch(target, patch string) string {
	return merge(parsed(target), parsed(patch))
}

func merge(target, patch jsontext.Value) string {
	if patch.Kind() != jsontext.Object {
		return patch.Raw()
	}
	var m members
	old := map[string]jsontext.Value{}
	for member := range target.Members() {
		m.set(member.Key, member.Value.Raw())
		old[member.Key] = member.Value
	}
	for member := range patch.Members() {
		if member.Value.Kind() == jsontext.Null {
			m.remove(member.Key)
			continue
		}
		m.set(member.Key, merge(old[member.Key], member.Value))
	}
	return m.object()
}

// parsed reads text that has been validated before; other text is no value.
func parsed(text string) jsontext.Value {
	v, err := jsontext.Parse([]byte(text), jsontext.Limits{})
	if err != nil {
		return jsontext.Value{}
	}
	return v
}

// members is an object under construction, in order, each key once.
type members struct {
	keys, values []string
	index        map[string]int
}

func (m *members) set(key, raw string) {
	if i, ok := m.index[key]; ok {
		m.values[i] = raw
		return
	}
	if m.index == nil {
		m.index = map[string]int{}
	}
	m.index[key] = len(m.keys)
	m.keys, m.values = append(m.keys, key), append(m.values, raw)
}

// text sets a key to a string, unless it is empty.
func (m *members) text(key, value string) {
	if value != "" {
		m.set(key, jsontext.Quote(value))
	}
}

// remove drops a key; its slot stays, without a value.
func (m *members) remove(key string) {
	if i, ok := m.index[key]; ok {
		m.values[i] = ""
		delete(m.index, key)
	}
}

func (m *members) empty() bool { return len(m.index) == 0 }

// object is the JSON of what is there.
func (m *members) object() string {
	var b strings.Builder
	b.WriteByte('{')
	for i, key := range m.keys {
		if m.values[i] == "" {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(jsontext.Quote(key))
		b.WriteByte(':')
		b.WriteString(m.values[i])
	}
	b.WriteByte('}')
	return b.String()
}
