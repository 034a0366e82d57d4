package settings

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/event"
	"github.com/theus-hooks/theus-hooks/settings/rule"
)

// maxTimeout keeps a huge number of seconds inside a time.Duration; no hook
// waits for a year.
const maxTimeout = 365 * 24 * time.Hour

// Keys that are read, for telling a typo from somebody else's key.
var (
	groupKeys   = []string{"matcher", "hooks", "sequential"}
	handlerKeys = []string{
		"type", "if", "timeout", "statusMessage", "once", "onFailure", "name", "enabled", "mode",
		"command", "args", "shell", "env", "envFile", "cwd", "pty", "async", "asyncRewake",
		"url", "headers", "allowedEnvVars", "server", "tool", "input", "prompt", "model", "continueOnBlock",
	}
)

// handler reads one entry of a group's list. An entry that cannot run is kept,
// with the reason in Invalid, so that listings can show it.
func (p *parser) handler(spec *event.Spec, v jsontext.Value, at Place) Handler {
	h := Handler{Place: at, raw: v}
	if v.Kind() != jsontext.Object {
		p.wrong(v, at, `a handler {"type": "command", "command": "…"}`, "")
		h.Invalid = fmt.Sprintf("the entry is %s, want an object", article(v.Kind()))
		return h
	}
	for m := range v.Members() {
		p.handlerField(&h, m.Key, m.Value, p.place(m.KeyOffset, joinPath(at.Path, m.Key)))
	}
	p.doubled(&h, v, at)
	p.handlerType(&h, v, at)
	p.required(&h, v, at)
	if h.Invalid == "" && !spec.Types.Has(h.Type) {
		p.report(Error, "type-not-allowed", at, "use a command hook", "%s hooks are not allowed on %s (allowed: %s)", h.TypeName, spec.Name, spec.Types)
	}
	p.unknownKeys(v, at, handlerKeys, false)
	return h
}

func (p *parser) handlerField(h *Handler, key string, v jsontext.Value, at Place) {
	switch key {
	case "if":
		p.rule(h, v, at)
	case "timeout":
		p.timeout(h, v, at)
	case "onFailure":
		h.OnFailure = true
		h.FailClosed = p.choice(v, at, "block", "continue", "block") == "block"
	case "mode":
		h.Observe = p.choice(v, at, "enforce", "enforce", "observe") == "observe"
	case "enabled":
		on, ok := p.flag(v, at)
		h.Disabled = ok && !on
	case "shell":
		if h.Shell = p.choice(v, at, "", "builtin", "bash", "sh", "powershell", "direct"); h.Shell == "direct" {
			h.Shell = "builtin"
		}
	case "env":
		h.Env = p.vars(v, at)
	case "headers":
		h.Headers = p.vars(v, at)
	case "args":
		p.args(h, v, at)
	case "allowedEnvVars":
		h.AllowedEnvVars = p.texts(v, at)
	case "input":
		if v.Kind() != jsontext.Object {
			p.wrong(v, at, "an object", "")
			return
		}
		h.Input = v.Raw()
	default:
		p.simpleField(h, key, v, at)
	}
}

// simpleField reads the fields that are one string or one switch.
func (p *parser) simpleField(h *Handler, key string, v jsontext.Value, at Place) {
	texts := map[string]*string{
		"name": &h.Name, "statusMessage": &h.StatusMessage, "envFile": &h.EnvFile, "cwd": &h.Cwd, "model": &h.Model,
		"command": &h.Command, "url": &h.URL, "server": &h.Server, "tool": &h.Tool, "prompt": &h.Prompt,
	}
	flags := map[string]*bool{
		"once": &h.Once, "pty": &h.Pty, "async": &h.Async, "asyncRewake": &h.AsyncRewake, "continueOnBlock": &h.ContinueOnBlock,
	}
	if to, ok := texts[key]; ok {
		*to = p.text(v, at)
	} else if to, ok := flags[key]; ok {
		*to, _ = p.flag(v, at)
	}
}

// doubled makes a handler with a doubled key invalid: which one was meant
// cannot be known, and other readers may choose differently.
func (p *parser) doubled(h *Handler, v jsontext.Value, at Place) {
	for _, key := range v.Doubled() {
		p.report(Error, "duplicate-key", p.secondPlace(v, key, at), "keep one of them", "the key %q stands twice in one handler; it does not run until that is mended", key)
		if h.Invalid == "" {
			h.Invalid = fmt.Sprintf("the key %q stands twice", key)
		}
	}
}

func (p *parser) secondPlace(v jsontext.Value, key string, at Place) Place {
	last := at
	for m := range v.Members() {
		if m.Key == key {
			last = p.place(m.KeyOffset, joinPath(at.Path, key))
		}
	}
	return last
}

// handlerType reads type. A missing or differently cased type is read as the
// only one it can be, and reported.
func (p *parser) handlerType(h *Handler, v jsontext.Value, at Place) {
	t := v.Get("type")
	typeAt := at
	if t.Exists() {
		typeAt = p.secondPlace(v, "type", at)
	}
	h.TypeName = t.Text()
	if typ, ok := event.ParseType(h.TypeName); ok {
		h.Type = typ
		return
	}
	if typ, ok := event.ParseType(strings.ToLower(h.TypeName)); ok {
		p.report(Error, "unknown-type", typeAt, fmt.Sprintf("did you mean %q?", strings.ToLower(h.TypeName)), "unknown type %q; types are written in lower case", h.TypeName)
		h.Type, h.TypeName = typ, strings.ToLower(h.TypeName)
		return
	}
	if !t.Exists() {
		p.missingType(h, v, at)
		return
	}
	p.report(Error, "unknown-type", typeAt, "known types: "+event.AllTypes.String(), "unknown type %s", clip(t.Raw()))
	h.Invalid = orElse(h.Invalid, "unknown type "+clip(t.Raw()))
}

func (p *parser) missingType(h *Handler, v jsontext.Value, at Place) {
	kinds := map[string]string{"command": "command", "url": "http", "prompt": "prompt"}
	for _, key := range []string{"command", "url", "prompt"} {
		if v.Get(key).Exists() {
			h.TypeName = kinds[key]
			h.Type, _ = event.ParseType(h.TypeName)
			p.report(Error, "missing-type", at, fmt.Sprintf(`add "type": %q`, h.TypeName), "the handler has no type; it was read as %s, since it has %s", h.TypeName, key)
			return
		}
	}
	p.report(Error, "missing-type", at, `add "type": "command"`, "the handler has no type")
	h.Invalid = orElse(h.Invalid, "the handler has no type")
}

// required checks the fields without which a type is nothing.
func (p *parser) required(h *Handler, v jsontext.Value, at Place) {
	need := map[event.Types][]string{
		event.Command: {"command"}, event.HTTP: {"url"}, event.MCPTool: {"server", "tool"},
		event.Prompt: {"prompt"}, event.Agent: {"prompt"},
	}
	for _, key := range need[h.Type] {
		field := v.Get(key)
		switch {
		case !field.Exists():
			hint := fmt.Sprintf(`add %q`, key)
			if s := nearKey(v, key); s != "" {
				hint = fmt.Sprintf("%q: did you mean %q?", s, key)
			}
			p.report(Error, "missing-"+key, at, hint, "the %s handler has no %s", h.TypeName, key)
			h.Invalid = orElse(h.Invalid, "it has no "+key)
		case field.Kind() != jsontext.String: // reported where the field was read
			h.Invalid = orElse(h.Invalid, fmt.Sprintf("its %s is %s, want a string", key, article(field.Kind())))
		case strings.TrimSpace(field.Text()) == "":
			p.report(Error, "empty-"+key, p.secondPlace(v, key, at), "write what is to run, or take the handler out", "%s is empty", key)
			h.Invalid = orElse(h.Invalid, "its "+key+" is empty")
		}
	}
}

// nearKey finds a key of the object that looks like a misspelt want.
func nearKey(v jsontext.Value, want string) string {
	for m := range v.Members() {
		if !slices.Contains(handlerKeys, m.Key) && event.Near(m.Key, want) {
			return m.Key
		}
	}
	return ""
}

// rule reads `if`. One that cannot be read does not hold its hook back.
func (p *parser) rule(h *Handler, v jsontext.Value, at Place) {
	if v.Kind() != jsontext.String {
		p.wrong(v, at, `one permission rule such as "Bash(git *)"`, "until that is mended the hook runs whatever the tool does")
		return
	}
	r, err := rule.Parse(v.Text())
	if err != nil {
		p.report(Error, "if-syntax", at, "until that is mended the hook runs whatever the tool does", "%v", err)
		return
	}
	h.If, h.IfText = r, v.Text()
}

func (p *parser) timeout(h *Handler, v jsontext.Value, at Place) {
	if v.Kind() != jsontext.Number {
		hint := ""
		if f, err := strconv.ParseFloat(v.Text(), 64); err == nil && f > 0 {
			hint = fmt.Sprintf("write %v", f)
		}
		p.wrong(v, at, "a number of seconds", hint)
		return
	}
	seconds := v.Float()
	if seconds <= 0 {
		p.report(Error, "bad-timeout", at, "leave it out for the default", "timeout is %s, want more than 0 seconds; the default is used", v.Raw())
		return
	}
	if limit := maxTimeout.Seconds(); seconds > limit || math.IsInf(seconds, 0) {
		seconds = limit
	}
	h.Timeout = max(time.Duration(seconds*float64(time.Second)), time.Millisecond)
}

// args reads the argument list that makes a command run without a shell.
func (p *parser) args(h *Handler, v jsontext.Value, at Place) {
	h.Exec = true
	if v.Kind() != jsontext.Array {
		p.wrong(v, at, "a list of strings", "")
		h.Invalid = orElse(h.Invalid, "its args are "+article(v.Kind())+", want a list")
		return
	}
	h.Args = []string{}
	for i, e := range v.Elements() {
		if e.Kind() != jsontext.String {
			p.wrong(e, p.place(e.Offset(), fmt.Sprintf("%s[%d]", at.Path, i)), "a string", "write "+jsontext.Quote(e.Raw()))
			h.Invalid = orElse(h.Invalid, fmt.Sprintf("args[%d] is %s, want a string", i, article(e.Kind())))
		}
		h.Args = append(h.Args, e.Text())
	}
}

func orElse(s, other string) string {
	if s != "" {
		return s
	}
	return other
}
