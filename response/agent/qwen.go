package agent

import (
	"time"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// qwen has our event names and tools of its own. It leaves fields aside that it
// does not know.
var qwen = Agent{
	Name: "qwen", Title: "Qwen Code", Version: "0.24.4",
	parses: true,
	Config: Config{
		Dir: ".qwen", File: "settings.json", HomeVar: "QWEN_HOME",
		Unit: time.Second, Millis: 1000, Timeout: 660 * time.Second,
		MatchAll: "*", Forgives: []string{"comment"},
		Off: []Switch{{[]string{"disableAllHooks"}, true}},
		Needs: []string{
			"start running sessions of qwen anew, or open /hooks in them: hooks are read at the start",
		},
		ProjectNeeds: []string{
			"qwen reads hooks of a project only in a folder that you trusted",
		},
	},
	events: []hook{
		{own: "SessionStart", name: "SessionStart", values: []value{{"source", "branch", "fork"}}},
		{own: "InstructionsLoaded", name: "InstructionsLoaded"},
		{own: "UserPromptSubmit", name: "UserPromptSubmit", repeats: qwenRepeats, can: []Ability{
			{"suppressOriginalPrompt", ToBlock, "would send the prompt", "qwen-fields"},
		}},
		{own: "UserPromptExpansion", name: "UserPromptExpansion", can: []Ability{
			{"suppressOriginalPrompt", ToBlock, "would send the prompt", "qwen-fields"},
		}},
		{own: "PreToolUse", name: "PreToolUse", can: []Ability{
			{Ask, Native, "denies when nobody is there to be asked", "qwen-ask"},
			{Defer, ToBlock, "runs the tool when a hook defers", "qwen-fields"},
			{Rewrite, ToBlock, "ignores a changed input, and would run the old one", "qwen-rewrite-ignored"},
			{Stop, Weaker, "keeps the tool from running, and goes on", "qwen-stop"},
			{Context, Ignored, "drops it", "qwen-pre-context"},
			{ContextBeside, Joined, "drops it on its own", "qwen-pre-context"},
			{Message, Native, "shows it in its terminal, not with -p", "qwen-message"},
		}},
		{own: "PermissionRequest", name: "PermissionRequest"},
		{own: "PermissionDenied", name: "PermissionDenied"},
		{own: "PostToolUse", name: "PostToolUse", can: []Ability{
			{Block, ToText, "ignores a block there", "qwen-post-block"},
			{Stop, Weaker, "tells the model, and goes on", "qwen-post-stop"},
		}},
		{own: "PostToolUseFailure", name: "PostToolUseFailure", can: []Ability{
			{Block, ToText, "reads the context alone there", "qwen-failure"},
			{Stop, Weaker, "may go on", "qwen-failure"},
		}},
		{own: "PostToolBatch", name: "PostToolBatch"},
		{own: "SubagentStart", name: "SubagentStart"},
		{own: "SubagentStop", name: "SubagentStop", can: qwenStop},
		{own: "Notification", name: "Notification"},
		{own: "MessageDisplay", name: "MessageDisplay", fields: []field{{own: "is_final", name: "final"}}},
		{own: "PreCompact", name: "PreCompact", can: []Ability{
			{Block, Weaker, "may compact all the same", "qwen-compact"},
		}},
		{own: "PostCompact", name: "PostCompact", can: unseen},
		{own: "Stop", name: "Stop", fields: []field{{own: "crons", name: "session_crons"}}, can: qwenStop},
		{own: "StopFailure", name: "StopFailure"},
		{own: "SessionEnd", name: "SessionEnd", can: unseen},
	},
	tools: []tool{
		{own: "run_shell_command", name: "Bash", fields: []field{{own: "is_background", name: "run_in_background"}}},
		{own: "read_file", name: "Read", fields: []field{{own: "absolute_path", name: "file_path", old: true}}},
		{own: "write_file", name: "Write"},
		{own: "edit", name: "Edit"},
		{own: "replace", name: "Edit"}, // its earlier name
		{own: "notebook_edit", name: "NotebookEdit"},
		{own: "glob", name: "Glob"},
		{own: "grep_search", name: "Grep"},
		{own: "search_file_content", name: "Grep"}, // its earlier name
		{own: "list_directory", name: "LS"},
		{own: "web_fetch", name: "WebFetch"},
		{own: "web_search", name: "WebSearch"},
		{own: "agent", name: "Agent"},
		{own: "task", name: "Agent"}, // its earlier name
		{own: "skill", name: "Skill"},
		{own: "todo_write", name: "TodoWrite"},
		{own: "ask_user_question", name: "AskUserQuestion"},
		{own: "exit_plan_mode", name: "ExitPlanMode"},
	},
}

var qwenStop = []Ability{
	{Context, ToBlock, "is not known to go on for a context alone", "qwen-stop-context"},
}

// qwenRepeats knows the requests to the model that follow the first of a turn:
// each fires the event, without a prompt and without what the user submitted.
func qwenRepeats(own jsontext.Value) string {
	prompt := own.Get("prompt")
	if prompt.Kind() != jsontext.String || prompt.Text() != "" || own.Get("submitted_prompt").Exists() {
		return ""
	}
	return "Qwen Code fires UserPromptSubmit for every request of a turn; this one has no prompt, and the one before it had"
}
