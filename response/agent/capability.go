package agent

import (
	"fmt"
	"slices"

	"github.com/theus-hooks/theus-hooks/settings/event"
)

// A Word is one thing that hooks can say on an event. Fields of
// hookSpecificOutput that only some events have are words by their own names:
// "sessionTitle".
type Word string

// The words.
const (
	Block       Word = "block" // a denial, feedback, or "go on", as the event has it
	Ask         Word = "ask"
	Defer       Word = "defer"
	Allow       Word = "allow"
	Rewrite     Word = "rewrite"
	Stop        Word = "stop" // "continue": false
	Context     Word = "context"
	Message     Word = "message" // "systemMessage"
	Notice      Word = "notice"  // exit code 2 that tells the user and blocks nothing
	Terminal    Word = "terminalSequence"
	Suppress    Word = "suppressOutput"
	Permissions Word = "updatedPermissions"
	Interrupt   Word = "interrupt"
	// ContextBeside and MessageBeside are those beside a block, where they differ.
	ContextBeside Word = "context beside a block"
	MessageBeside Word = "message beside a block"
)

// How is what becomes of a word in an agent.
type How string

// The ways.
const (
	Native  How = "native"
	Weaker  How = "weaker"       // it is said, and the agent does less
	ToBlock How = "block"        // a block is said in its place
	ToText  How = "context"      // its text is given to the model
	ToStop  How = "stop"         // "continue": false is said in its place
	Joined  How = "reason"       // its text is added to the reason of the block
	Ignored How = "not honoured" // and so not said
)

// An Ability is what becomes of one word on one event of an agent.
type Ability struct {
	Word Word
	How  How
	// Why says what the agent does, as half a sentence; "" where there is nothing
	// to know.
	Why string
	// Fact is the id by which docs/agents.md tells how this is known.
	Fact string
}

// String is the entry of a table: "ask → block".
func (a Ability) String() string {
	switch a.How {
	case Native:
		return string(a.Word)
	case Weaker, Ignored:
		return fmt.Sprintf("%s (%s)", a.Word, a.How)
	}
	return fmt.Sprintf("%s → %s", a.Word, a.How)
}

// A Capability is one event of an agent and what it can express there.
type Capability struct {
	Event string // our name
	Own   string // the agent's
	Can   []Ability
}

// Capabilities is the table of what the agent's events can express, by which
// Answer goes. Words that the event does not have are left out.
func (a *Agent) Capabilities() []Capability {
	var list []Capability
	if a.native {
		for _, spec := range event.All() {
			list = append(list, a.capability(&hook{own: spec.Name, name: spec.Name}))
		}
		return list
	}
	for i := range a.events {
		list = append(list, a.capability(&a.events[i]))
	}
	return list
}

func (a *Agent) capability(h *hook) Capability {
	c := Capability{Event: h.name, Own: h.own}
	spec, _ := event.Lookup(h.name)
	for _, word := range words(spec) {
		c.Can = append(c.Can, a.ability(h, word))
	}
	for _, word := range []Word{ContextBeside, MessageBeside} {
		if can := a.ability(h, word); can.How != Native {
			c.Can = append(c.Can, can)
		}
	}
	return c
}

// words are those that hooks have on an event.
func words(spec *event.Spec) []Word {
	var list []Word
	add := func(has bool, word ...Word) {
		if has {
			list = append(list, word...)
		}
	}
	decisions := spec.OutputField("permissionDecision")
	behaves := spec.Form == event.FormBehavior
	add(spec.CanBlock() || spec.Exit2 >= event.EffectFeedback, Block)
	for _, word := range []Word{Ask, Defer, Allow} {
		add(decisions != nil && slices.Contains(decisions.Values, string(word)), word)
	}
	add(behaves, Allow)
	add(behaves || spec.OutputField("updatedInput") != nil, Rewrite)
	add(spec.Continue == event.ContinueStops, Stop)
	add(spec.OutputField("additionalContext") != nil, Context)
	add(spec.Message != event.MessageDiscarded, Message)
	add(spec.Exit2 == event.EffectNotice, Notice)
	add(behaves, Permissions, Interrupt)
	for _, f := range spec.Output {
		switch f.Name {
		case "permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext", "decision":
		default:
			add(!f.Ours, Word(f.Name))
		}
	}
	add(true, Terminal, Suppress)
	return list
}

// unseen is for events on which nothing reaches the user.
var unseen = []Ability{{Notice, Ignored, "shows nothing of it", "theus-format"}}

// common are the words that an agent honours unless its data says otherwise.
var common = [...]Word{Block, Ask, Defer, Allow, Rewrite, Stop, Context, Message, Notice, Terminal, Suppress, Permissions, Interrupt, ContextBeside, MessageBeside}

// ability looks a word up: in the event's list, then in the agent's. What
// neither names is native, but for fields that only some events have.
func (a *Agent) ability(h *hook, word Word) Ability {
	for _, list := range [][]Ability{h.can, a.can} {
		for _, can := range list {
			if can.Word == word {
				return can
			}
		}
	}
	if a.native || slices.Contains(common[:], word) || slices.Contains(h.passes, string(word)) {
		return Ability{Word: word, How: Native}
	}
	return Ability{Word: word, How: Ignored, Why: "does not know the field"}
}
