package precedence

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/theus-hooks/theus-hooks/precedence/trust"
	"github.com/theus-hooks/theus-hooks/settings"
)

// A Workspace is what trust is about: everything that the project and local
// settings of one place can make run.
type Workspace struct {
	Root string // the project's root
	// Identity is the name that trust is kept under.
	Identity string
	// Vouched: the caller vouches for it, whatever was granted.
	Vouched bool
	// Granted is when a person trusted exactly what stands there now, zero if
	// nobody did.
	Granted  time.Time
	Snapshot *trust.Snapshot
	// Changes are the differences from what was trusted, empty when nothing was
	// or nothing changed.
	Changes []trust.Change
	// Before reports whether anything of the workspace was trusted.
	Before bool

	granted bool
	store   trust.Store
}

// Trusted reports whether its hooks run.
func (w *Workspace) Trusted() bool {
	return w.Vouched || w.granted || w.Snapshot.Empty()
}

// Workspace looks at what is trusted and what stands there. The error says why
// the record of trust cannot be relied on; the workspace is valid without it.
func (c *Config) Workspace() (*Workspace, error) {
	w := &Workspace{Root: c.Project.Root, Vouched: c.opts.Trust, store: c.trustStore()}
	w.Identity = c.identity()
	w.Snapshot = trust.Collect(c.place(), c.trustSources())
	rec, err := w.store.Load(w.Identity)
	if err == nil {
		err = w.store.LoadTexts(rec)
	}
	if rec == nil {
		return w, err
	}
	w.Before = true
	if g, ok := rec.Granted(w.Snapshot); ok {
		w.granted, w.Granted = true, g.Time
		return w, err
	}
	w.Changes = rec.Changes(w.Snapshot)
	return w, err
}

// Grant trusts the workspace as it was looked at. The errors are those of
// trust.Store.Grant.
func (w *Workspace) Grant(ctx context.Context, now time.Time) error {
	if err := w.store.Grant(ctx, w.Identity, w.Snapshot, now); err != nil {
		return err
	}
	w.granted, w.Granted, w.Before, w.Changes = true, now, true, nil
	return nil
}

// Revoke forgets everything that was trusted of the workspace and reports
// whether that was anything. The errors are those of trust.Store.Revoke.
func (w *Workspace) Revoke(ctx context.Context) (bool, error) {
	done, err := w.store.Revoke(ctx, w.Identity)
	if err == nil {
		w.granted, w.Granted, w.Before, w.Changes = false, time.Time{}, false, nil
	}
	return done, err
}

// decideTrust looks at the record only where something needs trust, and at
// what stands there only where there is a record: most calls pay for neither.
func (c *Config) decideTrust() {
	if c.Trusted || !slices.ContainsFunc(c.repository, needsTrust) {
		return
	}
	name, how := c.Project.Root, "`theus-hooks trust grant` trusts it"
	store := c.trustStore()
	rec, err := store.Load(c.identity())
	switch {
	case err != nil:
		c.distrustStore(err)
		return
	case store.Dir == "":
		c.distrustStore(trust.ErrNoStore)
		return
	case rec == nil:
		c.Distrust = fmt.Sprintf("the workspace %s is not trusted; %s", name, how)
		return
	}
	snap := trust.Collect(c.place(), c.trustSources())
	if _, c.Trusted = rec.Granted(snap); c.Trusted {
		return
	}
	if snap.Refused != "" {
		c.Distrust = fmt.Sprintf("the workspace %s cannot be trusted: %s", name, snap.Refused)
		return
	}
	c.Distrust = fmt.Sprintf("the workspace %s changed since it was trusted: %s; `theus-hooks trust diff` shows it, %s",
		name, summary(rec.Changes(snap)), how)
}

// distrustStore reports a record that cannot be relied on.
func (c *Config) distrustStore(err error) {
	c.Distrust = fmt.Sprintf("the workspace %s is not trusted, since what was trusted cannot be read: %v", c.Project.Root, err)
	c.Problems = append(c.Problems, settings.Problem{
		Severity: settings.Warning, Code: "trust-store", Message: "what was trusted cannot be read, so nothing of the project is: " + err.Error(),
	})
}

// needsTrust reports whether a source of the repository says anything that has
// an effect once it is trusted.
func needsTrust(s *Source) bool {
	f := s.File
	return len(f.Groups)+len(f.Env)+len(f.DisabledHooks)+len(f.HookModules)+len(f.EnabledPlugins) > 0 ||
		f.Policy.DisableAllHooks != nil || f.Policy.AllowedHTTPHookURLs != nil || f.Policy.HTTPHookAllowedEnv != nil
}

func (c *Config) trustStore() trust.Store {
	if c.opts.TrustDir != "" {
		return trust.Store{Dir: c.opts.TrustDir}
	}
	return trust.DefaultStore(c.opts.Env)
}

func (c *Config) identity() string {
	if real, err := filepath.EvalSymlinks(c.Project.Identity); err == nil {
		return real
	}
	return c.Project.Identity
}

func (c *Config) place() trust.Workspace {
	p := c.Project
	return trust.Workspace{Root: p.Root, Main: p.Main, Start: p.Start, Home: p.Home}
}

func (c *Config) trustSources() []trust.Source {
	sources := make([]trust.Source, len(c.repository))
	for i, s := range c.repository {
		sources[i] = trust.Source{Scope: string(s.Scope), File: s.File}
	}
	return sources
}

// summary names the first changes.
func summary(changes []trust.Change) string {
	if len(changes) == 0 {
		return "something that is not listed"
	}
	const shown = 3
	var parts []string
	for _, ch := range changes[:min(shown, len(changes))] {
		text := ch.String()
		if it := ch.After; it != nil && it.Source != "" && it.Line > 0 {
			text += fmt.Sprintf(" (%s:%d)", it.Source, it.Line)
		}
		parts = append(parts, text)
	}
	if more := len(changes) - shown; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, ", ")
}
