package precedence

import "fmt"

// A Policy is what the switches of all sources amount to: for each scope
// whether its hooks are off, and which file says so.
type Policy struct {
	// off maps a scope to the reason its hooks do not run.
	off map[Scope]exclusion
}

type exclusion struct {
	reason Reason
	detail string
}

// Off reports whether policy switches the hooks of a scope off, and why.
func (p Policy) Off(s Scope) (reason Reason, detail string, off bool) {
	e, off := p.off[s]
	return e.reason, e.detail, off
}

// switchOff records the first reason for each scope; callers go from the
// strongest to the weakest.
func (p Policy) switchOff(reason Reason, detail string, scopes ...Scope) {
	for _, s := range scopes {
		if _, done := p.off[s]; !done {
			p.off[s] = exclusion{reason, detail}
		}
	}
}

func decidePolicy(c *Config) Policy {
	p := Policy{off: map[Scope]exclusion{}}
	everyScope := []Scope{Plugin, User, Project, Local, CommandLine}
	for _, s := range c.Sources {
		if s.Scope == Managed && isTrue(s.File.Policy.DisableAllHooks) {
			p.switchOff(DisabledAll, says(s, "disableAllHooks"), append(everyScope, Managed)...)
		}
	}
	if s := c.disabling(); s != nil {
		p.switchOff(DisabledAll, says(s, "disableAllHooks"), everyScope...)
	}
	for _, s := range c.Sources {
		if s.Scope.ofRepository() && c.Trusted && isTrue(s.File.Policy.DisableAllHooks) {
			p.switchOff(DisabledAll, says(s, "disableAllHooks"), Project, Local, Plugin)
		}
	}
	for _, s := range c.Sources {
		if s.Scope != Managed {
			continue
		}
		if isTrue(s.File.Policy.AllowManagedHooksOnly) {
			p.switchOff(ManagedOnly, says(s, "allowManagedHooksOnly"), everyScope...)
		}
		if s.File.Policy.StrictPluginOnly {
			p.switchOff(ManagedOnly, says(s, "strictPluginOnlyCustomization"), User, Project, Local)
		}
	}
	return p
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
