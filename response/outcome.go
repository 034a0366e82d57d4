package response

import (
	"encoding/json"

	"github.com/theus-hooks/theus-hooks/settings/event"
)

// Decision is what the hooks of one firing decided together. The set is closed.
type Decision string

// The decisions, in order of strength for tool permission; DecisionBlock is
// that of events that know only "block".
const (
	DecisionNone  Decision = "none"
	DecisionAllow Decision = "allow"
	DecisionAsk   Decision = "ask"
	DecisionDefer Decision = "defer"
	DecisionDeny  Decision = "deny"
	DecisionBlock Decision = "block"
)

// An Outcome is the combined result of one firing. It marshals to the JSON of
// `theus-hooks run --format outcome`, the same for the library and the server.
type Outcome struct {
	Event     string
	Subject   string
	SessionID string

	Decision Decision
	// Blocked: the action must not go on (on Stop and the like: the agent must
	// not stop).
	Blocked    bool
	Reason     string // of the winning decision
	Continue   bool
	StopReason string

	SuppressOutput    bool
	SystemMessages    []string
	AdditionalContext []string
	UpdatedInput      json.RawMessage // the whole input after rewriting, nil: unchanged
	// HookSpecificOutput is what one hook would have printed for all.
	HookSpecificOutput json.RawMessage
	TerminalSequence   string

	Env map[string]*string // exports of this firing; nil: unset

	Hooks     []HookReport // those that ran, in configuration order
	Skipped   []Skip
	Conflicts []Conflict
	Problems  []Problem

	spec    *event.Spec
	reasons []attributed // those of the winning decision
	fields  []field      // combined output fields, each once
	grants  string       // updatedPermissions
	halts   bool         // interrupt of a denied permission request
	wakes   []string     // of hooks in the background, in AdditionalContext too
	notices []string     // of exit codes 2 that block nothing, in SystemMessages too where those are shown
}

// attributed is a text and the hook that said it.
type attributed struct {
	hook Hook
	text string
}

// A HookReport is what one hook did and said.
type HookReport struct {
	Hook     Hook
	Result   Result   // Status is the final one, bad-output included
	Decision Decision // of this hook alone
	Reason   string
}

// A Conflict lists the hooks that answered the same single-valued field.
type Conflict struct {
	Field string   `json:"field"`
	Won   string   `json:"won"`  // hook id
	Lost  []string `json:"lost"` // hook ids, in configuration order
}
