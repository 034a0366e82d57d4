package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/response/agent"
)

// agentEvents prints what an agent's events can express: all, or the one of
// args.
func (a *app) agentEvents(name string, args []string, asJSON bool) error {
	caller, ok := agent.Lookup(name)
	if !ok {
		_, err := agentNamed(name)
		return err
	}
	list := caller.Capabilities()
	if len(args) == 1 {
		spec, ok := caller.Event(args[0])
		if !ok {
			return &usageError{(&agent.UnknownEventError{Agent: caller.Name, Event: args[0], Known: caller.EventNames()}).Error()}
		}
		var own []agent.Capability
		for _, c := range list {
			if c.Event == spec.Name || strings.EqualFold(c.Own, args[0]) {
				own = append(own, c)
			}
		}
		list = own
	}
	if asJSON {
		text, err := jsontext.Marshal(map[string]any{"agent": caller.Name, "version": caller.Version, "events": capabilitiesJSON(list)})
		if err != nil {
			return err
		}
		return a.write(append(text, '\n'))
	}
	return a.write([]byte(capabilityTable(caller, list)))
}

type capabilityJSON struct {
	Event string        `json:"event"`
	Own   string        `json:"own"`
	Can   []abilityJSON `json:"can"`
}

type abilityJSON struct {
	Word string `json:"word"`
	How  string `json:"how"`
	Why  string `json:"why"`
	Fact string `json:"fact"` // the id of docs/agents.md
}

func capabilitiesJSON(list []agent.Capability) []capabilityJSON {
	out := make([]capabilityJSON, len(list))
	for i, c := range list {
		out[i] = capabilityJSON{Event: c.Event, Own: c.Own, Can: make([]abilityJSON, len(c.Can))}
		for j, can := range c.Can {
			out[i].Can[j] = abilityJSON{Word: string(can.Word), How: string(can.How), Why: can.Why, Fact: can.Fact}
		}
	}
	return out
}

// capabilityTable is a block of lines for each event: what it honours, then what
// becomes of the rest and why.
func capabilityTable(caller *agent.Agent, list []agent.Capability) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\n", caller.Title, versionText(caller))
	for _, c := range list {
		fmt.Fprintf(&b, "\n%s%s\n", c.Event, choose(c.Own == c.Event, "", ", there "+c.Own))
		w := tabwriter.NewWriter(&b, 2, 0, 2, ' ', 0)
		var honoured []string
		for _, can := range c.Can {
			if can.How == agent.Native {
				honoured = append(honoured, string(can.Word))
			}
		}
		if len(honoured) > 0 {
			fmt.Fprintf(w, "  honours\t%s\n", strings.Join(honoured, ", "))
		}
		for _, can := range c.Can {
			if can.How != agent.Native {
				fmt.Fprintf(w, "  %s\t%s\n", can, can.Why)
			}
		}
		w.Flush()
	}
	return b.String()
}

// versionText says how the table is known.
func versionText(caller *agent.Agent) string {
	switch {
	case caller.Version != "":
		return " " + caller.Version
	case caller.Name == agent.Names()[0]: // ours
		return ""
	}
	return ", from its documents"
}
