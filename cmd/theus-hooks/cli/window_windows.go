package cli

import "github.com/theus-hooks/theus-hooks/exec/command"

// window is nothing: hooks have no terminal on Windows.
func window() command.Window { return command.Window{} }
