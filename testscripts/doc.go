// Package testscripts runs test scripts for hooks: txtar files in the language of
// rogpeppe/go-internal/testscript, with words for firing an event and looking at
// what came of it. `theus-hooks test` runs people's own scripts with it, and this
// module's scripts, which stand beside it, run through it under `go test`.
//
// A script is its own little world: $WORK is the project (its files are those of
// the archive), $WORK/home the user's home directory, $WORK/managed the managed
// settings, and the workspace is trusted unless the script says untrust.
// $SCRIPT_DIR is where the script's file stands.
//
//	! hook PreToolUse event.json
//	decision deny
//	reason 'not in this repository'
//
//	-- .theus/settings.json --
//	{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
//	  {"type": "command", "command": "echo not in this repository >&2; exit 2"}]}]}}
//	-- event.json --
//	{"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash",
//	 "tool_input": {"command": "rm -rf /"}}
//
// The words, besides testscript's own:
//
//	hook EVENT [FILE] [FLAG…]   fire an event (FILE, else the script's stdin);
//	                            "! hook" wants it blocked or denied (exit code 2)
//	decision WANT               allow, deny, ask, defer, block or none
//	reason REGEX                the reason of the decision
//	context REGEX               one of the contexts for the model
//	message REGEX               one of the messages for the user
//	updated PATH VALUE          a gjson path into the rewritten input
//	ran NAME…                   these hooks ran
//	skipped NAME REASON         this hook did not run, for this reason
//	status NAME STATUS          how a hook ended
//	exported NAME VALUE         a variable that hooks of the event exported
//	outcome                     print the whole outcome for cmp, durations as 0
//	untrust                     the workspace is not trusted from here on
//	theus-hooks ARGS…           the command itself, for stdout and stderr; "!"
//	                            wants an exit code other than 0
//	settle                      wait until no hook runs in the background, for a
//	                            minute at most; hook does so by itself
//	code N                      the exit code of the last hook or theus-hooks
//
// All but outcome, settle and untrust can be negated with "!". NAME is a hook's
// name, else its place: "PreToolUse[0].hooks[1]".
package testscripts
