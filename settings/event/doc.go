// Package event holds the one table of the events that hooks hang on, and
// decodes an event's JSON into a view that keeps its raw bytes.
//
// Everything that must know an event asks its [Spec]: what a matcher is
// compared with, which handler types it allows, what exit code 2 does, which
// output fields it honours, how long a hook may take. Matching, decoding,
// encoding, lint, schema and documentation are driven by the table; no other
// package lists events. To add an event, add a row to table.go.
//
// The shortest use:
//
//	ev, err := event.Decode("PreToolUse", stdin)
//	if err != nil {
//		return err // an *InputError: what was found, what to do
//	}
//	subject := ev.Subject() // "Bash"
//
// The table follows the public hooks contract of Claude Code as of late 2026
// where the Theus documentation is silent; docs/decisions.md says which.
package event
