package response

import (
	"strings"
	"testing"
)

// Wherever an object is cut behind a decision, the decision can be read.
func TestMend(t *testing.T) {
	const full = `{"a":[{"b":"}],\"\\"},1.5e3,null],"decision":"block","reason":"né\u00e9 \"x\" [{","more":{"c":[true,{"d":[]}],"e":"\\"},"f":-1}`
	from := strings.Index(full, `"block"`) + len(`"block"`)
	for end := from; end <= len(full); end++ {
		objects := mend(strings.ToValidUTF8(full[:end], "\uFFFD"))
		if len(objects) != 1 || objects[0].Get("decision").Text() != "block" {
			t.Errorf("cut behind %s: %v", full[:end], objects)
		}
	}
}

func FuzzMend(f *testing.F) {
	f.Add(`{"a":[1,"x`)
	f.Add(`{"a\`)
	f.Add(`{]}`)
	f.Fuzz(func(t *testing.T, text string) { mend(text) })
}
