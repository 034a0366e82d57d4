package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	hooks "github.com/theus-hooks/theus-hooks"
	"github.com/theus-hooks/theus-hooks/internal/environ"
)

func (a *app) waitCommand() *cobra.Command {
	var id string
	var limit time.Duration
	cmd := &cobra.Command{
		Use:   "wait",
		Short: "wait until a hook in the background wakes the agent",
		Long: `wait waits for the hooks of a session that run in the background with asyncRewake.
When one ends with exit code 2, it prints what the hook said and exits with 2, at
once if one has already. It exits with 0 when none runs that could wake the agent,
with 1 when --timeout is over.`,
		Example: `  theus-hooks wait --session ID
  theus-hooks wait --session ID --timeout 10m`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("wait takes no argument, got %q; the session is --session ID", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 0 || limit == 0 && cmd.Flags().Changed("timeout") {
				return usagef("--timeout is %s; give a time such as 10m", limit)
			}
			return a.wait(id, limit)
		},
	}
	cmd.Flags().StringVar(&id, "session", "", "the session's `ID` (default: $THEUS_SESSION_ID)")
	cmd.Flags().DurationVar(&limit, "timeout", 0, "how long to wait at most, such as 30s or 10m (default: as long as one runs)")
	return cmd
}

// sessionID is the session that a command is about.
func (a *app) sessionID(flag string) (string, error) {
	if flag == "" {
		flag = environ.Get(a.host.Env, "THEUS_SESSION_ID")
	}
	if flag == "" {
		return "", usagef("which session? use --session ID, or set THEUS_SESSION_ID")
	}
	return flag, nil
}

func (a *app) wait(id string, limit time.Duration) error {
	id, err := a.sessionID(id)
	if err != nil {
		return err
	}
	engine, err := hooks.Open(hooks.Options{Env: a.host.Env})
	if err != nil {
		return err
	}
	defer engine.Close()
	ctx, cancel := a.ctx, context.CancelFunc(func() {})
	if limit > 0 {
		ctx, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	wake, err := engine.Wait(ctx, id)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no hook woke the session within %s", limit)
	case errors.Is(err, context.Canceled):
		return errors.New("ended before a hook woke the session")
	case err != nil:
		return fmt.Errorf("waiting for the session: %w", err)
	case wake.Capped:
		fmt.Fprintln(a.streams.Err, "theus-hooks: hooks have woken the session too often in a row; what they say waits for the next call")
	case wake.Text != "":
		a.code = exitBlocked
		return a.write([]byte(strings.TrimRight(wake.Text, "\n") + "\n"))
	}
	return nil
}
