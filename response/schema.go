package response

import (
	"fmt"
	"slices"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// The checks below note a misfit and report whether there was none.

// kindOf is the JSON type that the table calls by this name.
func kindOf(name string) jsontext.Kind {
	for k := jsontext.Bool; k <= jsontext.Object; k++ {
		if k.String() == name {
			return k
		}
	}
	return jsontext.Missing
}

func (r *reader) fits(path string, v jsontext.Value, rule *event.OutputField) bool {
	if rule.Type == "any" {
		return true
	}
	if rule.Values != nil {
		_, ok := r.str(path, v, rule.Values)
		return ok
	}
	if !r.is(path, v, kindOf(rule.Type)) {
		return false
	}
	if rule.Merge == event.MergeUnion {
		for i, e := range v.Elements() {
			if !r.is(fmt.Sprintf("%s[%d]", path, i), e, jsontext.String) {
				return false
			}
		}
	}
	return true
}

func (r *reader) is(path string, v jsontext.Value, want jsontext.Kind) bool {
	if v.Kind() == want {
		return true
	}
	r.misfit(path, fmt.Sprintf("is %s, want %s", clip(v.Raw(), 80), article(want)))
	return false
}

func (r *reader) str(path string, v jsontext.Value, allowed []string) (string, bool) {
	if allowed == nil {
		return v.Text(), r.is(path, v, jsontext.String)
	}
	if v.Kind() == jsontext.String && slices.Contains(allowed, v.Text()) {
		return v.Text(), true
	}
	r.misfit(path, fmt.Sprintf("is %s, want %s", clip(v.Raw(), 80), quotedList(allowed)))
	return "", false
}

func (r *reader) boolean(path string, v jsontext.Value) (value, ok bool) {
	return v.Bool(), r.is(path, v, jsontext.Bool)
}

func (r *reader) misfit(path, text string) {
	r.misfits = append(r.misfits, misfit{path, path + " " + text})
}

func article(k jsontext.Kind) string {
	if k == jsontext.Array || k == jsontext.Object {
		return "an " + k.String()
	}
	return "a " + k.String()
}

// quotedList writes a choice: `"a", "b" or "c"`.
func quotedList(values []string) string {
	var b strings.Builder
	for i, v := range values {
		switch {
		case i > 0 && i == len(values)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(jsontext.Quote(v))
	}
	return b.String()
}
