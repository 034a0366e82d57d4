package rule

import (
	"fmt"
	"strings"
	"sync"

	"github.com/theus-hooks/theus-hooks/settings/shell"
)

// commandSpec is the specifier of Bash and PowerShell.
type commandSpec struct {
	pattern *pattern
	// operators: the pattern is more than a simple command (it holds "&&",
	// ">" or the like, or starts with an assignment), so it is also compared
	// with commands as they are written and with whole pipelines.
	operators bool
	windows   bool // PowerShell
}

func compileCommand(spec string, windows bool) matcher {
	operators := strings.ContainsAny(spec, "|&;<>(){}`$\n")
	if first, _, _ := strings.Cut(spec, " "); strings.Contains(first, "=") {
		operators = true
	}
	if windows {
		spec = canonicalSpec(spec)
	}
	return commandSpec{pattern: compilePattern(spec, windows), operators: operators, windows: windows}
}

func (s commandSpec) match(c *Call, _ string) finding {
	script := c.bash
	if s.windows {
		script = c.pwsh
	}
	sc := script()
	if sc.err != nil {
		return finding{fires: true, why: whyUnreadable, note: fmt.Sprintf("the command could not be parsed (%v)", sc.err)}
	}
	for i := range sc.candidates {
		if f := s.compare(&sc.candidates[i]); f.fires {
			return f
		}
	}
	if s.operators {
		for _, text := range sc.wholes() {
			if s.pattern.matches(text) {
				return finding{fires: true, why: whyMatch, value: text}
			}
		}
	}
	return finding{why: whyNoCommand}
}

// compare compares the pattern with one simple command.
func (s commandSpec) compare(c *candidate) finding {
	switch {
	case c.text == nil:
		if s.pattern.matches(c.literal) {
			return finding{fires: true, why: whyMatch, value: c.literal}
		}
	case s.pattern.couldMatch(c.text):
		return finding{fires: true, why: whyCould, value: c.command.String()}
	}
	if c.source != "" && s.pattern.matches(c.source) {
		return finding{fires: true, why: whyMatch, value: c.source}
	}
	return finding{}
}

// script is the reading of a call's command.
type script struct {
	candidates []candidate
	err        error // why nothing is known of it, or nil
	wholes     func() []string
	// names are the commands as people read them, listing the same as a text.
	names   func() []string
	listing func() string
}

// A candidate is one simple command, prepared for comparing.
type candidate struct {
	command shell.Command
	literal string     // the text, when text is nil
	text    shell.Text // a text of which parts are unknown
	source  string     // as written, when that differs
}

func newScript(commands []shell.Command) *script {
	s := &script{candidates: make([]candidate, len(commands))}
	for i, cmd := range commands {
		c := candidate{command: cmd}
		if lit, ok := cmd.Text.Literal(); ok {
			c.literal = lit
			if cmd.Source != lit {
				c.source = cmd.Source
			}
		} else {
			c.text, c.source = cmd.Text, cmd.Source
		}
		s.candidates[i] = c
	}
	s.names = sync.OnceValue(func() []string {
		names := make([]string, len(commands))
		for i, c := range commands {
			names[i] = c.String()
		}
		return names
	})
	s.listing = sync.OnceValue(func() string { return list(s.names()) })
	return s
}

// readBash analyses the command of a Bash call.
func readBash(text string) *script {
	parsed, err := shell.Parse(text)
	if err != nil {
		return &script{err: err}
	}
	s := newScript(parsed.Commands())
	s.wholes = sync.OnceValue(func() []string {
		texts := parsed.Lists()
		for i := range s.candidates {
			if full := s.candidates[i].command.Full; full != "" {
				texts = append(texts, full)
			}
		}
		return texts
	})
	return s
}
