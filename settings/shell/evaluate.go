package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assigned looks at assignments that make the shell run something.
func (f *finder) assigned(assigns []*syntax.Assign) {
	for _, a := range assigns {
		if a.Name == nil {
			continue
		}
		if a.Name.Value == "BASH_ALIASES" && !a.Naked {
			f.aliasAssign(a)
		}
		if a.Index != nil && hidden(a.Index, runsCode) || a.Value != nil && hidden(a.Value, subscripted) {
			f.unknown(a.Name.Value)
		}
		if a.Value != nil {
			value := resolve(a.Value.Parts)
			f.prompt(a.Name.Value, value.text())
		}
	}
}

// prompt follows a variable whose value the shell expands or runs by itself.
func (f *finder) prompt(name string, value Text) {
	switch name {
	case "PROMPT_COMMAND":
		f.code(value, launch{via: name, layers: f.layers + 1})
	case "PS0", "PS1", "PS2", "PS4", "BASH_ENV":
		lit, ok := value.Literal()
		if !ok || runsCode(lit) || strings.Contains(lit, `\0`) || strings.Contains(lit, "@P}") {
			f.unknown(name)
		}
	}
}

// runsCode reports whether text holds a substitution, should it be expanded.
func runsCode(s string) bool {
	return strings.Contains(s, "$(") || strings.Contains(s, "`") || strings.Contains(s, "${ ") || strings.Contains(s, "${|")
}

// subscripted reports whether text holds a substitution in a subscript, which
// the shell runs where it takes the text for arithmetic or for a variable.
func subscripted(s string) bool {
	_, index, ok := strings.Cut(s, "[")
	return ok && runsCode(index)
}

// hidden reports whether the literal text of a word below n is such that test
// holds; commands below it are not looked at.
func hidden(n syntax.Node, test func(string) bool) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			return false
		case *syntax.Word:
			w := resolve(n.Parts)
			found = found || hides(&w, test)
		}
		return !found
	})
	return found
}

func hides(w *word, test func(string) bool) bool {
	return test(w.text().String())
}

// evaluated looks at the words of builtins that take some for arithmetic or
// for the name of a variable.
func (f *finder) evaluated(name string, ws []word, l launch) {
	switch name {
	case "printf":
		if len(ws) < 2 || !strings.HasPrefix(ws[1].prefix(), "-v") {
			return
		}
	case "test", "[", "let", "read", "declare", "typeset", "local", "export", "readonly", "unset", "mapfile", "readarray", "getopts", "wait", "shift", "return", "exit", "ulimit":
	case "compgen", "complete":
	case "hash":
		if _, ok := hasShort(ws, "p"); ok {
			f.unknown(l.via + name)
		}
		return
	default:
		return
	}
	callback := name == "mapfile" || name == "readarray" || name == "compgen" || name == "complete"
	for i := 1; i < len(ws); i++ {
		p := ws[i].prefix()
		if hides(&ws[i], subscripted) || callback && strings.HasPrefix(p, "-") && strings.Contains(p, "C") {
			f.unknown(name)
			return
		}
	}
}

// exported looks at a NAME=VALUE word, which may set a variable of a shell.
func (f *finder) exported(name string, w *word) {
	t := slices.Clone(w.text())
	t[0].Text = strings.TrimPrefix(t[0].Text, name+"=")
	if t[0].Text == "" {
		t = t[1:]
	}
	f.prompt(name, t)
}

// prompts reports whether an expansion takes its value for a prompt, in which
// substitutions run.
func prompts(p *syntax.ParamExp) bool {
	return p.Exp != nil && p.Exp.Op == syntax.OtherParamOps && p.Exp.Word != nil && p.Exp.Word.Lit() == "P"
}

// arithmetic looks for text that is run when it is taken for arithmetic.
func (f *finder) arithmetic(n syntax.Node, via string) {
	if hidden(n, subscripted) {
		f.unknown(via)
	}
}
