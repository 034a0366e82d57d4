package event

import "time"

// Rows of what works beside the main agent, and of what it shows.

var subagentStart = Spec{
	Name:    "SubagentStart",
	Fires:   "when a subagent is started",
	Subject: SubjectRule{Field: "agent_type"}, OfSubagent: true,
	Fields: []Field{
		{Name: "agent_id", Type: "string", Doc: "the subagent"},
		{Name: "agent_type", Type: "string", Doc: "its kind"},
	},
	Types: direct, Exit2: EffectNotice, OnFailure: EffectNotice,
	Output: []OutputField{contextField},
	Example: Example{
		Input:  common + `"SubagentStart","agent_id":"a1","agent_type":"reviewer"}`,
		Answer: `{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"review only what changed"}}`,
		Does:   "tells the subagent",
	},
}

var subagentStop = Spec{
	Name:    "SubagentStop",
	Fires:   "when a subagent has finished",
	Subject: SubjectRule{Field: "agent_type"}, OfSubagent: true,
	Fields: []Field{
		{Name: "stop_hook_active", Type: "boolean", Doc: "a hook has already made it go on"},
		{Name: "agent_id", Type: "string", Doc: "the subagent"},
		{Name: "agent_type", Type: "string", Doc: "its kind"},
		{Name: "agent_transcript_path", Type: "string", Doc: "its conversation's file"},
		{Name: "last_assistant_message", Type: "string", Optional: true, Doc: "its answer"},
		{Name: "background_tasks", Type: "array", Optional: true, Doc: "what still runs in the session"},
		{Name: "session_crons", Type: "array", Optional: true, Doc: "what is scheduled in the session"},
	},
	Types: AllTypes,
	Form:  FormBlock, Exit2: EffectContinues, Block: EffectContinues, NotOK: NotOKBlocks,
	Output: []OutputField{contextField},
	Example: Example{
		Input:  common + `"SubagentStop","stop_hook_active":false,"agent_id":"a1","agent_type":"reviewer","agent_transcript_path":"/srv/app/a1.jsonl"}`,
		Answer: `{"decision":"block","reason":"name the files you read"}`,
		Does:   "makes the subagent go on, with the reason as its next instruction",
	},
}

// Input fields of the task events.
var taskFields = []Field{
	{Name: "task_id", Type: "string", Doc: "the task"},
	{Name: "task_subject", Type: "string", Doc: "its title"},
	{Name: "task_description", Type: "string", Optional: true, Doc: "what is to be done"},
	{Name: "teammate_name", Type: "string", Optional: true, Doc: "whose task it is, in a team"},
	{Name: "team_name", Type: "string", Optional: true, Doc: "the team (deprecated)"},
}

var taskCreated = Spec{
	Name:   "TaskCreated",
	Fires:  "when a task is created",
	Fields: taskFields,
	Types:  AllTypes,
	Form:   FormBlock, Exit2: EffectBlocks, Block: EffectBlocks, OnFailure: EffectBlocks, NotOK: NotOKBlocks,
	Continue: ContinueDiscarded,
	Example: Example{
		Input:  common + `"TaskCreated","task_id":"1","task_subject":"fix it"}`,
		Answer: `{"decision":"block","reason":"the subject must name the file"}`,
		Does:   "takes the task back and gives the model the reason as an error",
	},
}

var taskCompleted = Spec{
	Name:   "TaskCompleted",
	Fires:  "when a task is marked as done, or a teammate ends its turn with tasks begun",
	Fields: taskFields,
	Types:  AllTypes,
	Exit2:  EffectBlocks, Block: EffectBlocks, NotOK: NotOKStops,
	Example: Example{
		Input:  common + `"TaskCompleted","task_id":"1","task_subject":"fix it"}`,
		Answer: `{"continue":false,"stopReason":"the build is red"}`,
		Does:   "stops the teammate; exit code 2 keeps the task open instead",
	},
}

var teammateIdle = Spec{
	Name:  "TeammateIdle",
	Fires: "when an agent of a team is about to go idle",
	Fields: []Field{
		{Name: "teammate_name", Type: "string", Doc: "the agent"},
		{Name: "team_name", Type: "string", Doc: "the team (deprecated)"},
	},
	Types: AllTypes,
	Exit2: EffectContinues, Block: EffectContinues, NotOK: NotOKStops,
	Example: Example{
		Input:  common + `"TeammateIdle","teammate_name":"tester","team_name":"app"}`,
		Answer: `{"continue":false,"stopReason":"nothing is left to do"}`,
		Does:   "stops the teammate; exit code 2 keeps it working instead",
	},
}

var notification = Spec{
	Name:  "Notification",
	Fires: "when the agent notifies the user",
	Subject: SubjectRule{Field: "notification_type", Values: []string{
		"permission_prompt", "idle_prompt", "auth_success", "elicitation_dialog", "elicitation_url_dialog", "elicitation_complete",
		"elicitation_response", "agent_needs_input", "agent_completed",
		"quota_auto_resume_fired", "quota_auto_resume_stale", "quota_auto_resume_disabled",
	}},
	Fields: []Field{
		{Name: "message", Type: "string", Doc: "its text"},
		{Name: "title", Type: "string", Optional: true, Doc: "its title"},
		{Name: "notification_type", Type: "string", Doc: "its kind"},
	},
	Types: direct, Continue: ContinueDiscarded, Message: MessageDiscarded,
	Example: Example{
		Input:  common + `"Notification","message":"waiting for your input","notification_type":"idle_prompt"}`,
		Answer: `{"terminalSequence":"\u001b]9;the agent waits\u0007"}`,
		Does:   "shows a notification of the terminal; nothing else is read",
	},
}

var messageDisplay = Spec{
	Name:  "MessageDisplay",
	Fires: "when text of the agent reaches the screen, some whole lines at a time",
	Fields: []Field{
		{Name: "turn_id", Type: "string", Doc: "the turn"},
		{Name: "message_id", Type: "string", Doc: "the message"},
		{Name: "index", Type: "number", Doc: "which part of it, from 0"},
		{Name: "final", Type: "boolean", Doc: "the last part"},
		{Name: "delta", Type: "string", Doc: "the part's text"},
	},
	Types: direct, Timeout: Timeouts{Command: 10 * time.Second},
	Exit2DropsOutput: true, Continue: ContinueDiscarded, Message: MessageDiscarded,
	Output: []OutputField{
		{Name: "displayContent", Type: "string", Doc: "what is shown in place of the text"},
	},
	Example: Example{
		Input:  common + `"MessageDisplay","turn_id":"u1","message_id":"m1","index":0,"final":true,"delta":"token: abc"}`,
		Answer: `{"hookSpecificOutput":{"hookEventName":"MessageDisplay","displayContent":"token: ***"}}`,
		Does:   "changes what the user sees, not what the model said",
	},
}

// Input fields of the model events.
var modelFields = []Field{
	{Name: "from_model", Type: "string", Doc: "the model so far"},
	{Name: "to_model", Type: "string", Doc: "the model from now on"},
	{Name: "requested_model", Type: "string", Doc: "as it was asked for"},
	{Name: "source", Type: "string", Values: []string{"command", "picker", "sdk", "auto", "resume"}, Doc: "who asked"},
	{Name: "context_tokens", Type: "number", Optional: true, Doc: "size of the context"},
	{Name: "prompt_cache_warm", Type: "boolean", Optional: true, Doc: "a cache would be lost"},
	{Name: "cache_ttl", Type: "any", Optional: true, Doc: "how long the cache lives"},
	{Name: "estimated_cache_write_usd", Type: "number", Optional: true, Doc: "cost of filling the cache again"},
	{Name: "pricing", Type: "object", Optional: true, Doc: "what the models cost"},
}

var preModelSwitch = Spec{
	Name:    "PreModelSwitch",
	Fires:   "before a switch of the model that was asked for",
	Subject: SubjectRule{Field: "to_model"},
	Fields:  modelFields,
	Types:   direct, Timeout: Timeouts{Command: 30 * time.Second},
	Form: FormPermission, Exit2: EffectBlocks, Block: EffectBlocks, OnFailure: EffectBlocks, TimeoutBlocks: true,
	Output: []OutputField{
		{Name: "permissionDecision", Type: "string", Values: []string{"allow", "deny", "ask"}, Doc: "the decision"},
		{Name: "permissionDecisionReason", Type: "string", Doc: "why"},
	},
	Example: Example{
		Input:  common + `"PreModelSwitch","from_model":"small","to_model":"large","requested_model":"large","source":"command"}`,
		Answer: `{"hookSpecificOutput":{"hookEventName":"PreModelSwitch","permissionDecision":"deny","permissionDecisionReason":"over budget"}}`,
		Does:   "keeps the model; a hook that runs out of time does so too",
	},
}

var postModelSwitch = Spec{
	Name:    "PostModelSwitch",
	Fires:   "after the model has changed, whoever asked",
	Subject: SubjectRule{Field: "to_model"},
	Fields:  modelFields,
	Types:   direct, Timeout: Timeouts{Command: 30 * time.Second},
	Exit2: EffectNotice, OnFailure: EffectNotice,
	PlainContext: true,
	Output:       []OutputField{contextField},
	Example: Example{
		Input:  common + `"PostModelSwitch","from_model":"small","to_model":"large","requested_model":"large","source":"command"}`,
		Answer: `{"hookSpecificOutput":{"hookEventName":"PostModelSwitch","additionalContext":"the large model is for design only"}}`,
		Does:   "tells the model with the next request; plain text on stdout does the same",
	},
}
