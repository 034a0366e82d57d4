package precedence

import (
	"fmt"

	"github.com/theus-hooks/theus-hooks/settings"
)

// A Policy is what the switches of all sources amount to: for each scope
// whether its hooks are off, and which file says so.
type Policy struct {
	// off maps a scope to the reason its hooks do not run.
	off map[Scope]exclusion
	// urls and env are lists that all have to allow what a hook wants.
	urls, env [][]string
}

type exclusion struct {
	reason    Reason
	detail    string
	hooksOnly bool // a status line is not concerned
}

// StatusLineOff reports whether policy switches off a status line, or another
// command like it, that settings of a scope bring, and why.
func (p Policy) StatusLineOff(s Scope) (reason Reason, detail string, off bool) {
	e, off := p.off[s]
	if !off || e.hooksOnly {
		return "", "", false
	}
	return e.reason, e.detail, true
}

// HTTPHookURLs are the lists of URL patterns of which each has to allow the URL
// of an http hook; none: no limit. The first adds up what user, command line
// and managed settings allow, the others are what a trusted repository narrows
// it to.
func (p Policy) HTTPHookURLs() [][]string { return p.urls }

// HTTPHookEnv are the lists of names of which each has to allow a variable that
// a header of an http hook uses; as HTTPHookURLs.
func (p Policy) HTTPHookEnv() [][]string { return p.env }

// Off reports whether policy switches the hooks of a scope off, and why.
func (p Policy) Off(s Scope) (reason Reason, detail string, off bool) {
	e, off := p.off[s]
	return e.reason, e.detail, off
}

// switchOff records the first reason for each scope; callers go from the
// strongest to the weakest.
func (p Policy) switchOff(e exclusion, scopes ...Scope) {
	for _, s := range scopes {
		if _, done := p.off[s]; !done {
			p.off[s] = e
		}
	}
}

func decidePolicy(c *Config) Policy {
	p := Policy{off: map[Scope]exclusion{}}
	everyScope := []Scope{Plugin, User, Project, Local, CommandLine}
	for _, s := range c.Sources {
		if s.Scope == Managed && isTrue(s.File.Policy.DisableAllHooks) {
			p.switchOff(exclusion{DisabledAll, says(s, "disableAllHooks"), false}, append(everyScope, Managed)...)
		}
	}
	if s := c.disabling(); s != nil {
		p.switchOff(exclusion{DisabledAll, says(s, "disableAllHooks"), false}, everyScope...)
	}
	for _, s := range c.Sources {
		if s.Scope.ofRepository() && c.Trusted && isTrue(s.File.Policy.DisableAllHooks) {
			p.switchOff(exclusion{DisabledAll, says(s, "disableAllHooks"), false}, Project, Local, Plugin)
		}
	}
	for _, s := range c.Sources {
		if s.Scope != Managed {
			continue
		}
		if isTrue(s.File.Policy.AllowManagedHooksOnly) {
			p.switchOff(exclusion{ManagedOnly, says(s, "allowManagedHooksOnly"), false}, everyScope...)
		}
		if s.File.Policy.StrictPluginOnly {
			p.switchOff(exclusion{ManagedOnly, says(s, "strictPluginOnlyCustomization"), true}, User, Project, Local)
		}
	}
	p.urls = c.limits(func(f *settings.Policy) []string { return f.AllowedHTTPHookURLs })
	p.env = c.limits(func(f *settings.Policy) []string { return f.HTTPHookAllowedEnv })
	return p
}

// limits collects the lists of one key.
func (c *Config) limits(key func(*settings.Policy) []string) [][]string {
	var allowed []string
	var lists [][]string
	for _, s := range c.Sources {
		list := key(&s.File.Policy)
		switch {
		case list == nil:
		case !s.Scope.ofRepository():
			allowed = append(append([]string{}, allowed...), list...)
		case c.Trusted:
			lists = append(lists, list)
		}
	}
	if allowed != nil {
		lists = append([][]string{allowed}, lists...)
	}
	return lists
}

// disabling returns the source that switches all but managed hooks off: the
// command line has the word over the user, and a repository has none.
func (c *Config) disabling() *Source {
	var by *Source
	for _, s := range c.Sources { // user stands before the command line
		if set := s.File.Policy.DisableAllHooks; set != nil && (s.Scope == User || s.Scope == CommandLine) {
			by = nil
			if *set {
				by = s
			}
		}
	}
	return by
}

func says(s *Source, key string) string {
	return fmt.Sprintf("%s is true in %s (%s)", key, s.Name, s.Scope)
}

func isTrue(b *bool) bool { return b != nil && *b }
