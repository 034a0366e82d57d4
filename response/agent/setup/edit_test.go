package setup

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/response/agent"
)

// small is a setup of one event, so that texts stay short.
func small(t *testing.T, name, own string) *Setup {
	s := setupOf(t, name)
	s.events = slices.DeleteFunc(slices.Clone(s.events), func(c call) bool { return c.own != own })
	if len(s.events) != 1 {
		t.Fatalf("%s has no %s", name, own)
	}
	return s
}

const entry660 = `{"type": "command", "command": "theus-hooks run PreToolUse --agent qwen", "timeout": 660}`

// What is ours and not as it should be is corrected in its place.
func TestCorrections(t *testing.T) {
	right := `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [` + entry660 + `]}]}}`
	tests := []struct{ name, text, want string }{
		{"right", right, right},
		{"an older timeout", strings.Replace(right, "660", "60", 1), right},
		{"a longer timeout stays", strings.Replace(right, "660", "900", 1), strings.Replace(right, "660", "900", 1)},
		{"a timeout in milliseconds", strings.Replace(right, "660", "30000", 1), right},
		{"a longer one in milliseconds", strings.Replace(right, "660", "900000", 1), strings.Replace(right, "660", "900000", 1)},
		{"a timeout that is no number", strings.Replace(right, "660", `"60s"`, 1), right},
		{"no timeout", strings.Replace(right, `, "timeout": 660`, "", 1), right},
		{"the program somewhere", strings.Replace(right, "theus-hooks run", "/opt/bin/theus-hooks run", 1), right},
		{"the program in quotes", strings.Replace(right, "theus-hooks run", "'/my bin/theus-hooks' run", 1), right},
		{"foreign keys of the entry", strings.Replace(right, "660}", `60, "statusMessage": "…"}`, 1), strings.Replace(right, "660}", `660, "statusMessage": "…"}`, 1)},
		{"a narrower matcher", strings.Replace(right, `"*"`, `"Bash"`, 1), right},
		{"all of it", strings.NewReplacer(`"*"`, `"Bash"`, "theus-hooks run", "/x/theus-hooks run", "660", "5").Replace(right), right},
		{"no matcher is fine", strings.Replace(right, `"matcher": "*", `, "", 1), strings.Replace(right, `"matcher": "*", `, "", 1)},
		{"beside others for all", strings.Replace(right, "[{\"type\"", `[{"command": "x"}, {"type"`, 1), strings.Replace(right, "[{\"type\"", `[{"command": "x"}, {"type"`, 1)},
		{
			"beside others for some", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"command": "x"}, ` + entry660 + `]}]}}`,
			`{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"command": "x"}]}, {"matcher": "*", "hooks": [` + entry660 + `]}]}}`,
		},
		{
			"more arguments", strings.Replace(right, "--agent qwen", "--agent qwen --on-failure block", 1),
			strings.Replace(right, "--agent qwen", "--agent qwen --on-failure block", 1),
		},
		{
			"another agent", `{"hooks": {"PreToolUse": [{"hooks": [{"command": "theus-hooks run PreToolUse --agent qwen2"}]}]}}`,
			`{"hooks": {"PreToolUse": [{"hooks": [{"command": "theus-hooks run PreToolUse --agent qwen2"}]}, {"matcher": "*", "hooks": [` + entry660 + `]}]}}`,
		},
		{
			"more arguments for some", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"command": "theus-hooks run PreToolUse --agent qwen -v"}]}]}}`,
			`{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"command": "theus-hooks run PreToolUse --agent qwen -v"}]}, {"matcher": "*", "hooks": [` + entry660 + `]}]}}`,
		},
	}
	s := small(t, "qwen", "PreToolUse")
	for _, tt := range tests {
		change, err := s.Install([]byte(tt.text), true)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff(tt.want, string(change.Text)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		if noted := len(change.Notes) > 0; noted != (tt.name == "more arguments") {
			t.Errorf("%s: notes %v", tt.name, change.Notes)
		}
		if again, err := s.Install(change.Text, true); err != nil || string(again.Text) != string(change.Text) {
			t.Errorf("%s, twice: %s, %v", tt.name, again.Text, err)
		}
	}
}

// What somebody added around our entries stays when they go.
func TestRemoveAfterEdits(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a hook in our group", `{"hooks": { "PreToolUse": [ {"matcher": "*", "hooks": [` + entry660 + `, {"command": "x"}]} ] }}`, `{"hooks": { "PreToolUse": [ {"matcher": "*", "hooks": [{"command": "x"}]} ] }}`},
		{"a group in our array", `{"hooks": { "PreToolUse": [ {"hooks": [` + entry660 + `]}, {"hooks": []} ] }}`, `{"hooks": { "PreToolUse": [{"hooks": []} ] }}`},
		{"an event in our object", `{"a": 1, "hooks": { "PreToolUse": [ {"hooks": [` + entry660 + `]} ], "X": [] }}`, `{"a": 1, "hooks": {"X": [] }}`},
		{"a key of our group", `{"hooks": { "PreToolUse": [ {"sequential": true, "hooks": [` + entry660 + `]} ] }}`, `{"hooks": { "PreToolUse": [ {"sequential": true, "hooks": []} ] }}`},
		{"a key in our file", "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"hooks\": [" + entry660 + "]}\n    ]\n  },\n  \"a\": 1\n}\n", "{\n  \"a\": 1\n}\n"},
		{"a comment in our file", "// mine\n{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"hooks\": [" + entry660 + "]}\n    ]\n  }\n}\n", "// mine\n{}\n"},
		{"another event and timeout", `{"hooks": {"Gone": [{"hooks": [{"command": "/x/theus-hooks run Setup --agent qwen", "timeout": 1}]}]}}`, `{"hooks": {"Gone": []}}`},
		{"commands that are not ours", `{"hooks": {"PreToolUse": [{"hooks": [{"command": "theus-hooks run PreToolUse --agent qwen -v"}, {"command": "x theus-hooks run PreToolUse --agent qwen"}, {"command": "theus-hooks run PreToolUse --agent qwen2"}, {"command": "theus-hooks run PreToolUse"}, {"command": "run PreToolUse --agent qwen"}, {"command": "my-theus-hooks run PreToolUse --agent qwen"}]}]}}`, ""},
	}
	s := setupOf(t, "qwen")
	for _, tt := range tests {
		want := tt.want
		if want == "" {
			want = tt.text
		}
		change, err := s.Remove([]byte(tt.text))
		if err != nil || string(change.Text) != want || change.Gone {
			t.Errorf("%s: %s, gone %v, %v, want %s", tt.name, change.Text, change.Gone, err, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct{ text, want string }{
		{`[]`, "1:1: found an array, want an object"},
		{"\n \"x\"", "2:2: found a string, want an object"},
		{"{\n  \"a\" 1\n}", `2:7: found '1', want ":"`},
		{"// nothing else", "1:1: found the end of the text, want a value"},
		{"{\"hooks\":\n null}", `2:2: "hooks" is null, want an object; correct it or take it out`},
		{`{"hooks": []}`, `1:11: "hooks" is an array, want an object; correct it or take it out`},
		{"{\"hooks\": {},\n\"hooks\": {}}", `2:10: "hooks" stands here for the second time; make one of the two`},
		{`{"hooks": {"Stop": {}}}`, `1:20: "Stop" is an object, want an array; correct it or take it out`},
		{`{"hooks": {"Stop": [], "S\u0074op": []}}`, `1:37: "Stop" stands here for the second time; make one of the two`},
		{strings.Repeat("[", 1000), "more than 200 levels of nesting"},
	}
	s := setupOf(t, "claude")
	for _, tt := range tests {
		change, err := s.Install([]byte(tt.text), true)
		if _, ok := errors.AsType[*Note](err); !ok || err.Error() != tt.want {
			t.Errorf("%q: %v, %v, want %s", tt.text, change, err, tt.want)
		}
	}
	many := `{"hooks": {"Stop": [` + strings.Repeat(`{"hooks": [{"command": "theus-hooks run Stop --agent claude"}]},`, 201) + `]}}`
	for name, do := range map[string]func([]byte) (*Change, error){"Install": func(b []byte) (*Change, error) { return s.Install(b, true) }, "Remove": s.Remove} {
		if _, err := do([]byte(many)); err == nil || !strings.Contains(err.Error(), "more than 200 entries") {
			t.Errorf("%s of 201 entries: %v", name, err)
		}
	}
}

func TestNotes(t *testing.T) {
	tests := []struct {
		agent, text string
		want        []string
	}{
		{"codex", "{ // c\n \"hooks\": {},\n \"model\": 1\n}", []string{`1:3: a comment, which codex may refuse with the whole file`, `3:11: the key "model", for which codex may refuse the whole file`}},
		{"gemini", "{ // c\n \"hooksConfig\": {\"enabled\": false},\n}", []string{`2:35: a trailing comma, which gemini may refuse with the whole file`, "2:29: false here turns every hook off"}},
		{"gemini", `{"hooksConfig": {"enabled": true}}`, nil},
		{"qwen", `{"disableAllHooks": true}`, []string{"1:21: true here turns every hook off"}},
		{"claude", "\xef\xbb\xbf" + `{"disableAllHooks": false}`, []string{"1:1: a byte order mark, which claude may refuse with the whole file"}},
	}
	for _, tt := range tests {
		change, err := setupOf(t, tt.agent).Install([]byte(tt.text), true)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range change.Notes {
			got = append(got, n.Error())
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s, %q: %s", tt.agent, tt.text, diff)
		}
	}
}

// A call that takes the place of what the agent does itself is not registered,
// and FileChanged has no matcher, since that would name files.
func TestWhatIsRegistered(t *testing.T) {
	for name, want := range map[string]string{
		"codex":  "SessionStart * 660, UserPromptSubmit  660, PreToolUse * 660, PermissionRequest * 660, PostToolUse * 660, SubagentStart * 660, SubagentStop * 660, PreCompact * 660, PostCompact * 660, Stop  660, SessionEnd * 3",
		"gemini": "SessionStart * 60000, BeforeAgent=UserPromptSubmit  60000, BeforeTool=PreToolUse * 60000, AfterTool=PostToolUse * 60000, Notification * 60000, PreCompress=PreCompact * 60000, AfterAgent=Stop  60000, SessionEnd * 60000",
	} {
		s := setupOf(t, name)
		var got []string
		for _, c := range s.events {
			own := c.own
			if own != c.name {
				own += "=" + c.name
			}
			got = append(got, fmt.Sprintf("%s %s %s", own, c.matcher, s.config.Number(s.config.Wait(c.own))))
		}
		if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	claude := setupOf(t, "claude")
	if claude.Events() != 32 {
		t.Errorf("claude: %d events", claude.Events())
	}
	for _, c := range claude.events {
		if c.own == "WorktreeCreate" || c.own == "FileChanged" && c.matcher != "" {
			t.Errorf("claude: %+v", c)
		}
	}
	for _, name := range agent.Names()[1:] {
		a, _ := agent.Lookup(name)
		for _, o := range a.Config.Omit {
			if !slices.Contains(a.EventNames(), o.Event) {
				t.Errorf("%s omits %s, which it has not", name, o.Event)
			}
		}
	}
}

func TestQuote(t *testing.T) {
	for program, want := range map[string]string{
		"/usr/local/bin/theus-hooks": "/usr/local/bin/theus-hooks",
		"/my bin/theus-hooks":        "'/my bin/theus-hooks'",
		"/it's/$x/theus-hooks":       `'/it'\''s/$x/theus-hooks'`,
		"/é/theus-hooks":             "'/é/theus-hooks'",
	} {
		if got := Quote(program); got != want {
			t.Errorf("Quote(%q) = %s, want %s", program, got, want)
		}
		s := setupOf(t, "codex")
		if got := s.calls(Quote(program)+" run Stop --agent codex", call{own: "Stop", name: "Stop"}); got != ours {
			t.Errorf("%s is not known again", program)
		}
	}
}

// A call of ours among other things is a person's own; one that only looks like
// it is foreign.
func TestCalls(t *testing.T) {
	s := setupOf(t, "gemini")
	tool := call{own: "BeforeTool", name: "PreToolUse"}
	for command, want := range map[string]calling{
		"theus-hooks run PreToolUse --agent gemini":                             ours,
		"/opt/bin/theus-hooks run PreToolUse --agent gemini":                    ours,
		"theus-hooks run PreToolUse --agent gemini --on-failure block":          varied,
		"theus-hooks run BeforeTool --agent gemini":                             varied,
		"THEUS_HOOKS_TRUST=1 theus-hooks run PreToolUse --agent gemini":         varied,
		"echo hi; /x/theus-hooks run PreToolUse --agent gemini || exit 2":       varied,
		"(theus-hooks run PreToolUse --agent gemini)":                           varied,
		"theus-hooks run PreToolUse --agent gemini2":                            foreign,
		"my-theus-hooks run PreToolUse --agent gemini":                          foreign,
		"theus-hooks run PostToolUse --agent gemini":                            foreign,
		"echo theus-hooks run PreToolUse --agent gemini":                        foreign,
		"theus-hooks explain PreToolUse --agent gemini":                         foreign,
		"my run PreToolUse --agent gemini; theus-hooks run Stop --agent gemini": foreign,
	} {
		if got := s.calls(command, tool); got != want {
			t.Errorf("%s: %d, want %d", command, got, want)
		}
	}
}

// An entry that cannot guard is reported and stays, also where somebody gave it
// more arguments.
func TestHinders(t *testing.T) {
	s := setupOf(t, "claude")
	for _, command := range []string{"theus-hooks run PreToolUse --agent claude", "theus-hooks run PreToolUse --agent claude --quiet"} {
		for _, more := range []string{`"type":"command","async":true`, `"type":"command","if":"Bash(ls)"`, `"type":"command","enabled":false`, `"type":"prompt"`} {
			entry := `{"command":"` + command + `","timeout":660,` + more + `}`
			text := `{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[` + entry + `]}]}}`
			change, err := s.Install([]byte(text), true)
			if err != nil || !strings.Contains(string(change.Text), entry) || strings.Count(string(change.Text), "run PreToolUse ") != 1 {
				t.Errorf("%s: %v %s", entry, err, change.Text)
				continue
			}
			if len(change.Notes) != 1 || !strings.Contains(change.Notes[0].Message, "does not guard") {
				t.Errorf("%s: notes %v", entry, change.Notes)
			}
		}
	}
}

// FuzzInstall: whatever stands in the file, Install refuses it or keeps it, and
// Remove undoes it, unless there was something of ours before.
func FuzzInstall(f *testing.F) {
	for file, text := range configurations(f) {
		f.Add(text, strings.HasPrefix(file, "g"))
	}
	f.Add([]byte(`{"hooks":{"Stop":[{"hooks":[{"command":"theus-hooks run Stop --agent gemini"}]}]}}`), true)
	gemini, codex := setupOf(f, "gemini"), setupOf(f, "codex")
	f.Fuzz(func(t *testing.T, text []byte, which bool) {
		s := codex
		if which {
			s = gemini
		}
		change, err := s.Install(text, true)
		if err != nil {
			return
		}
		if again, err := s.Install(change.Text, true); err != nil || string(again.Text) != string(change.Text) {
			t.Fatalf("%q\ninstalled: %q\nand again: %q, %v", text, change.Text, again.Text, err)
		}
		removed, err := s.Remove(change.Text)
		if err != nil {
			t.Fatalf("%q: %v", change.Text, err)
		}
		if !strings.Contains(string(text), "theus-hooks") && !strings.Contains(string(text), `\u`) && string(removed.Text) != string(text) {
			t.Fatalf("%q\ninstalled: %q\nand removed: %q", text, change.Text, removed.Text)
		}
	})
}
