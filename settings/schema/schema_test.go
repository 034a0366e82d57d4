package schema

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, ok := Text(name)
	if !ok {
		t.Fatalf("no schema %q", name)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name+".json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name + ".json") // against the meta-schema too
	if err != nil {
		t.Fatal(err)
	}
	if s.DraftVersion != 2020 {
		t.Errorf("%s is of draft %d", name, s.DraftVersion)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return s.Validate(doc)
}

func TestText(t *testing.T) {
	for _, name := range Names() {
		compile(t, name)
	}
	if _, ok := Text("x"); ok {
		t.Error("there is a schema x")
	}
}

func TestSettings(t *testing.T) {
	s := compile(t, "settings")
	files, err := filepath.Glob("../check/testdata/valid/*.json")
	if err != nil || len(files) != 30 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, s, string(text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, number := range []string{"12", "13", "14", "15", "16", "20", "23", "28-if", "29", "30", "31", "35", "40", "41", "43", "44", "45", "48", "49", "50"} {
		files, _ := filepath.Glob("../check/testdata/faulty/" + number + "*.json")
		if len(files) != 1 {
			t.Fatal(number, files)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, s, string(text)); err == nil != (number == "28-if") { // a rule's text is no matter of a schema
			t.Errorf("%s: %v", files[0], err)
		}
	}
}

func TestSettingsPlace(t *testing.T) {
	err := validate(t, compile(t, "settings"), `{"hooks":{"Setup":[{"hooks":[{"type":"command","command":"x","timeout":0},{"type":"http","url":"http://x"}]}]}}`)
	verr, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		t.Fatal(err)
	}
	text := verr.Error()
	for _, place := range []string{"/hooks/Setup/0/hooks/0/timeout", "/hooks/Setup/0/hooks/1/type"} {
		if !strings.Contains(text, place) {
			t.Errorf("%s is not named in %s", place, text)
		}
	}
}

func TestInputAndOutput(t *testing.T) {
	in, out := compile(t, "input"), compile(t, "output")
	for _, spec := range event.All() {
		if err := validate(t, in, spec.Example.Input); err != nil {
			t.Errorf("the example of %s: %v", spec.Name, err)
		}
		if answer := spec.Example.Answer; strings.HasPrefix(answer, "{") {
			if err := validate(t, out, answer); err != nil {
				t.Errorf("the answer to %s: %v", spec.Name, err)
			}
		}
		for _, f := range spec.Fields {
			if f.Optional || f.Type == "any" {
				continue
			}
			if err := validate(t, in, strings.Replace(spec.Example.Input, `"`+f.Name+`":`, `"x":`, 1)); err == nil {
				t.Errorf("%s without %s is valid", spec.Name, f.Name)
			}
		}
	}
	for _, bad := range []string{
		`{"hookSpecificOutput":{"permissionDecision":"deny"}}`,
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"perhaps"}}`,
		`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"ask"}}}`,
		`{"decision":"deny"}`, `{"continue":"no"}`, `[]`,
	} {
		if validate(t, out, bad) == nil {
			t.Errorf("%s is valid", bad)
		}
	}
	if validate(t, in, `{"session_id":"s","transcript_path":"/t","cwd":"/","hook_event_name":"MoonPhase"}`) == nil {
		t.Error("an unknown event is valid")
	}
}

// The outcome's schema allows no other key and misses none, so that whatever is
// added to an outcome must come here too.
func TestOutcome(t *testing.T) {
	s := compile(t, "outcome")
	for _, file := range []string{"outcome.json", "outcome-empty.json"} {
		text, err := os.ReadFile("../../response/testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		// Sources and scopes of these samples may be empty; the schema says nothing of that.
		if err := validate(t, s, string(text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if validate(t, s, strings.Replace(string(text), `"blocked":`, `"x":`, 1)) == nil {
			t.Errorf("%s with another key is valid", file)
		}
	}
	spec, _ := event.Lookup("Stop")
	ev, err := event.Decode(spec, []byte(spec.Example.Input))
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(t, s, string(response.Combine(ev, nil).JSON())); err != nil {
		t.Error(err)
	}
}
