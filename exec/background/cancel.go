package background

import (
	"context"
	"maps"
	"time"

	"github.com/theus-hooks/theus-hooks/exec/session"
)

// look is how often the state of runs is looked at by who waits for them.
const look = 20 * time.Millisecond

// CancelTime is how long a hook may take to end that is cancelled: it is sent a
// TERM, and a KILL a second later.
const CancelTime = 2500 * time.Millisecond

// Cancel ends the hooks that run in the background of the session now, whatever
// process carries them on, and returns a function that waits until they have
// ended, or for CancelTime. Those of a Group are that Group's to end.
func Cancel(sess *session.Session) (wait func(context.Context)) {
	runs, _ := sess.Runs() // none can be seen: none can be ended
	maps.DeleteFunc(runs, func(_ string, info session.RunInfo) bool { return info.Hosted })
	signalled := map[string]bool{}
	signalAll(runs, signalled)
	begin := time.Now()
	return func(ctx context.Context) {
		for len(runs) > 0 && time.Since(begin) < CancelTime {
			select {
			case <-time.After(look):
			case <-ctx.Done():
				return
			}
			now, _ := sess.Runs()
			for id := range runs {
				if info, ok := now[id]; ok {
					runs[id] = info
				} else {
					delete(runs, id)
				}
			}
			signalAll(runs, signalled)
		}
	}
}

// signalAll sends a TERM to the owners that have had none.
func signalAll(runs map[string]session.RunInfo, signalled map[string]bool) {
	for id, info := range runs {
		if info.Owner > 0 && !signalled[id] {
			signalled[id] = true
			terminate(info.Owner)
		}
	}
}

// Settle waits until no hook runs in the background of any session under root.
// The error is that of ctx or of the file system.
func Settle(ctx context.Context, root string) error {
	for {
		n, err := running(root)
		if n == 0 || err != nil {
			return err
		}
		select {
		case <-time.After(look):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func running(root string) (n int, err error) {
	all, err := session.All(root)
	for _, sess := range all {
		runs, _ := sess.Runs() // gone meanwhile: none
		n += len(runs)
	}
	return n, err
}

// CancelAll ends what runs in the background of all sessions under root, as
// Cancel does, and waits for it.
func CancelAll(ctx context.Context, root string) error {
	all, err := session.All(root)
	var waits []func(context.Context)
	for _, sess := range all {
		waits = append(waits, Cancel(sess))
	}
	for _, wait := range waits {
		wait(ctx)
	}
	return err
}
