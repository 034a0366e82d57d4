package rule

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A part is one alternative of a rule.
type part struct {
	tool    string // name or glob, as written
	glob    bool   // tool holds "*"
	spec    string // text between the parentheses
	meaning matcher
	broken  string // why it is not understood; it then fires for its tool
}

// A matcher is the meaning of a specifier. nil stands for "every call".
type matcher interface {
	match(c *Call, anchor string) finding
}

// parse reads a rule and its alternatives.
func parse(text string) (*Rule, error) {
	r := &Rule{text: text}
	if len(text) > MaxChars && utf8.RuneCountInString(text) > MaxChars {
		err := &SyntaxError{Text: text, Msg: fmt.Sprintf("longer than %d characters", MaxChars)}
		r.parts = []part{{tool: "*", glob: true, broken: err.Msg}}
		return r, err
	}
	var first error
	for _, s := range alternatives(text) {
		p, err := parsePart(text[s.from:s.to])
		if err != nil {
			err.Text = text
			err.Offset += s.from
			p.broken = err.Msg
			if first == nil {
				first = err
			}
		}
		r.parts = append(r.parts, p)
	}
	return r, first
}

type span struct{ from, to int }

// alternatives splits at each "|" that joins two rules: outside parentheses,
// or behind a closing one when what follows reads as a rule.
func alternatives(text string) []span {
	var spans []span
	from, depth := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			depth = max(depth-1, 0)
		case '|':
			if joins(text[from:i], text[i+1:]) && (depth == 0 || startsRule(text[i+1:])) {
				spans = append(spans, span{from, i})
				from = i + 1
			}
		}
	}
	return append(spans, span{from, len(text)})
}

// joins reports whether a "|" between two texts stands between two rules.
func joins(before, after string) bool {
	before, after = strings.TrimSpace(before), strings.TrimSpace(after)
	if strings.Contains(before, "(") && !strings.HasSuffix(before, ")") {
		return false
	}
	end := nameEnd(after)
	rest := strings.TrimSpace(after[end:])
	return end > 0 && (rest == "" || rest[0] == '(' || rest[0] == '|')
}

// startsRule reports whether text reads as rules from its start to its end, so
// that the parentheses before it are no reason to think otherwise.
func startsRule(text string) bool {
	text = strings.TrimSpace(text)
	return isKnown(text[:nameEnd(text)]) && strings.Count(text, "(") == strings.Count(text, ")")
}

// combined finds rules joined by what does not join rules, as in
// "Bash(a) && Bash(b)", in the specifier of the first.
func combined(spec string) bool {
	for i := range len(spec) {
		if spec[i] != ')' {
			continue
		}
		rest := strings.TrimSpace(spec[i+1:])
		for _, operator := range []string{"&&", "||", ",", ""} {
			after, ok := strings.CutPrefix(rest, operator)
			after = strings.TrimSpace(after)
			if end := nameEnd(after); ok && end < len(after) && after[end] == '(' && isKnown(after[:end]) {
				return true
			}
		}
	}
	return false
}

// known lists the tools with specifiers of their own.
var known = [...]string{"Bash", "PowerShell", "Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "Glob", "Grep", "WebFetch", "Agent", "Task", "Skill"}

func isKnown(tool string) bool { return slices.Contains(known[:], tool) }

// nameEnd is the length of the tool name or glob that s starts with.
func nameEnd(s string) int {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '*'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '-' || c == '.' || c == ':' || c == '/' || c == '@')) {
			return i
		}
	}
	return len(s)
}

// parsePart reads `Tool` or `Tool(specifier)`. The part that comes with an
// error has the tool as far as it could be read.
func parsePart(text string) (part, *SyntaxError) {
	lead := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	s := strings.TrimSpace(text)
	end := nameEnd(s)
	p := part{tool: s[:end], glob: strings.Contains(s[:end], "*")}
	fail := func(at int, msg, hint string) (part, *SyntaxError) {
		if p.tool == "" {
			p.tool, p.glob = "*", true
		}
		return p, &SyntaxError{Offset: lead + at, Msg: msg, Hint: hint}
	}
	switch {
	case s == "":
		return fail(0, "no tool name", `write for example "Bash(git push *)"`)
	case end == 0:
		return fail(0, fmt.Sprintf("%s is no tool name", quote(s)), `start with a tool name, as in "Bash(git push *)"`)
	case end == len(s):
		return p, nil
	case s[end] != '(':
		return fail(end, fmt.Sprintf("%s behind the tool name %s", quote(s[end:]), p.tool), operatorHint(s[end:]))
	case s[len(s)-1] != ')':
		return fail(len(s), "no closing parenthesis at the end", operatorHint(s[strings.LastIndexByte(s, ')')+1:]))
	}
	p.spec = strings.TrimSpace(s[end+1 : len(s)-1])
	if p.spec == "" {
		return fail(end+1, "nothing between the parentheses", fmt.Sprintf("write %s for every call", p.tool))
	}
	if p.spec == "*" {
		return p, nil
	}
	if combined(p.spec) {
		p.tool, p.glob = "*", true // it speaks of other tools too
		return fail(end+1, "several rules in one", combineHint)
	}
	m, problem, hint := compileSpec(p.tool, p.spec)
	if problem != "" {
		return fail(end+1, problem, hint)
	}
	p.meaning = m
	return p, nil
}

const combineHint = `rules cannot be combined; alternatives are joined with a single "|"`

func operatorHint(rest string) string {
	rest = strings.TrimSpace(rest)
	if strings.HasPrefix(rest, "&&") || strings.HasPrefix(rest, "||") || strings.HasPrefix(rest, ",") {
		return combineHint
	}
	return `write "Tool" or "Tool(specifier)"`
}

// compileSpec gives a specifier the meaning it has for a tool, or says what is
// wrong with it.
func compileSpec(tool, spec string) (m matcher, problem, hint string) {
	param := parseParam(tool, spec)
	if tool == "WebFetch" && strings.Contains(spec, "://") {
		param = nil
	}
	switch {
	case tool == "Bash":
		return either(compileCommand(spec, false), param), "", ""
	case tool == "PowerShell":
		return either(compileCommand(spec, true), param), "", ""
	case pathTool(tool):
		m, problem := compilePath(spec)
		if problem != "" {
			return nil, problem, "write a path as in .gitignore"
		}
		return either(m, param), "", ""
	case tool == "WebFetch" && strings.HasPrefix(spec, "domain:"):
		m, problem := compileDomain(strings.TrimPrefix(spec, "domain:"))
		return m, problem, `write "WebFetch(domain:example.com)"`
	case isAgent(tool):
		return either(nameSpec{key: "subagent_type", pattern: compileGlob(spec)}, param), "", ""
	case tool == "Skill":
		return either(compileSkill(spec), param), "", ""
	case param != nil:
		return param, "", ""
	}
	return nil, fmt.Sprintf("%s is nothing that can be compared for %s", quote(spec), tool), specHint(tool, spec)
}

func specHint(tool, spec string) string {
	switch {
	case tool == "WebFetch":
		return `write "WebFetch(domain:example.com)"`
	case primary(paramKey(spec)) && !strings.HasPrefix(tool, "mcp__"):
		return "this parameter is what the tool's own rules compare"
	}
	for _, name := range known {
		if tool != name && strings.EqualFold(tool, name) {
			return "the tool is called " + name
		}
	}
	return fmt.Sprintf(`write %s or "%s(parameter:value)"`, tool, tool)
}

// either is own, or also a comparison with a parameter of that name if the
// call has one.
func either(own matcher, param *paramSpec) matcher {
	if param == nil {
		return own
	}
	return both{own, param}
}

type both struct {
	own   matcher
	param *paramSpec
}

func (b both) match(c *Call, anchor string) finding {
	f := b.own.match(c, anchor)
	if f.fires {
		return f
	}
	if _, ok := c.field(b.param.key); ok {
		return b.param.match(c, anchor)
	}
	return f
}

func quote(s string) string {
	if utf8.RuneCountInString(s) > 80 {
		s = string([]rune(s)[:80]) + "…"
	}
	return `"` + s + `"`
}
