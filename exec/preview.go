package exec

import (
	"context"

	"github.com/theus-hooks/theus-hooks/precedence"
)

// Preview returns the call by which a hook of plan would be run, and makes
// nothing for it: no file for exports, no folder for a plugin's data. The error
// says why it could not be started.
func Preview(ctx context.Context, plan *precedence.Plan, opts Options, choice *precedence.Choice) (Call, error) {
	r := &run{plan: plan, opts: opts, preview: true}
	r.prepareEnvironment()
	t := &task{choice: choice}
	var err error
	if t.dir, err = r.dir(choice.Hook); err != nil {
		return Call{}, err
	}
	t.env, err = r.hookEnv(ctx, t)
	return Call{Hook: choice.Hook, Event: plan.Event.Line(), Dir: t.dir, Env: t.env, Timeout: choice.Hook.Timeout}, err
}
