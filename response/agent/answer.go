package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/response"
)

// Answer says the outcome of ev, which Decode made, in the forms that the agent
// honours. The problems tell what was degraded, and how. Without ev no rewrite
// can be said, and one denies.
//
// AnswerOptions.ExitCode is not followed but for ours: many agents do not read
// what stands beside exit code 2, or give it no meaning on some events.
func (a *Agent) Answer(out *response.Outcome, ev *Event, opts response.AnswerOptions) (response.Answer, []response.Problem) {
	forced := opts.ExitCode && !a.plain
	opts.ExitCode = opts.ExitCode && a.plain
	answer, problems := a.answer(out, ev, opts)
	if forced && answer.Exit == 0 && out.Blocked {
		problems = append(problems, response.Problem{
			Severity: "warning", Code: "degraded",
			Message: "--exit-code is not followed: " + a.Title + " reads this denial with exit code 0",
		})
	}
	return answer, problems
}

func (a *Agent) answer(out *response.Outcome, ev *Event, opts response.AnswerOptions) (response.Answer, []response.Problem) {
	if a.native {
		return out.Answer(opts), nil
	}
	s, ok := out.Statement(opts)
	if !ok {
		return out.Answer(opts), nil
	}
	h := a.named(s.Spec.Name)
	if ev != nil && ev.hook != nil && ev.hook.name == s.Spec.Name {
		h = ev.hook
	} else {
		ev = &Event{Name: s.Spec.Name}
	}
	if h == nil {
		return a.Refuse(s.Spec, a.unknown(s.Spec.Name).Error()), nil
	}
	d := degrader{agent: a, hook: h, ev: ev, s: s}
	d.run()
	s.Words = a.words
	s.Words.Event = h.own
	answer := s.Answer(false)
	if answer.Exit == 0 && len(answer.Stdout) == 0 && (a.speaks || a.parses && (opts.Notes || noted(out, d.problems))) {
		answer.Stdout = []byte("{}\n")
	}
	if a.parses && isJSON(string(answer.Stderr)) {
		answer.Stderr = append([]byte("a hook said: "), answer.Stderr...)
	}
	return answer, d.problems
}

// noted reports whether a caller has notes for standard error. An agent that
// reads it where standard output is empty would take them for the answer.
func noted(out *response.Outcome, problems []response.Problem) bool {
	return len(out.Problems)+len(problems)+len(out.Skipped) > 0
}

// isJSON reports whether text is a JSON value, for one who trims it as JavaScript
// does.
func isJSON(text string) bool {
	text = strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' })
	_, err := jsontext.Parse([]byte(text), jsontext.Limits{})
	return err == nil
}

// degrader brings a statement down to what an agent honours.
type degrader struct {
	agent    *Agent
	hook     *hook
	ev       *Event
	s        *response.Statement
	problems []response.Problem
}

// run takes decisions first: what they become decides what may stand beside
// them.
func (d *degrader) run() {
	d.decision()
	d.rewrite()
	d.stop()
	d.values()
	d.block()
	d.texts()
	d.rest()
}

// look is what becomes of a word; what is lost by it is reported.
func (d *degrader) look(word Word) Ability {
	can := d.agent.ability(d.hook, word)
	if can.How != Native {
		d.report(can)
	}
	return can
}

func (d *degrader) report(can Ability) {
	var became string
	switch can.How {
	case Weaker:
		became = "does less than it says"
	case Ignored:
		became = "is not passed on"
	case Joined:
		became = "joins the reason"
	default:
		became = "becomes " + string(can.How)
	}
	d.problems = append(d.problems, response.Problem{
		Severity: "warning", Code: "degraded",
		Message: fmt.Sprintf("%q on %s %s: %s %s", can.Word, d.hook.own, became, d.agent.Title, can.Why),
	})
}

// deny blocks in place of a word, and says why to the model or user.
func (d *degrader) deny(said string, can Ability) {
	d.s.Deny(strings.TrimSpace(fmt.Sprintf("%s\n[denied in place of %s: %s %s]", said, can.Word, d.agent.Title, can.Why)))
}

// decision is that of ask, defer and allow.
func (d *degrader) decision() {
	s := d.s
	switch s.Decision {
	case response.DecisionAsk, response.DecisionDefer, response.DecisionAllow:
	default:
		return
	}
	if s.Decision == response.DecisionAllow && s.Input != nil {
		return // what is allowed is the rewrite
	}
	switch can := d.look(Word(s.Decision)); can.How {
	case ToBlock:
		d.deny(s.Reason, can)
	case Ignored:
		s.Decision, s.Reason = response.DecisionNone, ""
	}
}

// rewrite puts the input into the agent's own keys. One that cannot be said
// denies: no hook agreed to the call as it was.
func (d *degrader) rewrite() {
	if d.s.Input == nil {
		return
	}
	can := d.agent.ability(d.hook, Rewrite)
	input, err := jsontext.Parse(d.s.Input, jsontext.Limits{})
	switch {
	case err != nil:
		can.How, can.Why = ToBlock, "can be given no input that is not JSON"
	case d.ev.hook == nil:
		can.How, can.Why = ToBlock, "cannot be told without the event that it sent"
	case can.How == Native:
		if lost := d.lost(input); len(lost) > 0 {
			can.How, can.Why = ToBlock, "cannot take away "+strings.Join(lost, ", ")
			break
		}
		d.rewritten(input)
		return
	}
	d.report(can)
	d.deny(d.s.Reason, can)
}

// lost are the keys that the rewrite takes away where the agent only adds.
func (d *degrader) lost(input jsontext.Value) []string {
	var keys []string
	for m := range d.ev.input.Members() {
		if d.agent.merges && !input.Get(m.Key).Exists() && !slices.Contains(keys, m.Key) {
			keys = append(keys, m.Key)
		}
	}
	return keys
}

// rewritten says the input as the agent wants it: whole, or what has changed.
func (d *degrader) rewritten(input jsontext.Value) {
	var to object
	for m := range input.Members() {
		if !d.agent.merges || d.ev.input.Get(m.Key).Raw() != m.Value.Raw() {
			to.set(d.ev.ownKey(m.Key), m.Value.Raw())
		}
	}
	d.s.Input = []byte(to.string())
	if d.agent.grants && d.s.Decision == response.DecisionNone {
		d.s.Decision = response.DecisionAllow
	}
}

// stop is "continue": false.
func (d *degrader) stop() {
	s := d.s
	if !s.Stop {
		return
	}
	switch can := d.look(Stop); can.How {
	case ToBlock:
		said := s.StopReason
		if s.Denies() && strings.Contains(s.Reason, said) {
			said = ""
		}
		s.Stop, s.StopReason = false, ""
		d.deny(said, can)
	case Ignored:
		s.Stop, s.StopReason, s.Blocked = false, "", s.Denies() && s.Spec.CanBlock()
	}
}

// values are the output fields that only some events have.
func (d *degrader) values() {
	s := d.s
	kept := s.Values[:0:0]
	for _, v := range s.Values {
		can := d.agent.ability(d.hook, Word(v.Name))
		switch {
		case can.How == Native:
			kept = append(kept, v)
		case can.How != ToBlock:
			d.report(can)
		case v.Raw == "true" && !s.Denies():
			d.report(can)
			d.deny("", can)
		}
	}
	s.Values = kept
}

// block is a denial in an event that may have no word for it.
func (d *degrader) block() {
	s := d.s
	if !s.Denies() {
		return
	}
	switch can := d.look(Block); can.How {
	case ToText:
		s.Context = lines(s.Reason, s.Context)
		s.Decision, s.Reason, s.Blocked = response.DecisionNone, "", s.Stop
	case ToStop:
		s.Stop, s.StopReason = true, cmp.Or(s.StopReason, s.Reason)
		s.Decision, s.Reason = response.DecisionNone, ""
	case Ignored:
		s.Decision, s.Reason, s.Blocked = response.DecisionNone, "", s.Stop
	}
}

// texts are those for the model and for the user.
func (d *degrader) texts() {
	s := d.s
	if s.Context != "" {
		switch can := d.look(d.beside(Context, ContextBeside)); can.How {
		case Joined:
			s.Reason, s.Context = lines(s.Reason, s.Context), ""
		case ToBlock:
			if !s.Stop {
				s.Deny(s.Context)
			}
			s.Context = ""
		case Ignored:
			s.Context = ""
		}
	}
	if s.Notice != "" {
		d.look(Notice)
		s.Notice = "" // it is a message where those are shown
	}
	if s.Message != "" && d.look(d.beside(Message, MessageBeside)).How == Ignored {
		s.Message = ""
	}
}

// beside is the word for a text beside a block, where that differs.
func (d *degrader) beside(word, beside Word) Word {
	if d.s.Denies() && d.agent.ability(d.hook, beside).How != Native {
		return beside
	}
	return word
}

// rest is what changes nothing about the action.
func (d *degrader) rest() {
	s := d.s
	if s.Terminal != "" && d.look(Terminal).How == Ignored {
		s.Terminal = ""
	}
	if s.Suppress && d.look(Suppress).How == Ignored {
		s.Suppress = false
	}
	if s.Permissions != "" && d.look(Permissions).How == Ignored {
		s.Permissions = ""
	}
	if s.Interrupt && d.look(Interrupt).How == Ignored {
		s.Interrupt = false
	}
}

// lines joins two texts, one below the other.
func lines(above, below string) string {
	if above == "" || below == "" {
		return above + below
	}
	return above + "\n" + below
}
