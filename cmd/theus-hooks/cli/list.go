package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	hooks "github.com/theus-hooks/theus-hooks"
	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

func (a *app) listCommand() *cobra.Command {
	flags := &runFlags{}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [EVENT]",
		Short: "list every configured hook, active or not, with file and line",
		Long: `list shows all hooks of all sources, those that policy, trust or a mistake keeps
from running included: grouped by event, highest precedence first. Whether an
active one runs for an event is for explain to say.`,
		Example: `  theus-hooks list
  theus-hooks list PreToolUse --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("want one EVENT at most, got %d; for example `theus-hooks list PreToolUse`", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.list(args, flags, asJSON) },
	}
	flags.bind(cmd)
	flags.format, flags.onFailure = "hook", "continue"
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) list(args []string, flags *runFlags, asJSON bool) error {
	name := ""
	if len(args) == 1 {
		spec, ok := event.Fold(args[0])
		if !ok {
			return &usageError{unknownEvent(args[0]).Error()}
		}
		name = spec.Name
	}
	opts, err := a.engineOptions(flags)
	if err != nil {
		return err
	}
	engine, err := hooks.Open(opts)
	if err != nil {
		return err
	}
	defer engine.Close()
	listing, err := engine.List(name)
	if err != nil {
		return err
	}
	for _, p := range listing.Problems {
		fmt.Fprintf(a.streams.Err, "theus-hooks: %s: %s\n", p.Severity, printable(oneLine(problemLine(p))))
	}
	if !asJSON {
		return a.write([]byte(printable(listText(listing))))
	}
	text, err := jsontext.Marshal(listing.Hooks)
	if err != nil {
		return err
	}
	return a.write(append(text, '\n'))
}

// listText is a listing for a person at a terminal: one line a hook.
func listText(l *hooks.Listing) string {
	var b strings.Builder
	if len(l.Hooks) == 0 {
		b.WriteString("no hooks are configured here; `theus-hooks events` lists what they can be for\n")
		searchedLines(&b, l.Searched)
	}
	for start := 0; start < len(l.Hooks); {
		end := start
		for end < len(l.Hooks) && l.Hooks[end].Event == l.Hooks[start].Event {
			end++
		}
		listEvent(&b, l.Hooks[start:end])
		start = end
	}
	if l.StatusLine.Off {
		fmt.Fprintf(&b, "the status line is off, too: %s\n", oneLine(l.StatusLine.Detail))
	}
	return b.String()
}

func listEvent(b *strings.Builder, list []hooks.ListedHook) {
	fmt.Fprintf(b, "%s\n", list[0].Event)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, h := range list {
		verdict := "active"
		if !h.Active {
			verdict = h.Reason
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s:%d (%s)\t%s\n", verdict, cell(listName(h)), cell(matcherText(h)), cell(h.Source.File), h.Source.Line, h.Source.Scope, cell(whatRuns(h)))
	}
	w.Flush()
}

// cell keeps text from breaking the table.
func cell(s string) string { return strings.ReplaceAll(oneLine(s), "\t", " ") }

func listName(h hooks.ListedHook) string {
	if h.Name != "" {
		return h.Name
	}
	return h.ID
}

func matcherText(h hooks.ListedHook) string {
	text := h.Matcher.Text
	if text == "" {
		text = "*"
	}
	if h.If != "" {
		text += " if " + h.If
	}
	return text
}

// whatRuns is what an active hook runs, and of another why it does not.
func whatRuns(h hooks.ListedHook) string {
	if !h.Active {
		return h.Detail
	}
	text := h.Command
	for _, arg := range h.Args {
		text += " " + jsontext.Quote(arg)
	}
	for _, s := range []string{h.URL, h.Prompt} {
		if text == "" {
			text = s
		}
	}
	kind := h.Type
	if h.Background {
		kind += " in the background"
	}
	text = kind + ": " + oneLine(text)
	const width = 60
	if short := []rune(text); len(short) > width {
		text = string(short[:width-1]) + "…"
	}
	return text + alsoIn(h)
}

func alsoIn(h hooks.ListedHook) string {
	text := ""
	for _, s := range h.AlsoIn {
		text += fmt.Sprintf(" (also %s:%d)", s.File, s.Line)
	}
	return text
}
