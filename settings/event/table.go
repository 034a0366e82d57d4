package event

// table is every event, in the order in which a session meets them. The rows
// stand in rows_*.go, by what they are about.
var table = []*Spec{
	&setup, &sessionStart, &instructionsLoaded,
	&userPromptSubmit, &userPromptExpansion,
	&preToolUse, &permissionRequest, &permissionDenied, &postToolUse, &postToolUseFailure, &postToolBatch,
	&elicitation, &elicitationResult,
	&subagentStart, &subagentStop, &taskCreated, &taskCompleted, &teammateIdle,
	&notification, &messageDisplay,
	&configChange, &cwdChanged, &directoryAdded, &fileChanged,
	&preModelSwitch, &postModelSwitch,
	&worktreeCreate, &worktreeRemove,
	&preCompact, &postCompact,
	&stop, &stopFailure, &sessionEnd,
}

// common begins every example: the keys that each event has.
const common = `{"session_id":"s1","transcript_path":"/srv/app/s1.jsonl","cwd":"/srv/app","hook_event_name":`

// Sets of handler types that several events share.
const (
	direct = Command | HTTP | MCPTool
	local  = Command | MCPTool
)

// textLimit is the number of characters that a text for the model or the user
// may have before it is shortened.
const textLimit = 10_000

// contextField is the output field that most events have.
var contextField = OutputField{Name: "additionalContext", Type: "string", Doc: "text for the model", Merge: MergeJoin, Limit: textLimit}

// watchPathsField is that of the events that can change what is watched.
var watchPathsField = OutputField{Name: "watchPaths", Type: "array", Doc: "absolute paths that FileChanged watches from now on", Merge: MergeUnion}
