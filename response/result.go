package response

import (
	"cmp"
	"time"
)

// Status is how one run ended. The set is closed.
type Status string

// The statuses.
const (
	OK            Status = "ok"
	Blocked       Status = "blocked"         // exit code 2
	Failed        Status = "failed"          // another exit code
	CouldNotStart Status = "could-not-start" // nothing ran
	TimedOut      Status = "timed-out"
	Killed        Status = "killed" // by a signal of others
	BadOutput     Status = "bad-output"
	HTTPError     Status = "http-error"
	ModelError    Status = "model-error"
	Cancelled     Status = "cancelled"
	Background    Status = "background" // goes on without us
)

// Ended reports whether the hook ran and ended by itself, whatever it said: then
// what it did counts, such as its exports.
func (s Status) Ended() bool { return s == OK || s == Blocked || s == Failed }

// A Source is the place in the settings that a hook comes from.
type Source struct {
	Scope string `json:"scope"` // "managed", "command-line", "local", "project", "user", "plugin"
	File  string `json:"file"`  // relative to the project inside it, else absolute
	Line  int    `json:"line"`  // from 1
	Path  string `json:"path"`  // "hooks.PreToolUse[0].hooks[0]"
}

// A Hook is the identity of one handler in its place, as reports name it.
type Hook struct {
	ID      string // 12 hex digits, stable under formatting and moves
	Name    string // the handler's name, or "" (see Label)
	Type    string // handler type
	Source  Source
	Matcher string
	AlsoIn  []Source // places of identical handlers that run once, as this one

	// FailClosed: the hook's own failure counts as a block (onFailure).
	FailClosed bool
	// Observe: the hook is run and recorded, and decides nothing (mode).
	Observe bool
	// ContinueOnBlock: the denial of a prompt hook does not end the turn.
	ContinueOnBlock bool
}

// Label is the name of the hook for people: its name, else its place.
func (h Hook) Label() string {
	return cmp.Or(h.Name, h.Source.Path, "(unnamed)")
}

// A Result is what happened to one hook, before any rule of its event is
// applied. Its runner fills it.
type Result struct {
	// Status: OK for exit 0 (and for an http, prompt or agent handler that was
	// answered), Blocked for 2, Failed for other exit codes; or what kept the
	// hook from exiting by itself.
	Status   Status
	ExitCode *int   // nil where nothing exited by itself
	Signal   string // "KILL", "TERM", … for Killed
	// Shell is what ran it: "builtin", "bash", "sh", "powershell", or "exec"
	// for a program without a shell. ShellWhy names the construct that decided.
	Shell, ShellWhy string
	Duration        time.Duration
	// Stdout is what the hook answered: its standard output, the body of an
	// HTTP response, the text of a model.
	Stdout, Stderr []byte
	// Truncated: output beyond the limit was read and dropped, DiscardedBytes
	// of both streams together.
	Truncated      bool
	DiscardedBytes int64
	// Error says in words what went wrong besides what the hook itself said.
	Error string
	// Warning says why it may have come to something else than its author meant.
	Warning string
}

// A Problem is something a person should know that changed no decision by
// itself, or that explains one.
type Problem struct {
	Severity string `json:"severity"` // "error" or "warning"
	Code     string `json:"code"`     // stable, for machines: "unknown-event"
	Message  string `json:"message"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Path     string `json:"path"`
}

// A Skip is a configured hook of the event that did not run, and why.
type Skip struct {
	Hook   Hook
	Reason string // the closed set of precedence.Reason
	Detail string // in words, with the values compared
}
