package event

import (
	"slices"
	"strings"
	"time"
)

// A Spec is one row of the table: all that is particular to one event.
type Spec struct {
	Name  string
	Fires string // when, as half a sentence: "before a tool call runs"

	Subject SubjectRule
	Fields  []Field // of its input, besides the common ones
	Types   Types   // handler types it allows
	Timeout Timeouts

	// If reports whether `if` rules are evaluated; where they are not, a
	// handler with a rule never runs.
	If bool

	// Form is the field of the output that holds the event's decision.
	Form Form
	// Exit2 is what a hook's exit code 2 does.
	Exit2 Effect
	// Block is what a top-level `"decision": "block"` does.
	Block Effect
	// OnFailure is what a failed hook with `"onFailure": "block"` does.
	OnFailure Effect
	// NotOK is what the answer `"ok": false` of a prompt or agent hook does.
	NotOK NotOKRule
	// Unblockable lists the subjects for which a block has no effect.
	Unblockable []string
	// TimeoutBlocks: a hook that runs out of time blocks, as exit code 2 does.
	TimeoutBlocks bool
	// Exit2DropsOutput: exit code 2 makes hookSpecificOutput unread.
	Exit2DropsOutput bool

	// PlainContext: plain text on stdout, at exit 0, is context for the model.
	PlainContext bool
	// Continue is what `"continue": false` does.
	Continue ContinueRule
	// Message is where a `systemMessage` goes.
	Message MessageRule
	// Output lists the fields of `hookSpecificOutput` it honours, besides
	// hookEventName. Empty: it has none.
	Output []OutputField

	// ExportStage: what a hook exported on an event with a stage is replaced when
	// the hook runs for it again, and is seen by events of later stages. Exports
	// of all other events, stage 0, add up on top.
	ExportStage int

	// OfSubagent: what is said to the model reaches a subagent, not the agent that
	// the session is of.
	OfSubagent bool
	// EndsSession: hooks of the session that run in the background are ended.
	EndsSession bool
	// UserSpeaks: the user has the word, so wakes in a row are counted anew.
	UserSpeaks bool

	// FailClosed: where a guard could be hidden (unusable input, broken
	// managed policy, our own fault), the answer of this event is a denial.
	FailClosed bool

	// Example is the smallest event and an answer to it.
	Example Example
}

// Example is one firing, for people who meet the event for the first time.
type Example struct {
	Input  string // the event's JSON
	Answer string // what a hook prints, at exit 0, to use the event; "" where nothing is read
	Does   string // what that answer does, as half a sentence
}

// SubjectRule says what a matcher of the event is compared with.
type SubjectRule struct {
	Field string // key of the input, "" where matchers are ignored
	// Base: the subject is the last element of the path in Field.
	Base bool
	// Narrow: only letters, digits, "_" and "|" make a matcher a list of
	// names; any other character makes it a regular expression.
	Narrow bool
	Values []string // known values, for listings and lint; the set is open
}

// Field is one key of an event's input.
type Field struct {
	Name     string
	Type     string // JSON type: "string", "object", "array", "number", "boolean", "any"
	Optional bool
	Values   []string // known values
	Doc      string
}

// OutputField is one key of an event's hookSpecificOutput.
type OutputField struct {
	Name   string
	Type   string   // as in Field
	Values []string // closed set of allowed strings, nil: any
	Doc    string
	Merge  Merge // how the values of several hooks become one
	// Limit is the number of characters beyond which text is shortened, 0: none.
	Limit int
	// Ours: an extension; agents do not know the field, so no answer holds it.
	Ours bool
}

// Merge is how several hooks' values of one output field become one.
type Merge uint8

const (
	// MergeLast: that of the last hook in configuration order.
	MergeLast Merge = iota
	// MergeJoin: texts, one below the other.
	MergeJoin
	// MergeUnion: every element of the arrays, once.
	MergeUnion
	// MergeAny: true when one of them is.
	MergeAny
)

// Form is the field of a hook's output that holds an event's decision.
type Form uint8

const (
	// FormNone: no field that every agent reads; exit code 2 may still block.
	FormNone Form = iota
	// FormBlock: `"decision": "block"` at top level.
	FormBlock
	// FormPermission: hookSpecificOutput.permissionDecision, with the top-level
	// approve and block as its older names.
	FormPermission
	// FormBehavior: hookSpecificOutput.decision.behavior.
	FormBehavior
	// FormAction: hookSpecificOutput.action; decline and cancel are denials.
	FormAction
	// FormPath: the hook stands for the operation; it prints a path or fails.
	FormPath
)

// Timeouts are the default time limits of an event. Zero means the general
// default of the handler type (DefaultTimeout).
type Timeouts struct {
	Command time.Duration // command, http and mcp_tool handlers
	// Budget is the limit that all hooks of one firing share, 0: none.
	Budget time.Duration
}

// Effect is what a block (exit code 2, or a block decision) does.
type Effect uint8

const (
	// EffectIgnored: nothing; the text is at most logged.
	EffectIgnored Effect = iota
	// EffectNotice: the text is shown to the user; nothing is blocked.
	EffectNotice
	// EffectFeedback: the action is past; the text goes to the model.
	EffectFeedback
	// EffectBlocks: the action must not go on.
	EffectBlocks
	// EffectContinues: the agent must not stop; the text is its next instruction.
	EffectContinues
	// EffectFails: the operation that the hook stands for has failed. On such
	// an event every nonzero exit code is one.
	EffectFails
)

var effectTexts = [...]string{
	EffectIgnored: "nothing", EffectNotice: "its text is shown to the user", EffectFeedback: "its text goes to the model; the action is past",
	EffectBlocks: "blocks", EffectContinues: "the agent goes on, with its text as the next instruction", EffectFails: "the operation has failed",
}

// String says the effect in words.
func (e Effect) String() string { return effectTexts[e] }

// NotOKRule is what a prompt or agent hook's `"ok": false` does on an event.
type NotOKRule uint8

const (
	// NotOKIgnored: nothing.
	NotOKIgnored NotOKRule = iota
	// NotOKBlocks: it blocks.
	NotOKBlocks
	// NotOKStops: it blocks, and that of a prompt hook without continueOnBlock
	// also ends the turn.
	NotOKStops
)

// ContinueRule is what `"continue": false` does on an event.
type ContinueRule uint8

const (
	// ContinueStops: the agent stops; beats every other decision.
	ContinueStops ContinueRule = iota
	// ContinueDiscarded: the field is dropped.
	ContinueDiscarded
)

// MessageRule is where a systemMessage goes on an event.
type MessageRule uint8

const (
	// MessageShown: to the user.
	MessageShown MessageRule = iota
	// MessageDiscarded: dropped.
	MessageDiscarded
	// MessageToModel: to the model, on the next turn.
	MessageToModel
)

// Types is a set of handler types.
type Types uint8

// The handler types.
const (
	Command Types = 1 << iota
	HTTP
	MCPTool
	Prompt
	Agent
)

// AllTypes is every handler type.
const AllTypes = Command | HTTP | MCPTool | Prompt | Agent

var typeNames = []struct {
	bit  Types
	name string
}{{Command, "command"}, {HTTP, "http"}, {MCPTool, "mcp_tool"}, {Prompt, "prompt"}, {Agent, "agent"}}

// ParseType returns the handler type of that name, exactly as written in settings.
func ParseType(name string) (Types, bool) {
	for _, t := range typeNames {
		if t.name == name {
			return t.bit, true
		}
	}
	return 0, false
}

// Has reports whether all types of u are in t.
func (t Types) Has(u Types) bool { return t&u == u }

// Names lists the types of the set as they are written in settings.
func (t Types) Names() []string {
	var names []string
	for _, n := range typeNames {
		if t.Has(n.bit) {
			names = append(names, n.name)
		}
	}
	return names
}

// String joins Names: "command, http".
func (t Types) String() string { return strings.Join(t.Names(), ", ") }

// DefaultTimeout is the time limit of a handler of type t that sets none.
func (s *Spec) DefaultTimeout(t Types) time.Duration {
	switch t {
	case Prompt:
		return 30 * time.Second
	case Agent:
		return 60 * time.Second
	}
	if s.Timeout.Command > 0 {
		return s.Timeout.Command
	}
	return 600 * time.Second
}

// CanBlock reports whether a hook can keep the event's action from happening
// (or, on Stop and the like, from ending).
func (s *Spec) CanBlock() bool {
	switch s.Form {
	case FormPermission, FormBehavior, FormAction, FormPath:
		return true
	}
	return s.Exit2 >= EffectBlocks
}

// OutputField returns the row of a hookSpecificOutput key, or nil where the
// event has none of that name.
func (s *Spec) OutputField(name string) *OutputField {
	for i := range s.Output {
		if s.Output[i].Name == name {
			return &s.Output[i]
		}
	}
	return nil
}

// All returns every row, in the order in which a session meets them. The
// caller must not change it.
func All() []*Spec { return table }

// Lookup returns the row of an event by its exact name.
func Lookup(name string) (*Spec, bool) {
	for _, s := range table {
		if s.Name == name {
			return s, true
		}
	}
	return nil, false
}

// Fold returns the row of an event whatever the case of name, as a command
// line accepts it.
func Fold(name string) (*Spec, bool) {
	for _, s := range table {
		if strings.EqualFold(s.Name, name) {
			return s, true
		}
	}
	return nil, false
}

// Names lists the names of all events, in the order of All.
func Names() []string {
	names := make([]string, len(table))
	for i, s := range table {
		names[i] = s.Name
	}
	return names
}

// commonFields are the keys every event may carry. Only session_id,
// transcript_path, cwd and hook_event_name are always there.
var commonFields = []Field{
	{Name: "session_id", Type: "string", Doc: "the session; follows a clear"},
	{Name: "transcript_path", Type: "string", Doc: "the conversation's file; may lag behind"},
	{Name: "cwd", Type: "string", Doc: "the working directory at this moment"},
	{Name: "hook_event_name", Type: "string", Doc: "the event"},
	{Name: "prompt_id", Type: "string", Optional: true, Doc: "the prompt that led here"},
	{Name: "permission_mode", Type: "string", Optional: true, Doc: "how the agent asks for permission", Values: []string{"default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions"}},
	{Name: "effort", Type: "object", Optional: true, Doc: "the model's effort, in its key level"},
	{Name: "agent_id", Type: "string", Optional: true, Doc: "the subagent, inside one"},
	{Name: "agent_type", Type: "string", Optional: true, Doc: "the kind of agent"},
	{Name: "scratchpad_dir", Type: "string", Optional: true, Doc: "a directory for temporary files"},
}

// CommonFields lists the keys that every event may carry.
func CommonFields() []Field { return slices.Clone(commonFields) }
