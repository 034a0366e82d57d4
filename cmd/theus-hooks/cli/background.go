package cli

import (
	"github.com/spf13/cobra"

	"github.com/theus-hooks/theus-hooks/exec/background"
)

// backgroundCommand is how this program is started by itself, to carry on a hook
// that nobody waits for. It has nobody to talk to.
func (a *app) backgroundCommand() *cobra.Command {
	return &cobra.Command{
		Use:    background.Command,
		Hidden: true,
		RunE:   func(*cobra.Command, []string) error { return background.Main(a.ctx, a.streams.In) },
	}
}
