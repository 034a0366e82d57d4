// Package exec runs the hooks of a plan: all at once, each within its time
// limit, with the event on its standard input and its own environment, and
// gives back their verdicts in configuration order whatever finished first.
//
// The types of handlers are registered with the [Runner], so that a program
// links only what it needs; the packages below this one hold them. What hooks
// export through their env file is read when all have ended, in configuration
// order too.
//
// Its limits: 32 hooks run at a time, and a hook that does not end by itself
// is ended by its handler; a runner waits for every handler it started.
//
// The shortest use:
//
//	var r exec.Runner
//	r.Register(event.Command, handler) // hooks.Open does, with exec/command
//	report := r.Run(ctx, plan, exec.Options{Env: os.Environ(), Config: cfg})
package exec
