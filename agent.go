package hooks

import (
	"context"
	"slices"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/response/agent"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// A Firing is one event that was fired for an agent, and what came of it.
type Firing struct {
	Outcome *response.Outcome

	agent *agent.Agent // nil: ours
	event *agent.Event
	// at is where among the outcome's problems those of the latest answer begin,
	// and told how many they are.
	at, told int
}

// Answer encodes the outcome in the way that the agent honours. What the agent
// cannot be told is answered on the safer side, and noted in the outcome's
// Problems, of the latest answer where there are several.
func (f *Firing) Answer(opts response.AnswerOptions) response.Answer {
	if f.agent == nil {
		return f.Outcome.Answer(opts)
	}
	answer, problems := f.agent.Answer(f.Outcome, f.event, opts)
	all := f.Outcome.Problems
	if f.told == 0 {
		f.at = len(all)
	}
	f.Outcome.Problems = slices.Concat(all[:f.at], problems, all[f.at+f.told:])
	f.told = len(problems)
	return answer
}

// FireFor is Fire for the agent of the options: name is the event by its name or
// ours, data the agent's own JSON. The errors are those of Fire; that of an
// unknown event is an *agent.UnknownEventError.
func (e *Engine) FireFor(ctx context.Context, name string, data []byte) (*Firing, error) {
	ev, own, err := e.decode(name, data)
	if err != nil {
		return nil, err
	}
	out, err := e.fire(ctx, ev, repeat(own))
	if err != nil {
		return nil, err
	}
	return &Firing{Outcome: out, agent: e.opts.Agent, event: own}, nil
}

// decode reads an event, and what its agent made of it.
func (e *Engine) decode(name string, data []byte) (*event.Event, *agent.Event, error) {
	if e.opts.Agent == nil {
		spec, ok := event.Lookup(name)
		if !ok {
			return nil, nil, &UnknownEventError{Name: name, Suggest: event.Suggest(name)}
		}
		ev, err := event.Decode(spec, data)
		return ev, nil, err
	}
	own, err := e.opts.Agent.Decode(name, data)
	if err != nil {
		return nil, nil, err
	}
	spec, ok := event.Lookup(own.Name)
	if !ok {
		return nil, nil, &UnknownEventError{Name: own.Name, Suggest: event.Suggest(own.Name)}
	}
	ev, err := event.Decode(spec, own.Data)
	if err != nil {
		return nil, nil, err
	}
	if ev.Cwd() == "" && e.opts.Dir != "" && ev.Raw("cwd") == "" {
		if ev, err = ev.With(jsontext.Quote(e.opts.Dir), "cwd"); err != nil {
			return nil, nil, err
		}
	}
	return ev.WithAliases(own.Subjects), own, nil
}

func repeat(own *agent.Event) string {
	if own == nil {
		return ""
	}
	return own.Repeat
}

// once leaves out the hooks of an event that they have seen already.
func once(plan *precedence.Plan, repeat string) {
	if repeat == "" {
		return
	}
	for _, c := range plan.Selected {
		c.Skip(precedence.Duplicate, repeat)
	}
	plan.Skipped = append(plan.Skipped, plan.Selected...)
	plan.Selected = nil
}
