package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	hooks "github.com/theus-hooks/theus-hooks"
	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/precedence/trust"
)

// trustFlags are the flags of trust and its commands.
type trustFlags struct {
	runFlags
	asJSON bool
}

func (a *app) trustCommand() *cobra.Command {
	cmd := a.trustPart("trust", "say whether the hooks of this workspace may run, and trust them", a.trustStatus)
	cmd.Long = `trust is about the project and local settings of a workspace: their hooks run only
where a person trusts them. What is trusted is everything that is read of these
settings and the scripts, modules and env files that their hooks name; when any of
it changes, trust is asked for again. Files are found by their names in the
settings: what a script starts in turn is not looked at.

Without a command, trust prints the status: exit code 1 when not trusted.`
	cmd.Example = `  theus-hooks trust
  theus-hooks trust grant
  theus-hooks trust diff
  theus-hooks trust revoke`
	cmd.AddCommand(
		a.trustPart("status", "say whether the workspace is trusted: exit code 1 when not", a.trustStatus),
		a.trustPart("grant", "trust what stands there now, and print it", a.trustGrant),
		a.trustPart("revoke", "trust nothing of this workspace any more", a.trustRevoke),
		a.trustPart("diff", "show what changed since it was trusted", a.trustDiff),
	)
	return cmd
}

// trustPart builds one of the commands. They differ in what they do only.
func (a *app) trustPart(name, short string, do func(*precedence.Workspace, *trustFlags) error) *cobra.Command {
	flags := &trustFlags{}
	cmd := &cobra.Command{
		Use: name, Short: short,
		Example: "  theus-hooks trust " + name,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q; use trust status, grant, revoke or diff", "trust "+args[0])
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			ws, err := a.workspace(flags)
			if err != nil {
				return err
			}
			return do(ws, flags)
		},
	}
	flags.format, flags.onFailure = "hook", "continue"
	f := cmd.Flags()
	f.StringVar(&flags.projectDir, "project-dir", "", "the project's root (default: searched for upwards)")
	f.StringVar(&flags.dialect, "dialect", "", "names of directories and variables: theus or claude")
	f.BoolVar(&flags.asJSON, "json", false, "print JSON")
	return cmd
}

// workspace looks at the workspace that the command is called in. That somebody
// vouches for it by --trust or a variable is nothing to these commands.
func (a *app) workspace(flags *trustFlags) (*precedence.Workspace, error) {
	opts, err := a.engineOptions(&flags.runFlags)
	if err != nil {
		return nil, err
	}
	opts.Trust = false
	engine, err := hooks.Open(opts)
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	ws, err := engine.Workspace()
	if err != nil {
		fmt.Fprintf(a.streams.Err, "theus-hooks: warning: %s\n", printable(oneLine(err.Error())))
	}
	return ws, nil
}

func (a *app) trustStatus(ws *precedence.Workspace, flags *trustFlags) error {
	if !ws.Trusted() {
		a.code = exitFailed
	}
	if flags.asJSON {
		return a.writeWorkspace(ws)
	}
	var b strings.Builder
	switch items := counted(ws.Snapshot); {
	case ws.Snapshot.Empty():
		fmt.Fprintf(&b, "%s has nothing that needs trust\n", ws.Root)
	case ws.Trusted():
		fmt.Fprintf(&b, "%s is trusted since %s: %s\n", ws.Root, ws.Granted.Local().Format(time.DateTime), items)
	case ws.Snapshot.Refused != "":
		fmt.Fprintf(&b, "%s cannot be trusted: %s\n", ws.Root, ws.Snapshot.Refused)
	case ws.Before:
		fmt.Fprintf(&b, "%s changed since it was trusted, so its hooks do not run:\n", ws.Root)
		for _, c := range ws.Changes {
			fmt.Fprintf(&b, "  %s\n", oneLine(c.String()))
		}
		b.WriteString("`theus-hooks trust diff` shows the changes, `theus-hooks trust grant` trusts them\n")
	default:
		fmt.Fprintf(&b, "%s is not trusted, so its hooks do not run; with trust these would:\n%s", ws.Root, itemTable(ws.Snapshot))
		b.WriteString("`theus-hooks trust grant` trusts them\n")
	}
	return a.write([]byte(printable(b.String())))
}

func (a *app) trustGrant(ws *precedence.Workspace, flags *trustFlags) error {
	if ws.Snapshot.Empty() {
		return a.trustStatus(ws, flags)
	}
	err := ws.Grant(a.ctx, time.Now())
	if errors.Is(err, trust.ErrRefused) {
		return fmt.Errorf("%w; --trust vouches for it for one call", err)
	}
	if err != nil {
		return fmt.Errorf("trusting %s: %w", ws.Root, err)
	}
	if flags.asJSON {
		return a.writeWorkspace(ws)
	}
	text := fmt.Sprintf("%s is trusted from now on: %s\n%s`theus-hooks trust revoke` takes it back\n", ws.Root, counted(ws.Snapshot), itemTable(ws.Snapshot))
	return a.write([]byte(printable(text)))
}

func (a *app) trustRevoke(ws *precedence.Workspace, flags *trustFlags) error {
	was, err := ws.Revoke(a.ctx)
	switch {
	case err != nil:
		return fmt.Errorf("revoking the trust in %s: %w", ws.Root, err)
	case flags.asJSON:
		return a.writeWorkspace(ws)
	case !was:
		return a.write([]byte(printable(ws.Root + " was not trusted\n")))
	}
	return a.write([]byte(printable(ws.Root + " is not trusted any more\n")))
}

func (a *app) trustDiff(ws *precedence.Workspace, flags *trustFlags) error {
	if flags.asJSON {
		return a.writeWorkspace(ws)
	}
	var b strings.Builder
	switch {
	case !ws.Before:
		fmt.Fprintf(&b, "%s was never trusted; `theus-hooks trust` says what would run\n", ws.Root)
	case ws.Trusted():
		fmt.Fprintf(&b, "nothing changed since %s was trusted\n", ws.Root)
	}
	for _, c := range ws.Changes {
		fmt.Fprintf(&b, "%s%s\n", oneLine(c.String()), at(c.Item()))
		b.WriteString(textDiff(c))
	}
	return a.write([]byte(printable(b.String())))
}

// textDiff shows the lines that changed, indented.
func textDiff(c trust.Change) string {
	before, after := "", ""
	if c.Before != nil {
		before = c.Before.Text
	}
	if c.After != nil {
		after = c.After.Text
	}
	if before == "" && after == "" {
		return "  (no text is kept of it)\n"
	}
	text := string(diff.Diff("trusted", []byte(before), "now", []byte(after)))
	if _, hunks, ok := strings.Cut(text, "\n+++ now\n"); ok {
		text = hunks
	}
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

func at(it *trust.Item) string {
	switch {
	case it.Source != "" && it.Line > 0:
		return fmt.Sprintf("  %s:%d", it.Source, it.Line)
	case it.Source != "":
		return "  " + it.Source
	}
	return ""
}

// counted is a snapshot in numbers: "2 hooks, 1 file".
func counted(snap *trust.Snapshot) string {
	var parts []string
	for _, kind := range []trust.Kind{trust.Hook, trust.Setting, trust.File} {
		n := 0
		for _, it := range snap.Items {
			if it.Kind == kind {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, plural(n, string(kind))))
		}
	}
	return strings.Join(parts, ", ")
}

// itemTable lists what is trusted together, hooks first.
func itemTable(snap *trust.Snapshot) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	items := slices.Clone(snap.Items)
	kinds := []trust.Kind{trust.Hook, trust.Setting, trust.File}
	slices.SortStableFunc(items, func(a, b trust.Item) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Line, b.Line))
	})
	for _, it := range items {
		fmt.Fprintf(w, "  %s\t%s", it.Kind, cell(it.Name))
		if it.Kind != trust.File {
			fmt.Fprintf(w, "\t%s\t%s", cell(strings.TrimSpace(at(&it))), cell(gist(it)))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return b.String()
}

// gist is what an item amounts to: of a hook what runs.
func gist(it trust.Item) string {
	if it.Kind == trust.File {
		return ""
	}
	if it.Kind == trust.Setting {
		return strings.TrimSuffix(it.Text, "\n")
	}
	for line := range strings.Lines(it.Text) {
		for _, field := range []string{"command: ", "url: ", "prompt: ", "tool: "} {
			if value, ok := strings.CutPrefix(line, field); ok {
				return strings.TrimSuffix(value, "\n")
			}
		}
	}
	return ""
}

// workspaceJSON is a workspace for programs.
type workspaceJSON struct {
	Root     string       `json:"root"`
	Identity string       `json:"identity"`
	Trusted  bool         `json:"trusted"`
	Granted  *string      `json:"granted"` // RFC 3339, null when not trusted
	Refused  string       `json:"refused"`
	Digest   string       `json:"digest"`
	Items    []itemJSON   `json:"items"`
	Changes  []changeJSON `json:"changes"`
}

type itemJSON struct {
	Kind   trust.Kind `json:"kind"`
	Name   string     `json:"name"`
	File   string     `json:"file"`
	Line   int        `json:"line"`
	SHA256 string     `json:"sha256"`
	Text   string     `json:"text"`
}

type changeJSON struct {
	Change string    `json:"change"` // added, removed, changed
	Before *itemJSON `json:"before"`
	After  *itemJSON `json:"after"`
}

func (a *app) writeWorkspace(ws *precedence.Workspace) error {
	out := workspaceJSON{
		Root: ws.Root, Identity: ws.Identity, Trusted: ws.Trusted(), Refused: ws.Snapshot.Refused, Digest: ws.Snapshot.Digest(),
		Items: []itemJSON{}, Changes: []changeJSON{},
	}
	if !ws.Granted.IsZero() {
		text := ws.Granted.UTC().Format(time.RFC3339)
		out.Granted = &text
	}
	for i := range ws.Snapshot.Items {
		out.Items = append(out.Items, *newItemJSON(&ws.Snapshot.Items[i]))
	}
	for _, c := range ws.Changes {
		out.Changes = append(out.Changes, changeJSON{c.Verb(), newItemJSON(c.Before), newItemJSON(c.After)})
	}
	text, err := jsontext.Marshal(out)
	if err != nil {
		return err
	}
	return a.write(append(text, '\n'))
}

func newItemJSON(it *trust.Item) *itemJSON {
	if it == nil {
		return nil
	}
	file := it.Source
	if it.Kind == trust.File {
		file = it.Name
	}
	return &itemJSON{it.Kind, it.Name, file, it.Line, it.Sum, it.Text}
}
