package agent

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

const samples = "../../settings/event/testdata/events"

func must(t testing.TB, name string) *Agent {
	t.Helper()
	a, ok := Lookup(name)
	if !ok {
		t.Fatalf("no agent %q", name)
	}
	return a
}

// inside is the canonical event without its last key, which is checked to hold
// the agent's name and its own event.
func inside(t testing.TB, agent string, own []byte, ev *Event) string {
	t.Helper()
	tail := `"agent":{"name":"` + agent + `","event":` + string(jsontext.Compact(own)) + "}}"
	head, ok := strings.CutSuffix(string(jsontext.Compact(ev.Data)), tail)
	if !ok {
		t.Fatalf("does not end with the agent's own event: %s", ev.Data)
	}
	return strings.TrimSuffix(head, ",") + "}"
}

// Events that agents have sent become those that testdata/canonical tells.
func TestDecodeSamples(t *testing.T) {
	files, err := filepath.Glob(samples + "/*/*.json")
	if err != nil || len(files) < 36 {
		t.Fatalf("%d samples: %v", len(files), err)
	}
	for _, path := range files {
		agent := filepath.Base(filepath.Dir(path))
		t.Run(agent+"/"+filepath.Base(path), func(t *testing.T) {
			own, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join("testdata/canonical", agent, filepath.Base(path)))
			if err != nil {
				t.Fatal(err)
			}
			ev, err := must(t, agent).Decode("", own)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(jsontext.Compact(want)), inside(t, agent, own, ev)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			spec, _ := event.Lookup(ev.Name)
			if _, err := event.Decode(spec, ev.Data); err != nil {
				t.Error(err)
			}
			if repeats := strings.HasPrefix(filepath.Base(path), "UserPromptSubmit-2") && agent == "qwen"; repeats != (ev.Repeat != "") {
				t.Errorf("repeat: %q", ev.Repeat)
			}
		})
	}
}

func TestDecode(t *testing.T) {
	for _, tt := range []struct {
		name, agent, named, own string
		want                    string // "": the same
		event                   string
		subjects                string
	}{
		{
			"the bytes of numbers, strings and unknown keys", "codex", "", `{"hook_event_name":"Stop","n":1.0,"e":1e400,"s":"\u00e9<&\/\ud83d","x":{"b":[1,-0]}}`,
			"", "Stop", "",
		},
		{"our name on the command line", "gemini", "pretooluse", `{"hook_event_name":"BeforeTool"}`, `{"hook_event_name":"PreToolUse"}`, "PreToolUse", ""},
		{"its own name there", "gemini", "beforetool", `{"hook_event_name":"BeforeTool"}`, `{"hook_event_name":"PreToolUse"}`, "PreToolUse", ""},
		{"no name in the JSON", "gemini", "BeforeTool", `{"a":1}`, `{"a":1,"hook_event_name":"PreToolUse"}`, "PreToolUse", ""},
		{"nothing else", "claude", "Stop", `{}`, `{"hook_event_name":"Stop"}`, "Stop", ""},
		{"a key that we need", "claude", "", `{"agent":7,"hook_event_name":"Stop"}`, `{"hook_event_name":"Stop"}`, "Stop", ""},
		{"claude's names are ours", "claude", "", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"x"}}`, "", "PreToolUse", ""},
		{
			"a tool that failed", "gemini", "AfterTool", `{"hook_event_name":"AfterTool","tool_name":"read_file","tool_input":{"file_path":"/a"},"tool_response":{"llmContent":"no","error":{"message":"no such file","type":"x"}}}`,
			`{"hook_event_name":"PostToolUseFailure","tool_name":"Read","tool_input":{"file_path":"/a"},"tool_response":{"llmContent":"no","error":{"message":"no such file","type":"x"}},"error":"no such file"}`, "PostToolUseFailure", "read_file",
		},
		{
			"a failure in words, asked for by the general name", "gemini", "PostToolUse", `{"hook_event_name":"AfterTool","tool_response":{"error":"broken"}}`,
			`{"hook_event_name":"PostToolUseFailure","tool_response":{"error":"broken"},"error":"broken"}`, "PostToolUseFailure", "",
		},
		{
			"no failure, asked for by its name", "gemini", "PostToolUseFailure", `{"hook_event_name":"AfterTool","tool_response":{"error":null}}`,
			`{"hook_event_name":"PostToolUse","tool_response":{"error":null}}`, "PostToolUse", "",
		},
		{
			"a tool of a server", "gemini", "", `{"hook_event_name":"BeforeTool","tool_name":"mcp_db_query","tool_input":{"name":"x"},"mcp_context":{"server_name":"db","tool_name":"query"}}`,
			`{"hook_event_name":"PreToolUse","tool_name":"mcp__db__query","tool_input":{"name":"x"},"mcp_context":{"server_name":"db","tool_name":"query"}}`, "PreToolUse", "mcp_db_query",
		},
		{
			"its own tool, whatever server is named", "gemini", "", `{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"rm -rf /"},"mcp_context":{"server_name":"x","tool_name":"y"}}`,
			`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf /"},"mcp_context":{"server_name":"x","tool_name":"y"}}`, "PreToolUse", "run_shell_command mcp__x__y",
		},
		{
			"a tool of a server that is not named", "gemini", "", `{"hook_event_name":"BeforeTool","tool_name":"mcp_my_db_query","tool_input":{}}`,
			`{"hook_event_name":"PreToolUse","tool_name":"mcp_my_db_query","tool_input":{}}`, "PreToolUse", "mcp__my__db_query mcp__my_db__query",
		},
		{
			"a notification", "gemini", "", `{"hook_event_name":"Notification","notification_type":"ToolPermission","message":"m"}`,
			`{"hook_event_name":"Notification","notification_type":"permission_prompt","message":"m"}`, "Notification", "ToolPermission",
		},
		{
			"keys of a tool", "gemini", "", `{"hook_event_name":"BeforeTool","tool_name":"grep_search","tool_input":{"pattern":"x","dir_path":"a","include_pattern":"*.go","names_only":true}}`,
			`{"hook_event_name":"PreToolUse","tool_name":"Grep","tool_input":{"pattern":"x","path":"a","glob":"*.go","names_only":true}}`, "PreToolUse", "grep_search",
		},
		{
			"an older key", "qwen", "", `{"hook_event_name":"PreToolUse","tool_name":"read_file","tool_input":{"absolute_path":"/etc/passwd"}}`,
			`{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"/etc/passwd"}}`, "PreToolUse", "read_file",
		},
		{
			"an older key that nobody reads", "qwen", "", `{"hook_event_name":"PreToolUse","tool_name":"read_file","tool_input":{"absolute_path":"/tmp/x","file_path":"/etc/passwd"}}`,
			`{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"/etc/passwd"}}`, "PreToolUse", "read_file",
		},
		{
			"our key where the tool reads another", "gemini", "", `{"hook_event_name":"BeforeTool","tool_name":"list_directory","tool_input":{"path":"/tmp","dir_path":"/etc"}}`,
			`{"hook_event_name":"PreToolUse","tool_name":"LS","tool_input":{"path":"/etc"}}`, "PreToolUse", "list_directory",
		},
		{
			"a tool without counterpart", "qwen", "", `{"hook_event_name":"PreToolUse","tool_name":"save_memory","tool_input":{"is_background":1}}`,
			"", "PreToolUse", "",
		},
		{
			"an input that is no object", "qwen", "", `{"hook_event_name":"PreToolUse","tool_name":"run_shell_command","tool_input":"ls"}`,
			`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":"ls"}`, "PreToolUse", "run_shell_command",
		},
		{
			"a batch", "qwen", "", `{"hook_event_name":"PostToolBatch","tool_calls":[{"tool_name":"run_shell_command","tool_input":{"is_background":true},"status":"success"},7]}`,
			`{"hook_event_name":"PostToolBatch","tool_calls":[{"tool_name":"Bash","tool_input":{"run_in_background":true},"status":"success"},7]}`, "PostToolBatch", "",
		},
		{
			"a patch", "codex", "", `{"hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch"}}`,
			"", "PreToolUse", "Write Edit",
		},
		{"a branch of a session", "qwen", "", `{"hook_event_name":"SessionStart","source":"branch"}`, `{"hook_event_name":"SessionStart","source":"fork"}`, "SessionStart", "branch"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ev, err := must(t, tt.agent).Decode(tt.named, []byte("\xef\xbb\xbf "+tt.own+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			want := tt.want
			if want == "" {
				want = tt.own
			}
			if diff := cmp.Diff(want, inside(t, tt.agent, []byte(tt.own), ev)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if ev.Name != tt.event || strings.Join(ev.Subjects, " ") != tt.subjects {
				t.Errorf("event %s, subjects %q", ev.Name, ev.Subjects)
			}
		})
	}
}

// The default agent's events are handed on, whatever they hold.
func TestDecodePlain(t *testing.T) {
	a := must(t, "theus")
	for _, tt := range []struct{ named, data, want string }{
		{"pretooluse", "not JSON", "PreToolUse"},
		{"PreToolUse", `{"hook_event_name":"Stop"}`, "PreToolUse"}, // package event says what is wrong
		{"", ` {"hook_event_name":"Stop"}`, "Stop"},
	} {
		ev, err := a.Decode(tt.named, []byte(tt.data))
		if err != nil || ev.Name != tt.want || string(ev.Data) != tt.data || ev.Subjects != nil || ev.Repeat != "" {
			t.Errorf("%+v: %v %v", tt, ev, err)
		}
	}
}

func TestDecodeUnusable(t *testing.T) {
	deep := `{"hook_event_name":"Stop","a":` + strings.Repeat("[", 998) + strings.Repeat("]", 998) + "}"
	for _, tt := range []struct{ name, agent, named, own, want string }{
		{
			"an event that hooks do not have", "gemini", "", `{"hook_event_name":"BeforeModel"}`,
			`"BeforeModel" is not an event of gemini that hooks know; known are SessionStart, BeforeAgent, BeforeTool, AfterTool, Notification, PreCompress, AfterAgent, SessionEnd`,
		},
		{"one that is asked for", "codex", "Notification", `{}`, `"Notification" is not an event of codex that hooks know; known are SessionStart, UserPromptSubmit, `},
		{"our name in its JSON", "gemini", "", `{"hook_event_name":"PreToolUse"}`, `"PreToolUse" is not an event of gemini that hooks know; `},
		{"no event", "qwen", "", `{}`, `the event of qwen does not say which it is; known are SessionStart, `},
		{"no event, ours", "theus", "", `{}`, `the event of theus does not say which it is; known are Setup, `},
		{"another event", "gemini", "PreToolUse", `{"hook_event_name":"AfterTool"}`, `unusable event: hook_event_name is "AfterTool", but BeforeTool was asked for; pass the event that the JSON names`},
		{"nothing", "codex", "Stop", ``, `unusable event: no JSON on standard input; send one object such as {"session_id":"s","cwd":"/","hook_event_name":"Stop"}`},
		{"not JSON", "codex", "", `{`, `unusable event: not JSON: line 1, column 2: `},
		{"no object, of a native agent", "claude", "", `0`, `unusable event: a JSON number where an object is wanted; send one object such as {"session_id":"s","cwd":"/","hook_event_name":"`},
		{"no object, by our name", "gemini", "PreCompact", `[]`, `unusable event: a JSON array where an object is wanted; send one object such as {"session_id":"s","cwd":"/","hook_event_name":"PreCompress"}`},
		{"an array", "gemini", "", `[]`, `unusable event: a JSON array where an object is wanted; `},
		{"too deep", "qwen", "", deep, `unusable event: more than 998 levels of nesting; send a smaller event`},
		{"too long", "qwen", "", `{"hook_event_name":"Stop","a":"` + strings.Repeat("x", maxBytes) + `"}`, `unusable event: more than 33550336 bytes; send a smaller event`},
	} {
		_, err := must(t, tt.agent).Decode(tt.named, []byte(tt.own))
		var unknown *UnknownEventError
		var input *event.InputError
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || !errors.As(err, &unknown) && !errors.As(err, &input) {
			t.Errorf("%s:\n got %v\nwant %s", tt.name, err, tt.want)
		}
	}
}

func TestRepeat(t *testing.T) {
	for own, want := range map[string]bool{
		`{"hook_event_name":"UserPromptSubmit","prompt":""}`:                       true,
		`{"hook_event_name":"UserPromptSubmit","prompt":"","submitted_prompt":""}`: false,
		`{"hook_event_name":"UserPromptSubmit","prompt":"x"}`:                      false,
		`{"hook_event_name":"UserPromptSubmit"}`:                                   false,
		`{"hook_event_name":"UserPromptSubmit","prompt":null}`:                     false,
		`{"hook_event_name":"Stop","prompt":""}`:                                   false,
	} {
		ev, err := must(t, "qwen").Decode("", []byte(own))
		if err != nil || (ev.Repeat != "") != want {
			t.Errorf("%s: %v %v", own, ev, err)
		}
		ev, err = must(t, "claude").Decode("", []byte(own))
		if err != nil || ev.Repeat != "" {
			t.Errorf("claude, %s: %v %v", own, ev, err)
		}
	}
}

func TestEventNames(t *testing.T) {
	for _, tt := range []struct{ agent, name, want string }{
		{"theus", "pretooluse", "PreToolUse"},
		{"claude", "WorktreeCreate", "WorktreeCreate"},
		{"gemini", "AFTERTOOL", "PostToolUse"},
		{"gemini", "postToolUseFailure", "PostToolUseFailure"},
		{"gemini", "PreCompact", "PreCompact"},
		{"gemini", "SubagentStop", ""},
		{"qwen", "BeforeTool", ""},
		{"codex", "Notification", ""},
		{"codex", "", ""},
	} {
		spec, ok := must(t, tt.agent).Event(tt.name)
		if got := ""; ok != (tt.want != "") || ok && spec.Name != tt.want {
			t.Errorf("%s %q: %v %v%s", tt.agent, tt.name, spec, ok, got)
		}
	}
	if _, ok := Lookup("Gemini"); ok {
		t.Error("names are not exact")
	}
	if diff := cmp.Diff([]string{"theus", "claude", "codex", "qwen", "gemini"}, Names()); diff != "" {
		t.Error(diff)
	}
}

// Every name in the data is one that package event has, and every agent can be
// looked up.
func TestData(t *testing.T) {
	for _, name := range Names() {
		a := must(t, name)
		for i := range a.events {
			h := &a.events[i]
			spec, ok := event.Lookup(h.name)
			if !ok {
				t.Fatalf("%s: no event %s", name, h.name)
			}
			if spec.Exit2 == event.EffectNotice && (spec.Message == event.MessageShown) != (a.ability(h, Notice).How == Native) {
				t.Errorf("%s: a notice on %s is %v, and messages are shown or not", name, h.name, a.ability(h, Notice))
			}
			for _, field := range h.passes {
				if spec.OutputField(field) == nil {
					t.Errorf("%s: %s has no output field %s", name, h.name, field)
				}
			}
		}
		seen := map[string]bool{}
		for _, tool := range a.tools {
			if seen[tool.own] {
				t.Errorf("%s: tool %s stands twice", name, tool.own)
			}
			seen[tool.own] = true
		}
	}
}

func FuzzDecode(f *testing.F) {
	files, _ := filepath.Glob(samples + "/*/*.json")
	for i, path := range files {
		if data, err := os.ReadFile(path); err == nil {
			f.Add(i, "", data)
		}
	}
	f.Add(3, "PreToolUse", []byte(`{"tool_name":"read_file","tool_name":"x","tool_input":{"absolute_path":1,"absolute_path":2},"agent":{},"":0}`))
	f.Add(1, "", []byte("0"))
	f.Add(4, "AfterTool", []byte(`{"tool_response":{"error":[]},"mcp_context":{"server_name":"\ud83d","tool_name":"\u0000"}}`))
	f.Fuzz(func(t *testing.T, i int, named string, data []byte) {
		a := must(t, Names()[uint(i)%uint(len(Names()))])
		ev, err := a.Decode(named, data)
		if err != nil {
			var unknown *UnknownEventError
			var input *event.InputError
			if !errors.As(err, &unknown) && !errors.As(err, &input) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		spec, ok := event.Lookup(ev.Name)
		if !ok {
			t.Fatalf("event %q", ev.Name)
		}
		if a.plain {
			return
		}
		canonical, err := event.Decode(spec, ev.Data)
		if err != nil {
			t.Fatalf("%v\n%s", err, ev.Data)
		}
		own, err := jsontext.Parse(data, jsontext.Limits{})
		if err != nil { // a byte order mark
			return
		}
		if got, want := canonical.Raw("agent", "event"), string(jsontext.Compact([]byte(own.Raw()))); string(jsontext.Compact([]byte(got))) != want {
			t.Fatalf("its own event is %s, want %s", got, want)
		}
		if ev.input.Exists() && ev.input.Kind() == jsontext.Object && string(jsontext.Compact([]byte(ev.input.Raw()))) != string(jsontext.Compact([]byte(canonical.Raw("tool_input")))) {
			t.Fatalf("the input is %s and %s", ev.input.Raw(), canonical.Raw("tool_input"))
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	data, err := os.ReadFile(samples + "/gemini/PostToolUse.write-file.json")
	if err != nil {
		b.Fatal(err)
	}
	for _, bm := range []struct{ agent, event string }{{"theus", "PostToolUse"}, {"gemini", "AfterTool"}} {
		b.Run(bm.agent, func(b *testing.B) {
			a := must(b, bm.agent)
			for b.Loop() {
				if _, err := a.Decode(bm.event, data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
