package background

import (
	"context"
	"time"

	"github.com/theus-hooks/theus-hooks/exec/session"
	"github.com/theus-hooks/theus-hooks/response"
)

// MaxWakes is how many times in a row hooks may wake the agent of a session.
// What more of them say waits for the next call. A prompt of the user ends the
// row.
const MaxWakes = 8

// A Wake is why an agent was woken.
type Wake struct {
	Lates  []response.Late // in the order in which they ended
	Capped bool            // hooks would wake, but did so too often in a row
}

// Wait waits until a hook wakes the agent of the session, or until none runs
// that could: then the Wake holds nothing. The error is that of ctx or of the
// file system.
func Wait(ctx context.Context, sess *session.Session) (Wake, error) {
	for {
		runs, err := sess.Runs() // before looking for wakes, or one that ends in between is missed
		if err != nil {
			return Wake{}, err
		}
		if sess.Wakes() >= MaxWakes {
			return Wake{Capped: true}, nil
		}
		lates, err := takeWakes(ctx, sess)
		if len(lates) > 0 || err != nil {
			return Wake{Lates: lates}, err
		}
		if !mayWake(runs) {
			return Wake{}, nil
		}
		select {
		case <-time.After(look):
		case <-ctx.Done():
			return Wake{}, ctx.Err()
		}
	}
}

func mayWake(runs map[string]session.RunInfo) bool {
	for _, info := range runs {
		if info.Rewake {
			return true
		}
	}
	return false
}

// takeWakes takes all wakes that are there, as one.
func takeWakes(ctx context.Context, sess *session.Session) ([]response.Late, error) {
	pending, err := Look(sess)
	lates := pending.Take(func(l response.Late) bool { return l.Wake != "" })
	if len(lates) == 0 {
		return nil, err
	}
	_, _ = sess.Woken(context.WithoutCancel(ctx)) // one too few is counted, but what was taken must be told
	return lates, nil
}
