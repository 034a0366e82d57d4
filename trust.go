package hooks

import "github.com/theus-hooks/theus-hooks/precedence"

// Workspace looks at the workspace of Options.Dir: whether its project and local
// hooks are trusted, what would run with trust, and what changed since it was
// given. Nothing is trusted by looking; its methods Grant and Revoke do that.
// The error says why the record of trust cannot be relied on; the Workspace is
// valid without it.
func (e *Engine) Workspace() (*precedence.Workspace, error) {
	return e.config("").Workspace()
}
