package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxPasses bounds how often a script is read again because what it sets up
// (aliases, descriptors) changes what stands elsewhere in it.
const maxPasses = 4

// setup is what a script sets up for its other parts. Order is not looked at:
// functions and loops may run a later part first.
type setup struct {
	aliases map[string][]Text
	stdin   bool // exec gives the script another standard input
	feeds   bool // a command has text on its standard input
	defines bool // there is a function
}

// size tells two states of a growing setup apart.
func (s *setup) size() int {
	n := 0
	for _, codes := range s.aliases {
		n += len(codes)
	}
	if s.stdin {
		n++
	}
	if s.feeds && s.defines {
		n++
	}
	return n
}

// define notes an alias.
func (s *setup) define(name string, code Text) {
	if s.aliases == nil {
		s.aliases = map[string][]Text{}
	}
	same := func(t Text) bool { return slices.Equal(t, code) }
	if !slices.ContainsFunc(s.aliases[name], same) {
		s.aliases[name] = append(s.aliases[name], code)
	}
}

// passes reads the script until nothing new is set up in it.
func (s *Script) passes() []Command {
	shared := &findings{}
	for range maxPasses {
		before := shared.size()
		shared = &findings{setup: shared.setup}
		in := input{}
		if shared.stdin {
			in.kind = inputUnknown
		}
		f := finder{findings: shared, source: s.Text}
		f.file(s.File, in)
		if shared.size() == before {
			return shared.commands
		}
	}
	shared.unknown("more than is looked at")
	return shared.commands
}

// note keeps what a call with redirections and its input say about the rest
// of the script.
func (f *finder) note(s *syntax.Stmt, c *syntax.CallExpr, in input) {
	if in.kind == inputOther {
		return
	}
	f.feeds = true
	if len(s.Redirs) == 0 {
		return
	}
	for i := range c.Args {
		w := resolve(c.Args[i].Parts)
		if lit, ok := w.literal(); ok && lit == "exec" {
			f.stdin = true
		}
	}
}

// aliased follows a command whose first word is an alias.
func (f *finder) aliased(ws []word, l launch) {
	name, ok := ws[0].literal()
	if !ok || len(f.aliases[name]) == 0 || slices.Contains(f.expanding, name) {
		return
	}
	if l.layers >= maxLayers {
		f.unknown(name)
		return
	}
	f.expanding = append(f.expanding, name)
	for _, code := range f.aliases[name] {
		head, ok := aliasWords(code)
		if !ok {
			f.unknown(name)
			continue
		}
		f.run(append(head, ws[1:]...), l.by(name))
	}
	f.expanding = f.expanding[:len(f.expanding)-1]
}

// aliasWords are the words of an alias that is one simple command.
func aliasWords(code Text) ([]word, bool) {
	lit, ok := code.Literal()
	if !ok {
		return nil, false
	}
	script, err := Parse(lit)
	if err != nil || len(script.File.Stmts) > 1 {
		return nil, false
	}
	if len(script.File.Stmts) == 0 {
		return nil, true
	}
	stmt := script.File.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(stmt.Redirs) > 0 || stmt.Background || stmt.Negated {
		return nil, false
	}
	ws := words(lit, call.Args)
	for i := range ws {
		ws[i].pos, ws[i].end = 0, 0
	}
	return ws, true
}

// alias follows `alias NAME=CODE…`.
func (f *finder) alias(ws []word, l launch, _ options) {
	for i := range ws[1:] {
		w := &ws[1:][i]
		lit, ok := w.literal()
		name, code, named := strings.Cut(lit, "=")
		switch {
		case !ok:
			if name, _, ok := strings.Cut(w.prefix(), "="); ok {
				f.define(name, unknown())
			}
			f.unknown(l.via)
		case named:
			t := Text{}.add(Piece{Literal, code})
			f.define(name, t)
			f.expanding = append(f.expanding, name)
			f.code(t, l)
			f.expanding = f.expanding[:len(f.expanding)-1]
		}
	}
}

// aliasAssign follows an assignment to the array that holds the aliases.
func (f *finder) aliasAssign(a *syntax.Assign) {
	if index, ok := a.Index.(*syntax.Word); ok && a.Value != nil {
		name, value := resolve(index.Parts), resolve(a.Value.Parts)
		if lit, ok := name.literal(); ok {
			f.define(lit, value.text())
			f.code(value.text(), launch{via: "alias", layers: f.layers + 1})
			return
		}
	}
	f.unknown("alias")
}
