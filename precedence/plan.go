package precedence

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/theus-hooks/theus-hooks/precedence/matcher"
	"github.com/theus-hooks/theus-hooks/settings"
	"github.com/theus-hooks/theus-hooks/settings/event"
	"github.com/theus-hooks/theus-hooks/settings/rule"
)

// Reason says why a configured hook does not run. The set is closed; of several
// the first in this order is given.
type Reason string

// The reasons.
const (
	DisabledAll     Reason = "disabled-all"
	ManagedOnly     Reason = "managed-only"
	Untrusted       Reason = "untrusted"
	Disabled        Reason = "disabled"
	Invalid         Reason = "invalid"
	TypeNotAllowed  Reason = "type-not-allowed"
	MatcherMismatch Reason = "matcher"
	IfMismatch      Reason = "if"
	Duplicate       Reason = "duplicate"
	OnceSpent       Reason = "once-spent"
	URLNotAllowed   Reason = "url-not-allowed"
	UnsupportedHere Reason = "unsupported-here"
)

// A Choice is one hook of the event with what was decided about it.
type Choice struct {
	Hook *Hook
	// Order is the place of the hook among all of its event, from 0.
	Order int
	// Reason is "" when the hook was selected; Detail says why in words.
	Reason Reason

	// Kind and Engine say how the matcher was read: "all", "list" or "regex",
	// by "exact", "re2" or "ecmascript". Both are "" for one that cannot be.
	Kind, Engine string
	// Commands are the sub-commands that the `if` rule looked at.
	Commands []string

	// Broken is set on a selected hook that must not run because the matcher
	// of its group cannot be used on an event that fails closed: it stands for
	// a guard that may be hidden, and blocks with this text.
	Broken string

	detail  string
	subject string      // what the matcher was compared with
	match   *rule.Match // what the rule said, nil: it was not asked
}

// Detail says in words why the hook was selected or not, with the values that
// were compared.
func (ch *Choice) Detail() string {
	switch {
	case ch.detail != "":
		return ch.detail
	case ch.match != nil:
		return ch.match.Detail()
	case ch.Reason == MatcherMismatch:
		return mismatch(ch.Kind, ch.Hook.Group.Matcher.Text, ch.subject)
	}
	return ""
}

// Skip marks a choice as one that does not run.
func (ch *Choice) Skip(reason Reason, detail string) { ch.Reason, ch.detail = reason, detail }

// A Plan is the selection for one event, each list in configuration order.
type Plan struct {
	Event    *event.Event
	Selected []*Choice
	Skipped  []*Choice
	Problems []settings.Problem
}

// Plan selects the hooks that ev runs, and says why the others do not. spent
// reports whether a hook that runs once has had its run; nil: none has.
func (c *Config) Plan(ev *event.Event, spent func(id string) bool) *Plan {
	s := &selector{cfg: c, ev: ev, plan: &Plan{Event: ev}}
	choices := s.choices(c.hooks(ev.Spec()))
	dropDuplicates(choices, (*Hook).key)
	s.plan.Skipped = make([]*Choice, 0, len(choices))
	for i := range choices {
		ch := &choices[i]
		if ch.Reason == "" && ch.Broken == "" {
			ch.late(spent)
		}
		if ch.Reason == "" {
			s.plan.Selected = append(s.plan.Selected, ch)
		} else {
			s.plan.Skipped = append(s.plan.Skipped, ch)
		}
	}
	shareBudget(ev.Spec(), s.plan.Selected)
	return s.plan
}

// selector makes the choices of one Plan.
type selector struct {
	cfg  *Config
	ev   *event.Event
	plan *Plan

	// group is the one whose matcher verdict stands in match.
	group *settings.Group
	match matched
	// blocked: the broken matcher of group already has a hook that stands for it.
	blocked bool

	subject     string     // what matchers are compared with
	toolCall    *rule.Call // made at the first rule
	expressions map[string]matched
	// unknown: the event does not say what it is about, so anything may match.
	unknown bool
}

// matched is what the matcher of a group said of the event.
type matched struct {
	kind, engine string
	ok           bool
	broken       string // why the matcher cannot be used
}

func (s *selector) choices(hooks []Hook) []Choice {
	choices := make([]Choice, len(hooks))
	s.subject = s.ev.Subject()
	if field := s.ev.Spec().Subject.Field; s.ev.Spec().FailClosed && s.subject == "" && len(hooks) > 0 {
		s.unknown = true
		s.plan.Problems = append(s.plan.Problems, settings.Problem{
			Severity: settings.Warning, Code: "no-subject",
			Message: fmt.Sprintf("the event has no %s that could be compared, so every hook of %s runs", field, s.ev.Name()),
		})
	}
	for i := range hooks {
		h, ch := &hooks[i], &choices[i]
		ch.Hook, ch.Order, ch.subject = h, i, s.subject
		if h.Group != s.group {
			s.group, s.match, s.blocked = h.Group, s.matchGroup(h), false
		}
		ch.Kind, ch.Engine = s.match.kind, s.match.engine
		ch.Reason, ch.detail = s.choose(ch)
	}
	return choices
}

// choose goes through the reasons in their order.
func (s *selector) choose(ch *Choice) (Reason, string) {
	h := ch.Hook
	if reason, detail := s.cfg.excluded(h); reason != "" {
		return reason, detail
	}
	if s.match.broken != "" {
		return s.brokenMatcher(ch)
	}
	switch spec := s.ev.Spec(); {
	case h.Handler.Invalid != "" && s.match.ok && h.Handler.FailClosed && spec.FailClosed:
		ch.Broken = fmt.Sprintf("hook %q (%s) cannot run and has onFailure block, so nothing is allowed until it is mended: %s",
			h.Label(), h.Where(), h.Handler.Invalid)
		return "", ""
	case h.Handler.Invalid != "":
		return Invalid, h.Handler.Invalid
	case !spec.Types.Has(h.Handler.Type):
		return TypeNotAllowed, notAllowed(spec, h)
	case !s.match.ok:
		return MatcherMismatch, ""
	}
	return s.rule(ch)
}

// excluded goes through the reasons that no event has a say in.
func (c *Config) excluded(h *Hook) (Reason, string) {
	if reason, detail, off := c.Policy.Off(h.Source.policyScope()); off {
		return reason, detail
	}
	if h.Source.Scope.ofRepository() && !c.Trusted {
		return Untrusted, c.Distrust
	}
	return c.disabled(h)
}

// disabled applies the two ways to switch off single hooks.
func (c *Config) disabled(h *Hook) (Reason, string) {
	if h.Handler.Disabled {
		return Disabled, "enabled is false"
	}
	for _, src := range c.Sources {
		if len(src.File.DisabledHooks) > 0 && slices.Contains(src.File.DisabledHooks, h.ID()) && c.mayDisable(src, h) {
			return Disabled, fmt.Sprintf("disabledHooks of %s names it", src.Name)
		}
	}
	return "", ""
}

// mayDisable: nobody switches managed hooks off, and a repository's shared file
// switches nobody's hooks off.
func (c *Config) mayDisable(src *Source, h *Hook) bool {
	switch {
	case h.Source.policyScope() == Managed:
		return false
	case src.Scope == Local:
		return c.Trusted && (h.Source.Scope.ofRepository() || h.Source.Scope == Plugin)
	}
	return src.Scope == User || src.Scope == CommandLine || src.Scope == Managed
}

// brokenMatcher: on an event that fails closed the first hook of the group
// stands for the guard that may be hidden; elsewhere the group is left out.
func (s *selector) brokenMatcher(ch *Choice) (Reason, string) {
	if s.ev.Spec().FailClosed && !s.blocked {
		s.blocked = true
		at := ch.Hook.Group.Matcher.Place
		ch.Broken = fmt.Sprintf("the matcher of hook %q (%s:%d:%d) cannot be used, so nothing is allowed until it is mended: %s",
			ch.Hook.Label(), ch.Hook.Source.Name, at.Line, at.Column, s.match.broken)
		return "", ""
	}
	return Invalid, s.match.broken
}

// matchGroup holds the matcher of a hook's group against the event. Expressions
// are compiled once a plan; a list costs less than looking for it.
func (s *selector) matchGroup(h *Hook) matched {
	spec, text := s.ev.Spec(), h.Group.Matcher.Text
	if spec.Subject.Field == "" { // matchers are ignored on such events
		return matched{kind: "all", engine: "exact", ok: true}
	}
	if why := h.Group.Matcher.Broken; why != "" {
		return matched{broken: why}
	}
	if s.unknown {
		return matched{kind: "all", engine: "exact", ok: true}
	}
	expression := hasSyntax(text)
	if m, ok := s.expressions[text]; ok && expression && m.broken == "" {
		return m
	}
	m := s.matchText(h, text)
	if expression {
		if s.expressions == nil {
			s.expressions = map[string]matched{}
		}
		s.expressions[text] = m
	}
	return m
}

// hasSyntax reports whether text has a character that means something in a
// regular expression.
func hasSyntax(text string) bool {
	for i := range len(text) {
		switch text[i] {
		case '\\', '^', '$', '.', '*', '+', '?', '(', ')', '[', ']', '{', '}':
			return true
		}
	}
	return false
}

func (s *selector) matchText(h *Hook, text string) matched {
	m, err := compile(s.ev.Spec(), text)
	if err != nil {
		s.problem(h, "invalid-matcher", err)
		return matched{broken: err.Error()}
	}
	ok, err := s.matchNames(m)
	if err != nil {
		s.problem(h, "matcher-failed", err)
		return matched{kind: m.Kind(), engine: m.Engine(), broken: err.Error()}
	}
	return matched{kind: m.Kind(), engine: m.Engine(), ok: ok}
}

// matchNames compares a matcher with the subject, and with the calling agent's
// own names for it. An expression that excludes something must not fire on a
// name it has never heard of: it is compared with the name it speaks of.
func (s *selector) matchNames(m *matcher.Matcher) (ok bool, err error) {
	ok, err = m.Match(s.subject)
	for _, own := range s.ev.Aliases() {
		spoken := strings.Contains(m.Text(), own)
		switch {
		case m.Excludes() && spoken:
			return m.Match(own)
		case m.Excludes() || ok || err != nil:
		default:
			ok, err = m.Match(own)
		}
	}
	return ok, err
}

func mismatch(kind, text, subject string) string {
	if kind == "list" {
		return fmt.Sprintf("matcher %q (exact list) is not %q", text, subject)
	}
	return fmt.Sprintf("matcher %q (regular expression) does not match %q", text, subject)
}

func (s *selector) problem(h *Hook, code string, err error) {
	sev := settings.Warning
	if h.Source.Scope == Managed {
		sev = settings.Error
	}
	s.plan.Problems = append(s.plan.Problems, settings.Problem{
		Severity: sev, Code: code, Message: err.Error(), File: h.Source.Name, Place: h.Group.Matcher.Place,
	})
}

// rule applies the handler's `if`.
func (s *selector) rule(ch *Choice) (Reason, string) {
	h := ch.Hook
	if h.Handler.If == nil {
		return "", ""
	}
	switch {
	case !s.ev.Spec().If:
		return IfMismatch, neverIf(s.ev.Spec())
	case s.unknown:
		return "", "the tool is not known, so the rule may hold"
	}
	match := h.Handler.If.Match(s.call(), h.Source.Anchor)
	ch.match, ch.Commands = &match, match.Commands()
	if !ch.match.Fires {
		return IfMismatch, ""
	}
	return "", ""
}

// call is the event as rules see it.
func (s *selector) call() *rule.Call {
	if s.toolCall == nil {
		cwd := s.ev.Cwd()
		if !filepath.IsAbs(cwd) {
			cwd = s.cfg.Project.Start
		}
		s.toolCall = rule.NewCall(rule.Input{
			Tool: s.ev.ToolName(), Also: s.ev.Aliases(), Cwd: cwd, Home: s.cfg.Project.Home,
			Field: func(key string) (string, bool) { return s.ev.Scalar("tool_input", key) },
		})
	}
	return s.toolCall
}

// dropDuplicates leaves of identical hooks in settings files the one of highest
// precedence, with the longest time limit. Those of plugins stay.
func dropDuplicates(choices []Choice, key func(*Hook) string) {
	kept := map[string]*Choice{}
	for i := len(choices) - 1; i >= 0; i-- {
		ch := &choices[i]
		if ch.Reason != "" || ch.Broken != "" || ch.Hook.Source.Scope == Plugin {
			continue
		}
		k := key(ch.Hook)
		first, twice := kept[k]
		if !twice {
			kept[k] = ch
			continue
		}
		ch.Skip(Duplicate, fmt.Sprintf("identical to %q (%s), which runs for both", first.Hook.Label(), first.Hook.Where()))
		first.Hook.Timeout = max(first.Hook.Timeout, ch.Hook.Timeout)
		first.Hook.AlsoIn = slices.Insert(first.Hook.AlsoIn, 0, ch.Hook)
	}
}

// late applies the reasons that come after the search for duplicates.
func (ch *Choice) late(spent func(id string) bool) {
	h := ch.Hook.Handler
	switch {
	case h.Once && spent != nil && spent(ch.Hook.ID()):
		ch.Skip(OnceSpent, "it runs once a session, and has")
	case h.Pty && runtime.GOOS == "windows":
		ch.Skip(UnsupportedHere, "Windows has no terminal to give to a hook (pty)")
	case h.Type == event.MCPTool:
		ch.Skip(UnsupportedHere, "mcp_tool hooks need an agent that has the server")
	}
}

// maxBudget is how far a hook's own timeout can raise a shared budget.
const maxBudget = 60 * time.Second

// shareBudget bounds hooks of an event that must be over soon: all together get
// the event's budget, or what the most patient of those in settings files asks
// for.
func shareBudget(spec *event.Spec, selected []*Choice) {
	budget := spec.Timeout.Budget
	if budget == 0 {
		return
	}
	for _, ch := range selected {
		if ch.Hook.Source.Scope != Plugin {
			budget = max(budget, min(ch.Hook.Handler.Timeout, maxBudget))
		}
	}
	for _, ch := range selected {
		ch.Hook.Timeout = min(ch.Hook.Timeout, budget)
	}
}
