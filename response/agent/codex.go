package agent

import "time"

// codex has our names, and refuses an answer whole for one field that it does
// not know: then the tool runs.
var codex = Agent{
	Name: "codex", Title: "Codex", Version: "0.171.0",
	EnvFiles: []string{"CODEX_ENV_FILE", "CLAUDE_ENV_FILE"}, // one file, where it is set
	Config: Config{
		Dir: ".codex", File: "hooks.json", HomeVar: "CODEX_HOME",
		Unit: time.Second, Timeout: 660 * time.Second,
		Timeouts: map[string]time.Duration{"SessionEnd": 3 * time.Second}, // more is cut to it, with a warning at every start
		MatchAll: "*", Keys: []string{"hooks", "description"},
		Needs: []string{
			"codex runs a hook only once you trusted it, and an entry that changed only once you trusted it again: start codex, open /hooks and trust them",
			"codex exec skips hooks that are not trusted and says nothing; for runs without a person add --dangerously-bypass-hook-trust",
		},
		ProjectNeeds: []string{
			"codex reads hooks of a project only where you trusted the project: start codex in it once, or set trust_level in config.toml",
		},
	},
	grants: true,
	can: []Ability{
		{Terminal, Ignored, "refuses the whole answer for it", "codex-strict"},
		{Suppress, Ignored, "refuses it on tool events", "codex-strict"},
	},
	events: []hook{
		{own: "SessionStart", name: "SessionStart"},
		{own: "UserPromptSubmit", name: "UserPromptSubmit", can: []Ability{
			{"suppressOriginalPrompt", ToBlock, "would send the prompt", "codex-strict"},
		}},
		{own: "PreToolUse", name: "PreToolUse", can: []Ability{
			{Ask, ToBlock, "runs the tool when a hook asks", "codex-ask-open"},
			{Defer, ToBlock, "runs the tool when a hook defers", "codex-strict"},
			{Allow, Ignored, "refuses a bare allow, and asks as it would without", "codex-allow-refused"},
			{Rewrite, Native, "reads it beside allow alone, which grants nothing", "codex-rewrite-allow"},
			{Stop, ToBlock, "ignores it, and runs the tool", "codex-stop-open"},
			{Message, Native, "shows it in its terminal, not in exec", "codex-message"},
			{ContextBeside, Joined, "is told a block by exit code 2, which has the reason alone", "codex-exit2"},
			{MessageBeside, Ignored, "is told a block by exit code 2, which has the reason alone", "codex-exit2"},
		}},
		{own: "PermissionRequest", name: "PermissionRequest", can: []Ability{
			{Rewrite, ToBlock, "refuses an answer with a changed input", "codex-permission-strict"},
			{Stop, ToBlock, "refuses an answer that stops", "codex-permission-strict"},
			{Permissions, Ignored, "refuses an answer with it", "codex-permission-strict"},
			{Interrupt, Ignored, "refuses an answer with it", "codex-permission-strict"},
		}},
		{own: "PostToolUse", name: "PostToolUse", can: []Ability{
			{Block, Native, "shows the model the reason in place of the result", "codex-post-replaces"},
			{Stop, Weaker, "tells the model, and goes on", "codex-post-stop"},
		}, passes: []string{"updatedMCPToolOutput"}},
		{own: "SubagentStart", name: "SubagentStart"},
		{own: "SubagentStop", name: "SubagentStop", can: codexStop},
		{own: "PreCompact", name: "PreCompact", can: []Ability{
			{Block, ToStop, "has no other word against it", "codex-compact"},
		}},
		{own: "PostCompact", name: "PostCompact", can: unseen},
		{own: "Stop", name: "Stop", can: codexStop},
		{own: "SessionEnd", name: "SessionEnd", can: unseen},
	},
	tools: []tool{
		{own: "apply_patch", name: "apply_patch", also: []string{"Write", "Edit"}},
	},
}

var codexStop = []Ability{
	{Context, ToBlock, "has no context there, and a context makes an agent go on", "codex-stop-fields"},
}
