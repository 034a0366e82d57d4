package check

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/theus-hooks/theus-hooks/settings"
)

var reported = []settings.Problem{
	{Severity: settings.Error, Code: "bad-timeout", Message: "timeout is 0", Hint: "leave it out", File: ".theus/my settings.json", Place: settings.Place{Line: 3, Column: 9, Path: "hooks.Stop[0].hooks[0].timeout"}},
	{Severity: settings.Warning, Code: "unknown-event", Message: "100% unknown\nevent", File: "/etc/theus/a,b:c.json", Place: settings.Place{Line: 4, Column: 1}},
	{Severity: settings.Error, Code: "unreadable", Message: "it is a directory", File: "x.json"},
}

func TestFormats(t *testing.T) {
	tests := []struct{ format, want string }{
		{"text", `.theus/my settings.json:3:9: error: bad-timeout
  hooks.Stop[0].hooks[0].timeout: timeout is 0
  hint: leave it out
/etc/theus/a,b:c.json:4:1: warning: unknown-event
  100% unknown event
x.json: error: unreadable
  it is a directory
2 errors, 1 warning
`},
		{"json", `{"problems":[` +
			`{"severity":"error","code":"bad-timeout","message":"timeout is 0","hint":"leave it out","file":".theus/my settings.json","line":3,"column":9,"path":"hooks.Stop[0].hooks[0].timeout"},` +
			`{"severity":"warning","code":"unknown-event","message":"100% unknown\nevent","hint":"","file":"/etc/theus/a,b:c.json","line":4,"column":1,"path":""},` +
			`{"severity":"error","code":"unreadable","message":"it is a directory","hint":"","file":"x.json","line":0,"column":0,"path":""}]}` + "\n"},
		{"github", `::error file=.theus/my settings.json,line=3,col=9,title=bad-timeout::hooks.Stop[0].hooks[0].timeout: timeout is 0; leave it out
::warning file=/etc/theus/a%2Cb%3Ac.json,line=4,col=1,title=unknown-event::100%25 unknown%0Aevent
::error file=x.json,title=unreadable::it is a directory
`},
	}
	for _, tt := range tests {
		got, err := Format(reported, tt.format)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", tt.format, err, got, tt.want)
		}
	}
	if _, err := Format(nil, "xml"); err == nil {
		t.Error("xml is a format")
	}
	for format, want := range map[string]string{"text": "no problems\n", "json": "{\"problems\":[]}\n", "github": ""} {
		if got, _ := Format(nil, format); string(got) != want {
			t.Errorf("nothing as %s is %q", format, got)
		}
	}
}

// testdata/sarif-shape.json is the part of the SARIF 2.1.0 schema that says what
// must be there, for the objects that are used: required keys, their types, the
// closed sets of words, the least values of places.
func TestSARIF(t *testing.T) {
	shape, err := os.ReadFile("testdata/sarif-shape.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(shape))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	check := func(text string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(v)
	}
	for _, problems := range [][]settings.Problem{reported, nil} {
		text, err := Format(problems, "sarif")
		if err != nil {
			t.Fatal(err)
		}
		if err := check(string(text)); err != nil {
			t.Errorf("%v in %s", err, text)
		}
	}
	text, _ := Format(reported, "sarif")
	for _, part := range []string{
		`"uri":".theus/my%20settings.json"`, `"uri":"file:///etc/theus/a,b:c.json"`, `"region":{"startLine":3,"startColumn":9}`,
		`"ruleId":"unknown-event","ruleIndex":1,"level":"warning"`, `"fullyQualifiedName":"hooks.Stop[0].hooks[0].timeout"`, `"columnKind":"unicodeCodePoints"`,
	} {
		if !strings.Contains(string(text), part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
	for _, change := range [][2]string{{`"2.1.0"`, `"2.0.0"`}, {`"startLine":3`, `"startLine":0`}, {`"level":"error"`, `"level":"bad"`}, {`"message":{"text":`, `"message":{"x":`}, {`"name":"theus-hooks",`, ``}} {
		if broken := strings.Replace(string(text), change[0], change[1], 1); broken == string(text) || check(broken) == nil {
			t.Errorf("%s for %s is valid", change[1], change[0])
		}
	}
}
