package agent

import (
	"slices"
	"strings"
	"time"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// An Agent is a program that calls hooks: its data. Agents are read-only.
type Agent struct {
	Name    string // as on the command line: "gemini"
	Title   string // "Gemini CLI"
	Version string // that the data was measured with, "" where it is from documents
	Config  Config
	// EnvFiles names the variables in which it has a shell file for what hooks
	// export to its session.
	EnvFiles []string

	// native: it speaks the hook output format and has every event by our name.
	native bool
	// plain: its events are passed on as they are.
	plain  bool
	events []hook
	tools  []tool
	// served is our name of the tool of an MCP server, "" for another, or the names
	// that it may have; nil: they come by that name.
	served func(own jsontext.Value) (name string, may []string)
	// can says what is not native on any event. A hook's own list comes first.
	can []Ability
	// merges: a rewrite changes what it names and leaves the rest of the input.
	merges bool
	// grants: a rewrite is read beside "allow" alone.
	grants bool
	// parses: standard error is read as an answer where standard output says
	// nothing, with exit code 2 or 0.
	parses bool
	// speaks: an answer with nothing to say is an empty object.
	speaks   bool
	words    response.Words
	deadline time.Duration
}

// hook is one event of an agent.
type hook struct {
	own  string // as the agent calls it
	name string // as we do
	// when decides between events of the same own name; nil: always.
	when   func(own jsontext.Value) bool
	fields []field
	values []value
	// add is what the event is told besides, as further members.
	add func(own jsontext.Value, to *object)
	// repeats says why the event repeats one that was fired before, "" where that
	// cannot be told from it.
	repeats func(own jsontext.Value) string

	can []Ability
	// passes lists the output fields it honours, of those that not every event has.
	passes []string
}

// field is a key that the agent calls otherwise.
type field struct {
	own, name string
	// old: an earlier name of a key that goes by ours now.
	old bool
}

// value is a value of a key that the agent writes otherwise.
type value struct{ key, own, name string }

// tool is a tool that the agent calls otherwise.
type tool struct {
	own, name string
	// also lists names that matchers may use for it, besides the two.
	also   []string
	fields []field
}

// Names lists the agents, ours first.
func Names() []string { return []string{theus.Name, claude.Name, codex.Name, qwen.Name, gemini.Name} }

// Lookup returns the agent of an exact name.
func Lookup(name string) (*Agent, bool) {
	switch name {
	case theus.Name:
		return &theus, true
	case claude.Name:
		return &claude, true
	case codex.Name:
		return &codex, true
	case qwen.Name:
		return &qwen, true
	case gemini.Name:
		return &gemini, true
	}
	return nil, false
}

// Deadline is the time within which the agent must be answered, less than that
// after which it goes on without us; 0: its limit is that of the hooks.
func (a *Agent) Deadline() time.Duration { return a.deadline }

// Event is the row of an event by our name or the agent's, in any case of
// letters. Where the agent has one name for two events it is the general one.
func (a *Agent) Event(name string) (*event.Spec, bool) {
	if h := a.fold(name); h != nil {
		return event.Lookup(h.name)
	}
	return nil, false
}

// EventNames lists the agent's events by its own names, each once.
func (a *Agent) EventNames() []string {
	if a.native {
		return event.Names()
	}
	var names []string
	for i := range a.events {
		if h := &a.events[i]; h.when == nil {
			names = append(names, h.own)
		}
	}
	return names
}

// fold finds an event by either name, in any case; nil: there is none.
func (a *Agent) fold(name string) *hook {
	if a.native {
		if spec, ok := event.Fold(name); ok {
			return &hook{own: spec.Name, name: spec.Name}
		}
		return nil
	}
	for _, general := range []bool{true, false} {
		for i := range a.events {
			h := &a.events[i]
			if (h.when == nil) == general && (strings.EqualFold(h.own, name) || strings.EqualFold(h.name, name)) {
				return h
			}
		}
	}
	return nil
}

// hook finds the event that the agent's JSON is, by its exact own name.
func (a *Agent) hook(own string, v jsontext.Value) *hook {
	if a.native {
		if _, ok := event.Lookup(own); ok {
			return &hook{own: own, name: own}
		}
		return nil
	}
	for i := range a.events {
		if h := &a.events[i]; h.own == own && (h.when == nil || h.when(v)) {
			return h
		}
	}
	return nil
}

// named finds an event by our exact name.
func (a *Agent) named(name string) *hook {
	if a.native {
		return a.hook(name, jsontext.Value{})
	}
	for i := range a.events {
		if a.events[i].name == name {
			return &a.events[i]
		}
	}
	return nil
}

// ToolNames lists the names that agents have for tools, each once, in order.
func ToolNames() []string {
	var names []string
	for _, a := range Names() {
		agent, _ := Lookup(a)
		for i := range agent.tools {
			names = append(names, agent.tools[i].own)
			names = append(names, agent.tools[i].also...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// tool finds a tool by the agent's name.
func (a *Agent) tool(own string) *tool {
	for i := range a.tools {
		if a.tools[i].own == own {
			return &a.tools[i]
		}
	}
	return nil
}

// Refuse is the answer where a guard could be hidden, as response.Refuse gives
// it, in a form that the agent reads.
func (a *Agent) Refuse(spec *event.Spec, message string) response.Answer {
	if spec != nil && spec.FailClosed && a.named(spec.Name) == nil {
		// Not one of its events; exit code 2 is what most agents understand.
		refused := response.Refuse(nil, message)
		refused.Exit = 2
		return refused
	}
	return response.Refuse(spec, message)
}
