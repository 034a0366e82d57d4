package settings

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// Parse reads the text of one settings file. It never fails: what cannot be
// read is in the file's Problems. name is how messages call the file.
func Parse(name string, data []byte) *File {
	p := &parser{file: &File{Name: name}, index: jsontext.NewIndex(data)}
	root, ok := p.document(data)
	if !ok {
		p.file.Lost, p.file.PolicyLost = true, true
		return p.file
	}
	p.file.root, p.file.index = root, p.index
	p.root(root)
	return p.file
}

// parser walks one document. Its methods take the path of what they read.
type parser struct {
	file  *File
	index *jsontext.Index
	// counts numbers the groups of an event over the blocks of a doubled key.
	counts map[*event.Spec]int
}

func (p *parser) place(offset int, path string) Place {
	line, column := p.index.Position(offset)
	return Place{Line: line, Column: column, Path: path}
}

func (p *parser) report(sev Severity, code string, at Place, hint, format string, args ...any) {
	p.file.Problems = append(p.file.Problems, Problem{
		Severity: sev, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint, File: p.file.Name, Place: at,
	})
}

// document parses the text; ok is false when nothing of it can be read.
func (p *parser) document(data []byte) (jsontext.Value, bool) {
	top := Place{Line: 1, Column: 1}
	if encoding := foreignEncoding(data); encoding != "" {
		p.report(Error, "encoding", top, "save it as UTF-8", "the file is %s, not UTF-8", encoding)
		return jsontext.Value{}, false
	}
	if len(strings.TrimSpace(string(data[:min(len(data), 512)]))) == 0 && len(data) <= 512 {
		p.report(Warning, "empty-file", top, `write {} for "no settings"`, "the file is empty")
		return jsontext.Value{}, false
	}
	root, forgiven, err := jsontext.ParseRelaxed(data, jsontext.Limits{Bytes: MaxBytes, Depth: MaxDepth})
	var syntax *jsontext.SyntaxError
	var limit *jsontext.LimitError
	switch {
	case errors.As(err, &syntax):
		p.report(Error, "syntax", p.place(syntax.Offset, ""), "", "not JSON: found %s, want %s", syntax.Found, syntax.Want)
		return root, false
	case errors.As(err, &limit):
		p.report(Error, "too-large", p.place(limit.Offset, ""), "", "the file has %v", err)
		return root, false
	}
	p.forgiven(forgiven)
	if at := invalidUTF8(data); at >= 0 {
		p.report(Warning, "not-utf8", p.place(at, ""), "save the file as UTF-8", "the byte %#02x is not UTF-8; other agents read something else in its place", data[at])
	}
	if root.Kind() != jsontext.Object {
		p.report(Error, "wrong-type", top, `write {"hooks": {…}}`, "found %s, want an object", article(root.Kind()))
		return root, false
	}
	return root, true
}

// invalidUTF8 is where the first byte stands that is not UTF-8, -1 for none.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
	return -1
}

// forgiven reports each kind of leniency once, at its first place.
func (p *parser) forgiven(list []jsontext.Forgiveness) {
	said := map[string]bool{}
	for _, f := range list {
		if said[f.What] {
			continue
		}
		said[f.What] = true
		code := strings.ReplaceAll(f.What, " ", "-")
		if code == "byte-order-mark" {
			code = "bom"
		}
		p.report(Warning, code, p.place(f.Offset, ""), "take it out: other agents refuse the whole file for it", "a %s is not JSON; it was read all the same", f.What)
	}
}

func foreignEncoding(data []byte) string {
	head := string(data[:min(len(data), 4)])
	switch {
	case strings.HasPrefix(head, "\xff\xfe"), len(head) >= 2 && head[1] == 0:
		return "UTF-16"
	case strings.HasPrefix(head, "\xfe\xff"), len(head) >= 2 && head[0] == 0:
		return "UTF-16"
	}
	return ""
}

// root reads the top level. Of doubled hooks keys all blocks count; of other
// doubled keys the narrower value, see narrow.
func (p *parser) root(root jsontext.Value) {
	seen := map[string]bool{}
	for m := range root.Members() {
		path := joinPath("", m.Key)
		at := p.place(m.KeyOffset, path)
		if seen[m.Key] && ours(m.Key) {
			p.report(Error, "duplicate-key", at, "merge the two", "the key %q stands here a second time; other readers see only one of them", m.Key)
		}
		seen[m.Key] = true
		p.rootKey(m, at)
	}
}

func (p *parser) rootKey(m jsontext.Member, at Place) {
	switch m.Key {
	case "hooks":
		p.hooks(m.Value, at)
	case "env":
		p.file.Env = append(p.file.Env, p.vars(m.Value, at)...)
	case "disabledHooks":
		p.file.DisabledHooks = append(p.file.DisabledHooks, p.texts(m.Value, at)...)
	case "enabledPlugins":
		p.enabledPlugins(m.Value, at)
	case "pluginConfigs":
		p.pluginConfigs(m.Value, at)
	case "hookModules":
		p.file.HookModules = append(p.file.HookModules, p.texts(m.Value, at)...)
	default:
		p.policyKey(m, at)
		if spec, ok := event.Lookup(m.Key); ok {
			p.report(Warning, "event-outside-hooks", at, fmt.Sprintf(`write {"hooks": {%q: […]}}`, spec.Name),
				`the event %s stands outside "hooks", so its hooks never run`, spec.Name)
		}
		if strings.EqualFold(m.Key, "hooks") || strings.EqualFold(m.Key, "hook") {
			p.report(Error, "hooks-misspelt", at, `write "hooks"`, "%q is no key of settings, so its hooks never run", m.Key)
		}
	}
}

// ours reports whether a top-level key is one that we read.
func ours(key string) bool {
	switch key {
	case "hooks", "env", "disabledHooks", "hookModules", "enabledPlugins", "pluginConfigs", "disableAllHooks", "allowManagedHooksOnly",
		"strictPluginOnlyCustomization", "allowedHttpHookUrls", "httpHookAllowedEnvVars":
		return true
	}
	return false
}

func (p *parser) policyKey(m jsontext.Member, at Place) {
	policy := &p.file.Policy
	switch m.Key {
	case "disableAllHooks":
		if b, ok := p.flag(m.Value, at); ok {
			policy.DisableAllHooks = narrow(policy.DisableAllHooks, b)
		} else {
			p.file.PolicyLost = true
		}
	case "allowManagedHooksOnly":
		b, ok := p.flag(m.Value, at)
		policy.AllowManagedHooksOnly = narrow(policy.AllowManagedHooksOnly, b || !ok)
	case "strictPluginOnlyCustomization":
		policy.StrictPluginOnly = policy.StrictPluginOnly || p.pluginOnly(m.Value, at)
	case "allowedHttpHookUrls":
		policy.AllowedHTTPHookURLs = p.policyList(policy.AllowedHTTPHookURLs, m.Value, at)
	case "httpHookAllowedEnvVars":
		policy.HTTPHookAllowedEnv = p.policyList(policy.HTTPHookAllowedEnv, m.Value, at)
	}
}

// enabledPlugins reads the switches of plugins. What is no boolean (agents know
// version lists there, too) is left out.
func (p *parser) enabledPlugins(v jsontext.Value, at Place) {
	if v.Kind() != jsontext.Object {
		p.wrong(v, at, `an object such as {"name@marketplace": true}`, "")
		p.file.PolicyLost = true
		return
	}
	for m := range v.Members() {
		if m.Value.Kind() == jsontext.Bool {
			p.file.EnabledPlugins = append(p.file.EnabledPlugins, Switch{m.Key, m.Value.Bool()})
			continue
		}
		p.report(Warning, "wrong-type", p.place(m.KeyOffset, joinPath(at.Path, m.Key)), "write true or false", "found %s, want true or false; it switches nothing", article(m.Value.Kind()))
	}
}

// pluginConfigs reads the options of plugins. Other things that stand there, and
// options that are no scalar, are the plugins' own business.
func (p *parser) pluginConfigs(v jsontext.Value, at Place) {
	if v.Kind() != jsontext.Object {
		p.wrong(v, at, `an object such as {"name@marketplace": {"options": {"key": "value"}}}`, "")
		return
	}
	for plugin := range v.Members() {
		for m := range plugin.Value.Get("options").Members() {
			switch m.Value.Kind() {
			case jsontext.String:
				p.file.PluginOptions = append(p.file.PluginOptions, PluginOption{plugin.Key, m.Key, m.Value.Text()})
			case jsontext.Number, jsontext.Bool:
				p.file.PluginOptions = append(p.file.PluginOptions, PluginOption{plugin.Key, m.Key, m.Value.Raw()})
			}
		}
	}
}

// narrow is the stricter of two readings of a doubled switch.
func narrow(before *bool, now bool) *bool {
	if before != nil {
		now = now || *before
	}
	return &now
}

func (p *parser) pluginOnly(v jsontext.Value, at Place) bool {
	switch v.Kind() {
	case jsontext.Bool:
		return v.Bool()
	case jsontext.String:
		return v.Text() == "hooks"
	case jsontext.Array:
		for _, e := range v.Elements() {
			if e.Text() == "hooks" {
				return true
			}
		}
		return false
	}
	p.wrong(v, at, "true, or a list of the parts it is for", `["hooks"]`)
	p.file.PolicyLost = true
	return true
}

// policyList reads a list that limits what may be reached: one that cannot be
// read limits to nothing, and of two the common part counts.
func (p *parser) policyList(before []string, v jsontext.Value, at Place) []string {
	if v.Kind() != jsontext.Array {
		p.wrong(v, at, "a list of strings", "")
		p.file.PolicyLost = true
		return []string{}
	}
	list := append([]string{}, p.texts(v, at)...)
	if before == nil {
		return list
	}
	common := []string{}
	for _, s := range list {
		for _, b := range before {
			if s == b {
				common = append(common, s)
				break
			}
		}
	}
	return common
}

// hooks reads the value of "hooks": events with their groups.
func (p *parser) hooks(v jsontext.Value, at Place) {
	if v.Kind() != jsontext.Object {
		hint := `write {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": […]}]}}`
		p.wrong(v, at, "an object with an event name for each key", hint)
		p.file.PolicyLost = true
		return
	}
	if p.counts == nil {
		p.counts = map[*event.Spec]int{}
	}
	seen := map[string]bool{}
	for m := range v.Members() {
		at := p.place(m.KeyOffset, joinPath("hooks", m.Key))
		if seen[m.Key] {
			p.report(Error, "duplicate-key", at, "merge the two lists", "the event %s stands here a second time; both lists were read, other readers see only one", m.Key)
		}
		seen[m.Key] = true
		if spec := p.event(m.Key, at); spec != nil {
			p.groups(spec, m.Value, at)
		}
	}
}

// event finds the event that a key means; one that can only be a misspelt
// known event is read as that, anything else is left out.
func (p *parser) event(key string, at Place) *event.Spec {
	if spec, ok := event.Lookup(key); ok {
		return spec
	}
	if spec, ok := event.Fold(strings.NewReplacer("_", "", "-", "").Replace(key)); ok {
		p.report(Warning, "event-case", at, fmt.Sprintf("write %q", spec.Name), "event names are case-sensitive; %q was read as %s", key, spec.Name)
		return spec
	}
	p.report(Warning, "unknown-event", at, eventHint(key), "unknown event %q; its hooks never run", key)
	return nil
}

func (p *parser) groups(spec *event.Spec, v jsontext.Value, at Place) {
	switch v.Kind() {
	case jsontext.Array:
		for _, e := range v.Elements() {
			path := fmt.Sprintf("hooks.%s[%d]", spec.Name, p.counts[spec])
			p.counts[spec]++
			p.group(spec, e, p.place(e.Offset(), path))
		}
	case jsontext.Object:
		p.wrong(v, at, "a list of groups", "put the group in a list: [{…}]")
		p.group(spec, v, at)
	default:
		p.wrong(v, at, "a list of groups", `write [{"hooks": [{"type": "command", "command": "…"}]}]`)
	}
}

func (p *parser) group(spec *event.Spec, v jsontext.Value, at Place) {
	if v.Kind() != jsontext.Object {
		p.wrong(v, at, `a group {"matcher": …, "hooks": […]}`, "")
		return
	}
	g := Group{Event: spec, Place: at, Matcher: Matcher{Place: at}}
	list, flat := jsontext.Value{}, true
	for m := range v.Members() {
		path := p.place(m.KeyOffset, joinPath(at.Path, m.Key))
		switch m.Key {
		case "matcher":
			p.matcher(&g, m.Value, path)
		case "sequential":
			g.Sequential, _ = p.flag(m.Value, path)
		case "hooks":
			if list.Exists() {
				p.report(Error, "duplicate-key", path, "merge the two lists", `"hooks" stands here a second time; both lists were read`)
			}
			flat, list = false, m.Value
			p.handlers(&g, m.Value, path)
		}
	}
	if flat {
		p.flatGroup(&g, v, at)
	}
	p.unknownKeys(v, at, groupKeys, flat)
	p.file.Groups = append(p.file.Groups, g)
}

// flatGroup reads a handler that stands where a group is wanted.
func (p *parser) flatGroup(g *Group, v jsontext.Value, at Place) {
	if !v.Get("type").Exists() && !v.Get("command").Exists() {
		p.report(Error, "missing-hooks", at, `add "hooks": [{"type": "command", "command": "…"}]`, `the group has no "hooks" list`)
		return
	}
	p.report(Error, "flat-entry", at, `wrap it: {"hooks": [{…}]}`, `a handler stands where a group is wanted; it was read as a group of one`)
	g.Handlers = append(g.Handlers, p.handler(g.Event, v, at))
}

func (p *parser) matcher(g *Group, v jsontext.Value, at Place) {
	g.Matcher.Place = at
	switch v.Kind() {
	case jsontext.String:
		g.Matcher.Text = v.Text()
		p.ruleInMatcher(g, at)
	case jsontext.Null:
	default:
		g.Matcher.Broken = fmt.Sprintf("the matcher is %s, want a string", article(v.Kind()))
		p.wrong(v, at, "a string", matcherHint(v))
	}
}

// ruleInMatcher reports a permission rule that was put in the matcher, where it
// is a regular expression that no tool name matches.
func (p *parser) ruleInMatcher(g *Group, at Place) {
	tool, rest, ok := strings.Cut(g.Matcher.Text, "(")
	if ok && strings.HasSuffix(rest, ")") && g.Event.If && slices.Contains(g.Event.Subject.Values, tool) {
		p.report(Warning, "rule-in-matcher", at, fmt.Sprintf(`write "matcher": %q and, in the handler, "if": %q`, tool, g.Matcher.Text),
			"%q is a permission rule; as a matcher it is a regular expression that matches no tool", g.Matcher.Text)
	}
}

// matcherHint turns a list of names into the matcher that was meant.
func matcherHint(v jsontext.Value) string {
	for m := range v.Members() { // as in {"tools": ["Edit", "Write"]}
		v = m.Value
		break
	}
	var names []string
	for _, e := range v.Elements() {
		names = append(names, e.Text())
	}
	if len(names) == 0 {
		return `write "Edit|Write" for several tools`
	}
	return "write " + strconv.Quote(strings.Join(names, "|"))
}

func (p *parser) handlers(g *Group, v jsontext.Value, at Place) {
	if v.Kind() != jsontext.Array {
		p.wrong(v, at, "a list of handlers", `write [{"type": "command", "command": "…"}]`)
		if v.Kind() == jsontext.Object {
			g.Handlers = append(g.Handlers, p.handler(g.Event, v, at))
		}
		return
	}
	base := len(g.Handlers)
	for i, e := range v.Elements() {
		path := fmt.Sprintf("%s[%d]", at.Path, base+i)
		g.Handlers = append(g.Handlers, p.handler(g.Event, e, p.place(e.Offset(), path)))
	}
}

// joinPath adds a key to a JSON path: base.key, or base["odd key"].
func joinPath(base, key string) string {
	plain := key != ""
	for _, r := range key {
		plain = plain && (r == '_' || r == '-' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r))
	}
	switch {
	case !plain:
		return base + "[" + jsontext.Quote(key) + "]"
	case base == "":
		return key
	}
	return base + "." + key
}
