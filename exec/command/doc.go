// Package command runs one hook command to its end: command text by the
// in-process interpreter of mvdan.cc/sh or by the machine's bash, sh or
// PowerShell, or a program with arguments and no shell at all. Whatever the
// command does, the call comes back in time, with what was printed and how it
// ended, and leaves nothing running.
//
// Its limits: MaxOutput bytes of each stream are kept, the rest is read and
// counted; a process that both leaves its session and clears its environment
// outlives a timeout, as does one that leaves its session on a system without
// /proc. Nothing of an event is ever put into command text: it arrives on
// stdin.
//
// The shortest use:
//
//	result := command.Run(ctx, command.Job{
//		Command: `jq -e '.tool_input.command | test("rm -rf") | not'`,
//		Dir:     dir,
//		Env:     os.Environ(),
//		Stdin:   event,
//		Timeout: 10 * time.Second,
//	})
package command
