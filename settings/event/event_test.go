package event

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

func row(t testing.TB, name string) *Spec {
	t.Helper()
	s, ok := Lookup(name)
	if !ok {
		t.Fatalf("no event %q", name)
	}
	return s
}

// Hooks receive the bytes of the event, on one line.
func TestLine(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"key order and numbers", `{ "z":1.0, "a":1e400, "hook_event_name":"Stop", "n":-0, "big":12345678901234567890 }`, `{"z":1.0,"a":1e400,"hook_event_name":"Stop","n":-0,"big":12345678901234567890}`},
		{"escapes", `{"hook_event_name":"Stop","p":"\u00e9é\/<>&\u2028\ud83d oops \\ \""}`, `{"hook_event_name":"Stop","p":"\u00e9é\/<>&\u2028\ud83d oops \\ \""}`},
		{"lines", "{\n\t\"hook_event_name\": \"Stop\",\r\n\t\"p\": \"a  b\"\n}\n", `{"hook_event_name":"Stop","p":"a  b"}`},
		{"byte order mark", "\xef\xbb\xbf{\"hook_event_name\":\"Stop\"}", `{"hook_event_name":"Stop"}`},
		{"name missing", `{"a":1}`, `{"a":1,"hook_event_name":"Stop"}`},
		{"name missing, nothing else", ` {} `, `{"hook_event_name":"Stop"}`},
		{"name missing, after an object", `{"a":{"hook_event_name":"PreToolUse"}}`, `{"a":{"hook_event_name":"PreToolUse"},"hook_event_name":"Stop"}`},
		{"doubled keys", `{"a":1,"a":2,"hook_event_name":"Stop"}`, `{"a":1,"a":2,"hook_event_name":"Stop"}`},
		{"not UTF-8", "{\"hook_event_name\":\"Stop\",\"p\":\"\xff\"}", "{\"hook_event_name\":\"Stop\",\"p\":\"\xff\"}"},
	} {
		ev, err := Decode(row(t, "Stop"), []byte(tt.in))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if string(ev.Line()) != tt.want+"\n" {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, ev.Line(), tt.want)
		}
	}
}

func TestUnusable(t *testing.T) {
	const send = `; send one object such as {"session_id":"s","cwd":"/","hook_event_name":"PreToolUse"}`
	deep := `{"a":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}"
	for _, tt := range []struct{ name, in, want string }{
		{"nothing", "", "unusable event: no JSON on standard input" + send},
		{"blank", " \n\t ", "unusable event: no JSON on standard input" + send},
		{"not JSON", "hello", "unusable event: not JSON: line 1, column 1: found 'h', want a value" + send},
		{"cut off", `{"tool_name":"Bash"`, `unusable event: not JSON: line 1, column 20: found the end of the text, want "," or "}"` + send},
		{"trailing comma", `{"a":1,}`, `unusable event: not JSON: line 1, column 8: found '}', want a key in double quotes` + send},
		{"two", "{}\n{}", "unusable event: not JSON: line 2, column 1: found '{', want the end of the text" + send},
		{"array", "[]", "unusable event: a JSON array where an object is wanted" + send},
		{"null", "null", "unusable event: a JSON null where an object is wanted" + send},
		{"another event", `{"hook_event_name":"Stop"}`, `unusable event: hook_event_name is "Stop", but PreToolUse was asked for; pass the event that the JSON names`},
		{"case of the name", `{"hook_event_name":"pretooluse"}`, `unusable event: hook_event_name is "pretooluse", but PreToolUse was asked for; pass the event that the JSON names`},
		{"name of another type", `{"hook_event_name":["PreToolUse"]}`, `unusable event: hook_event_name is ["PreToolUse"], but PreToolUse was asked for; pass the event that the JSON names`},
		{"deep", deep, "unusable event: more than 1000 levels of nesting; send a smaller event"},
	} {
		_, err := Decode(row(t, "PreToolUse"), []byte(tt.in))
		var input *InputError
		if !errors.As(err, &input) || err.Error() != tt.want {
			t.Errorf("%s:\n got %v\nwant %s", tt.name, err, tt.want)
		}
	}
}

func TestBounds(t *testing.T) {
	big := []byte(`{"p":"` + strings.Repeat("x", MaxBytes) + `"}`)
	_, err := Decode(row(t, "Stop"), big)
	if err == nil || err.Error() != "unusable event: more than 67108864 bytes; send a smaller event" {
		t.Errorf("an event of 64 MiB and some bytes: %v", err)
	}
	var limit *jsontext.LimitError
	if !errors.As(err, &limit) || limit.What != "bytes" {
		t.Errorf("no LimitError below: %v", err)
	}
	if name := PeekName(big); name != "" {
		t.Errorf("PeekName read %q from it", name)
	}
	fits := `{"a":` + strings.Repeat("[", 999) + strings.Repeat("]", 999) + "}"
	if _, err := Decode(row(t, "Stop"), []byte(fits)); err != nil {
		t.Errorf("1,000 levels: %v", err)
	}
}

// A field of another type reads as empty, and keeps its raw value.
func TestView(t *testing.T) {
	ev, err := Decode(row(t, "PreToolUse"), []byte(`{"session_id":7,"cwd":"/srv","tool_name":["Bash"],"tool_input":{"command":"a\u00e9","n":1.0},"flag":true,"s":"\ud83d!"}`))
	if err != nil {
		t.Fatal(err)
	}
	for what, got := range map[string]string{
		"session":     ev.SessionID() + ev.Raw("session_id"),
		"cwd":         ev.Cwd(),
		"tool":        ev.ToolName() + ev.Subject() + ev.Raw("tool_name"),
		"text":        ev.Text("tool_input", "command"),
		"raw":         ev.Raw("tool_input", "n"),
		"missing":     ev.Text("x", "y") + ev.Raw("x"),
		"through":     ev.Text("cwd", "x"),
		"surrogate":   ev.Text("s"),
		"name":        ev.Name() + ev.Spec().Name,
		"whole":       ev.Raw()[:15],
		"dotted name": ev.Text("tool_input.command"),
	} {
		want := map[string]string{
			"session": "7", "cwd": "/srv", "tool": `["Bash"]`, "text": "aé", "raw": "1.0", "missing": "", "through": "",
			"surrogate": "\uFFFD!", "name": "PreToolUsePreToolUse", "whole": `{"session_id":7`, "dotted name": "",
		}[what]
		if got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	if !ev.Bool("flag") || ev.Bool("cwd") || ev.Bool("x") {
		t.Error("Bool")
	}
}

func TestSubject(t *testing.T) {
	for _, tt := range []struct{ event, in, want string }{
		{"PreToolUse", `{"tool_name":"mcp__memory__create"}`, "mcp__memory__create"},
		{"PreToolUse", `{}`, ""},
		{"Stop", `{"tool_name":"Bash"}`, ""},
		{"FileChanged", `{"file_path":"/srv/app/.envrc"}`, ".envrc"},
		{"FileChanged", `{"file_path":"C:\\src\\.envrc"}`, ".envrc"},
		{"FileChanged", `{"file_path":""}`, ""},
		{"SessionStart", `{"source":"resume"}`, "resume"},
		{"PreModelSwitch", `{"to_model":"large"}`, "large"},
	} {
		ev, err := Decode(row(t, tt.event), []byte(tt.in))
		if err != nil {
			t.Fatal(err)
		}
		if got := ev.Subject(); got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.event, tt.in, got, tt.want)
		}
	}
}

func TestPeekName(t *testing.T) {
	for in, want := range map[string]string{
		`{"hook_event_name":"PreToolUse"}`:            "PreToolUse",
		"\xef\xbb\xbf{\"hook_event_name\":\"Other\"}": "Other",
		`{"hook_event_name":7}`:                       "",
		`{"hook_event_name":"PreToolUse"`:             "",
		`["hook_event_name"]`:                         "",
		``:                                            "",
	} {
		if got := PeekName([]byte(in)); got != want {
			t.Errorf("PeekName(%s) = %q, want %q", in, got, want)
		}
	}
}

// samples are events as agents have sent them.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir("testdata/events", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[path], err = os.ReadFile(path)
		return err
	})
	if err != nil || len(files) < 30 {
		t.Fatalf("%d samples: %v", len(files), err)
	}
	return files
}

// Real events of agents that use our names decode as they are.
func TestSamples(t *testing.T) {
	for path, data := range samples(t) {
		spec, ok := Lookup(PeekName(data))
		if !ok {
			if !strings.Contains(path, "gemini") {
				t.Errorf("%s: event %q", path, PeekName(data))
			}
			continue
		}
		ev, err := Decode(spec, data)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if ev.SessionID() == "" || ev.Cwd() != "/home/dev/project" || spec.Subject.Field != "" && ev.Subject() == "" {
			t.Errorf("%s: session %q, cwd %q, subject %q", path, ev.SessionID(), ev.Cwd(), ev.Subject())
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, data := range samples(f) {
		f.Add(0, data)
	}
	for i, s := range All() {
		f.Add(i, []byte(s.Example.Input))
	}
	f.Add(5, []byte("\xef\xbb\xbf {\"tool_name\":\"\\ud83d\",\"tool_input\":{\"a\":[1.0e5]}}"))
	f.Fuzz(func(t *testing.T, index int, data []byte) {
		spec := All()[uint(index)%uint(len(All()))]
		ev, err := Decode(spec, data)
		if err != nil {
			var input *InputError
			if !errors.As(err, &input) || ev != nil {
				t.Fatalf("error %T, event %v", err, ev)
			}
			return
		}
		line, ok := bytes.CutSuffix(ev.Line(), []byte("\n"))
		if !ok || bytes.ContainsAny(line, "\n\r") {
			t.Fatalf("not one line: %q", ev.Line())
		}
		if PeekName(line) != spec.Name {
			t.Fatalf("the line names %q: %s", PeekName(line), line)
		}
		trimmed, _ := jsontext.TrimBOM(data)
		body, _ := bytes.CutSuffix(jsontext.Compact(trimmed), []byte("}"))
		if !bytes.HasPrefix(line, body) {
			t.Fatalf("bytes were changed:\n%q\n%q", body, line)
		}
		again, err := Decode(spec, ev.Line())
		if err != nil || !bytes.Equal(again.Line(), ev.Line()) || again.Subject() != ev.Subject() {
			t.Fatalf("decoding the line again: %v", err)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	spec := row(b, "PreToolUse")
	data := []byte(spec.Example.Input)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Decode(spec, data); err != nil {
			b.Fatal(err)
		}
	}
}

func TestWith(t *testing.T) {
	decode := func(text string) *Event {
		ev, err := Decode(row(t, "PreToolUse"), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return ev
	}
	ev := decode(`{"hook_event_name":"PreToolUse","tool_input":{"command":"a"},"n":1.0}`)
	changed, err := ev.With(`{"command":"b"}`, "tool_input")
	if err != nil || string(changed.Line()) != `{"hook_event_name":"PreToolUse","tool_input":{"command":"b"},"n":1.0}`+"\n" || changed.Text("tool_input", "command") != "b" {
		t.Errorf("changed: %v, %s", err, changed.Line())
	}
	if ev.Text("tool_input", "command") != "a" || !strings.Contains(string(ev.Line()), `"a"`) {
		t.Errorf("the event itself was changed: %s", ev.Line())
	}
	for name, tt := range map[string]struct {
		event, raw string
		keys       []string
	}{
		"no key":       {`{}`, `1`, nil},
		"empty key":    {`{}`, `1`, []string{""}},
		"doubled":      {`{"a":1,"a":2}`, `3`, []string{"a"}},
		"not JSON":     {`{}`, `{`, []string{"a"}},
		"another name": {`{}`, `"Stop"`, []string{"hook_event_name"}},
	} {
		var input *InputError
		if got, err := decode(tt.event).With(tt.raw, tt.keys...); !errors.As(err, &input) || got != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
