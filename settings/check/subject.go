package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/theus-hooks/theus-hooks/precedence/matcher"
	"github.com/theus-hooks/theus-hooks/settings"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// moreTools are names of tools that some agents have or had, besides those that
// the table of events lists.
var moreTools = []string{
	"BashOutput", "EnterPlanMode", "KillBash", "KillShell", "ListMcpResourcesTool", "LS", "LSP", "NotebookRead", "ReadMcpResourceTool",
	"SlashCommand", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TodoRead", "TodoWrite", "ToolSearch",
}

// known lists the subjects that an event is known to have, nil where anything
// can be one. tools are further names of tools.
func known(spec *event.Spec, tools []string) []string {
	if spec.Subject.Field == "tool_name" {
		return slices.Concat(spec.Subject.Values, moreTools, tools)
	}
	return spec.Subject.Values
}

// subjects is what the matcher of a group lets through.
type subjects struct {
	all     bool
	text    string
	names   []string         // of a list
	matcher *matcher.Matcher // nil: it cannot be read
	known   []string
}

// has reports whether the matcher lets a subject through.
func (s subjects) has(subject string) bool {
	if s.all {
		return true
	}
	if s.matcher == nil {
		return false
	}
	ok, err := s.matcher.Match(subject)
	return ok && err == nil
}

// regex reports whether the matcher is a regular expression.
func (s subjects) regex() bool { return s.matcher != nil && s.matcher.Kind() == "regex" }

// meets reports whether one subject is known that both let through.
func (s subjects) meets(o subjects) bool {
	if s.all || o.all || s.text == o.text && s.matcher != nil {
		return true
	}
	for _, list := range [][]string{s.names, o.names, s.known} {
		for _, name := range list {
			if s.has(name) && o.has(name) {
				return true
			}
		}
	}
	return false
}

// matcher checks the matcher of a group and says what it lets through.
func (l *linter) matcher(g *settings.Group) subjects {
	spec, text, at := g.Event, g.Matcher.Text, g.Matcher.Place
	s := subjects{text: text, known: known(spec, l.opts.Tools)}
	if spec.Subject.Field == "" {
		s.all = true
		if text != "" && text != "*" {
			l.report("matcher-ignored", at, "take the matcher out, and look at the event inside the hook", "%s has nothing that a matcher could be compared with, so the hooks run every time", spec.Name)
		}
		return s
	}
	if g.Matcher.Broken != "" {
		return s // reported by the parser
	}
	tool := spec.Subject.Field == "tool_name"
	m, err := matcher.Compile(text, matcher.Options{Narrow: spec.Subject.Narrow, Tool: tool})
	if err != nil {
		l.report("invalid-matcher", at, matcherHint(g), "%v", err)
		return s
	}
	s.matcher, s.all = m, m.Kind() == "all"
	if m.Kind() == "list" {
		s.names = strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == ',' })
		for i, n := range s.names {
			s.names[i] = strings.TrimSpace(n)
		}
	}
	if !l.said[finding{"rule-in-matcher", at}] {
		l.matcherText(g, s, tool)
	}
	return s
}

func matcherHint(g *settings.Group) string {
	now := "until that is mended, none of its hooks runs"
	if g.Event.FailClosed {
		now = fmt.Sprintf("until that is mended, it blocks every %s", g.Event.Name)
	}
	return now
}

// matcherText looks at a matcher that can be read but may match nothing.
func (l *linter) matcherText(g *settings.Group, s subjects, tool bool) {
	at := g.Matcher.Place
	switch {
	case s.all:
	case tool && s.text == "mcp__*":
		l.report("glob-in-matcher", at, `write "^mcp__"`, "%q is read as every tool of MCP servers here; other agents read it as a regular expression: mcp_ and any number of _", s.text)
	case tool && globbed(s.text) != "":
		l.report("glob-in-matcher", at, fmt.Sprintf("write %q", globbed(s.text)), "%q reads like a file glob, but matchers are regular expressions, where * repeats what stands before it", s.text)
	case s.regex() && expression.MatchString(s.text) && !s.any():
		l.report("expression-in-matcher", at, `write tool names, as in "Edit|Write", and put conditions into "if"`, "%q is an expression of another tool; as a regular expression it matches nothing", s.text)
	case s.regex():
		l.regexSubjects(g, s)
	default:
		l.listedSubjects(g, s, tool)
	}
}

var expression = regexp.MustCompile(`==|!=|&&|\|\||\bmatches\b|\bcontains\b|\btool_input\b`)

// globs finds a "*" behind a letter, where a regular expression would rather
// have ".*".
var globs = regexp.MustCompile(`(^|[^\\\w])([\w-]*[A-Za-z0-9_])\*`)

// globbed is the regular expression that was meant by a glob, "" where the text
// is none.
func globbed(text string) string {
	if !globs.MatchString(text) {
		return ""
	}
	fixed := globs.ReplaceAllString(text, "${1}^${2}.*")
	return strings.ReplaceAll(strings.TrimSuffix(fixed, ".*"), "^^", "^")
}

// any reports whether the matcher lets one of the known subjects through.
func (s subjects) any() bool { return slices.ContainsFunc(s.known, s.has) }

// regexSubjects reports an expression that matches nothing known. One that
// speaks of MCP tools may match what only the agent knows.
func (l *linter) regexSubjects(g *settings.Group, s subjects) {
	if s.known == nil || s.any() || strings.Contains(s.text, "mcp") {
		return
	}
	folded, err := matcher.Compile(strings.ToLower(s.text), matcher.Options{})
	if err == nil {
		for _, name := range s.known {
			if ok, err := folded.Match(strings.ToLower(name)); ok && err == nil {
				l.report("matcher-case", g.Matcher.Place, fmt.Sprintf("did you mean %q?", name), "matchers are case-sensitive; %q does not match %s", s.text, name)
				return
			}
		}
	}
	l.report("unknown-subject", g.Matcher.Place, "known: "+strings.Join(g.Event.Subject.Values, ", "), "%q matches no %s that is known", s.text, subjectWord(g.Event))
}

func subjectWord(spec *event.Spec) string {
	return strings.ReplaceAll(strings.TrimSuffix(spec.Subject.Field, "_name"), "_", " ")
}

// listedSubjects reports names that nothing is known to have.
func (l *linter) listedSubjects(g *settings.Group, s subjects, tool bool) {
	at := g.Matcher.Place
	for _, name := range s.names {
		if name == "" || slices.Contains(s.known, name) {
			continue
		}
		if server, ok := strings.CutPrefix(name, "mcp__"); ok && tool {
			if !strings.Contains(server, "__") {
				l.report("mcp-without-tool", at, fmt.Sprintf("write %q for all its tools", strings.TrimSuffix(name, "__")+"__.*"), "%q is an exact name, and no tool is called so", name)
			}
			continue
		}
		if tool && ofGemini.MatchString(name) {
			continue
		}
		near := s.near(name)
		switch {
		case s.known == nil:
		case strings.EqualFold(near, name):
			l.report("matcher-case", at, fmt.Sprintf("did you mean %q?", near), "matchers are case-sensitive; %q does not match %s", name, near)
		case near != "":
			l.report("unknown-subject", at, fmt.Sprintf("did you mean %q?", near), "no %s is known as %q", subjectWord(g.Event), name)
		case !s.any() && !slices.ContainsFunc(s.names, func(n string) bool { return strings.HasPrefix(n, "mcp__") }):
			l.report("unknown-subject", at, "known: "+strings.Join(g.Event.Subject.Values, ", "), "no %s is known as %q", subjectWord(g.Event), name)
		}
	}
}

// ofGemini is the form of Gemini CLI's names for tools of MCP servers.
var ofGemini = regexp.MustCompile(`^mcp_[^_]+(_[^_]+)+$`)

// near finds the known subject that a name likely stands for.
func (s subjects) near(name string) string {
	for _, k := range s.known {
		if strings.EqualFold(k, name) {
			return k
		}
	}
	for _, k := range s.known {
		if event.Near(name, k) || len(name) >= 4 && strings.HasPrefix(k, name) {
			return k
		}
	}
	return ""
}
