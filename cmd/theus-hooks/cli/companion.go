package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/theus-hooks/theus-hooks/internal/environ"
)

// The companion holds what would make every hook call slower if it were linked
// here; see docs/architecture.md.
const (
	companionName = "theus-hooks-host"
	companionVar  = "THEUS_HOOKS_HOST"
)

// companion finds the companion program: the one that THEUS_HOOKS_HOST names,
// else the one beside this program, else the one on PATH.
func (a *app) companion() (string, error) {
	if path := environ.Get(a.host.Env, companionVar); path != "" {
		if isProgram(path) {
			return path, nil
		}
		return "", fmt.Errorf("%s is %q, which is no program; unset it or give the path of %s", companionVar, path, companionName)
	}
	name := companionName
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		if path := filepath.Join(filepath.Dir(self), name); isProgram(path) {
			return path, nil
		}
	}
	for _, dir := range filepath.SplitList(environ.Get(a.host.Env, "PATH")) {
		if path := filepath.Join(dir, name); filepath.IsAbs(dir) && isProgram(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not installed beside this program nor on PATH; install both with `go install github.com/theus-hooks/theus-hooks/cmd/...@latest`, or in a clone with `go install ./cmd/...`", companionName)
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

// delegate runs the companion with args in place of this program.
func (a *app) delegate(args ...string) error {
	path, err := a.companion()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(a.ctx, path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.streams.In, a.streams.Out, a.streams.Err
	cmd.Env, cmd.Dir = a.host.Env, a.host.Dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		a.code = exit.ExitCode()
		return nil
	}
	if err != nil {
		return fmt.Errorf("running %s: %w", path, err)
	}
	return nil
}

func (a *app) testCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "test [PATH…]",
		Short: "run test scripts for hooks",
		Long: `test runs the .txtar scripts at PATH (files or directories, default: the working
directory) and reports each: exit code 0 when all pass, 1 when one fails.`,
		Example: `  theus-hooks test hooks_test/
  theus-hooks test -v --run rm examples/`,
		DisableFlagParsing: true, // the companion reads them
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, arg := range args {
				if arg == "-h" || arg == "--help" || strings.HasPrefix(arg, "--help=") {
					return cmd.Help()
				}
			}
			return a.delegate(append([]string{"test"}, args...)...)
		},
	}
}
