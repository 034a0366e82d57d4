package cli

import hooks "github.com/theus-hooks/theus-hooks"

// window is nothing: hooks have no terminal on Windows.
func window() hooks.Window { return hooks.Window{} }
