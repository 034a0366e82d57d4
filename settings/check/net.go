package check

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/schema"
)

// settingsSchema is the JSON Schema of settings, compiled when it is first
// needed.
var settingsSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	const name = "settings.schema.json"
	text, _ := schema.Text("settings")
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	return c.Compile(name)
})

// schema reports what the JSON Schema refuses and nothing else has named: with
// the schema in their editor people see the same as here.
func (l *linter) schema() {
	root := l.file.Raw()
	if !root.Exists() || slices.ContainsFunc(l.problems, func(p problem) bool { return p.Code == "duplicate-key" }) {
		return // of a doubled key a schema sees one value only
	}
	compiled, err := settingsSchema()
	if err != nil {
		panic("check: the schema of settings: " + err.Error()) // the tests compile it
	}
	if verr, ok := errors.AsType[*jsonschema.ValidationError](compiled.Validate(plainValue(root))); ok {
		l.refused(verr)
	}
}

// maxRefusals bounds how many errors of the schema are looked at in one file.
const maxRefusals = 100

// refused reports the innermost errors of a validation.
func (l *linter) refused(verr *jsonschema.ValidationError) {
	said := map[string]bool{} // paths of problems, and with false those that hold one
	for _, p := range l.problems {
		for path := p.Path; path != ""; path = parent(path) {
			said[path] = said[path] || path == p.Path
		}
	}
	for _, leaf := range leaves(verr, nil) {
		at := l.file.PlaceOf(leaf.InstanceLocation...)
		_, named := said[at.Path]
		for path := at.Path; path != "" && !named; path = parent(path) {
			named = said[path]
		}
		if !named {
			l.report("schema", at, "`theus-hooks schema settings` prints the schema", "%s", leaf.BasicOutput().Error)
		}
	}
}

func leaves(verr *jsonschema.ValidationError, list []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	for _, cause := range verr.Causes {
		list = leaves(cause, list)
	}
	if len(verr.Causes) == 0 && len(list) < maxRefusals {
		list = append(list, verr)
	}
	return list
}

// parent is the JSON path of what holds a value.
func parent(path string) string { return path[:max(strings.LastIndexAny(path, ".["), 0)] }

// plainValue is a value as package jsonschema takes it.
func plainValue(v jsontext.Value) any {
	switch v.Kind() {
	case jsontext.Object:
		members := map[string]any{}
		for m := range v.Members() {
			members[m.Key] = plainValue(m.Value)
		}
		return members
	case jsontext.Array:
		elements := []any{}
		for _, e := range v.Elements() {
			elements = append(elements, plainValue(e))
		}
		return elements
	case jsontext.String:
		return v.Text()
	case jsontext.Number:
		return min(max(v.Float(), -math.MaxFloat64), math.MaxFloat64) // infinity is no JSON
	case jsontext.Bool:
		return v.Bool()
	}
	return nil
}
