package hooks

import (
	"context"
	"fmt"
	"strconv"

	"github.com/theus-hooks/theus-hooks/exec/session"
	"github.com/theus-hooks/theus-hooks/internal/environ"
	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// defaultStopCap is how many times in a row hooks may make an agent go on that
// was about to stop.
const defaultStopCap = 8

// capStops counts, per session, the stops that hooks blocked in a row, and lets
// the agent stop when there were too many. A stop that was not blocked and a
// tool call between end the row.
func (e *Engine) capStops(ctx context.Context, sess *session.Session, out *response.Outcome, spec *event.Spec) {
	if sess == nil {
		return
	}
	var err error
	switch {
	case spec.Exit2 == event.EffectContinues && out.KeepsGoing():
		err = e.countStop(ctx, sess, out)
	case spec.Exit2 == event.EffectContinues:
		err = sess.StopReset(ctx, spec.Name)
	case spec.If: // a tool call
		for _, s := range event.All() {
			if s.Exit2 == event.EffectContinues && err == nil {
				err = sess.StopReset(ctx, s.Name)
			}
		}
	}
	if err != nil {
		out.Problems = append(out.Problems, stateProblem("blocked stops are not counted", err))
	}
}

func (e *Engine) countStop(ctx context.Context, sess *session.Session, out *response.Outcome) error {
	limit := e.stopCap(out)
	if limit == 0 {
		return nil
	}
	count, err := sess.StopBlocked(ctx, out.Event)
	if err != nil || count <= limit {
		return err
	}
	out.LetStop(count - 1)
	return sess.StopReset(ctx, out.Event)
}

// stopCap reads the limit from the environment; 0 switches it off.
func (e *Engine) stopCap(out *response.Outcome) int {
	for _, name := range e.opts.Dialect.Names("THEUS_STOP_HOOK_BLOCK_CAP") {
		text, ok := environ.Lookup(e.opts.Env, name)
		if !ok || text == "" {
			continue
		}
		if n, err := strconv.Atoi(text); err == nil && n >= 0 {
			return n
		}
		out.Problems = append(out.Problems, response.Problem{
			Severity: "warning", Code: "stop-cap",
			Message: fmt.Sprintf("%s is %q, want a number of 0 or more; %d is used", name, text, defaultStopCap),
		})
	}
	return defaultStopCap
}

func stateProblem(what string, err error) response.Problem {
	return response.Problem{Severity: "warning", Code: "session-state", Message: what + ": " + err.Error()}
}
