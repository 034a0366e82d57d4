package response

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/settings/event"
)

func TestModelAnswers(t *testing.T) {
	const no = `{"ok":false,"reason":"x"}`
	type want struct {
		status   Status
		decision Decision
		stop     bool
	}
	tests := []struct {
		event, typ, answer string
		keepOn             bool
		want               want
	}{
		{"PreToolUse", "prompt", `{"ok":true}`, false, want{OK, DecisionNone, false}},
		{"PreToolUse", "prompt", no, false, want{OK, DecisionDeny, true}},
		{"PreToolUse", "prompt", no, true, want{OK, DecisionDeny, false}},
		{"PreToolUse", "agent", no, false, want{OK, DecisionDeny, false}},
		{"PreToolUse", "prompt", `{"ok":true,"ok":false}`, true, want{OK, DecisionDeny, false}},
		{"PreToolUse", "prompt", denyJSON, false, want{OK, DecisionDeny, false}},
		{"PreToolUse", "prompt", `{"ok":"no"}`, false, want{ModelError, DecisionNone, false}},
		{"PreToolUse", "prompt", `no`, false, want{ModelError, DecisionNone, false}},
		{"PreToolUse", "prompt", ``, false, want{ModelError, DecisionNone, false}},
		{"PostToolUse", "prompt", no, false, want{OK, DecisionBlock, true}},
		{"PostToolUse", "agent", no, false, want{OK, DecisionBlock, false}},
		{"PostToolUseFailure", "prompt", no, false, want{OK, DecisionBlock, false}},
		{"PostToolBatch", "prompt", no, false, want{OK, DecisionBlock, true}},
		{"UserPromptSubmit", "prompt", no, false, want{OK, DecisionBlock, true}},
		{"UserPromptExpansion", "prompt", no, false, want{OK, DecisionBlock, true}},
		{"TaskCreated", "prompt", no, false, want{OK, DecisionBlock, false}},
		{"TaskCompleted", "prompt", no, false, want{OK, DecisionBlock, true}},
		{"TeammateIdle", "prompt", no, false, want{OK, DecisionBlock, true}},
		{"TeammateIdle", "agent", no, false, want{OK, DecisionBlock, false}},
		{"Stop", "prompt", no, false, want{OK, DecisionBlock, false}},
		{"SubagentStop", "agent", no, false, want{OK, DecisionBlock, false}},
		{"Stop", "prompt", `{"ok":false,"reason":"x","impossible":true}`, false, want{OK, DecisionNone, false}},
		{"Stop", "agent", `{"ok":false,"reason":"x","impossible":true}`, false, want{OK, DecisionBlock, false}},
		{"PermissionRequest", "prompt", no, false, want{OK, DecisionNone, false}},
		{"PermissionDenied", "agent", no, false, want{OK, DecisionNone, false}},
	}
	for _, tt := range tests {
		t.Run(tt.event+"/"+tt.typ+"/"+tt.answer, func(t *testing.T) {
			hook := Hook{Name: "judge", Type: tt.typ, ContinueOnBlock: tt.keepOn}
			v := Decode(example(t, tt.event), hook, Result{Status: OK, Stdout: []byte(tt.answer)})
			if got := (want{v.Report.Result.Status, v.Report.Decision, v.say.stop}); got != tt.want {
				t.Errorf("got %v, want %v; problems %v", got, tt.want, v.Problems)
			}
		})
	}
}

func TestHTTPResponses(t *testing.T) {
	hook := Hook{Name: "guard", Type: "http"}
	ev := example(t, "UserPromptSubmit")
	for body, want := range map[string]brief{
		"":                                {OK, DecisionNone, "", false, nil},
		`{"decision":"block"}`:            {OK, DecisionBlock, "hook guard blocked this and gave no reason", false, nil},
		"OK":                              {BadOutput, DecisionNone, "", false, []string{"bad-output: the response is not a JSON object: OK"}},
		`{"async":true,"continue":false}`: {OK, DecisionNone, "", false, []string{`async-decision: it answers "async": true and so runs in the background, where it cannot decide; "continue": false is not used`}},
	} {
		v := Decode(ev, hook, Result{Status: OK, Stdout: []byte(body)})
		if diff := cmp.Diff(want, briefOf(v)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
		if v.say.context != "" {
			t.Errorf("%s became context", body)
		}
	}
}

func TestWorktreePath(t *testing.T) {
	for stdout, want := range map[string]string{
		"making it\n\x1b[32m/srv/w\x1b[0m\n\n": "/srv/w",
		"w/x":                                  "/srv/app/w/x",
		"../w":                                 "/srv/w",
		`C:\trees\x`:                           `C:\trees\x`,
		"{\"systemMessage\":\"m\"}\n/srv/w\n":  "/srv/w",
		`{"hookSpecificOutput":{"hookEventName":"WorktreeCreate","worktreePath":"/srv/w"}}`: "/srv/w",
	} {
		ev := example(t, "WorktreeCreate")
		a := Combine(ev, []Verdict{Decode(ev, guard, exited(0, stdout, ""))}).Answer(AnswerOptions{})
		if string(a.Stdout) != want+"\n" || a.Exit != 0 {
			t.Errorf("%q: %d %q, want %q", stdout, a.Exit, a.Stdout, want)
		}
	}
}

func TestBadWorktreePath(t *testing.T) {
	for stdout, want := range map[string]string{
		"/srv/./w":  `hook a: the path "/srv/./w" holds "." or ".."`,
		`C:\w\..\x`: `hook a: the path "C:\\w\\..\\x" holds "." or ".."`,
		"/srv/\tw":  `hook a: the path "/srv/\tw" holds a control character`,
		`{"hookSpecificOutput":{"hookEventName":"WorktreeCreate","worktreePath":"/a\n/b"}}`: `hook a: the path "/a\n/b" holds a control character`,
	} {
		if a := answerOf("WorktreeCreate", t, AnswerOptions{}, exited(0, stdout, "")); a.Exit != 1 || string(a.Stderr) != want+"\n" {
			t.Errorf("%q: %d %s", stdout, a.Exit, a.Stderr)
		}
	}
}

func TestDeclaresAsync(t *testing.T) {
	for stdout, want := range map[string]struct {
		ms float64
		ok bool
	}{
		"{\"async\":true,\"asyncTimeout\":1500}\nmore": {1500, true},
		`{"async":true}`:                     {0, true},
		`{"async":true,"asyncTimeout":-1}`:   {0, true},
		`{"async":true,"asyncTimeout":"1s"}`: {0, true},
		`{"async":"true"}`:                   {0, false},
		`{"async":false}`:                    {0, false},
		"log\n{\"async\":true}":              {0, false},
		"":                                   {0, false},
	} {
		if ms, ok := DeclaresAsync([]byte(stdout)); ms != want.ms || ok != want.ok {
			t.Errorf("%q: %v %v, want %v", stdout, ms, ok, want)
		}
	}
}

func TestTerminalSequence(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "",
		"\a":                                  "",
		"\a\x1b]0;title\a":                    "",
		"\x1b]777;notify;a;b\x1b\\\x1b]9;x\a": "",
		"\x1b]99;i=1;hi\x1b\\":                "",
		"\x1b]2;título\a":                     "",
		"\x1b]52;c;aGk=\a":                    `OSC "52" is not one of 0, 1, 2, 9, 99, 777`,
		"\x1b]09;x\a":                         `OSC "09" is not one of 0, 1, 2, 9, 99, 777`,
		"\x1b]8;;http://x\a":                  `OSC "8" is not one of 0, 1, 2, 9, 99, 777`,
		"\x1b]0;open":                         "an OSC sequence must end with BEL or ST and hold no other control character",
		"\x1b]0;a\nb\a":                       "an OSC sequence must end with BEL or ST and hold no other control character",
		"\x1b]0;a\u009bb\a":                   "an OSC sequence must end with BEL or ST and hold no other control character",
		"\x1b[2J":                             "only BEL and OSC sequences are passed on",
		"hello":                               "only BEL and OSC sequences are passed on",
		"\x1b]0;a\x1b]52;c;x\a":               "an OSC sequence must end with BEL or ST and hold no other control character",
	} {
		if got := checkTerminal(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A denial by other means than the action it names leaves no accept behind.
func TestDeniedAccept(t *testing.T) {
	a := answerOf("Elicitation", t, AnswerOptions{}, exited(0, `{"permission":"deny","hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{}}}`, "no"))
	if want := `{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}` + "\n"; string(a.Stdout) != want {
		t.Errorf("got %s", a.Stdout)
	}
}

// The older field is for MCP tools only.
func TestUpdatedMCPToolOutput(t *testing.T) {
	const answer = `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedMCPToolOutput":"x"}}`
	for tool, want := range map[string]string{"Bash": "", "mcp__files__read": answer + "\n"} {
		ev, err := event.Decode(mustSpec(t, "PostToolUse"), []byte(`{"tool_name":"`+tool+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		v := Decode(ev, guard, exited(0, answer, ""))
		if a := Combine(ev, []Verdict{v}).Answer(AnswerOptions{}); string(a.Stdout) != want || len(v.Problems) == 0 != (want != "") {
			t.Errorf("%s: %s %v", tool, a.Stdout, v.Problems)
		}
	}
}
