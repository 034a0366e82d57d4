//go:build unix

package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/theus-hooks/theus-hooks/response"
)

const canLeave = true

// look is how often a leader that is no child of ours is looked at.
const look = 20 * time.Millisecond

// Resume takes a command over that was left, reads its streams and waits for its
// end; when its time is over or ctx ends, it is ended. Nobody but its parent
// learns its exit code: one that ended by itself has the status OK.
func Resume(ctx context.Context, l *Left) response.Result {
	start := time.Now()
	s := &stdio{out: resumeCapture(l.Out, l.Stdout), err: resumeCapture(l.Err, l.Stderr)}
	if l.In != nil {
		s.in = newFeed(l.In, l.Unfed)
	}
	limited, cancel := withTimeout(ctx, l.Timeout)
	defer cancel()
	result := response.Result{Status: response.OK}
	patience := drainTime
	if !l.await(limited) {
		l.stop()
		patience = drainStopped
		result.Status, result.Error = response.TimedOut, fmt.Sprintf("timed out %s after it went to the background", l.Timeout)
		if ctx.Err() != nil {
			result.Status, result.Error = response.Cancelled, "ended: "+ctx.Err().Error()
		}
	}
	result.Stdout, result.Stderr, result.DiscardedBytes = s.finish(patience)
	result.Truncated = result.DiscardedBytes > 0
	result.Duration = time.Since(start)
	return result
}

// await waits for the end of the leader and reports whether it came before that
// of ctx.
func (l *Left) await(ctx context.Context) bool {
	for !l.ended() {
		select {
		case <-time.After(look):
		case <-ctx.Done():
			return l.ended()
		}
	}
	return true
}

// ended reports whether the leader has ended. A zombie has: whose child it is
// may take its time.
func (l *Left) ended() bool {
	return errors.Is(unix.Kill(l.Pid, 0), unix.ESRCH) || isZombie(l.Pid)
}

// stop ends the command as process.stop does.
func (l *Left) stop() {
	_ = unix.Kill(-l.Pid, unix.SIGTERM)
	_ = unix.Kill(-l.Pid, unix.SIGCONT)
	for over := time.Now().Add(killGrace); time.Now().Before(over) && !(l.ended() && !hasOthers(l.Pid)); {
		time.Sleep(look)
	}
	_ = unix.Kill(-l.Pid, unix.SIGKILL)
	sweep(l.Pid, l.Tag)
}
