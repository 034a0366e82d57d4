package response

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// Combine makes one outcome of all verdicts on an event, given in configuration
// order. The strictest decision wins (deny, defer, ask, allow), texts are all
// kept, and of a single-valued field the last value counts. When the hooks
// finished has no part in it. The caller adds what it knows besides: Skipped,
// Env and further Problems.
func Combine(ev *event.Event, verdicts []Verdict) *Outcome {
	spec := ev.Spec()
	c := &combiner{ev: ev, spec: spec, verdicts: verdicts, out: &Outcome{
		Event: spec.Name, Subject: ev.Subject(), SessionID: ev.SessionID(),
		Decision: DecisionNone, Continue: true, spec: spec,
	}}
	for _, v := range verdicts {
		c.out.Hooks = append(c.out.Hooks, v.Report)
		c.out.Problems = append(c.out.Problems, v.Problems...)
	}
	c.decide()
	c.texts()
	c.stop()
	c.fields()
	c.rewrite()
	c.worktree()
	c.out.finish()
	return c.out
}

type combiner struct {
	ev       *event.Event
	spec     *event.Spec
	verdicts []Verdict
	out      *Outcome
}

// decide finds the strictest decision, with the reasons of all who made it.
func (c *combiner) decide() {
	for _, v := range c.verdicts {
		if rank(v.say.decision) > rank(c.out.Decision) {
			c.out.Decision = v.say.decision
		}
	}
	for _, v := range c.winners() {
		if v.say.reason != "" {
			c.out.reasons = append(c.out.reasons, attributed{v.Report.Hook, v.say.reason})
		}
	}
	c.out.Blocked = rank(c.out.Decision) == rank(DecisionDeny) && c.spec.CanBlock()
}

// winners are the verdicts that made the winning decision.
func (c *combiner) winners() []Verdict {
	var list []Verdict
	for _, v := range c.verdicts {
		if v.say.decision != "" && rank(v.say.decision) == rank(c.out.Decision) {
			list = append(list, v)
		}
	}
	return list
}

// texts collects what is all passed on.
func (c *combiner) texts() {
	o := c.out
	for _, v := range c.verdicts {
		if v.say.notice != "" {
			o.notices = append(o.notices, v.say.notice)
		}
		for _, message := range []string{v.say.message, v.shownNotice(c.spec)} {
			if message != "" {
				o.SystemMessages = append(o.SystemMessages, message)
			}
		}
		if v.say.context != "" {
			o.AdditionalContext = append(o.AdditionalContext, v.say.context)
		}
		o.TerminalSequence += v.say.terminal
		o.SuppressOutput = o.SuppressOutput || v.say.suppress
	}
}

// shownNotice is the notice where a system message has the same effect.
func (v Verdict) shownNotice(spec *event.Spec) string {
	if spec.Message != event.MessageShown {
		return ""
	}
	return v.say.notice
}

// stop applies "continue": false, which beats every decision: where a block
// would make the agent go on, the block is gone; elsewhere it blocks.
func (c *combiner) stop() {
	var reasons []answer
	for _, v := range c.verdicts {
		if !v.say.stop {
			continue
		}
		c.out.Continue = false
		if v.say.stopReason != "" {
			reasons = append(reasons, answer{v.Report.Hook, v.say.stopReason})
		}
	}
	c.out.StopReason = c.last("stopReason", reasons)
	switch {
	case c.out.Continue:
	case c.spec.Exit2 == event.EffectContinues:
		c.out.Decision, c.out.Blocked, c.out.reasons = DecisionNone, false, nil
	default:
		c.out.Blocked = true
	}
}

// answer is one hook's value for a single-valued field.
type answer struct {
	hook  Hook
	value string
}

// last picks the value that stands last in configuration order and lists the
// conflict, if the values differ.
func (c *combiner) last(name string, answers []answer) string {
	if len(answers) == 0 {
		return ""
	}
	won := answers[len(answers)-1]
	conflict := Conflict{Field: name, Won: won.hook.ID}
	differ := false
	for _, a := range answers[:len(answers)-1] {
		conflict.Lost = append(conflict.Lost, a.hook.ID)
		differ = differ || a.value != won.value
	}
	if differ {
		c.out.Conflicts = append(c.out.Conflicts, conflict)
	}
	return won.value
}

// fields merges the fields of hookSpecificOutput, in the order of the table.
func (c *combiner) fields() {
	for i := range c.spec.Output {
		rule := &c.spec.Output[i]
		var answers []answer
		for _, v := range c.speakers() {
			for _, f := range v.say.fields {
				if f.rule.Name == rule.Name {
					answers = append(answers, answer{v.Report.Hook, f.raw})
				}
			}
		}
		if len(answers) > 0 {
			c.out.fields = append(c.out.fields, field{rule, c.merge(rule, answers)})
		}
	}
	c.grants()
}

// speakers are the verdicts whose output fields count. Where these belong to
// the decision, they are those that made it; what an MCP server is answered is
// one hook's whole.
func (c *combiner) speakers() []Verdict {
	switch c.spec.Form {
	case event.FormAction:
		list := c.winners()
		return list[max(0, len(list)-1):]
	case event.FormPath:
		if c.out.Blocked {
			return nil
		}
	}
	return c.verdicts
}

func (c *combiner) merge(rule *event.OutputField, answers []answer) string {
	switch rule.Merge {
	case event.MergeAny:
		for _, a := range answers {
			if a.value == "true" {
				return "true"
			}
		}
		return "false"
	case event.MergeJoin:
		texts := make([]string, len(answers))
		for i, a := range answers {
			texts[i] = parsed(a.value).Text()
		}
		return jsontext.Quote(lines(texts))
	case event.MergeUnion:
		return union(answers)
	}
	return c.last(rule.Name, answers)
}

// union is every element of the arrays, once, in order.
func union(answers []answer) string {
	var elements []string
	seen := map[string]bool{}
	for _, a := range answers {
		for _, e := range parsed(a.value).Elements() {
			if !seen[e.Text()] {
				seen[e.Text()] = true
				elements = append(elements, e.Raw())
			}
		}
	}
	return "[" + strings.Join(elements, ",") + "]"
}

// grants combines what answers to a permission request carry besides.
func (c *combiner) grants() {
	var grants []answer
	for _, v := range c.winners() {
		if v.say.grants != "" && v.say.decision == DecisionAllow {
			grants = append(grants, answer{v.Report.Hook, v.say.grants})
		}
		c.out.halts = c.out.halts || v.say.interrupt && v.say.decision == DecisionDeny
	}
	c.out.grants = c.last("updatedPermissions", grants)
}

// worktree fails a creation for which no hook named a path. A hook that says
// nothing is no failure beside one that does.
func (c *combiner) worktree() {
	if c.spec.Form != event.FormPath || c.out.Blocked || len(c.out.fields) > 0 {
		return
	}
	for _, v := range c.verdicts {
		h := v.Report.Hook
		if h.Observe || v.Report.Result.Status == Background {
			continue
		}
		c.out.Decision, c.out.Blocked = DecisionBlock, true
		c.out.reasons = []attributed{{h, "no hook printed the path of the worktree; the last line on stdout must be it"}}
		return
	}
}

// finish derives what follows from the combined parts.
func (o *Outcome) finish() {
	o.Reason, o.HookSpecificOutput = o.joinReasons(true), nil
	if o.spec == nil { // not made by Combine
		return
	}
	if text := o.statement(nil, true).specific(); text != "" {
		o.HookSpecificOutput = json.RawMessage(text)
	}
}

// joinReasons puts the reasons one below the other, each with its source where
// there are several.
func (o *Outcome) joinReasons(named bool) string {
	var list []string
	for _, r := range o.reasons {
		if named && len(o.reasons) > 1 {
			list = append(list, r.hook.origin()+": "+r.text)
		} else {
			list = append(list, r.text)
		}
	}
	return lines(list)
}

// origin is the name of a hook among others: its own, else its place with file
// and line.
func (h Hook) origin() string {
	if h.Name != "" || h.Source.File == "" {
		return h.Label()
	}
	return fmt.Sprintf("%s (%s:%d)", h.Label(), h.Source.File, h.Source.Line)
}
