package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	hooks "github.com/theus-hooks/theus-hooks"
	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

func (a *app) explainCommand() *cobra.Command {
	flags := &runFlags{}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain EVENT",
		Short: "say which hooks an event would run, and why not the others",
		Long: `explain reads an event as run does and runs nothing: for every hook that is
configured for the event it says whether it would run, with file and line, and if
not, which rule said no.`,
		Example: `  theus-hooks explain PreToolUse < event.json
  theus-hooks explain PreToolUse --json --event event.json`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("want one EVENT, got %d arguments; for example `theus-hooks explain PreToolUse < event.json`", len(args))
			}
			return a.explain(args[0], flags, asJSON)
		},
	}
	flags.bind(cmd)
	flags.bindAgent(cmd)
	flags.format, flags.onFailure = "hook", "continue"
	cmd.Flags().StringVar(&flags.eventFile, "event", "", "read the event from `FILE` instead of standard input")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) explain(name string, flags *runFlags, asJSON bool) error {
	caller, name, err := eventOf(flags.agent, name)
	if err != nil {
		return err
	}
	engine, data, err := a.prepare(flags, caller)
	if err != nil {
		return err
	}
	defer engine.Close()
	x, err := engine.Explain(name, data)
	if x == nil {
		return err
	}
	text := []byte(explanation(x))
	if asJSON {
		encoded, err := jsontext.Marshal(x)
		if err != nil {
			return err
		}
		text = append(encoded, '\n')
	}
	if werr := a.write(text); werr != nil {
		return werr
	}
	return err
}

// explanation is an Explanation for a person at a terminal.
func explanation(x *hooks.Explanation) string {
	var b strings.Builder
	b.WriteString(x.Event)
	if x.Subject != "" {
		fmt.Fprintf(&b, " (%s)", x.Subject)
	}
	fmt.Fprintf(&b, ": %d of %d %s would run\n", len(x.Selected), len(x.Selected)+len(x.Skipped), plural(len(x.Selected)+len(x.Skipped), "hook"))
	if len(x.Selected)+len(x.Skipped) == 0 {
		searchedLines(&b, x.Searched)
	}
	for _, h := range x.Selected {
		verdict := "runs"
		if h.Shell == "" && h.ShellWhy != "" {
			verdict = "fails"
		}
		explainLine(&b, verdict, h, whyChosen(x, h))
	}
	for _, h := range x.Skipped {
		explainLine(&b, "skipped", h, []string{h.Detail})
	}
	for _, p := range x.Problems {
		fmt.Fprintf(&b, "  %-8s %s\n", p.Severity, oneLine(problemLine(p)))
	}
	return printable(b.String())
}

// searchedLines says where hooks were looked for, where there are none.
func searchedLines(b *strings.Builder, files []hooks.SearchedFile) {
	for _, f := range files {
		state := "not there"
		if f.Found {
			state = "read"
		}
		fmt.Fprintf(b, "  looked in %s: %s\n", oneLine(f.File), state)
	}
}

func explainLine(b *strings.Builder, verdict string, h hooks.ExplainedHook, why []string) {
	name := h.Name
	if name == "" {
		name = h.Source.Path
	}
	fmt.Fprintf(b, "  %-8s %s  %s:%d (%s)", verdict, name, h.Source.File, h.Source.Line, h.Source.Scope)
	if h.Reason != "" {
		fmt.Fprintf(b, ": %s", h.Reason)
	}
	b.WriteString("\n")
	for _, line := range why {
		fmt.Fprintf(b, "           %s\n", oneLine(line))
	}
	if len(h.Commands) > 0 {
		quoted := make([]string, len(h.Commands))
		for i, c := range h.Commands {
			quoted[i] = fmt.Sprintf("%q", c)
		}
		fmt.Fprintf(b, "           if rule %q looked at %s\n", h.If, strings.Join(quoted, ", "))
	}
}

// whyChosen says which patterns let a hook through.
func whyChosen(x *hooks.Explanation, h hooks.ExplainedHook) []string {
	var why []string
	switch h.Matcher.Kind {
	case "all":
		why = append(why, "every event matches")
	case "list":
		why = append(why, fmt.Sprintf("matcher %q (exact list) has %q", h.Matcher.Text, x.Subject))
	case "regex":
		why = append(why, fmt.Sprintf("matcher %q (regular expression, %s) matches %q", h.Matcher.Text, h.Matcher.Engine, x.Subject))
	}
	if h.Detail != "" {
		why = append(why, h.Detail)
	}
	switch {
	case h.Shell == "" && h.ShellWhy != "":
		why = append(why, "cannot be started: "+h.ShellWhy)
	case h.Shell == "builtin" && h.ShellWhy != "": // forced, or without a bash
		why = append(why, fmt.Sprintf("by %s, which may differ from bash on %s", shellText(h.Shell), h.ShellWhy))
	case h.ShellWhy != "":
		why = append(why, fmt.Sprintf("by %s, because of %s", h.Shell, h.ShellWhy))
	case h.Shell != "":
		why = append(why, "by "+shellText(h.Shell))
	}
	if h.Background {
		why = append(why, "in the background, where it decides nothing")
	}
	for _, twin := range h.AlsoIn {
		why = append(why, fmt.Sprintf("runs once for its copy in %s:%d (%s) too", twin.File, twin.Line, twin.Scope))
	}
	return why
}

// shellText says in words what runs a command.
func shellText(shell string) string {
	switch shell {
	case "builtin":
		return "the builtin shell"
	case "exec":
		return "no shell, as a program with arguments"
	}
	return shell
}
