package response

import (
	"encoding/json"
	"math"
	"time"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// JSON is the outcome in the one shape that the command line, the library and
// the server share: fixed key order, no escaping of <, > and &, no line break.
// The same outcome is always the same bytes.
func (o *Outcome) JSON() []byte {
	text, err := jsontext.Marshal(o)
	if err != nil { // a RawMessage that some caller set to text that is no JSON
		text, _ = jsontext.Marshal(map[string]string{"error": err.Error()})
	}
	return text
}

// MarshalJSON writes empty lists as [], absent objects as null and an
// environment without exports as {}.
func (o *Outcome) MarshalJSON() ([]byte, error) {
	env := o.Env
	if env == nil {
		env = map[string]*string{}
	}
	return jsontext.Marshal(struct {
		Event              string             `json:"event"`
		Subject            string             `json:"subject"`
		SessionID          string             `json:"sessionId"`
		Decision           Decision           `json:"decision"`
		Blocked            bool               `json:"blocked"`
		Reason             string             `json:"reason"`
		Continue           bool               `json:"continue"`
		StopReason         string             `json:"stopReason"`
		SuppressOutput     bool               `json:"suppressOutput"`
		SystemMessages     []string           `json:"systemMessages"`
		AdditionalContext  []string           `json:"additionalContext"`
		UpdatedInput       json.RawMessage    `json:"updatedInput"`
		HookSpecificOutput json.RawMessage    `json:"hookSpecificOutput"`
		TerminalSequence   string             `json:"terminalSequence"`
		Env                map[string]*string `json:"env"`
		Hooks              []HookReport       `json:"hooks"`
		Skipped            []Skip             `json:"skipped"`
		Conflicts          []Conflict         `json:"conflicts"`
		Problems           []Problem          `json:"problems"`
	}{
		o.Event, o.Subject, o.SessionID, o.Decision, o.Blocked, o.Reason, o.Continue, o.StopReason, o.SuppressOutput,
		list(o.SystemMessages), list(o.AdditionalContext), o.UpdatedInput, o.HookSpecificOutput, o.TerminalSequence, env,
		list(o.Hooks), list(o.Skipped), list(o.Conflicts), list(o.Problems),
	})
}

// MarshalJSON writes a hook's identity, what happened to it and what it decided
// as one flat object.
func (r HookReport) MarshalJSON() ([]byte, error) {
	res := r.Result
	return jsontext.Marshal(struct {
		identity
		Status         Status   `json:"status"`
		ExitCode       *int     `json:"exitCode"`
		Signal         string   `json:"signal"`
		Shell          string   `json:"shell"`
		ShellWhy       string   `json:"shellWhy"`
		DurationMs     float64  `json:"durationMs"`
		Decision       Decision `json:"decision"`
		Reason         string   `json:"reason"`
		Stdout         string   `json:"stdout"`
		Stderr         string   `json:"stderr"`
		Error          string   `json:"error"`
		Truncated      bool     `json:"truncated"`
		DiscardedBytes int64    `json:"discardedBytes"`
		AlsoIn         []Source `json:"alsoIn"`
	}{
		identify(r.Hook), res.Status, res.ExitCode, res.Signal, res.Shell, res.ShellWhy, milliseconds(res.Duration),
		r.Decision, r.Reason, string(res.Stdout), string(res.Stderr), res.Error, res.Truncated, res.DiscardedBytes, list(r.Hook.AlsoIn),
	})
}

// MarshalJSON writes a hook's identity and why it did not run.
func (s Skip) MarshalJSON() ([]byte, error) {
	return jsontext.Marshal(struct {
		identity
		Reason string `json:"reason"`
		Detail string `json:"detail"`
	}{identify(s.Hook), s.Reason, s.Detail})
}

// MarshalJSON writes a conflict nobody lost as one with an empty list.
func (c Conflict) MarshalJSON() ([]byte, error) {
	type plain Conflict
	c.Lost = list(c.Lost)
	return jsontext.Marshal(plain(c))
}

// identity is how reports name a hook.
type identity struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Type    string `json:"type"`
	Source  Source `json:"source"`
	Matcher string `json:"matcher"`
}

func identify(h Hook) identity { return identity{h.ID, h.Name, h.Type, h.Source, h.Matcher} }

// milliseconds has at most three decimals.
func milliseconds(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Microsecond)) / 1000
}

// list is never null in JSON.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
