package cli

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/theus-hooks/theus-hooks/envfile"
	"github.com/theus-hooks/theus-hooks/exec/session"
)

func (a *app) envCommand() *cobra.Command {
	var id, format string
	cmd := &cobra.Command{
		Use:   "env",
		Short: "print what hooks exported in a session",
		Long: `env prints the variables that hooks of a session exported through their
THEUS_ENV_FILE, later ones over earlier ones.`,
		Example: `  eval "$(theus-hooks env --session ID)"
  theus-hooks env --session ID --format json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("env takes no argument, got %q; the session is --session ID", args[0])
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error { return a.env(id, format) },
	}
	cmd.Flags().StringVar(&id, "session", "", "the session's `ID` (default: $THEUS_SESSION_ID)")
	cmd.Flags().StringVar(&format, "format", "sh", "sh, json, dotenv or nul")
	return cmd
}

func (a *app) env(id, format string) error {
	id, err := a.sessionID(id)
	if err != nil {
		return err
	}
	root, err := session.DefaultRoot(a.host.Env, runtime.GOOS)
	if err != nil {
		return err
	}
	sess, err := session.Open(root, id)
	if err != nil {
		return fmt.Errorf("opening the session: %w", err)
	}
	exports, err := sess.Exports(a.ctx)
	if err != nil {
		return fmt.Errorf("reading the session: %w", err)
	}
	text, err := envfile.Format(exports, format)
	if errors.Is(err, envfile.ErrFormat) {
		return usagef("%v", err)
	}
	if werr := a.write(text); werr != nil {
		return werr
	}
	return err // it names what the text is without
}
