package hooks

import (
	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// A Listing is every configured hook, active or not: grouped by event in the
// order of event.All, highest precedence first.
type Listing struct {
	Hooks      []ListedHook
	StatusLine StatusLine
	Searched   []SearchedFile
	Problems   []response.Problem
}

// A ListedHook is one hook of a Listing. It marshals to an item of `theus-hooks
// list --json`.
type ListedHook struct {
	Event string `json:"event"`
	// Active: only the values of an event can still keep it from running. If
	// not, Reason and Detail say why.
	Active bool `json:"active"`
	ExplainedHook
	// StatusLineOff is that of the Listing's StatusLine.
	StatusLineOff bool `json:"statusLineOff"`
}

// A StatusLine says whether policy switches off a status line, or another
// command of that kind, that the user's settings bring; for agents that have
// one.
type StatusLine struct {
	Off    bool
	Reason string
	Detail string
}

// List lists the hooks of an event, or with "" of all. The error is an
// *UnknownEventError. That managed settings cannot be read is among the
// Problems, with severity error.
func (e *Engine) List(name string) (*Listing, error) {
	specs := event.All()
	if name != "" {
		spec, ok := event.Lookup(name)
		if !ok {
			return nil, &UnknownEventError{Name: name, Suggest: event.Suggest(name)}
		}
		specs = []*event.Spec{spec}
	}
	cfg := e.config("")
	l := &Listing{Hooks: []ListedHook{}, Searched: searched(cfg), Problems: planProblems(cfg, &precedence.Plan{})}
	if reason, detail, off := cfg.Policy.StatusLineOff(precedence.User); off {
		l.StatusLine = StatusLine{true, string(reason), detail}
	}
	for _, spec := range specs {
		for _, c := range cfg.List(spec) {
			l.Hooks = append(l.Hooks, ListedHook{
				Event: spec.Name, Active: c.Reason == "", ExplainedHook: explainHook(c), StatusLineOff: l.StatusLine.Off,
			})
		}
	}
	return l, nil
}
