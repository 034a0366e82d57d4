package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/response/agent"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

func (a *app) eventsCommand() *cobra.Command {
	var asJSON bool
	var agentName string
	cmd := &cobra.Command{
		Use:   "events [NAME]",
		Short: "list the events, or show one with its fields and an example",
		Long: `events lists the events, or shows one. With --agent it lists those that this
agent has, and what becomes of each thing a hook can say there.`,
		Example: `  theus-hooks events
  theus-hooks events PreToolUse
  theus-hooks events --agent codex`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("want one event at most, got %d", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if agentName != "" {
				return a.agentEvents(agentName, args, asJSON)
			}
			return a.events(args, asJSON)
		},
	}
	cmd.Flags().StringVar(&agentName, "agent", "", "what an agent has and honours: "+strings.Join(agent.Names(), ", "))
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) events(args []string, asJSON bool) error {
	specs := event.All()
	if len(args) == 1 {
		spec, ok := event.Fold(args[0])
		if !ok {
			return &usageError{unknownEvent(args[0]).Error()}
		}
		specs = []*event.Spec{spec}
	}
	switch {
	case asJSON:
		list := make([]eventJSON, len(specs))
		for i, s := range specs {
			list[i] = newEventJSON(s)
		}
		text, err := jsontext.Marshal(map[string]any{"events": list})
		if err != nil {
			return err
		}
		return a.write(append(text, '\n'))
	case len(args) == 1:
		return a.write([]byte(eventPage(specs[0])))
	}
	return a.write([]byte(eventList(specs)))
}

// eventList is one line an event.
func eventList(specs []*event.Spec) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, s := range specs {
		fmt.Fprintf(w, "%s\t%s\n", s.Name, s.Fires)
	}
	w.Flush()
	return b.String()
}

// eventPage is all there is to know of one event.
func eventPage(s *event.Spec) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s fires %s\n\n", s.Name, s.Fires)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "matcher\t%s\n", subjectText(s.Subject))
	fmt.Fprintf(w, "if rules\t%s\n", choose(s.If, "held against the tool call", "none: a hook with one never runs"))
	fmt.Fprintf(w, "handlers\t%s\n", s.Types)
	fmt.Fprintf(w, "time limit\t%s\n", timeText(s))
	fmt.Fprintf(w, "exit code 2\t%s\n", s.Exit2)
	fmt.Fprintf(w, "plain stdout\t%s\n", plainText(s))
	fmt.Fprintf(w, `"decision": "block"`+"\t%s\n", s.Block)
	fmt.Fprintf(w, `"continue": false`+"\t%s\n", choose(s.Continue == event.ContinueStops, "the agent stops", "ignored"))
	fmt.Fprintf(w, `"systemMessage"`+"\t%s\n", messageTexts[s.Message])
	w.Flush()
	fmt.Fprintf(&b, "\ninput, besides %s\n", names(event.CommonFields()))
	w = tabwriter.NewWriter(&b, 2, 0, 2, ' ', 0)
	for _, f := range s.Fields {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", f.Name, f.Type+choose(f.Optional, "?", ""), withValues(f.Doc, f.Values))
	}
	w.Flush()
	fmt.Fprintf(&b, "\nhookSpecificOutput%s\n", choose(len(s.Output) == 0, ": none", ""))
	for _, f := range s.Output {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", f.Name, f.Type, withValues(f.Doc, f.Values)+choose(f.Ours, " (of theus-hooks, other agents do not know it)", ""))
	}
	w.Flush()
	fmt.Fprintf(&b, "\nexample event\n  %s\n", s.Example.Input)
	if s.Example.Answer != "" {
		fmt.Fprintf(&b, "\nexample answer, which %s\n  %s\n", s.Example.Does, s.Example.Answer)
	}
	return b.String()
}

var messageTexts = map[event.MessageRule]string{
	event.MessageShown: "shown to the user", event.MessageDiscarded: "ignored", event.MessageToModel: "goes to the model",
}

func subjectText(r event.SubjectRule) string {
	switch {
	case r.Field == "":
		return "ignored: the event has nothing to compare it with"
	case r.Base:
		return "compared with the last element of " + r.Field
	}
	return withValues("compared with "+r.Field, r.Values)
}

func plainText(s *event.Spec) string {
	switch {
	case s.Form == event.FormPath:
		return "its last line is the answer"
	case s.PlainContext:
		return "context for the model"
	}
	return "ignored"
}

func timeText(s *event.Spec) string {
	if s.Timeout.Budget > 0 {
		return fmt.Sprintf("%v for all hooks together, or the longest timeout of theirs up to 60s", s.Timeout.Budget)
	}
	return s.DefaultTimeout(event.Command).String()
}

func choose(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}

func names(fields []event.Field) string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.Name
	}
	return strings.Join(list, ", ")
}

func withValues(doc string, values []string) string {
	if len(values) == 0 {
		return doc
	}
	return doc + ": " + strings.Join(values, ", ")
}

// eventJSON is a row of the table for programs.
type eventJSON struct {
	Name    string `json:"name"`
	Fires   string `json:"fires"`
	Subject struct {
		Field  string   `json:"field"`
		Base   bool     `json:"base"`
		Values []string `json:"values"`
	} `json:"subject"`
	If           bool            `json:"if"`
	Types        []string        `json:"types"`
	TimeoutS     float64         `json:"timeoutSeconds"`
	Exit2        string          `json:"exit2"`
	Block        string          `json:"decisionBlock"`
	Continue     bool            `json:"continueStops"`
	Message      string          `json:"systemMessage"`
	PlainContext bool            `json:"plainContext"`
	Fields       []fieldJSON     `json:"fields"`
	Output       []fieldJSON     `json:"hookSpecificOutput"`
	Example      json.RawMessage `json:"example"`
	Answer       json.RawMessage `json:"answer"`
}

type fieldJSON struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Optional bool     `json:"optional"`
	Values   []string `json:"values"`
	Doc      string   `json:"doc"`
}

func newEventJSON(s *event.Spec) eventJSON {
	e := eventJSON{
		Name: s.Name, Fires: s.Fires, If: s.If, Types: s.Types.Names(), TimeoutS: s.DefaultTimeout(event.Command).Seconds(),
		Exit2: s.Exit2.String(), Block: s.Block.String(), Continue: s.Continue == event.ContinueStops,
		Message: messageTexts[s.Message], PlainContext: s.PlainContext,
		Fields: []fieldJSON{}, Output: []fieldJSON{}, Example: json.RawMessage(s.Example.Input), Answer: json.RawMessage("null"),
	}
	e.Subject.Field, e.Subject.Base, e.Subject.Values = s.Subject.Field, s.Subject.Base, orEmpty(s.Subject.Values)
	if json.Valid([]byte(s.Example.Answer)) {
		e.Answer = json.RawMessage(s.Example.Answer)
	} else if s.Example.Answer != "" {
		e.Answer = json.RawMessage(jsontext.Quote(s.Example.Answer))
	}
	if s.Timeout.Budget > 0 {
		e.TimeoutS = s.Timeout.Budget.Seconds()
	}
	for _, f := range s.Fields {
		e.Fields = append(e.Fields, fieldJSON{f.Name, f.Type, f.Optional, orEmpty(f.Values), f.Doc})
	}
	for _, f := range s.Output {
		e.Output = append(e.Output, fieldJSON{f.Name, f.Type, true, orEmpty(f.Values), f.Doc})
	}
	return e
}

func orEmpty(list []string) []string { return append([]string{}, list...) }
