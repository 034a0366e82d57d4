// Command theus-hooks runs the hooks of a coding agent: `theus-hooks run
// PreToolUse < event.json`. See package cli.
package main

import (
	"os"

	"github.com/theus-hooks/theus-hooks/cmd/theus-hooks/cli"
)

func main() {
	dir, _ := os.Getwd()       // deleted: the commands fall back to the home directory
	self, _ := os.Executable() // not known: what has to name it says so
	streams := cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	os.Exit(cli.Main(os.Args[1:], streams, cli.Host{Env: os.Environ(), Dir: dir, Executable: self}))
}
