package exec

import (
	"github.com/theus-hooks/theus-hooks/envfile"
	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// A BackgroundCall is a hook that goes on after its run, and what is needed to
// take in what comes of it.
type BackgroundCall struct {
	Call
	Identity response.Hook
	Rewake   bool // its exit code 2 wakes the agent
	Once     bool // a run that succeeds is the session's only one

	// EnvFile is the file for its exports, which now belongs to whoever runs it.
	EnvFile string
	// Parent and Settings are the environment that exports are evaluated in:
	// below and above those of the session.
	Parent     []string
	Settings   []envfile.Change
	Restricted bool // the hook comes with a repository
}

// InBackground reports whether a hook is not waited for.
func InBackground(h *precedence.Hook) bool {
	return h.Handler.Type == event.Command && (h.Handler.Async || h.Handler.AsyncRewake)
}

// startBackground starts a task that nobody waits for.
func (r *run) startBackground(t *task, ev *event.Event) response.Result {
	if r.opts.Background == nil {
		return response.Result{Status: response.CouldNotStart, Error: "this program cannot run hooks in the background"}
	}
	h := t.choice.Hook
	call := Call{Hook: h, Event: ev.Line(), Dir: t.dir, Env: t.env, Timeout: h.Timeout}
	given := r.handOver(t, call, false)
	lost, err := r.opts.Background(given)
	if err != nil {
		t.envFile = given.EnvFile // ours again, to be removed
		return response.Result{Status: response.CouldNotStart, Error: err.Error()}
	}
	return response.Result{Status: response.Background, Error: lost}
}

// handOver gives away what this run would do for a task when it has ended. One
// that runs already has the session's only run of a hook that runs once, until
// it turns out to have failed.
func (r *run) handOver(t *task, call Call, runs bool) BackgroundCall {
	h := t.choice.Hook.Handler
	b := BackgroundCall{
		Call: call, Identity: t.hook, Rewake: h.AsyncRewake, Once: h.Once, EnvFile: t.envFile,
		Parent: r.parent, Settings: make([]envfile.Change, len(r.settings)), Restricted: restricted(t.choice.Hook.Source.Scope),
	}
	for i, v := range r.settings {
		b.Settings[i] = envfile.Change{Name: v.Name, Value: v.Value}
	}
	t.envFile = ""
	if t.claim != nil { // who runs the hook claims it anew
		if runs {
			_ = t.claim.Spend() // best effort: it may run again
		}
		_ = t.claim.Release()
		t.claim = nil
	}
	return b
}
