// Package trust knows what a person trusted in a workspace and whether that is
// still what stands there.
//
//	Collect ──► Snapshot: everything a repository's settings can make run
//	Store.Load ──► Record: the snapshots that were trusted, by digest
//
// A Snapshot has an item for each hook and each key that is read, in a
// canonical form that formatting, order, place and comments do not change, and
// one for each script, module and env file that the hooks name. Those are found
// in the text of commands without running them: what a script runs in turn, a
// program found on PATH, or a name that is put together at run time is not seen.
//
// Its limits: a file longer than MaxFile, or more than MaxFiles of them, cannot
// be trusted.
//
// The shortest use:
//
//	snap, err := trust.Collect(workspace, sources)
//	rec, err := store.Load(workspace.ID)
//	if err == nil && rec.Trusts(snap) { … }
package trust
