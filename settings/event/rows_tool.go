package event

// Rows of tool calls: asked for, permitted, done, and what tools ask back.

// tools is the known names of built-in tools.
var tools = []string{
	"Bash", "PowerShell", "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep",
	"WebFetch", "WebSearch", "Agent", "Task", "Skill", "AskUserQuestion", "ExitPlanMode",
}

// Input fields that the tool events share.
var (
	toolName     = Field{Name: "tool_name", Type: "string", Doc: "the tool"}
	toolInput    = Field{Name: "tool_input", Type: "object", Doc: "its arguments"}
	toolUseID    = Field{Name: "tool_use_id", Type: "string", Doc: "the call"}
	toolDuration = Field{Name: "duration_ms", Type: "number", Optional: true, Doc: "how long the tool ran, in milliseconds"}
)

var preToolUse = Spec{
	Name:    "PreToolUse",
	Fires:   "before a tool call runs, and before anyone is asked for permission",
	Subject: SubjectRule{Field: "tool_name", Values: tools},
	Fields: []Field{
		toolName, toolInput, toolUseID,
		{Name: "mcp_server", Type: "object", Optional: true, Doc: "the server of an MCP tool: name, source"},
	},
	Types: AllTypes, If: true,
	Form: FormPermission, Exit2: EffectBlocks, Block: EffectBlocks, OnFailure: EffectBlocks, NotOK: NotOKStops,
	Output: []OutputField{
		{Name: "permissionDecision", Type: "string", Values: []string{"allow", "deny", "ask", "defer"}, Doc: "the decision"},
		{Name: "permissionDecisionReason", Type: "string", Doc: "why: to the model for deny, to the user for allow and ask"},
		{Name: "updatedInput", Type: "object", Doc: "takes the place of the whole tool_input"},
		{Name: "updatedInputPatch", Type: "object", Doc: "changes only these fields of tool_input (JSON Merge Patch)", Ours: true},
		contextField,
	},
	FailClosed: true,
	Example: Example{
		Input:  common + `"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf build"},"tool_use_id":"t1"}`,
		Answer: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"use make clean"}}`,
		Does:   "keeps the tool from running and tells the model why",
	},
}

var permissionRequest = Spec{
	Name:    "PermissionRequest",
	Fires:   "when the user is about to be asked for permission",
	Subject: SubjectRule{Field: "tool_name", Values: tools},
	Fields: []Field{
		toolName, toolInput,
		{Name: "permission_suggestions", Type: "array", Optional: true, Doc: "rules the user would be offered"},
	},
	Types: AllTypes, If: true,
	Form: FormBehavior, OnFailure: EffectBlocks,
	Output: []OutputField{
		{Name: "decision", Type: "object", Doc: "behavior (allow or deny); with allow: updatedInput, updatedPermissions; with deny: message, interrupt"},
	},
	FailClosed: true,
	Example: Example{
		Input:  common + `"PermissionRequest","tool_name":"Bash","tool_input":{"command":"git push"}}`,
		Answer: `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"push by hand"}}}`,
		Does:   "answers for the user; exit code 2 does nothing here",
	},
}

var permissionDenied = Spec{
	Name:    "PermissionDenied",
	Fires:   "when the automatic mode has denied a call",
	Subject: SubjectRule{Field: "tool_name", Values: tools},
	Fields: []Field{
		toolName, toolInput, toolUseID,
		{Name: "reason", Type: "string", Doc: "why it was denied"},
	},
	Types: AllTypes, If: true,
	Output: []OutputField{
		{Name: "retry", Type: "boolean", Doc: "tell the model that it may try again", Merge: MergeAny},
	},
	Example: Example{
		Input:  common + `"PermissionDenied","tool_name":"Bash","tool_input":{"command":"git push"},"tool_use_id":"t1","reason":"not asked for"}`,
		Answer: `{"hookSpecificOutput":{"hookEventName":"PermissionDenied","retry":true}}`,
		Does:   "tells the model that it may try again",
	},
}

var postToolUse = Spec{
	Name:    "PostToolUse",
	Fires:   "right after a tool has succeeded",
	Subject: SubjectRule{Field: "tool_name", Values: tools},
	Fields: []Field{
		toolName, toolInput,
		{Name: "tool_response", Type: "any", Doc: "what the tool gave back"},
		toolUseID, toolDuration,
	},
	Types: AllTypes, If: true,
	Form: FormBlock, Exit2: EffectFeedback, Block: EffectFeedback, OnFailure: EffectFeedback, NotOK: NotOKStops,
	Output: []OutputField{
		contextField,
		{Name: "updatedToolOutput", Type: "any", Doc: "takes the place of the tool's output, in the same shape"},
		{Name: "updatedMCPToolOutput", Type: "any", Doc: "the older name of updatedToolOutput, for MCP tools only"},
		{Name: "classifierContext", Type: "string", Doc: "a note for the automatic mode", Merge: MergeJoin, Limit: 2_000},
	},
	Example: Example{
		Input:  common + `"PostToolUse","tool_name":"Write","tool_input":{"file_path":"/srv/app/a.go","content":"package a"},"tool_response":{"filePath":"/srv/app/a.go","success":true},"tool_use_id":"t1"}`,
		Answer: `{"decision":"block","reason":"a.go: missing license header"}`,
		Does:   "gives the model the reason beside the result; the tool has already run",
	},
}

var postToolUseFailure = Spec{
	Name:    "PostToolUseFailure",
	Fires:   "after a tool that had begun has failed",
	Subject: SubjectRule{Field: "tool_name", Values: tools},
	Fields: []Field{
		toolName, toolInput, toolUseID,
		{Name: "error", Type: "string", Doc: "the tool's error"},
		{Name: "is_interrupt", Type: "boolean", Optional: true, Doc: "the user broke it off"},
		toolDuration,
	},
	Types: AllTypes, If: true,
	Form: FormBlock, Exit2: EffectFeedback, Block: EffectFeedback, OnFailure: EffectFeedback, NotOK: NotOKBlocks,
	Output: []OutputField{contextField},
	Example: Example{
		Input:  common + `"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"t1","error":"Exit code 2"}`,
		Answer: `{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"run make deps first"}}`,
		Does:   "tells the model, beside the error",
	},
}

var postToolBatch = Spec{
	Name:  "PostToolBatch",
	Fires: "when all tool calls of one answer are done, before the model is asked again",
	Fields: []Field{
		{Name: "tool_calls", Type: "array", Doc: "the calls: tool_name, tool_input, tool_use_id, tool_response"},
	},
	Types: AllTypes,
	Form:  FormBlock, Exit2: EffectBlocks, Block: EffectBlocks, OnFailure: EffectBlocks, NotOK: NotOKStops,
	Output: []OutputField{contextField},
	Example: Example{
		Input:  common + `"PostToolBatch","tool_calls":[{"tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"t1"}]}`,
		Answer: `{"decision":"block","reason":"the budget of this session is spent"}`,
		Does:   "stops before the model is asked again",
	},
}

var elicitation = Spec{
	Name:    "Elicitation",
	Fires:   "when an MCP server asks the user for input",
	Subject: SubjectRule{Field: "mcp_server_name"},
	Fields: []Field{
		{Name: "mcp_server_name", Type: "string", Doc: "the server"},
		{Name: "message", Type: "string", Doc: "what it asks"},
		{Name: "mode", Type: "string", Optional: true, Values: []string{"form", "url"}, Doc: "how it asks"},
		{Name: "url", Type: "string", Optional: true, Doc: "the page, in url mode"},
		{Name: "elicitation_id", Type: "string", Optional: true, Doc: "the request"},
		{Name: "requested_schema", Type: "object", Optional: true, Doc: "the form's fields, as JSON Schema"},
	},
	Types: direct,
	Form:  FormAction, Exit2: EffectBlocks, OnFailure: EffectBlocks, Exit2DropsOutput: true,
	Continue: ContinueDiscarded, Message: MessageDiscarded,
	Output: elicitationOutput,
	Example: Example{
		Input:  common + `"Elicitation","mcp_server_name":"tracker","message":"Which project?"}`,
		Answer: `{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{"project":"app"}}}`,
		Does:   "answers for the user",
	},
}

var elicitationOutput = []OutputField{
	{Name: "action", Type: "string", Values: []string{"accept", "decline", "cancel"}, Doc: "the answer"},
	{Name: "content", Type: "object", Doc: "the form's values, with accept"},
}

var elicitationResult = Spec{
	Name:    "ElicitationResult",
	Fires:   "when the user has answered an MCP server, before the answer goes back",
	Subject: SubjectRule{Field: "mcp_server_name"},
	Fields: []Field{
		{Name: "mcp_server_name", Type: "string", Doc: "the server"},
		{Name: "action", Type: "string", Values: []string{"accept", "decline", "cancel"}, Doc: "the user's answer"},
		{Name: "mode", Type: "string", Optional: true, Values: []string{"form", "url"}, Doc: "how it was asked"},
		{Name: "elicitation_id", Type: "string", Optional: true, Doc: "the request"},
		{Name: "content", Type: "object", Optional: true, Doc: "the values the user gave"},
	},
	Types: direct,
	Form:  FormAction, Exit2: EffectBlocks, OnFailure: EffectBlocks, Exit2DropsOutput: true,
	Continue: ContinueDiscarded, Message: MessageDiscarded,
	Output: elicitationOutput,
	Example: Example{
		Input:  common + `"ElicitationResult","mcp_server_name":"tracker","action":"accept","content":{"project":"app"}}`,
		Answer: `{"hookSpecificOutput":{"hookEventName":"ElicitationResult","action":"decline"}}`,
		Does:   "takes the place of the user's answer",
	},
}
