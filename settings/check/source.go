package check

import (
	"cmp"
	"strings"

	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/settings"
)

// scope checks keys that do not count in the scope of the file, and hooks that
// policy switches off.
func (l *linter) scope() {
	l.managedOnly("allowManagedHooksOnly")
	l.managedOnly("strictPluginOnlyCustomization")
	if at := l.file.PlaceOf("disabledHooks"); at.Path != "" && (l.src.Scope == precedence.Project || l.src.Scope == precedence.Plugin) {
		l.report("wrong-scope", at, "write it into your user settings or into the local file",
			"the key has no effect in %s settings: a shared file switches nobody's hooks off", l.src.Scope)
	}
	if len(l.file.Groups) == 0 {
		return
	}
	scope := l.src.Scope
	if plugin := l.src.Plugin; plugin != nil && plugin.Forced {
		scope = precedence.Managed // as package precedence has it
	}
	if _, detail, off := l.cfg.Policy.Off(scope); off {
		l.report("policy-off", l.file.PlaceOf("hooks"), "change that switch, or take the hooks out", "none of these hooks runs: %s", detail)
	}
}

func (l *linter) managedOnly(key string) {
	if at := l.file.PlaceOf(key); at.Path != "" && l.src.Scope != precedence.Managed {
		l.report("managed-only-key", at, "take it out, or write it into managed settings", "the key has no effect in %s settings", l.src.Scope)
	}
}

// twins holds the handlers seen so far, by what they do.
type twins map[string][]twin

type twin struct {
	handler
	file string
}

// compared bounds how many handlers that do the same are compared with one more.
const compared = 64

// twin reports a handler that does the same as one before it, for an event that
// both run for. Hooks of plugins are never taken for copies.
func (l *linter) twin(h handler, seen twins) {
	if h.Disabled || l.src.Scope == precedence.Plugin {
		return
	}
	key := h.spec.Name + "\x00" + identity(h.Handler)
	for _, before := range seen[key] {
		if before.matcher.meets(h.matcher) {
			where := before.Place.Path
			if before.file != l.src.Name {
				where += " of " + before.file
			}
			l.report("duplicate-hook", h.Place, "take one of them out", "it does the same as %s (line %d); identical hooks run once", where, before.Place.Line)
			return
		}
	}
	if len(seen[key]) < compared {
		seen[key] = append(seen[key], twin{h, l.src.Name})
	}
}

// identity is equal for handlers that do the same: the fields that package
// precedence compares, as they are written. Matcher, timeout, name and
// statusMessage have no part in it.
func identity(h *settings.Handler) string {
	keys := append([]string{"if"}, settings.HandlerFields(h.Type)...)
	var b strings.Builder
	b.WriteString(h.TypeName)
	for _, key := range keys {
		v := h.Raw().Get(key)
		b.WriteByte(0)
		if raw := v.Raw(); raw != "false" && raw != "null" { // as if it were not there
			b.WriteString(cmp.Or(v.Text(), raw))
		}
	}
	for _, flag := range []bool{h.Once, h.FailClosed, h.Observe} {
		b.WriteByte('0')
		if flag {
			b.WriteByte('1')
		}
	}
	return b.String()
}
