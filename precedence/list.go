package precedence

import (
	"fmt"

	"github.com/theus-hooks/theus-hooks/precedence/matcher"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// List says of every hook of an event, without one that happened, whether it is
// active: nothing but the event's own values can keep it from running. Highest
// precedence comes first; within a file the order is that of its text.
func (c *Config) List(spec *event.Spec) []*Choice {
	hooks := c.hooks(spec)
	choices := make([]Choice, len(hooks))
	var group *matched
	for i := range hooks {
		h := &hooks[i]
		if i == 0 || hooks[i-1].Group != h.Group {
			group = readMatcher(spec, h)
		}
		ch := &choices[i]
		ch.Hook, ch.Order, ch.Kind, ch.Engine = h, i, group.kind, group.engine
		ch.Reason, ch.detail = c.standing(spec, h, group)
	}
	// Without an event only hooks that always match together are duplicates.
	dropDuplicates(choices, func(h *Hook) string { return frame(h.Group.Matcher.Text, h.key()) })
	for i := range choices {
		if choices[i].Reason == "" {
			choices[i].late(nil)
		}
	}
	return highestFirst(choices)
}

// standing goes through the reasons that can be known without an event.
func (c *Config) standing(spec *event.Spec, h *Hook, group *matched) (Reason, string) {
	if reason, detail := c.excluded(h); reason != "" {
		return reason, detail
	}
	switch {
	case group.broken != "" && spec.FailClosed: // see brokenMatcher
		return Invalid, fmt.Sprintf("%s; until that is mended every %s is denied", group.broken, spec.Name)
	case group.broken != "":
		return Invalid, group.broken
	case h.Handler.Invalid != "":
		return Invalid, h.Handler.Invalid
	case !spec.Types.Has(h.Handler.Type):
		return TypeNotAllowed, notAllowed(spec, h)
	case h.Handler.If != nil && !spec.If:
		return IfMismatch, neverIf(spec)
	}
	return "", ""
}

func notAllowed(spec *event.Spec, h *Hook) string {
	return fmt.Sprintf("%s hooks are not allowed on %s (allowed: %s)", h.Handler.TypeName, spec.Name, spec.Types)
}

func neverIf(spec *event.Spec) string {
	return fmt.Sprintf("a hook with an if rule never runs on %s, which has no tool call", spec.Name)
}

// readMatcher reads the matcher of a hook's group and matches nothing.
func readMatcher(spec *event.Spec, h *Hook) *matched {
	if spec.Subject.Field == "" { // matchers are ignored on such events
		return &matched{kind: "all", engine: "exact"}
	}
	if why := h.Group.Matcher.Broken; why != "" {
		return &matched{broken: why}
	}
	m, err := compile(spec, h.Group.Matcher.Text)
	if err != nil {
		return &matched{broken: err.Error()}
	}
	return &matched{kind: m.Kind(), engine: m.Engine()}
}

// compile reads the text of a matcher as the event's subject wants it.
func compile(spec *event.Spec, text string) (*matcher.Matcher, error) {
	return matcher.Compile(text, matcher.Options{Narrow: spec.Subject.Narrow, Tool: spec.Subject.Field == "tool_name"})
}

// highestFirst turns the order of the sources around.
func highestFirst(choices []Choice) []*Choice {
	turned := make([]*Choice, 0, len(choices))
	for end := len(choices); end > 0; {
		start := end - 1
		for start > 0 && choices[start-1].Hook.Source == choices[end-1].Hook.Source {
			start--
		}
		for i := start; i < end; i++ {
			turned = append(turned, &choices[i])
		}
		end = start
	}
	return turned
}
