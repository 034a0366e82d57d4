package hooks

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/theus-hooks/theus-hooks/exec"
	"github.com/theus-hooks/theus-hooks/exec/background"
	"github.com/theus-hooks/theus-hooks/exec/command"
	"github.com/theus-hooks/theus-hooks/exec/session"
	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// startBackground returns what starts the hooks of a session that nobody waits
// for.
func (e *Engine) startBackground(sess *session.Session) func(exec.BackgroundCall) (string, error) {
	return func(call exec.BackgroundCall) (lost string, err error) {
		job := work(call)
		job.Command.Window = e.opts.Window
		return e.start(job, sess)
	}
}

// start starts a job in the background. Where nothing can be recorded it runs
// all the same.
func (e *Engine) start(work background.Job, sess *session.Session) (lost string, err error) {
	var starter background.Starter = &e.group
	if e.detached != nil {
		starter = e.detached
	}
	if sess == nil {
		return errNoSession.Error(), starter.Start(work, nil)
	}
	err = starter.Start(work, sess)
	if broken, ok := errors.AsType[*background.RecordError](err); ok {
		return broken.Error(), starter.Start(work, nil)
	}
	return "", err
}

// work is what a call comes down to.
func work(call exec.BackgroundCall) background.Job {
	return background.Job{
		Hook: call.Identity, Event: call.Hook.Group.Event.Name, Command: job(call.Call), Rewake: call.Rewake, Once: call.Once,
		EnvFile: call.EnvFile, Parent: call.Parent, Settings: call.Settings, Restricted: call.Restricted,
	}
}

func declaresAsync(line []byte) bool {
	_, ok := response.DeclaresAsync(line)
	return ok
}

// endedAsync reports whether a hook that was waited for has said that it goes on
// in the background. What it says besides is heard as if it had; its exit code
// is not.
func endedAsync(result response.Result) bool {
	return result.Status.Ended() && declaresAsync(result.Stdout)
}

// maxAsyncTimeout bounds what a hook may ask for.
const maxAsyncTimeout = 24 * time.Hour

// carryOn takes a hook over that went to the background by itself: left is what
// still runs of it, nil when it has ended.
func (e *Engine) carryOn(call exec.Call, result response.Result, left *command.Left) (lost string, err error) {
	work := work(call.Leave())
	if left == nil {
		if call.Session == nil {
			_ = session.RemoveEnvFile(work.EnvFile)
			return errNoSession.Error(), nil
		}
		result.Status, result.ExitCode = response.OK, nil
		if err := background.Record(work, call.Session, result); err != nil {
			return err.Error(), nil
		}
		return "", nil
	}
	left.Timeout += call.Hook.Timeout - call.Timeout // the deadline of a call is not its own
	if ms, _ := response.DeclaresAsync(left.Stdout); ms > 0 {
		left.Timeout = maxAsyncTimeout
		if ms < float64(maxAsyncTimeout/time.Millisecond) {
			left.Timeout = time.Duration(ms * float64(time.Millisecond))
		}
	}
	work.Left = left
	if lost, err = e.start(work, call.Session); err != nil {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		command.Resume(ended, left) // nobody has it, so it ends
		_ = session.RemoveEnvFile(work.EnvFile)
	}
	return lost, err
}

// endSession ends what runs in the background of a session that is over, beside
// the hooks that are told so. The function it returns waits for that.
func (e *Engine) endSession(ev *event.Event, sess *session.Session) (wait func(context.Context)) {
	if sess == nil || !ev.Spec().EndsSession {
		return func(context.Context) {}
	}
	begin := time.Now()
	waits := []func(context.Context){e.group.Cancel(sess), background.Cancel(sess)}
	return func(ctx context.Context) {
		if e.opts.Deadline > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, begin.Add(e.opts.Deadline))
			defer cancel()
		}
		for _, wait := range waits {
			wait(ctx)
		}
		sweep(ctx, filepath.Dir(sess.Dir()))
	}
}

// sweepTime bounds how long a session's end looks for stale sessions.
const sweepTime = 300 * time.Millisecond

func sweep(ctx context.Context, root string) {
	ctx, cancel := context.WithTimeout(ctx, sweepTime)
	defer cancel()
	_ = session.Tidy(ctx, root, time.Now()) // tomorrow is early enough
}

// A late is what hooks of earlier events have said in the background when an
// event begins: what its own say belongs to the next.
type late struct {
	sess    *session.Session // nil: nothing
	pending background.Pending
	err     error
}

func lookLate(sess *session.Session) late {
	if sess == nil {
		return late{}
	}
	pending, err := background.Look(sess)
	return late{sess, pending, err}
}

// tell adds it to an outcome. What the agent cannot be told on this event waits
// for one where it can.
func (l late) tell(ctx context.Context, out *response.Outcome, spec *event.Spec) {
	if l.sess == nil {
		return
	}
	wakes := spec.Exit2 == event.EffectContinues // a wake makes the agent go on
	full := wakes && l.sess.Wakes() >= background.MaxWakes
	woken := false
	for _, said := range l.pending.Take(func(late response.Late) bool { return out.Carries(late) && (late.Wake == "" || !full) }) {
		out.AddLate(said)
		woken = woken || wakes && said.Wake != ""
	}
	if woken {
		_, _ = l.sess.Woken(ctx) // one too few is counted
	}
	if spec.UserSpeaks && l.err == nil {
		l.err = l.sess.WakeReset(ctx)
	}
	if l.err != nil {
		out.Problems = append(out.Problems, stateProblem("hooks in the background are not heard", l.err))
	}
}

// A Wake is why an agent is to go on that waits for its user.
type Wake struct {
	Text string // for the model; "": nothing woke it, and nothing will
	// Capped: hooks would wake it, but have done so too often in a row.
	Capped bool
}

// Wait waits until a hook in the background wakes the agent of a session, or
// until none runs that could. What woke it is handed over once. The error is
// that of ctx, or says why the session's state cannot be read.
func (e *Engine) Wait(ctx context.Context, sessionID string) (Wake, error) {
	sess, err := e.session(sessionID)
	if err != nil {
		return Wake{}, err
	}
	if sess == nil {
		return Wake{}, errNoSession
	}
	w, err := background.Wait(ctx, sess)
	texts := make([]string, len(w.Lates))
	for i, l := range w.Lates {
		texts[i] = l.Wake
	}
	return Wake{Text: strings.Join(texts, "\n"), Capped: w.Capped}, err
}
