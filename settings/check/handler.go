package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/theus-hooks/theus-hooks/settings"
	"github.com/theus-hooks/theus-hooks/settings/event"
	"github.com/theus-hooks/theus-hooks/settings/rule"
)

// otherTypes reports fields that the handler's type does not have.
func (l *linter) otherTypes(h handler) {
	if h.Type == 0 {
		return
	}
	own := settings.HandlerFields(h.Type)
	for m := range h.Raw().Members() {
		if slices.Contains(own, m.Key) || !slices.Contains(settings.HandlerFields(event.AllTypes), m.Key) {
			continue
		}
		l.report("field-of-other-type", l.at(h, m.Key), "take it out, or change the type", "%q is no field of %s hooks, so it has no effect", m.Key, h.TypeName)
	}
}

// Bounds of what passes for a number of seconds.
const (
	longHook = 4 * time.Hour // no hook runs that long
	roundMs  = 500           // milliseconds are written as multiples of it
)

func (l *linter) timeout(h handler) {
	seconds := int64(h.Timeout / time.Second)
	whole := time.Duration(seconds)*time.Second == h.Timeout
	if h.Timeout < longHook && !(whole && seconds >= 1000 && seconds%roundMs == 0) {
		return
	}
	l.report("timeout-milliseconds", l.at(h, "timeout"), fmt.Sprintf("write %v if milliseconds were meant", h.Timeout.Seconds()/1000),
		"a timeout is in seconds; %v is %v", h.Timeout.Seconds(), h.Timeout)
}

// condition checks the `if` rule against the event and the matcher.
func (l *linter) condition(h handler) {
	if h.If == nil {
		return
	}
	at := l.at(h, "if")
	if !h.spec.If {
		l.report("if-never", at, "take the rule out, and look at the event inside the hook", "%s has no tool call, and a hook with a rule never runs without one", h.spec.Name)
		return
	}
	tools := h.If.Tools()
	if slices.ContainsFunc(tools, func(t string) bool { return strings.HasPrefix(t, "mcp__") && h.matcher.regex() }) {
		return // which tools both have, only the agent knows
	}
	candidates := append(slices.Clone(h.matcher.known), h.matcher.names...)
	var mcp []string
	for _, t := range tools {
		if strings.HasPrefix(t, "mcp__") {
			t = strings.ReplaceAll(t, "*", "x")
			mcp = append(mcp, t, t+"__x")
		}
	}
	candidates = append(candidates, mcp...)
	if h.matcher.matcher == nil && !h.matcher.all || covers(tools, slices.DeleteFunc(slices.Clone(candidates), func(c string) bool { return !h.matcher.has(c) })) {
		return
	}
	if !covers(tools, candidates) {
		hint := "start with the name of a tool"
		if near := h.matcher.near(tools[0]); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		l.report("if-never", at, hint, "the rule is for %s, and no such tool is known", strings.Join(tools, " or "))
		return
	}
	l.report("if-other-tool", at, "make the matcher and the rule speak of the same tool", "the rule is for %s, but the matcher %q lets none of its calls through", strings.Join(tools, " or "), h.matcher.text)
}

// covers reports whether a rule for one of the tools is for one of the subjects.
func covers(tools, subjects []string) bool {
	for _, t := range tools {
		r, _ := rule.Parse(t)
		for _, s := range subjects {
			if r.Match(rule.NewCall(rule.Input{Tool: s, Field: noField}), "").Fires {
				return true
			}
		}
	}
	return false
}

func noField(string) (string, bool) { return "", false }

// background checks hooks that the agent does not wait for, and what a failure
// can do.
func (l *linter) background(h handler) {
	async := h.Type == event.Command && (h.Async || h.AsyncRewake)
	if async && (h.spec.FailClosed || h.spec.Exit2 >= event.EffectBlocks && decides(h.Command)) {
		key := "async"
		if !h.Async {
			key = "asyncRewake"
		}
		l.report("async-guard", l.at(h, key), "take it out if the hook is to decide", "the agent does not wait for a hook in the background, so on %s it can block nothing", h.spec.Name)
	}
	if !h.OnFailure || !h.FailClosed {
		return
	}
	at := l.at(h, "onFailure")
	switch {
	case async:
		l.report("on-failure-no-effect", at, "take one of the two out", "onFailure has no effect on a hook in the background")
	case h.spec.OnFailure == event.EffectIgnored:
		l.report("on-failure-no-effect", at, "take it out", "on %s a failed hook can stop nothing", h.spec.Name)
	}
}

// decides reports whether a command's text looks like one that blocks.
func decides(command string) bool {
	for _, sign := range []string{"exit 2", "decision", "permissionDecision", `"continue"`} {
		if strings.Contains(command, sign) {
			return true
		}
	}
	return false
}
