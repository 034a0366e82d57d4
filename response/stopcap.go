package response

import (
	"fmt"

	"github.com/theus-hooks/theus-hooks/settings/event"
)

// KeepsGoing reports whether the outcome makes an agent go on that was about to
// stop. Who counts these in a row, per session, can end an endless one with
// LetStop.
func (o *Outcome) KeepsGoing() bool {
	return o.spec != nil && o.spec.Exit2 == event.EffectContinues && o.Continue && (o.Blocked || len(o.AdditionalContext) > 0)
}

// LetStop lets the agent stop after so many outcomes in a row that made it go
// on. The hooks' texts stay in their reports; a message to the user and a
// problem say what was overridden.
func (o *Outcome) LetStop(times int) {
	text := fmt.Sprintf("%s hooks have made the agent go on %d times in a row; it may stop now", o.Event, times)
	if o.Reason != "" {
		text += ", although they said: " + firstLine(o.Reason)
	}
	o.Decision, o.Blocked, o.reasons, o.AdditionalContext = DecisionNone, false, nil, nil
	o.SystemMessages = append(append(o.SystemMessages, o.wakes...), text)
	o.Problems = append(o.Problems, Problem{Severity: "warning", Code: "stop-overridden", Message: text})
	o.finish()
}
