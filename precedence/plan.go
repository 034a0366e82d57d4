package precedence

import (
	"fmt"
	"path/filepath"
	"slices"
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
	// Reason is "" when the hook was selected, Detail says why in words.
	Reason Reason
	Detail string

	// Kind and Engine say how the matcher was read: "all", "list" or "regex",
	// by "exact", "re2" or "ecmascript". Both are "" for one that cannot be.
	Kind, Engine string
	// Commands are the sub-commands that the `if` rule looked at.
	Commands []string

	// Broken is set on a selected hook that must not run because the matcher
	// of its group cannot be used on an event that fails closed: it stands for
	// a guard that may be hidden, and blocks with this text.
	Broken string
}

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
	dropDuplicates(choices)
	for _, ch := range choices {
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

	toolCall *rule.Call // made at the first rule
}

// matched is what the matcher of a group said of the event.
type matched struct {
	kind, engine string
	ok           bool
	broken       string // why the matcher cannot be used
	detail       string // why it did not match
}

func (s *selector) choices(hooks []*Hook) []*Choice {
	choices := make([]*Choice, len(hooks))
	for i, h := range hooks {
		ch := &Choice{Hook: h, Order: i}
		choices[i] = ch
		if h.Group != s.group {
			s.group, s.match, s.blocked = h.Group, s.matchGroup(h), false
		}
		ch.Kind, ch.Engine = s.match.kind, s.match.engine
		ch.Reason, ch.Detail = s.choose(ch)
	}
	return choices
}

// choose goes through the reasons in their order.
func (s *selector) choose(ch *Choice) (Reason, string) {
	h := ch.Hook
	if reason, detail, off := s.cfg.Policy.Off(h.Source.Scope); off {
		return reason, detail
	}
	if h.Source.Scope.ofRepository() && !s.cfg.Trusted {
		return Untrusted, fmt.Sprintf("the workspace %s is not trusted, so hooks of its %s settings do not run", s.cfg.Project.Root, h.Source.Scope)
	}
	if reason, detail := s.disabled(h); reason != "" {
		return reason, detail
	}
	if s.match.broken != "" {
		return s.brokenMatcher(ch)
	}
	switch spec := s.ev.Spec(); {
	case h.Handler.Invalid != "":
		return Invalid, h.Handler.Invalid
	case !spec.Types.Has(h.Handler.Type):
		return TypeNotAllowed, fmt.Sprintf("%s hooks are not allowed on %s (allowed: %s)", h.Handler.TypeName, spec.Name, spec.Types)
	case !s.match.ok:
		return MatcherMismatch, s.match.detail
	}
	return s.rule(ch)
}

// disabled applies the two ways to switch off single hooks.
func (s *selector) disabled(h *Hook) (Reason, string) {
	if h.Handler.Disabled {
		return Disabled, "enabled is false"
	}
	for _, src := range s.cfg.Sources {
		if slices.Contains(src.File.DisabledHooks, h.ID) && s.mayDisable(src, h) {
			return Disabled, fmt.Sprintf("disabledHooks of %s names it", src.Name)
		}
	}
	return "", ""
}

// mayDisable: nobody switches managed hooks off, and a repository's shared file
// switches nobody's hooks off.
func (s *selector) mayDisable(src *Source, h *Hook) bool {
	switch {
	case h.Source.Scope == Managed:
		return false
	case src.Scope == Local:
		return s.cfg.Trusted && (h.Source.Scope.ofRepository() || h.Source.Scope == Plugin)
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

func (s *selector) matchGroup(h *Hook) matched {
	spec, text := s.ev.Spec(), h.Group.Matcher.Text
	if spec.Subject.Field == "" { // matchers are ignored on such events
		return matched{kind: "all", engine: "exact", ok: true}
	}
	if why := h.Group.Matcher.Broken; why != "" {
		return matched{broken: why}
	}
	m, err := matcher.Compile(text, matcher.Options{Narrow: spec.Subject.Narrow, Tool: spec.Subject.Field == "tool_name"})
	if err != nil {
		s.problem(h, "invalid-matcher", err)
		return matched{broken: err.Error()}
	}
	subject := s.ev.Subject()
	ok, err := m.Match(subject)
	if err != nil {
		s.problem(h, "matcher-failed", err)
		return matched{kind: m.Kind(), engine: m.Engine(), broken: err.Error()}
	}
	return matched{kind: m.Kind(), engine: m.Engine(), ok: ok, detail: mismatch(m.Kind(), text, subject)}
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
	if !s.ev.Spec().If {
		return IfMismatch, fmt.Sprintf("a hook with an if rule never runs on %s, which has no tool call", s.ev.Name())
	}
	m := h.Handler.If.Match(s.call(), h.Source.Anchor)
	ch.Commands = m.Commands()
	if !m.Fires {
		return IfMismatch, m.Detail()
	}
	return "", m.Detail()
}

// call is the event as rules see it.
func (s *selector) call() *rule.Call {
	if s.toolCall == nil {
		cwd := s.ev.Cwd()
		if !filepath.IsAbs(cwd) {
			cwd = s.cfg.Project.Start
		}
		s.toolCall = rule.NewCall(rule.Input{
			Tool: s.ev.ToolName(), Cwd: cwd, Home: s.cfg.Project.Home,
			Field: func(key string) (string, bool) { return s.ev.Scalar("tool_input", key) },
		})
	}
	return s.toolCall
}

// dropDuplicates leaves of identical hooks in settings files the one of highest
// precedence, with the longest time limit.
func dropDuplicates(choices []*Choice) {
	kept := map[string]*Choice{}
	for i := len(choices) - 1; i >= 0; i-- {
		ch := choices[i]
		if ch.Reason != "" || ch.Broken != "" || ch.Hook.Source.Scope == Plugin {
			continue
		}
		first, twice := kept[ch.Hook.key]
		if !twice {
			kept[ch.Hook.key] = ch
			continue
		}
		ch.Reason, ch.Detail = Duplicate, fmt.Sprintf("identical to %q (%s), which runs for both", first.Hook.Label(), first.Hook.Where())
		first.Hook.Timeout = max(first.Hook.Timeout, ch.Hook.Timeout)
		first.Hook.AlsoIn = slices.Insert(first.Hook.AlsoIn, 0, ch.Hook)
	}
}

// late applies the reasons that come after the search for duplicates.
func (ch *Choice) late(spent func(id string) bool) {
	h := ch.Hook.Handler
	switch {
	case h.Once && spent != nil && spent(ch.Hook.ID):
		ch.Reason, ch.Detail = OnceSpent, "it runs once a session, and has"
	case h.Async || h.AsyncRewake:
		ch.Reason, ch.Detail = UnsupportedHere, "hooks in the background (async, asyncRewake) cannot be run yet"
	case h.Pty:
		ch.Reason, ch.Detail = UnsupportedHere, "hooks on a terminal (pty) cannot be run yet"
	case h.Type == event.MCPTool:
		ch.Reason, ch.Detail = UnsupportedHere, "mcp_tool hooks need an agent that has the server"
	}
}

// maxBudget is how far a hook's own timeout can raise a shared budget.
const maxBudget = 60 * time.Second

// shareBudget bounds hooks of an event that must be over soon: all together get
// the event's budget, or what the most patient of them asks for.
func shareBudget(spec *event.Spec, selected []*Choice) {
	budget := spec.Timeout.Budget
	if budget == 0 {
		return
	}
	for _, ch := range selected {
		budget = max(budget, min(ch.Hook.Handler.Timeout, maxBudget))
	}
	for _, ch := range selected {
		ch.Hook.Timeout = min(ch.Hook.Timeout, budget)
	}
}
