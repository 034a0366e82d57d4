// Package precedence finds the settings that hold for one call, reads and
// merges them, and selects the hooks of one event.
//
//	Load ──► Config: sources in configuration order, policy, trust
//	Config.Plan(event) ──► Plan: what runs, and why the rest does not
//
// Sources add up and nothing overrides: lowest precedence first they are
// plugins, user, project, local, the command line, managed. That order, and
// within a file the order of its text, is the configuration order in which
// everything is listed and combined; whatever picks one of several takes the
// last.
//
// A source that is broken costs its broken part and is reported; the others
// stand. A repository (project and local settings) can only narrow what the
// user and managed settings allow, and its hooks need trust.
//
// The shortest use:
//
//	cfg := precedence.Load(precedence.Options{Env: os.Environ(), Dir: cwd})
//	plan := cfg.Plan(ev, nil)
//	for _, c := range plan.Selected { … }
package precedence
