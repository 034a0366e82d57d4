package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/response/agent"
)

// A CheckCall is what the check command was asked for, for the program that has
// the linter. Its fields are those of check.Call, which is not linked here.
type CheckCall struct {
	Options precedence.Options
	Files   []string
	Names   []string
	Format  string
	Strict  bool
	Tools   []string
}

// checkFormats are the formats of check.
var checkFormats = []string{"text", "json", "sarif", "github"}

func (a *app) checkCommand() *cobra.Command {
	flags := &runFlags{}
	call := CheckCall{}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check [FILE…]",
		Short: "look for mistakes in settings",
		Long: `check reads settings files, runs nothing, and says what is wrong with them: for each
problem its place, its rule and what to do. Without FILE it checks every source of
the project: managed, user, project and local settings. docs/checks.md describes
the rules. Exit code 1 when there is an error, with --strict also for warnings.`,
		Example: `  theus-hooks check
  theus-hooks check .theus/settings.json --strict
  theus-hooks check --format sarif > hooks.sarif`,
	}
	flags.bind(cmd)
	flags.format, flags.onFailure = "hook", "continue"
	cmd.Flags().StringVar(&call.Format, "format", "text", "text, json, sarif (2.1.0) or github (annotations)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "the same as --format json")
	cmd.Flags().BoolVar(&call.Strict, "strict", false, "exit with 1 for warnings too")
	cmd.RunE = func(cmd *cobra.Command, files []string) error {
		if asJSON {
			if cmd.Flags().Changed("format") && call.Format != "json" {
				return usagef("--json and --format %s are two formats; use one", call.Format)
			}
			call.Format = "json"
		}
		return a.check(call, flags, files)
	}
	return cmd
}

// check makes the call of its flags, and has it carried out here if this is the
// companion.
func (a *app) check(call CheckCall, flags *runFlags, files []string) error {
	if !slices.Contains(checkFormats, call.Format) {
		return usagef("--format is %q; use %s", call.Format, strings.Join(checkFormats, ", "))
	}
	opts, err := a.engineOptions(flags)
	if err != nil {
		return err
	}
	if a.host.Check == nil {
		return a.delegate(a.args...)
	}
	call.Tools = agent.ToolNames()
	call.Options = precedence.Options{
		Dialect: opts.Dialect, Env: a.host.Env, Dir: a.host.Dir, ManagedDir: a.host.ManagedDir,
		ProjectDir: opts.ProjectDir, Settings: opts.Settings, Scopes: opts.Sources,
		Trust: true, // nothing runs; the question is what would, once it is trusted
	}
	for _, file := range files {
		call.Names = append(call.Names, file)
		if !filepath.IsAbs(file) {
			file = filepath.Join(a.host.Dir, file)
		}
		call.Files = append(call.Files, file)
	}
	text, failed, err := a.host.Check(call)
	if err != nil {
		return err
	}
	if call.Format == "text" {
		text = []byte(printable(string(text)))
	}
	if failed {
		a.code = exitFailed
	}
	return a.write(text)
}
