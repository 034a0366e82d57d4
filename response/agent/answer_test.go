package agent

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// said is what one hook did.
type said struct {
	exit     int
	out, err string
	late     bool // it ran out of time
	closed   bool // "onFailure": "block"
}

func (s said) verdict(ev *event.Event, name string) response.Verdict {
	res := response.Result{Status: response.OK, ExitCode: &s.exit, Stdout: []byte(s.out), Stderr: []byte(s.err)}
	switch {
	case s.late:
		res = response.Result{Status: response.TimedOut, Error: "timed out after 1s"}
	case s.exit == 2:
		res.Status = response.Blocked
	case s.exit != 0:
		res.Status = response.Failed
	}
	return response.Decode(ev, response.Hook{ID: name, Name: name, Type: "command", FailClosed: s.closed}, res)
}

// tester is what a test and a property have in common.
type tester interface {
	Helper()
	Fatal(args ...any)
}

// fire decodes own and combines what hooks said to it.
func fire(t tester, a *Agent, own string, hooks ...said) (*Event, *response.Outcome) {
	t.Helper()
	ev, err := a.Decode("", []byte(own))
	if err != nil {
		t.Fatal(err)
	}
	spec, _ := event.Lookup(ev.Name)
	canonical, err := event.Decode(spec, ev.Data)
	if err != nil {
		t.Fatal(err)
	}
	var verdicts []response.Verdict
	for i, s := range hooks {
		verdicts = append(verdicts, s.verdict(canonical, "hook"+string(rune('1'+i))))
	}
	return ev, response.Combine(canonical, verdicts)
}

func sample(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(samples + "/" + path + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// own is an event of an agent in its own words. Claude's are as documented.
func own(t testing.TB, agent, name string) string {
	if strings.HasPrefix(name, "{") {
		return name
	}
	if agent == "claude" || agent == "theus" {
		spec, _ := event.Lookup(name)
		return spec.Example.Input
	}
	return sample(t, agent+"/"+name)
}

// What hooks can say, by the name of the matrix' rows.
var (
	nothing    = said{}
	silentNo   = said{exit: 2}
	no         = said{exit: 2, err: "no rm here"}
	timeout    = said{late: true}
	lateGuard  = said{late: true, closed: true}
	jsonReason = said{exit: 2, err: `{"decision":"allow"}`}
	denies     = pre(`"permissionDecision":"deny","permissionDecisionReason":"no rm here"`)
	asks       = pre(`"permissionDecision":"ask","permissionDecisionReason":"sure?"`)
	allows     = pre(`"permissionDecision":"allow"`)
	defers     = pre(`"permissionDecision":"defer"`)
	rewrites   = pre(`"updatedInputPatch":{"command":"ls"}`)
	reads      = pre(`"updatedInputPatch":{"file_path":"/b"}`)
	informs    = pre(`"additionalContext":"be <careful>"`)
	stops      = said{out: `{"continue":false,"stopReason":"enough"}`}
	tells      = said{out: `{"systemMessage":"look"}`}
)

func pre(fields string) said { return on("PreToolUse", fields) }

func behaves(decision string) said { return on("PermissionRequest", `"decision":`+decision) }

func on(event, fields string) said {
	return said{out: `{"hookSpecificOutput":{"hookEventName":"` + event + `",` + fields + `}}`}
}

// row is one cell of the matrix: what hooks said, and the bytes that tell the agent.
type row struct {
	agent, event string
	hooks        []said
	exit         int
	out, err     string
	degraded     string // words that problems name
	fact         string // of docs/agents.md
}

func (r row) String() string { return r.agent + " " + r.event }

const (
	permission  = `{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"rm -rf build"}}`
	readFile    = `{"hook_event_name":"BeforeTool","tool_name":"read_file","tool_input":`
	denyJSON    = `"decision":"block","reason":"no rm here","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no rm here"`
	silentText  = "hook hook1 ended with exit code 2 and gave no reason on stderr\n"
	lateText    = "hook hook1: it failed, and its failure blocks: timed out after 1s\n"
	codexAsk    = "sure?\n[denied in place of ask: Codex runs the tool when a hook asks]\n"
	codexDefer  = "[denied in place of defer: Codex runs the tool when a hook defers]\n"
	qwenRewrite = "[denied in place of rewrite: Qwen Code ignores a changed input, and would run the old one]\n"
	geminiAsk   = "sure?\n[denied in place of ask: Gemini CLI runs the tool when a hook asks]\n"
	stopDeny    = `{"continue":false,"stopReason":"enough","decision":"block","reason":"enough","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"enough"}}`
)

var matrix = []row{
	// Nothing to say.
	{"theus", "PreToolUse", []said{nothing}, 0, "", "", "", "theus-format"},
	{"claude", "PreToolUse", []said{nothing}, 0, "", "", "", "claude-format"},
	{"codex", "PreToolUse", []said{nothing}, 0, "", "", "", "codex-silence"},
	{"qwen", "PreToolUse", []said{nothing}, 0, "", "", "", "qwen-silence"},
	{"gemini", "PreToolUse", []said{nothing}, 0, "{}", "", "", "gemini-silence"},
	{"gemini", "SessionEnd", nil, 0, "{}", "", "", "gemini-silence"},

	// Exit code 2 with a reason.
	{"theus", "PreToolUse", []said{no}, 2, "", "no rm here\n", "", "theus-format"},
	{"claude", "PreToolUse", []said{no}, 2, "", "no rm here\n", "", "claude-format"},
	{"codex", "PreToolUse", []said{no}, 2, "", "no rm here\n", "", "codex-exit2"},
	{"qwen", "PreToolUse", []said{no}, 2, "", "no rm here\n", "", "qwen-exit2"},
	{"gemini", "PreToolUse", []said{no}, 2, "", "no rm here\n", "", "gemini-exit2"},

	// Exit code 2 without one: open in three of them.
	{"theus", "PreToolUse", []said{silentNo}, 2, "", silentText, "", "theus-format"},
	{"claude", "PreToolUse", []said{silentNo}, 2, "", silentText, "", "claude-format"},
	{"codex", "PreToolUse", []said{silentNo}, 2, "", silentText, "", "codex-exit2-silent"},
	{"qwen", "PreToolUse", []said{silentNo}, 2, "", silentText, "", "qwen-exit2-silent"},
	{"gemini", "PreToolUse", []said{silentNo}, 2, "", silentText, "", "gemini-exit2-silent"},

	// A denial by JSON.
	{"theus", "PreToolUse", []said{denies}, 2, "", "no rm here\n", "", "theus-format"},
	{"claude", "PreToolUse", []said{denies}, 2, "", "no rm here\n", "", "claude-format"},
	{"codex", "PreToolUse", []said{denies}, 2, "", "no rm here\n", "", "codex-exit2"},
	{"qwen", "PreToolUse", []said{denies}, 2, "", "no rm here\n", "", "qwen-exit2"},
	{"gemini", "PreToolUse", []said{denies}, 2, "", "no rm here\n", "", "gemini-deny-json-open"},

	// A reason that is JSON: it is read as an answer in two of them.
	{"claude", "PreToolUse", []said{jsonReason}, 2, "", `{"decision":"allow"}` + "\n", "", "claude-format"},
	{"codex", "PreToolUse", []said{jsonReason}, 2, "", `{"decision":"allow"}` + "\n", "", "codex-exit2"},
	{"qwen", "PreToolUse", []said{jsonReason}, 2, "", `a hook said: {"decision":"allow"}` + "\n", "", "qwen-stderr-json"},
	{"gemini", "PreToolUse", []said{jsonReason}, 2, "", `a hook said: {"decision":"allow"}` + "\n", "", "gemini-stderr-json"},
	{"gemini", "PreToolUse", []said{{exit: 2, err: "\ufeff404"}}, 2, "", "a hook said: 404\n", "", "gemini-stderr-json"},

	// A denial with more to say.
	{"claude", "PreToolUse", []said{no, tells}, 0, `{"systemMessage":"look",` + denyJSON + `}}`, "no rm here\n", "", "claude-format"},
	{"codex", "PreToolUse", []said{no, tells}, 2, "", "no rm here\n", "message beside a block", "codex-exit2"},
	{"qwen", "PreToolUse", []said{no, tells}, 0, `{"systemMessage":"look",` + denyJSON + `}}`, "no rm here\n", "", "qwen-deny-json"},
	{"gemini", "PreToolUse", []said{no, tells}, 0, `{"systemMessage":"look","decision":"deny","reason":"no rm here"}`, "no rm here\n", "", "gemini-decision"},
	{"claude", "PreToolUse", []said{no, informs}, 0, `{` + denyJSON + `,"additionalContext":"be <careful>"}}`, "no rm here\n", "", "claude-format"},
	{"codex", "PreToolUse", []said{no, informs}, 2, "", "no rm here\nbe <careful>\n", "context beside a block", "codex-exit2"},
	{"qwen", "PreToolUse", []said{no, informs}, 2, "", "no rm here\nbe <careful>\n", "context beside a block", "qwen-pre-context"},
	{"gemini", "PreToolUse", []said{no, informs}, 2, "", "no rm here\nbe <careful>\n", "context beside a block", "gemini-pre-context"},

	// Ask.
	{"theus", "PreToolUse", []said{asks}, 0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}`, "", "", "theus-format"},
	{"claude", "PreToolUse", []said{asks}, 0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}`, "", "", "claude-format"},
	{"codex", "PreToolUse", []said{asks}, 2, "", codexAsk, "ask", "codex-ask-open"},
	{"qwen", "PreToolUse", []said{asks}, 0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}`, "", "", "qwen-ask"},
	{"gemini", "PreToolUse", []said{asks}, 2, "", geminiAsk, "ask", "gemini-ask-open"},

	// Defer, allow.
	{"claude", "PreToolUse", []said{defers}, 0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}`, "", "", "claude-format"},
	{"codex", "PreToolUse", []said{defers}, 2, "", codexDefer, "defer", "codex-strict"},
	{"qwen", "PreToolUse", []said{defers}, 2, "", strings.Replace(codexDefer, "Codex", "Qwen Code", 1), "defer", "qwen-fields"},
	{"gemini", "PreToolUse", []said{defers}, 2, "", strings.Replace(codexDefer, "Codex", "Gemini CLI", 1), "defer", "gemini-deny-json-open"},
	{"claude", "PreToolUse", []said{allows}, 0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`, "", "", "claude-format"},
	{"codex", "PreToolUse", []said{allows}, 0, "", "", "allow", "codex-allow-refused"},
	{"qwen", "PreToolUse", []said{allows}, 0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`, "", "", "qwen-allow"},
	{"gemini", "PreToolUse", []said{allows}, 0, "{}", "", "allow", "gemini-allow"},

	// Rewrite.
	{"theus", "PreToolUse", []said{rewrites}, 0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls"}}}`, "", "", "theus-format"},
	{"claude", "PreToolUse", []said{rewrites}, 0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"ls"}}}`, "", "", "claude-format"},
	{"codex", "PreToolUse", []said{rewrites}, 0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls"}}}`, "", "", "codex-rewrite-allow"},
	{"qwen", "PreToolUse", []said{rewrites}, 2, "", qwenRewrite, "rewrite", "qwen-rewrite-ignored"},
	{"gemini", "PreToolUse", []said{rewrites}, 0, `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"command":"ls"}}}`, "", "", "gemini-rewrite-merge"},
	{
		"gemini", "PreToolUse",
		[]said{pre(`"updatedInputPatch":{"run_in_background":true,"extra":1}`)},
		0, `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"is_background":true,"extra":1}}}`, "", "", "gemini-rewrite-merge",
	},
	{
		"gemini", "PreToolUse",
		[]said{pre(`"updatedInput":{"command":"ls"}`)},
		2, "", "[denied in place of rewrite: Gemini CLI cannot take away description, run_in_background]\n", "rewrite", "gemini-rewrite-merge",
	},
	{"gemini", readFile + `{"file_path":"/a"}}`, []said{reads}, 0, `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"file_path":"/b"}}}`, "", "", "gemini-tools"},
	{"gemini", readFile + `{"absolute_path":"/a"}}`, []said{reads}, 0, `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"absolute_path":"/b"}}}`, "", "", "gemini-tools"},
	{"codex", "PreToolUse", []said{rewrites, asks}, 2, "", codexAsk, "ask", "codex-ask-open"},
	{
		"codex", "PreToolUse",
		[]said{rewrites, allows, informs},
		0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls"},"additionalContext":"be <careful>"}}`, "", "", "codex-pre-context",
	},

	// Context for a tool call.
	{"claude", "PreToolUse", []said{informs}, 0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"be <careful>"}}`, "", "", "claude-format"},
	{"codex", "PreToolUse", []said{informs}, 0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"be <careful>"}}`, "", "", "codex-pre-context"},
	{"qwen", "PreToolUse", []said{informs}, 0, "{}", "", "context", "qwen-pre-context"},
	{"gemini", "PreToolUse", []said{informs}, 0, "{}", "", "context", "gemini-pre-context"},

	// "continue": false.
	{"theus", "PreToolUse", []said{stops}, 0, stopDeny, "enough\n", "", "theus-format"},
	{"claude", "PreToolUse", []said{stops}, 0, stopDeny, "enough\n", "", "claude-format"},
	{"codex", "PreToolUse", []said{stops}, 2, "", "enough\n[denied in place of stop: Codex ignores it, and runs the tool]\n", "stop", "codex-stop-open"},
	{"qwen", "PreToolUse", []said{stops}, 0, stopDeny, "enough\n", "stop", "qwen-stop"},
	{"gemini", "PreToolUse", []said{stops}, 0, `{"continue":false,"stopReason":"enough","decision":"deny","reason":"enough"}`, "enough\n", "", "gemini-stop"},
	{"codex", "PreToolUse", []said{no, stops}, 2, "", "hook1: no rm here\nhook2: enough\n[denied in place of stop: Codex ignores it, and runs the tool]\n", "stop", "codex-stop-open"},

	// A message for the user.
	{"theus", "PreToolUse", []said{tells}, 0, `{"systemMessage":"look"}`, "", "", "theus-format"},
	{"claude", "PreToolUse", []said{tells}, 0, `{"systemMessage":"look"}`, "", "", "claude-format"},
	{"codex", "PreToolUse", []said{tells}, 0, `{"systemMessage":"look"}`, "", "", "codex-message"},
	{"qwen", "PreToolUse", []said{tells}, 0, `{"systemMessage":"look"}`, "", "", "qwen-message"},
	{"gemini", "PreToolUse", []said{tells}, 0, `{"systemMessage":"look"}`, "", "", "gemini-message"},

	// A hook that ran out of time, and one that must not.
	{"theus", "PreToolUse", []said{timeout}, 0, "", "", "", "theus-format"},
	{"claude", "PreToolUse", []said{timeout}, 0, "", "", "", "claude-format"},
	{"codex", "PreToolUse", []said{timeout}, 0, "", "", "", "codex-silence"},
	{"qwen", "PreToolUse", []said{timeout}, 0, "{}", "", "", "qwen-stderr-text"}, // a warning follows on standard error
	{"gemini", "PreToolUse", []said{timeout}, 0, "{}", "", "", "gemini-silence"},
	{"theus", "PreToolUse", []said{lateGuard}, 2, "", lateText, "", "theus-format"},
	{"claude", "PreToolUse", []said{lateGuard}, 2, "", lateText, "", "claude-format"},
	{"codex", "PreToolUse", []said{lateGuard}, 2, "", lateText, "", "codex-exit2"},
	{"qwen", "PreToolUse", []said{lateGuard}, 2, "", lateText, "", "qwen-exit2"},
	{"gemini", "PreToolUse", []said{lateGuard}, 2, "", lateText, "", "gemini-exit2"},

	// A permission that is asked for. Exit code 2 is not documented to deny there.
	{"claude", permission, []said{behaves(`{"behavior":"deny","message":"m","interrupt":true}`)}, 0, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"m","interrupt":true}}}`, "m\n", "", "claude-format"},
	{"codex", permission, []said{behaves(`{"behavior":"deny","message":"m","interrupt":true}`)}, 0, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"m"}}}`, "m\n", "interrupt", "codex-permission-strict"},
	{"qwen", permission, []said{behaves(`{"behavior":"deny","message":"m"}`)}, 0, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"m"}}}`, "m\n", "", "qwen-permission"},
	{
		"codex", permission,
		[]said{behaves(`{"behavior":"allow","updatedInput":{"command":"ls"}}`)},
		0, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"[denied in place of rewrite: Codex refuses an answer with a changed input]"}}}`,
		"[denied in place of rewrite: Codex refuses an answer with a changed input]\n", "rewrite", "codex-permission-strict",
	},
	{"codex", permission, []said{behaves(`{"behavior":"allow","updatedPermissions":[{"type":"setMode","mode":"plan","destination":"session"}]}`)}, 0, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`, "", "updatedPermissions", "codex-permission-strict"},
	{"codex", permission, []said{stops}, 0, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"enough\n[denied in place of stop: Codex refuses an answer that stops]"}}}`, "enough\n[denied in place of stop: Codex refuses an answer that stops]\n", "stop", "codex-permission-strict"},
	{"codex", `{"hook_event_name":"PreCompact","trigger":"auto"}`, []said{no}, 0, `{"continue":false,"stopReason":"no rm here"}`, "no rm here\n", "block", "codex-compact"},
	{"gemini", `{"hook_event_name":"PreCompress","trigger":"auto"}`, []said{no}, 0, "{}", "", "block", "gemini-compress"},

	// After the tool.
	{"claude", "PostToolUse", []said{no}, 2, "", "no rm here\n", "", "claude-format"},
	{"codex", "PostToolUse", []said{no}, 2, "", "no rm here\n", "", "codex-post-replaces"},
	{"qwen", "PostToolUse", []said{no}, 0, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"no rm here"}}`, "", "block", "qwen-post-block"},
	{"qwen", "PostToolUse", []said{no, on("PostToolUse", `"additionalContext":"more"`)}, 0, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"no rm here\nmore"}}`, "", "block", "qwen-post-block"},
	{"gemini", "PostToolUse", []said{no}, 2, "", "no rm here\n", "", "gemini-post-replaces"},
	{"gemini", "PostToolUse", []said{no, tells}, 0, `{"systemMessage":"look","decision":"deny","reason":"no rm here"}`, "no rm here\n", "", "gemini-post-replaces"},
	{"codex", "PostToolUse", []said{stops}, 0, `{"continue":false,"stopReason":"enough"}`, "enough\n", "stop", "codex-post-stop"},
	{"qwen", "PostToolUse", []said{stops, no}, 0, `{"continue":false,"stopReason":"enough","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"no rm here"}}`, "enough\n", "stop block", "qwen-post-stop"},
	{"gemini", "PostToolUse", []said{on("PostToolUse", `"additionalContext":"c","updatedToolOutput":{"a":1}`)}, 0, `{"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"c"}}`, "", "updatedToolOutput", "gemini-fields"},
	{"codex", `{"hook_event_name":"PostToolUse","tool_name":"mcp__db__query","tool_input":{},"tool_response":{}}`, []said{on("PostToolUse", `"updatedMCPToolOutput":{"a":1},"classifierContext":"c"`)}, 0, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedMCPToolOutput":{"a":1}}}`, "", "classifierContext", "codex-strict"},

	// Prompts.
	{"codex", "UserPromptSubmit", []said{no}, 2, "", "no rm here\n", "", "codex-prompt"},
	{"qwen", "UserPromptSubmit", []said{no}, 2, "", "no rm here\n", "", "qwen-prompt"},
	{"gemini", "UserPromptSubmit", []said{no}, 2, "", "no rm here\n", "", "gemini-prompt"},
	{"codex", "UserPromptSubmit", []said{{out: "plain"}}, 0, `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"plain"}}`, "", "", "codex-prompt"},
	{"qwen", "UserPromptSubmit", []said{{out: "plain"}}, 0, `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"plain"}}`, "", "", "qwen-prompt"},
	{"gemini", "UserPromptSubmit", []said{{out: "plain"}}, 0, `{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"plain"}}`, "", "", "gemini-prompt"},
	{"gemini", "UserPromptSubmit", []said{on("UserPromptSubmit", `"suppressOriginalPrompt":true`)}, 2, "", "[denied in place of suppressOriginalPrompt: Gemini CLI would send the prompt]\n", "suppressOriginalPrompt", "gemini-fields"},
	{"gemini", "UserPromptSubmit", []said{on("UserPromptSubmit", `"suppressOriginalPrompt":false`)}, 0, "{}", "", "", "gemini-fields"},
	{"codex", "UserPromptSubmit", []said{{out: `{"suppressOutput":true,"terminalSequence":"\u0007","systemMessage":"m"}`}}, 0, `{"systemMessage":"m"}`, "", "terminalSequence suppressOutput", "codex-strict"},
	{"claude", "UserPromptSubmit", []said{{out: `{"suppressOutput":true,"terminalSequence":"\u0007","systemMessage":"m"}`}}, 0, `{"systemMessage":"m","terminalSequence":"\u0007","suppressOutput":true}`, "", "", "claude-format"},

	// The session.
	{"codex", "SessionStart", []said{{out: "plain"}}, 0, `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"plain"}}`, "", "", "codex-session"},
	{"codex", "SessionStart", []said{no}, 0, `{"systemMessage":"no rm here"}`, "", "", "codex-session"},
	{"gemini", "SessionStart", []said{stops}, 0, "{}", "", "stop", "gemini-session-start"},
	{"codex", "SessionEnd", []said{no}, 0, "", "", "notice", "codex-session-end"},

	// The end of a turn.
	{"codex", "Stop", []said{no}, 2, "", "no rm here\n", "", "codex-stop"},
	{"qwen", "Stop", []said{no}, 2, "", "no rm here\n", "", "qwen-stop-block"},
	{"gemini", "Stop", []said{no}, 2, "", "no rm here\n", "", "gemini-stop-block"},
	{"gemini", "Stop", []said{no, tells}, 0, `{"systemMessage":"look","decision":"deny","reason":"no rm here"}`, "no rm here\n", "", "gemini-stop-block"},
	{"codex", "Stop", []said{on("Stop", `"additionalContext":"more"`)}, 2, "", "more\n", "context", "codex-stop-fields"},
	{"qwen", "Stop", []said{on("Stop", `"additionalContext":"more"`)}, 2, "", "more\n", "context", "qwen-stop-context"},
	{"gemini", "Stop", []said{on("Stop", `"additionalContext":"more"`), no}, 2, "", "no rm here\nmore\n", "context", "gemini-stop-fields"},
	{"gemini", "Stop", []said{on("Stop", `"additionalContext":"more"`), stops}, 0, `{"continue":false,"stopReason":"enough"}`, "", "context", "gemini-stop-fields"},
}

func TestMatrix(t *testing.T) {
	for _, r := range matrix {
		t.Run(r.String(), func(t *testing.T) {
			a := must(t, r.agent)
			ev, out := fire(t, a, own(t, r.agent, r.event), r.hooks...)
			ans, problems := a.Answer(out, ev, response.AnswerOptions{})
			want := response.Answer{Exit: r.exit, Stderr: []byte(r.err)}
			if r.out != "" {
				want.Stdout = []byte(r.out + "\n")
			}
			if ans.Exit != want.Exit || string(ans.Stdout) != string(want.Stdout) || string(ans.Stderr) != string(want.Stderr) {
				t.Errorf("%v\n got %d\n%s%s\nwant %d\n%s%s", r.hooks, ans.Exit, ans.Stdout, ans.Stderr, want.Exit, want.Stdout, want.Stderr)
			}
			var words []string
			for _, p := range problems {
				if p.Code != "degraded" || p.Severity != "warning" {
					t.Errorf("problem %+v", p)
				}
				words = append(words, strings.Split(p.Message, `"`)[1])
			}
			if diff := cmp.Diff(r.degraded, strings.Join(words, " ")); diff != "" {
				t.Errorf("%v\ndegraded (-want +got):\n%s", r.hooks, diff)
			}
		})
	}
}

// An outcome whose event nobody decoded, of an event that the agent lacks, or that
// was made by hand.
func TestAnswerWithoutEvent(t *testing.T) {
	gemini, claude := must(t, "gemini"), must(t, "claude")
	_, out := fire(t, claude, own(t, "claude", "PreToolUse"), rewrites)
	ans, problems := gemini.Answer(out, nil, response.AnswerOptions{})
	if ans.Exit != 2 || len(problems) != 1 || !strings.Contains(string(ans.Stderr), "without the event that it sent") {
		t.Errorf("%d %s%s %v", ans.Exit, ans.Stdout, ans.Stderr, problems)
	}
	_, other := fire(t, claude, own(t, "claude", "SubagentStop"), no)
	if ans, _ := gemini.Answer(other, nil, response.AnswerOptions{}); ans.Exit != 1 || !strings.Contains(string(ans.Stderr), "not an event of gemini") {
		t.Errorf("%d %s%s", ans.Exit, ans.Stdout, ans.Stderr)
	}
	if ans, _ := gemini.Answer(&response.Outcome{Event: "PreToolUse"}, nil, response.AnswerOptions{}); ans.Exit != 1 || len(ans.Stderr) == 0 {
		t.Errorf("%d %s%s", ans.Exit, ans.Stdout, ans.Stderr)
	}
}

// A long text is kept once, and within the limit that the agent has, too.
func TestAnswerKeepsLongTexts(t *testing.T) {
	for _, name := range Names() {
		a := must(t, name)
		ev, out := fire(t, a, own(t, name, "UserPromptSubmit"), said{out: strings.Repeat("é", 20_000)})
		kept := 0
		ans, _ := a.Answer(out, ev, response.AnswerOptions{Spill: func(string, string) (string, error) {
			kept++
			return "/state/1.txt", nil
		}})
		if kept != 1 || len(ans.Stdout) > 10_000 || !strings.Contains(string(ans.Stdout), "/state/1.txt") {
			t.Errorf("%s: kept %d times, answered with %d bytes", name, kept, len(ans.Stdout))
		}
	}
}

// Every fact that the data or the matrix rests on is told in docs/agents.md,
// and every fact told there has a use.
func TestFacts(t *testing.T) {
	doc, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\|").FindAllStringSubmatch(string(doc), -1) {
		if told[m[1]] {
			t.Errorf("%s is told twice", m[1])
		}
		told[m[1]] = true
	}
	used := map[string]bool{}
	use := func(where, fact string) {
		if !told[fact] {
			t.Errorf("%s rests on %q, which docs/agents.md does not tell", where, fact)
		}
		used[fact] = true
	}
	for _, r := range matrix {
		use(r.String(), r.fact)
	}
	for _, name := range Names() {
		a := must(t, name)
		for _, can := range a.can {
			use(name, can.Fact)
		}
		for _, h := range a.events {
			for _, can := range h.can {
				use(name+" "+h.own, can.Fact)
			}
		}
	}
	for _, fact := range alsoUsed {
		use("code", fact)
	}
	for fact := range told {
		if !used[fact] {
			t.Errorf("nothing rests on %s", fact)
		}
	}
}

// Facts that decoding, the exit codes and the deadline rest on.
var alsoUsed = []string{
	"codex-events", "codex-shell", "codex-patch", "qwen-events", "qwen-tools", "qwen-repeat", "qwen-stop-prompt",
	"gemini-events", "gemini-tools", "gemini-failure", "gemini-stop-prompt", "gemini-exit-codes", "gemini-deadline", "gemini-orphan",
	"codex-late", "qwen-late", "held-stdout",
}
