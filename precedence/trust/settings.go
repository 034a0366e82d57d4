package trust

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings"
)

// settings adds the items of one settings file. Only fields that are set count,
// so that a later version which reads more does not ask again.
func (s *Snapshot) settings(src Source) {
	f := src.File
	for i := range f.Groups {
		s.group(src, &f.Groups[i])
	}
	s.env(src)
	for _, p := range f.EnabledPlugins {
		s.setting(src, "enabledPlugins."+p.Name, strconv.FormatBool(p.On))
	}
	s.list(src, "disabledHooks", f.DisabledHooks)
	s.list(src, "hookModules", f.HookModules)
	s.list(src, "allowedHttpHookUrls", f.Policy.AllowedHTTPHookURLs)
	s.list(src, "httpHookAllowedEnvVars", f.Policy.HTTPHookAllowedEnv)
	s.flag(src, "disableAllHooks", f.Policy.DisableAllHooks)
	s.flag(src, "allowManagedHooksOnly", f.Policy.AllowManagedHooksOnly)
	if f.Policy.StrictPluginOnly {
		s.setting(src, "strictPluginOnlyCustomization", "true")
	}
}

// env adds the variables; of a doubled name the last counts.
func (s *Snapshot) env(src Source) {
	vars := sortedVars(src.File.Env)
	for i, v := range vars {
		if i+1 == len(vars) || vars[i+1].Name != v.Name {
			s.setting(src, "env."+v.Name, jsontext.Quote(v.Value))
		}
	}
}

func (s *Snapshot) setting(src Source, key, text string) {
	s.Items = append(s.Items, Item{
		Kind: Setting, Group: frame(src.Scope, key), Name: key, Sum: sum(text), Text: text + "\n", Source: src.File.Name,
	})
}

// list adds a list whose order means nothing.
func (s *Snapshot) list(src Source, key string, words []string) {
	if words == nil {
		return
	}
	sorted := slices.Clone(words)
	slices.Sort(sorted)
	s.setting(src, key, quoted(slices.Compact(sorted)))
}

func (s *Snapshot) flag(src Source, key string, value *bool) {
	if value != nil {
		s.setting(src, key, strconv.FormatBool(*value))
	}
}

// group adds the hooks of a group. In a sequential one each depends on those
// before it.
func (s *Snapshot) group(src Source, g *settings.Group) {
	before := ""
	for i := range g.Handlers {
		h := &g.Handlers[i]
		text := hookText(g, h)
		content := text
		if g.Sequential {
			content += before
			before = sum(content)
		}
		s.Items = append(s.Items, Item{
			Kind: Hook, Group: frame(src.Scope, g.Event.Name, g.Matcher.Text), Name: hookName(g, h), Sum: sum(content), Text: text,
			Source: src.File.Name, Line: h.Place.Line,
		})
	}
}

func hookName(g *settings.Group, h *settings.Handler) string {
	name := g.Event.Name
	if h.Name != "" {
		name += " hook " + h.Name
	}
	if g.Matcher.Text != "" {
		name += fmt.Sprintf(" (%s)", g.Matcher.Text)
	}
	return name
}

// hookText is everything that is read of a hook, in a fixed order.
func hookText(g *settings.Group, h *settings.Handler) string {
	var l lines
	texts := func(field, value string) {
		if value != "" {
			l.add(field, jsontext.Quote(value))
		}
	}
	flags := func(field string, on bool) {
		if on {
			l.add(field, "true")
		}
	}
	lists := func(field string, words []string) {
		if words != nil {
			l.add(field, quoted(words))
		}
	}
	texts("matcher", g.Matcher.Text)
	texts("broken matcher", g.Matcher.Broken)
	flags("sequential", g.Sequential)
	texts("type", h.TypeName)
	texts("name", h.Name)
	texts("if", h.IfText)
	texts("command", h.Command)
	flags("exec form", h.Exec)
	lists("args", h.Args)
	texts("shell", h.Shell)
	vars(&l, "env", h.Env)
	texts("envFile", h.EnvFile)
	texts("cwd", h.Cwd)
	flags("pty", h.Pty)
	flags("async", h.Async)
	flags("asyncRewake", h.AsyncRewake)
	texts("url", h.URL)
	vars(&l, "headers", h.Headers)
	lists("allowedEnvVars", h.AllowedEnvVars)
	texts("server", h.Server)
	texts("tool", h.Tool)
	if v, err := jsontext.Parse([]byte(h.Input), jsontext.Limits{}); err == nil {
		l.add("input", canonical(v))
	}
	texts("prompt", h.Prompt)
	texts("model", h.Model)
	flags("continueOnBlock", h.ContinueOnBlock)
	if h.Timeout > 0 {
		l.add("timeout", strconv.FormatFloat(h.Timeout.Seconds(), 'g', -1, 64)+" s")
	}
	texts("statusMessage", h.StatusMessage)
	flags("once", h.Once)
	if h.OnFailure {
		l.add("onFailure", choose(h.FailClosed, "block", "continue"))
	}
	flags("observe", h.Observe)
	flags("off", h.Disabled)
	texts("invalid", h.Invalid)
	return l.String()
}

func vars(l *lines, field string, vars []settings.Var) {
	for _, v := range sortedVars(vars) {
		l.add(field+" "+jsontext.Quote(v.Name), jsontext.Quote(v.Value))
	}
}

// sortedVars sorts by name; of doubled names, which keep their order, the last
// counts.
func sortedVars(vars []settings.Var) []settings.Var {
	sorted := slices.Clone(vars)
	slices.SortStableFunc(sorted, func(a, b settings.Var) int {
		switch {
		case a.Name < b.Name:
			return -1
		case a.Name > b.Name:
			return 1
		}
		return 0
	})
	return sorted
}

// canonical is a value without white space and with sorted keys. Its depth is
// that of its settings file, which is bounded.
func canonical(v jsontext.Value) string {
	var parts []string
	switch v.Kind() {
	case jsontext.Object:
		for m := range v.Members() {
			parts = append(parts, jsontext.Quote(m.Key)+":"+canonical(m.Value))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	case jsontext.Array:
		for _, e := range v.Elements() {
			parts = append(parts, canonical(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case jsontext.String:
		return jsontext.Quote(v.Text())
	}
	return v.Raw()
}

func quoted(words []string) string {
	var b []byte
	b = append(b, '[')
	for i, w := range words {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, jsontext.Quote(w)...)
	}
	return string(append(b, ']'))
}

func choose(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}
