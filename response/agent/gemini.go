package agent

import (
	"strings"
	"time"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/response"
)

// gemini has names of its own for events and tools, takes every exit code from 2
// up for a block, and reads standard error when nothing is on standard output.
var gemini = Agent{
	Name: "gemini", Title: "Gemini CLI", Version: "0.61.0",
	Config: Config{
		Dir: ".gemini", File: "settings.json", HomeVar: "GEMINI_CLI_HOME", Base: true,
		Unit: time.Millisecond, Timeout: 60 * time.Second,
		MatchAll: "*", Forgives: []string{"comment"},
		Off: []Switch{{[]string{"hooksConfig", "enabled"}, false}},
		Needs: []string{
			"start running sessions of gemini anew: hooks are read at the start",
			"gemini runs hooks, your own as well, only in a folder that it takes for trusted: look at /permissions in it",
		},
	},
	speaks:   true,
	served:   geminiServed,
	words:    response.Words{Deny: "deny", Input: "tool_input", TopLevel: true},
	merges:   true,
	parses:   true,
	deadline: 55 * time.Second, // its limit is 60 s, and a late denial is none
	can: []Ability{
		{Terminal, Ignored, "does not know the field", "gemini-fields"},
	},
	events: []hook{
		{own: "SessionStart", name: "SessionStart", can: []Ability{
			{Stop, Ignored, "starts whatever a hook says", "gemini-session-start"},
		}},
		{own: "BeforeAgent", name: "UserPromptSubmit", can: []Ability{
			{Context, Native, "writes < and > in it as HTML does", "gemini-context-escaped"},
			{"suppressOriginalPrompt", ToBlock, "would send the prompt", "gemini-fields"},
		}},
		{own: "BeforeTool", name: "PreToolUse", can: []Ability{
			{Ask, ToBlock, "runs the tool when a hook asks", "gemini-ask-open"},
			{Defer, ToBlock, "runs the tool when a hook defers", "gemini-deny-json-open"},
			{Allow, Ignored, "asks as it would without", "gemini-allow"},
			{Rewrite, Native, "merges it into the input, so no argument can be taken away", "gemini-rewrite-merge"},
			{Context, Ignored, "drops it", "gemini-pre-context"},
			{ContextBeside, Joined, "drops it on its own", "gemini-pre-context"},
		}},
		{own: "AfterTool", name: "PostToolUseFailure", when: geminiFailed, add: geminiError, can: geminiAfterTool},
		{own: "AfterTool", name: "PostToolUse", can: geminiAfterTool},
		{own: "Notification", name: "Notification", values: []value{{"notification_type", "ToolPermission", "permission_prompt"}}},
		{own: "PreCompress", name: "PreCompact", can: []Ability{
			{Block, Ignored, "compresses whatever a hook says", "gemini-compress"},
		}},
		{own: "AfterAgent", name: "Stop", fields: []field{{own: "prompt_response", name: "last_assistant_message"}}, can: []Ability{
			{Context, ToBlock, "has no context there, and a context makes an agent go on", "gemini-stop-fields"},
		}},
		{own: "SessionEnd", name: "SessionEnd", can: unseen},
	},
	tools: []tool{
		{own: "run_shell_command", name: "Bash", fields: []field{{own: "is_background", name: "run_in_background"}}},
		{own: "read_file", name: "Read", fields: []field{{own: "absolute_path", name: "file_path", old: true}}},
		{own: "read_many_files", name: "read_many_files", also: []string{"Read"}},
		{own: "write_file", name: "Write"},
		{own: "replace", name: "Edit", fields: []field{{own: "allow_multiple", name: "replace_all"}}},
		{own: "glob", name: "Glob", fields: []field{{own: "dir_path", name: "path"}}},
		{own: "grep_search", name: "Grep", fields: geminiGrep},
		{own: "search_file_content", name: "Grep", fields: geminiGrep}, // its earlier name
		{own: "list_directory", name: "LS", fields: []field{{own: "dir_path", name: "path"}}},
		{own: "web_fetch", name: "WebFetch"},
		{own: "google_web_search", name: "WebSearch"},
		{own: "invoke_agent", name: "Agent", fields: []field{{own: "agent_name", name: "subagent_type"}}},
		{own: "activate_skill", name: "Skill", fields: []field{{own: "name", name: "skill"}}},
		{own: "write_todos", name: "TodoWrite"},
		{own: "ask_user", name: "AskUserQuestion"},
		{own: "exit_plan_mode", name: "ExitPlanMode"},
	},
}

var geminiGrep = []field{{own: "dir_path", name: "path"}, {own: "include_pattern", name: "glob"}}

var geminiAfterTool = []Ability{
	{Block, Native, "shows the model the reason in place of the result", "gemini-post-replaces"},
	{Context, Native, "writes < and > in it as HTML does", "gemini-context-escaped"},
}

// geminiFailed tells a tool that failed to run from one that did; a command with
// another exit code than 0 did.
func geminiFailed(own jsontext.Value) bool {
	kind := own.Path("tool_response", "error").Kind()
	return kind != jsontext.Missing && kind != jsontext.Null
}

// geminiServed reads the server and its tool, which the tool's own name joins by
// a sign that both may hold: without them it may be any way to cut that.
func geminiServed(own jsontext.Value) (name string, may []string) {
	server, tool := own.Path("mcp_context", "server_name").Text(), own.Path("mcp_context", "tool_name").Text()
	if server != "" && tool != "" {
		return "mcp__" + server + "__" + tool, nil
	}
	joined, ok := strings.CutPrefix(own.Get("tool_name").Text(), "mcp_")
	for i := 1; ok && i < len(joined)-1 && len(may) < maxCuts; i++ {
		if joined[i] == '_' {
			may = append(may, "mcp__"+joined[:i]+"__"+joined[i+1:])
		}
	}
	return "", may
}

// maxCuts bounds how many ways to cut a name are tried.
const maxCuts = 16

// geminiError gives a failure its error as text.
func geminiError(own jsontext.Value, to *object) {
	failure := own.Path("tool_response", "error")
	text := failure.Text()
	if failure.Kind() == jsontext.Object {
		text = failure.Get("message").Text()
	}
	if !own.Get("error").Exists() {
		to.set("error", jsontext.Quote(text))
	}
}
