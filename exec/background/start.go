package background

import (
	"context"
	"errors"
	"sync"

	"github.com/theus-hooks/theus-hooks/exec/session"
)

// A Starter starts hooks in the background. sess is nil without a session. The
// error says why the hook does not run; it may be a *RecordError.
type Starter interface {
	Start(job Job, sess *session.Session) error
}

// A RecordError says that nothing can be recorded in a session: a hook of it can
// be started without one.
type RecordError struct{ Err error }

// Error says what went wrong.
func (e *RecordError) Error() string { return "its result cannot be recorded: " + e.Err.Error() }

// Unwrap is the error of the file system.
func (e *RecordError) Unwrap() error { return e.Err }

// announce makes the run of a job known in its session. The error is a
// *RecordError.
func announce(job Job, sess *session.Session, hosted bool) (*session.Run, error) {
	if sess == nil {
		return nil, nil
	}
	run, err := sess.StartRun(session.RunInfo{Hook: job.Hook.Label(), Rewake: job.Rewake, Hosted: hosted})
	if err != nil {
		return nil, &RecordError{err}
	}
	return run, nil
}

// A Group runs hooks as goroutines of this process. The zero value is ready.
//
// Ownership: each member belongs to its goroutine, which takes it out when the
// hook has ended and its result is recorded; mu guards the set alone.
type Group struct {
	mu      sync.Mutex
	closed  bool
	members map[*member]struct{}
	wait    sync.WaitGroup
}

type member struct {
	session string // its folder
	cancel  context.CancelFunc
	done    chan struct{} // closed when it has ended
}

var errClosed = errors.New("the engine is closed")

// Start runs the job in a goroutine, until Close.
func (g *Group) Start(job Job, sess *session.Session) error {
	run, err := announce(job, sess, true)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := &member{cancel: cancel, done: make(chan struct{})}
	if sess != nil {
		m.session = sess.Dir()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		cancel()
		if run != nil {
			run.Abandon()
		}
		return errClosed
	}
	if g.members == nil {
		g.members = map[*member]struct{}{}
	}
	g.members[m] = struct{}{}
	g.wait.Go(func() {
		defer g.remove(m)
		keep(ctx, job, sess, run)
	})
	return nil
}

func (g *Group) remove(m *member) {
	m.cancel()
	close(m.done)
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.members, m)
}

// Cancel ends the hooks of a session now, and returns a function that waits
// until they have ended, or for ctx.
func (g *Group) Cancel(sess *session.Session) (wait func(ctx context.Context)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var ended []chan struct{}
	for m := range g.members {
		if m.session == sess.Dir() {
			m.cancel()
			ended = append(ended, m.done)
		}
	}
	return func(ctx context.Context) {
		for _, done := range ended {
			select {
			case <-done:
			case <-ctx.Done():
				return
			}
		}
	}
}

// Close ends all hooks and waits until their results are recorded.
func (g *Group) Close() {
	g.mu.Lock()
	g.closed = true
	for m := range g.members {
		m.cancel()
	}
	g.mu.Unlock()
	g.wait.Wait()
}
