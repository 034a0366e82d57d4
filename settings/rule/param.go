package rule

import (
	"fmt"
	"strings"
)

// paramSpec is `key:value`: a scalar of the tool's input, compared by a glob.
type paramSpec struct {
	key, value string
}

// parseParam reads `key:value`; nil when spec is none for this tool.
func parseParam(tool, spec string) *paramSpec {
	key := paramKey(spec)
	if key == "" || (primary(key) && !strings.HasPrefix(tool, "mcp__")) {
		return nil
	}
	value := strings.TrimSpace(spec[len(key)+1:])
	if value == "" || (value == "*" && (tool == "Bash" || tool == "PowerShell" || tool == "Skill")) {
		return nil // `git:*` is a command with any arguments
	}
	return &paramSpec{key, value}
}

// paramKey is the name before the first colon, "" when it cannot be a key.
func paramKey(spec string) string {
	key, _, ok := strings.Cut(spec, ":")
	if !ok {
		return ""
	}
	for i := range len(key) {
		c := key[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || i > 0 && c >= '0' && c <= '9') {
			return ""
		}
	}
	return key
}

// primary lists the parameters that the tools' own specifiers compare.
func primary(key string) bool {
	switch key {
	case "command", "file_path", "path", "notebook_path", "url":
		return true
	}
	return false
}

func (p *paramSpec) match(c *Call, _ string) finding {
	value, ok := c.field(p.key)
	if !ok {
		return finding{why: whyMissing, note: "parameter " + p.key}
	}
	if globMatch(p.value, value) {
		return finding{fires: true, why: whyMatch, value: p.key + ":" + value}
	}
	return finding{why: whyNo, value: p.key + ":" + value}
}

// nameSpec compares one field with a glob.
type nameSpec struct {
	key     string
	pattern string
}

func compileGlob(spec string) string { return spec }

func (n nameSpec) match(c *Call, _ string) finding {
	value, ok := c.field(n.key)
	if !ok {
		return finding{fires: true, why: whyUnreadable, note: fmt.Sprintf("the call has no %s to compare", n.key)}
	}
	if globMatch(n.pattern, value) {
		return finding{fires: true, why: whyMatch, value: value}
	}
	return finding{why: whyNo, value: value}
}

// skillSpec compares the name of a skill, with args when the pattern ends in
// " *" or ":*".
type skillSpec struct {
	name string
	open bool // anything may follow the name
}

func compileSkill(spec string) matcher {
	for _, tail := range []string{" *", ":*"} {
		if name, ok := strings.CutSuffix(spec, tail); ok {
			return skillSpec{name: strings.TrimPrefix(name, "/"), open: true}
		}
	}
	return skillSpec{name: strings.TrimPrefix(spec, "/")}
}

func (s skillSpec) match(c *Call, _ string) finding {
	value, ok := c.field("skill")
	if !ok {
		return finding{fires: true, why: whyUnreadable, note: "the call has no skill to compare"}
	}
	name := strings.TrimPrefix(value, "/")
	fits := globMatch(s.name, name)
	if s.open && !fits {
		for _, sep := range []string{" ", ":"} {
			fits = fits || globMatch(s.name+sep+"*", name)
		}
	}
	if fits {
		return finding{fires: true, why: whyMatch, value: value}
	}
	return finding{why: whyNo, value: value}
}
