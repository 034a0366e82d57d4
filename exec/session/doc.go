// Package session keeps what one session of an agent must remember between
// calls of ours: what its hooks exported, which hooks are spent, how often a
// stop was blocked, and texts too long for an answer.
//
// Each session has a private folder under a root that the caller gives
// (DefaultRoot computes the usual one), named by a hash of its id. Changes are
// made under a lock between processes and files are replaced as a whole, so
// that a call that is killed loses nothing that was recorded before. A file
// that cannot be read counts as empty: Warnings says so.
//
// Its limits: without an id nothing is kept; on file systems without locks
// nothing can be recorded; a session that was not written to for MaxAge may be
// swept. Errors cost the caller what it asked for, never a decision.
//
// The shortest use:
//
//	s, err := session.Open(root, id)
//	…
//	base, err := s.Base(ctx, "SessionStart", hookID)
//	env = envfile.Apply(env, base) // for the hook, and to evaluate its file
//	…
//	err = s.Update(ctx, "SessionStart", session.Export{Hook: hookID, Evaluate: func(base []envfile.Change) ([]envfile.Change, error) {
//		changes, problems, err := envfile.Evaluate(ctx, text, envfile.Options{Env: envfile.Apply(env, base)})
//		…
//	}})
package session
