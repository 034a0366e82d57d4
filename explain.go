package hooks

import (
	"context"

	"github.com/theus-hooks/theus-hooks/exec"
	"github.com/theus-hooks/theus-hooks/exec/command"
	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// An Explanation says for every configured hook of an event whether it would
// run, and why or why not. It marshals to the JSON of `theus-hooks explain
// --json`; lists stand in configuration order.
type Explanation struct {
	Event    string             `json:"event"`
	Subject  string             `json:"subject"`
	Selected []ExplainedHook    `json:"selected"`
	Skipped  []ExplainedHook    `json:"skipped"`
	Searched []SearchedFile     `json:"searched"`
	Problems []response.Problem `json:"problems"`
}

// A SearchedFile is a settings file that was looked for.
type SearchedFile struct {
	File  string `json:"file"` // its path
	Found bool   `json:"found"`
}

// searched lists the files that were read, and then those that are not there.
func searched(cfg *precedence.Config) []SearchedFile {
	list := []SearchedFile{}
	for _, s := range cfg.Sources {
		if s.Path != "" {
			list = append(list, SearchedFile{s.Path, true})
		}
	}
	for _, path := range cfg.Missing {
		list = append(list, SearchedFile{path, false})
	}
	return list
}

// An ExplainedHook is one hook of an Explanation.
type ExplainedHook struct {
	ID      string           `json:"id"`
	Name    string           `json:"name"`
	Type    string           `json:"type"`
	Source  response.Source  `json:"source"`
	Matcher ExplainedMatcher `json:"matcher"`
	If      string           `json:"if"` // the rule, "" for none
	// One of these says what runs.
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	URL     string   `json:"url,omitempty"`
	Prompt  string   `json:"prompt,omitempty"`
	Timeout float64  `json:"timeout"` // in seconds
	// Shell is what would run a command: "builtin", "bash", "sh", "powershell" or
	// "exec"; ShellWhy names the construct that decided, or why nothing can.
	Shell    string `json:"shell,omitempty"`
	ShellWhy string `json:"shellWhy,omitempty"`
	// Background: nobody waits for it, so it decides nothing.
	Background bool `json:"background,omitempty"`
	// Reason is why it does not run, "" when it does; Detail says it in words,
	// with the values compared.
	Reason string `json:"reason"`
	Detail string `json:"detail"`
	// Commands are the sub-commands that the rule was held against.
	Commands []string          `json:"commands"`
	AlsoIn   []response.Source `json:"alsoIn"`
}

// An ExplainedMatcher is the matcher of a hook's group and how it was read.
type ExplainedMatcher struct {
	Text   string `json:"text"`
	Kind   string `json:"kind"`   // "all", "list", "regex"; "" when it cannot be read
	Engine string `json:"engine"` // "exact", "re2", "ecmascript"
}

// Explain says what Fire would run for an event, and runs nothing. The errors
// are those of Fire.
func (e *Engine) Explain(name string, data []byte) (*Explanation, error) {
	ev, own, err := e.decode(name, data)
	if err != nil {
		return nil, err
	}
	cfg := e.config(ev.Cwd())
	sess, _ := e.session(ev.SessionID()) // without one no hook is spent
	plan := cfg.Plan(ev, spent(sess))
	once(plan, repeat(own))
	x := &Explanation{
		Event: ev.Name(), Subject: ev.Subject(),
		Selected: explained(plan.Selected), Skipped: explained(plan.Skipped), Problems: planProblems(cfg, plan),
		Searched: searched(cfg),
	}
	opts := e.runOptions(cfg, sess)
	for i, c := range plan.Selected {
		if !e.runner.Runs(c.Hook.Handler.Type) {
			x.Selected[i].ShellWhy = exec.CannotRun(c.Hook)
			continue
		}
		x.Selected[i].shell(plan, opts, c)
	}
	return x, unreadable(cfg)
}

// shell says what would run the hook.
func (x *ExplainedHook) shell(plan *precedence.Plan, opts exec.Options, c *precedence.Choice) {
	if c.Hook.Handler.Type != event.Command || c.Broken != "" {
		return
	}
	call, err := exec.Preview(context.Background(), plan, opts, c)
	if err == nil {
		x.Shell, x.ShellWhy, err = command.Engine(job(call))
	}
	if err != nil {
		x.ShellWhy = err.Error()
	}
}

func explained(choices []*precedence.Choice) []ExplainedHook {
	list := make([]ExplainedHook, len(choices))
	for i, c := range choices {
		list[i] = explainHook(c)
	}
	return list
}

func explainHook(c *precedence.Choice) ExplainedHook {
	h := c.Hook.Handler
	identity := exec.Identity(c.Hook)
	x := ExplainedHook{
		ID: identity.ID, Name: identity.Name, Type: identity.Type, Source: identity.Source,
		Matcher: ExplainedMatcher{Text: identity.Matcher, Kind: c.Kind, Engine: c.Engine},
		If:      h.IfText, Timeout: c.Hook.Timeout.Seconds(), Reason: string(c.Reason), Detail: c.Detail(),
		Commands: append([]string{}, c.Commands...), AlsoIn: append([]response.Source{}, identity.AlsoIn...),
	}
	switch h.Type {
	case event.Command:
		x.Command, x.Args, x.Background = h.Command, h.Args, exec.InBackground(c.Hook)
	case event.HTTP:
		x.URL = h.URL
	case event.Prompt, event.Agent:
		x.Prompt = h.Prompt
	}
	if c.Broken != "" {
		x.Detail = c.Broken
	}
	return x
}
