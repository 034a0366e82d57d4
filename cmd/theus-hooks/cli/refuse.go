package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/response/agent"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// isRun reports whether args call `run`, whose failures are part of the hook
// protocol. Flags may stand before it.
func isRun(args []string) bool {
	return len(args) > 0 && (args[0] == "run" || strings.HasPrefix(args[0], "-") && slices.Contains(args, "run"))
}

// guardedRun is run with the promise that whatever goes wrong, be it misuse of
// flags or a fault of ours, is answered as a guard that could be hidden: never
// with an exit code that lets a tool call through.
func (a *app) guardedRun(args []string) (code int) {
	r := &runCall{app: a, args: args}
	defer func() {
		if p := recover(); p != nil {
			code = r.refuse(fmt.Sprintf("internal error: %v; please report it", p))
		}
	}()
	if err := a.execute(args); err != nil {
		return r.refuse(err.Error())
	}
	return a.code
}

// runCall is what is known of a run that went wrong.
type runCall struct {
	*app
	args []string
}

// refuse answers for a guard that could be hidden.
func (r *runCall) refuse(message string) int {
	caller, err := agentNamed(r.flag("agent"))
	if err != nil {
		caller = nil
	}
	spec := r.spec(caller)
	ans := response.Refuse(spec, message)
	if caller != nil {
		ans = caller.Refuse(spec, message)
	}
	err = r.write(ans.Stdout)
	fmt.Fprintf(r.streams.Err, "theus-hooks: %s\n", printable(strings.TrimSuffix(string(ans.Stderr), "\n")))
	if ans.Exit == exitOK && (err != nil || isNull(r.streams.Out)) { // the denial was JSON and nobody got it
		return exitBlocked
	}
	return ans.Exit
}

// refuseTime bounds how long the event of a call that went wrong is waited for.
const refuseTime = 5 * time.Second

// spec is the event of a call that went wrong: the one that its arguments name
// or that the event itself does, and of two the one that fails closed.
func (r *runCall) spec(caller *agent.Agent) *event.Spec {
	var named *event.Spec
	for _, arg := range r.args {
		if spec := anyEvent(caller, arg); spec != nil && (named == nil || spec.FailClosed) {
			named = spec
		}
	}
	if named != nil && named.FailClosed {
		return named
	}
	if r.event == nil { // what went wrong came before the event was read
		ctx, cancel := context.WithTimeout(r.ctx, refuseTime)
		defer cancel()
		_, _ = r.readEvent(ctx, r.flag("event"))
	}
	if spec := anyEvent(caller, event.PeekName(r.event)); spec != nil && (named == nil || spec.FailClosed) {
		return spec
	}
	return named
}

// anyEvent finds an event by a name of the caller's, ours, or that of an agent
// that was not named: a guard may hang on it.
func anyEvent(caller *agent.Agent, name string) *event.Spec {
	if caller != nil {
		if spec, ok := caller.Event(name); ok {
			return spec
		}
	}
	if spec, ok := event.Fold(name); ok {
		return spec
	}
	if _, spec := agentOf(name); spec != nil {
		return spec
	}
	return nil
}

// agentOf finds the agent that has an event of this name; nil: none has.
func agentOf(name string) (*agent.Agent, *event.Spec) {
	for _, n := range agent.Names() {
		caller, _ := agent.Lookup(n)
		if spec, ok := caller.Event(name); ok {
			return caller, spec
		}
	}
	return nil, nil
}

// flag is the value of a flag, which may stand among flags that cannot be
// parsed.
func (r *runCall) flag(name string) string {
	for i, arg := range r.args {
		if value, ok := strings.CutPrefix(arg, "--"+name+"="); ok {
			return value
		}
		if arg == "--"+name && i+1 < len(r.args) {
			return r.args[i+1]
		}
	}
	return ""
}
