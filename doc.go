// Package hooks is the engine that runs the hooks of coding agents, as a
// library: an event goes in, one combined decision comes out.
//
//	event JSON ──► event ──► plan ──► run ──► verdicts ──► outcome
//
// Hooks are configured in settings files (managed, user, project, local); the
// packages settings and precedence read and merge them, exec runs them,
// response combines what they say. The theus-hooks command walks the same road.
//
// The shortest use:
//
//	engine, err := hooks.Open(hooks.Options{Env: os.Environ(), Dir: cwd})
//	if err != nil {
//		return err
//	}
//	defer engine.Close()
//	outcome, err := engine.Fire(ctx, "PreToolUse", eventJSON)
//	switch {
//	case err != nil:
//		// no hook could be asked: on PreToolUse do not run the tool
//	case outcome.Blocked:
//		// do not run the tool; outcome.Reason says why
//	}
//
// Settings are read anew for every event, so a change holds from the next one
// on. An Engine is safe for concurrent use.
package hooks
