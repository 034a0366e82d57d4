package event

import "time"

// Rows of the session itself: its beginning, its prompts, its end.

var setup = Spec{
	Name:    "Setup",
	Fires:   "when the agent is started only to set a project up",
	Subject: SubjectRule{Field: "trigger", Values: []string{"init", "maintenance"}},
	Fields: []Field{
		{Name: "trigger", Type: "string", Values: []string{"init", "maintenance"}, Doc: "why"},
	},
	Types: local, Exit2: EffectNotice, OnFailure: EffectNotice,
	Output:      []OutputField{contextField},
	ExportStage: 1,
	Example: Example{
		Input:  common + `"Setup","trigger":"init"}`,
		Answer: `{"hookSpecificOutput":{"hookEventName":"Setup","additionalContext":"dependencies are installed"}}`,
		Does:   "tells the model",
	},
}

var sessionStart = Spec{
	Name:    "SessionStart",
	Fires:   "when a session begins, resumes, is cleared, compacted or forked",
	Subject: SubjectRule{Field: "source", Values: []string{"startup", "resume", "clear", "compact", "fork"}},
	Fields: []Field{
		{Name: "source", Type: "string", Values: []string{"startup", "resume", "clear", "compact", "fork"}, Doc: "how it began"},
		{Name: "model", Type: "string", Optional: true, Doc: "the model in use"},
		{Name: "session_title", Type: "string", Optional: true, Doc: "its title, if it has one"},
		{Name: "seconds_since_last_response", Type: "number", Optional: true, Doc: "after a resume or fork: age of the last answer"},
		{Name: "context_tokens", Type: "number", Optional: true, Doc: "after a resume or fork: size of the context"},
		{Name: "prompt_cache_likely_expired", Type: "boolean", Optional: true, Doc: "after a resume or fork"},
		{Name: "estimated_cache_write_usd", Type: "number", Optional: true, Doc: "after a resume or fork: cost of filling the cache again"},
	},
	Types: local, Exit2: EffectNotice, OnFailure: EffectNotice,
	PlainContext: true,
	Output: []OutputField{
		contextField,
		{Name: "initialUserMessage", Type: "string", Doc: "the first turn, in print mode only", Limit: textLimit},
		{Name: "sessionTitle", Type: "string", Doc: "the session's title, on startup, resume and fork"},
		watchPathsField,
		{Name: "reloadSkills", Type: "boolean", Doc: "read the skills again", Merge: MergeAny},
	},
	ExportStage: 2,
	Example: Example{
		Input:  common + `"SessionStart","source":"startup"}`,
		Answer: `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"branch: main"}}`,
		Does:   "tells the model; plain text on stdout does the same",
	},
}

var instructionsLoaded = Spec{
	Name:    "InstructionsLoaded",
	Fires:   "when a memory or rules file enters the context",
	Subject: SubjectRule{Field: "load_reason", Values: []string{"session_start", "nested_traversal", "path_glob_match", "include", "compact"}},
	Fields: []Field{
		{Name: "file_path", Type: "string", Doc: "the file"},
		{Name: "memory_type", Type: "string", Values: []string{"User", "Project", "Local", "Managed"}, Doc: "whose it is"},
		{Name: "load_reason", Type: "string", Values: []string{"session_start", "nested_traversal", "path_glob_match", "include", "compact"}, Doc: "why it was read"},
		{Name: "globs", Type: "array", Optional: true, Doc: "the file's patterns, when one matched"},
		{Name: "trigger_file_path", Type: "string", Optional: true, Doc: "the file whose use led here"},
		{Name: "parent_file_path", Type: "string", Optional: true, Doc: "the file that includes it"},
	},
	Types: direct, Continue: ContinueDiscarded, Message: MessageDiscarded,
	Example: Example{
		Input: common + `"InstructionsLoaded","file_path":"/srv/app/THEUS.md","memory_type":"Project","load_reason":"session_start"}`,
		Does:  "nothing is read from the hook; it can only take note",
	},
}

var userPromptSubmit = Spec{
	Name:  "UserPromptSubmit",
	Fires: "when the user sends a prompt, before the model sees it",
	Fields: []Field{
		{Name: "prompt", Type: "string", Doc: "what the user wrote; may be empty"},
		{Name: "session_title", Type: "string", Optional: true, Doc: "the session's title, if it has one"},
	},
	Types: AllTypes, Timeout: Timeouts{Command: 30 * time.Second},
	Form: FormBlock, Exit2: EffectBlocks, Block: EffectBlocks, OnFailure: EffectBlocks, NotOK: NotOKStops,
	PlainContext: true, UserSpeaks: true,
	Output: []OutputField{
		contextField,
		{Name: "sessionTitle", Type: "string", Doc: "the session's title"},
		{Name: "suppressOriginalPrompt", Type: "boolean", Doc: "keep the prompt itself from the model", Merge: MergeAny},
	},
	Example: Example{
		Input:  common + `"UserPromptSubmit","prompt":"deploy it"}`,
		Answer: `{"decision":"block","reason":"no deploys on a Friday"}`,
		Does:   "keeps the prompt from the model and tells the user why",
	},
}

var userPromptExpansion = Spec{
	Name:    "UserPromptExpansion",
	Fires:   "when a typed slash command or MCP prompt expands",
	Subject: SubjectRule{Field: "command_name"},
	Fields: []Field{
		{Name: "expansion_type", Type: "string", Values: []string{"slash_command", "mcp_prompt"}, Doc: "what expands"},
		{Name: "command_name", Type: "string", Doc: "its name, without the slash"},
		{Name: "command_args", Type: "string", Doc: "what was typed behind it"},
		{Name: "command_source", Type: "string", Optional: true, Doc: "where it is defined"},
		{Name: "prompt", Type: "string", Doc: "the text as typed"},
	},
	Types: AllTypes,
	Form:  FormBlock, Exit2: EffectBlocks, Block: EffectBlocks, OnFailure: EffectBlocks, NotOK: NotOKStops,
	PlainContext: true,
	Output: []OutputField{
		contextField,
		{Name: "suppressOriginalPrompt", Type: "boolean", Doc: "keep the prompt itself from the model", Merge: MergeAny},
	},
	Example: Example{
		Input:  common + `"UserPromptExpansion","expansion_type":"slash_command","command_name":"release","command_args":"1.2","prompt":"/release 1.2"}`,
		Answer: `{"decision":"block","reason":"release from the main branch only"}`,
		Does:   "keeps the command from expanding and tells the user why",
	},
}

var stop = Spec{
	Name:  "Stop",
	Fires: "when the agent has finished its answer",
	Fields: []Field{
		{Name: "stop_hook_active", Type: "boolean", Doc: "a Stop hook has already made it go on"},
		{Name: "last_assistant_message", Type: "string", Optional: true, Doc: "the answer"},
		{Name: "background_tasks", Type: "array", Optional: true, Doc: "what still runs"},
		{Name: "session_crons", Type: "array", Optional: true, Doc: "what is scheduled"},
	},
	Types: AllTypes,
	Form:  FormBlock, Exit2: EffectContinues, Block: EffectContinues, NotOK: NotOKBlocks,
	Output: []OutputField{contextField},
	Example: Example{
		Input:  common + `"Stop","stop_hook_active":false,"last_assistant_message":"done"}`,
		Answer: `{"decision":"block","reason":"run the tests first"}`,
		Does:   "makes the agent go on, with the reason as its next instruction",
	},
}

var stopFailure = Spec{
	Name:  "StopFailure",
	Fires: "when a turn ends by an error of the model's API, in place of Stop",
	Subject: SubjectRule{Field: "error", Narrow: true, Values: []string{
		"rate_limit", "overloaded", "authentication_failed", "oauth_org_not_allowed", "billing_error", "invalid_request",
		"model_not_found", "server_error", "max_output_tokens", "unknown", "account_on_hold", "cloud_credential_error",
	}},
	Fields: []Field{
		{Name: "error", Type: "string", Doc: "the kind of error"},
		{Name: "error_details", Type: "string", Optional: true, Doc: "the error in words"},
		{Name: "last_assistant_message", Type: "string", Optional: true, Doc: "the text of the API's error"},
	},
	Types: direct, Continue: ContinueDiscarded, Message: MessageDiscarded,
	Example: Example{
		Input:  common + `"StopFailure","error":"rate_limit"}`,
		Answer: `{"terminalSequence":"\u0007"}`,
		Does:   "rings the terminal's bell; nothing else is read",
	},
}

var sessionEnd = Spec{
	Name:    "SessionEnd",
	Fires:   "when a session ends",
	Subject: SubjectRule{Field: "reason", Values: []string{"clear", "resume", "logout", "prompt_input_exit", "other"}},
	Fields: []Field{
		{Name: "reason", Type: "string", Values: []string{"clear", "resume", "logout", "prompt_input_exit", "other"}, Doc: "why"},
	},
	Types: direct, Timeout: Timeouts{Budget: 1500 * time.Millisecond},
	Exit2: EffectNotice, OnFailure: EffectNotice, Continue: ContinueDiscarded, Message: MessageDiscarded,
	EndsSession: true,
	Example: Example{
		Input: common + `"SessionEnd","reason":"other"}`,
		Does:  "nothing is read from the hook; it can only clean up",
	},
}
