package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/theus-hooks/theus-hooks/settings/schema"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema settings|input|output|outcome",
		Short: "print a JSON Schema",
		Long: `schema prints a JSON Schema (2020-12): of settings files, of the events that hooks
receive (input), of what hooks print (output), or of what run --format outcome
prints. An editor checks a settings file that names the first in "$schema".`,
		Example: `  theus-hooks schema settings > .theus/settings.schema.json
  theus-hooks schema input`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("want one of %s, got %d arguments", strings.Join(schema.Names(), ", "), len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			text, ok := schema.Text(args[0])
			if !ok {
				return usagef("unknown schema %q; use %s", args[0], strings.Join(schema.Names(), ", "))
			}
			return a.write(text)
		},
	}
}
