package check

func matcherRules() []Rule {
	with := func(matcher string) Example {
		return group("PreToolUse", `{"matcher": "`+matcher+`", "hooks": [{"type": "command", "command": "guard"}]}`)
	}
	return []Rule{
		{
			"invalid-matcher", failure, "the matcher is no regular expression",
			"What is not a list of names is a regular expression of JavaScript. On PreToolUse and PermissionRequest a matcher that cannot be read blocks by itself, since a guard may be hidden behind it; elsewhere its group is left out.",
			with("^(Bash|Edit"), with("^(Bash|Edit)$"),
		},
		{
			"matcher-case", warning, "the matcher is right but for its case",
			"Matchers are case-sensitive, so it does not match.",
			with("bash"), with("Bash"),
		},
		{
			"unknown-subject", warning, "the matcher names nothing that is known",
			"No tool, source or kind that the event is known for has that name, so its hooks likely never run.",
			group("SessionStart", `{"matcher": "start", "hooks": [{"type": "command", "command": "git status --short"}]}`), group("SessionStart", `{"matcher": "startup", "hooks": [{"type": "command", "command": "git status --short"}]}`),
		},
		{
			"rule-in-matcher", warning, "a permission rule stands in the matcher",
			"As a regular expression it matches no tool. The tool belongs into `matcher`, the rule into the handler's `if`.",
			with("Bash(git commit *)"),
			group("PreToolUse", `{"matcher": "Bash", "hooks": [{"type": "command", "command": "guard", "if": "Bash(git commit *)"}]}`),
		},
		{
			"expression-in-matcher", warning, "an expression of another tool stands in the matcher",
			"Matchers know no operators: as a regular expression the text matches nothing.",
			with(`tool == \"Edit\" && path matches \"ts$\"`), with("Edit"),
		},
		{
			"glob-in-matcher", warning, "the matcher reads like a file glob",
			"In a regular expression `*` repeats what stands before it, so `mcp__*` is `mcp_` and any number of `_`.",
			with("Notebook*"), with("^Notebook"),
		},
		{
			"mcp-without-tool", warning, "the matcher names an MCP server without a tool",
			"A list of names is compared as a whole, and no tool is called like its server.",
			with("mcp__tracker"), with("mcp__tracker__.*"),
		},
		{
			"matcher-ignored", warning, "the event has nothing that a matcher is compared with",
			"Its hooks run every time, whatever the matcher says.",
			group("Stop", `{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}`), hook("Stop", `{"type": "command", "command": "true"}`),
		},
	}
}

func conditionRules() []Rule {
	with := func(matcher, rule string) Example {
		return group("PreToolUse", `{"matcher": "`+matcher+`", "hooks": [{"type": "command", "command": "guard", "if": "`+rule+`"}]}`)
	}
	return []Rule{
		{
			"if-syntax", failure, "the rule in `if` cannot be read",
			"The hook runs whatever the tool does, until that is mended. A rule is `Tool` or `Tool(specifier)`; for several rules write several handlers.",
			with("Bash", "Bash(git push"), with("Bash", "Bash(git push *)"),
		},
		{
			"if-never", warning, "the rule in `if` can never hold",
			"The event has no tool call, or no tool is known by the rule's name, so the hook never runs.",
			hook("Stop", `{"type": "command", "command": "make fmt", "if": "Bash(git commit *)"}`), hook("Stop", `{"type": "command", "command": "make fmt"}`),
		},
		{
			"if-other-tool", warning, "the rule is for another tool than the matcher",
			"Both must let a call through, so the hook never runs.",
			with("Edit|Write", "Bash(rm *)"), with("Bash", "Bash(rm *)"),
		},
	}
}

func requestRules() []Rule {
	with := func(rest string) Example {
		return hook("PostToolUse", `{"type": "http", "url": "https://hooks.example.com/used"`+rest+`}`)
	}
	to := func(url string) Example { return hook("PostToolUse", `{"type": "http", "url": "`+url+`"}`) }
	limited := func(url string) Example {
		return text("{\"allowedHttpHookUrls\": [\"https://hooks.example.com/*\"],\n \"hooks\": {\"PostToolUse\": [{\"hooks\": [\n  {\"type\": \"http\", \"url\": \"" + url + "\"}]}]}}")
	}
	return []Rule{
		{
			"bad-url", failure, "the address of a request cannot be used",
			"It must be a whole address of http or https; variables are not filled in.",
			to("hooks.example.com/used"), to("https://hooks.example.com/used"),
		},
		{
			"url-userinfo", failure, "user name and password stand in an address",
			"Such addresses are refused: they end up in logs. Send a header that takes its value from a variable.",
			to("https://bot:pass@hooks.example.com/used"), to("https://hooks.example.com/used"),
		},
		{
			"url-not-allowed", warning, "the address is not in the allow-list",
			"`allowedHttpHookUrls` does not cover it, so the request is never sent. In a pattern `*` is any text, but the host stays the host.",
			limited("https://hooks.example.com.other.example/used"), limited("https://hooks.example.com/used"),
		},
		{
			"header-variable", warning, "a header uses a variable that is not allowed",
			"Only names in the handler's `allowedEnvVars`, and in `httpHookAllowedEnvVars` where that is set, are filled in; any other is sent as nothing.",
			with(`, "headers": {"Authorization": "Bearer $HOOK_TOKEN"}`), with(`, "headers": {"Authorization": "Bearer $HOOK_TOKEN"}, "allowedEnvVars": ["HOOK_TOKEN"]`),
		},
		{
			"secret-in-header", warning, "a header holds a secret in plain text",
			"Settings files are shared and backed up. Take the value from a variable. The message does not repeat it.",
			with(`, "headers": {"Authorization": "Bearer 0123456789abcdef"}`), with(`, "headers": {"Authorization": "Bearer $HOOK_TOKEN"}, "allowedEnvVars": ["HOOK_TOKEN"]`),
		},
	}
}
