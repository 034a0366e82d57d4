package envfile

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// declare evaluates export, readonly, declare and typeset. Bash expands all
// their words before it assigns the first.
func (e *evaluator) declare(d *syntax.DeclClause) error {
	option, args, err := splitOption(d.Args)
	if err != nil {
		return err
	}
	variant := d.Variant.Value
	e.bashOnly = e.bashOnly || option != "" && option != "-p" || variant == "declare" || variant == "typeset"
	switch variant + option {
	case "export", "export-n", "readonly", "declare", "declare-x", "typeset", "typeset-x":
	case "export-p", "readonly-p":
		if len(args) == 0 {
			return nil // prints
		}
		fallthrough
	default:
		return unsupportedError(strings.TrimSpace(variant + " " + option))
	}
	values, err := e.declared(args)
	if err != nil {
		return err
	}
	for i, a := range args {
		if err := e.declareOne(a, values[i], variant+option); err != nil {
			return err
		}
	}
	return nil
}

// splitOption takes a single leading option word off args.
func splitOption(args []*syntax.Assign) (string, []*syntax.Assign, error) {
	if len(args) == 0 || args[0].Name != nil {
		return "", args, nil
	}
	option := ""
	if args[0].Value != nil {
		option = args[0].Value.Lit()
	}
	if !strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "+") {
		return "", nil, unsupportedError("a name that is put together")
	}
	return option, args[1:], nil
}

// declared returns the values of args before any of them is assigned.
func (e *evaluator) declared(args []*syntax.Assign) ([]string, error) {
	values := make([]string, len(args))
	for i, a := range args {
		if a.Name == nil {
			return nil, unsupportedError("a name that is put together")
		}
		if hasBrace(a.Value) {
			return nil, unsupportedError("a brace expansion")
		}
		if _, err := e.changeable(a.Name.Value); err != nil {
			return nil, err
		}
		var err error
		if values[i], err = e.assigned(a); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// declareOne makes one argument of a declaration: NAME=value, or a NAME alone
// of which only the marks may change.
func (e *evaluator) declareOne(a *syntax.Assign, value, how string) error {
	name := a.Name.Value
	if !a.Naked {
		if err := e.assign(a, value, how != "export-n"); err != nil {
			return err
		}
	}
	v, err := e.changeable(name)
	if err != nil {
		return err
	}
	switch how {
	case "export", "declare-x", "typeset-x":
		v.exported = v.set
	case "export-n":
		v.exported = false
	case "readonly":
		v.readonly = true
		fallthrough
	default: // what set -a makes of these is for bash to say
		if v.set && !v.exported {
			return unsupportedError(how + " of a variable that is not exported")
		}
	}
	v.touched = true
	e.vars[name] = v
	e.note(name, int(a.Pos().Line()), true)
	return nil
}

// hasBrace reports whether w holds an unquoted brace, which bash may expand in
// the words of a declaration.
func hasBrace(w *syntax.Word) bool {
	if w == nil {
		return false
	}
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.Contains(lit.Value, "{") {
			return true
		}
	}
	return false
}

// unset removes the variables named by words.
func (e *evaluator) unset(words []*syntax.Word, line int) error {
	if len(words) > 0 && words[0].Lit() == "-v" {
		words = words[1:]
	}
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = w.Lit()
		if !ValidName(names[i]) {
			return unsupportedError("unset of more than names")
		}
		if _, err := e.changeable(names[i]); err != nil {
			return err
		}
	}
	for _, name := range names {
		if v := e.vars[name]; v.own {
			e.size -= len(v.value)
		}
		e.vars[name] = variable{}
		e.note(name, line, true)
	}
	return nil
}

// noteAll notes every variable that a statement left to a shell may change,
// and whether it uses what only bash has.
func (e *evaluator) noteAll(stmt *syntax.Stmt) {
	depth := 0
	syntax.Walk(stmt, func(node syntax.Node) bool {
		if node == nil {
			depth--
			return true
		}
		if depth > maxFrames { // a long pipeline is a deep tree
			return false
		}
		depth++
		switch n := node.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				e.note(n.Name.Value, int(n.Pos().Line()), isSure(stmt.Cmd, n))
			}
		case *syntax.CallExpr:
			e.noteUnset(n)
		case *syntax.TestClause, *syntax.ArrayExpr, *syntax.ProcSubst:
			e.bashOnly = true
		case *syntax.SglQuoted:
			e.bashOnly = e.bashOnly || n.Dollar
		case *syntax.ParamExp:
			e.bashOnly = e.bashOnly || n.Repl != nil || n.Slice != nil || n.Index != nil || n.Excl
		}
		return true
	})
}

// isSure reports whether running cmd makes the assignment a.
func isSure(cmd syntax.Command, a *syntax.Assign) bool {
	switch c := cmd.(type) {
	case *syntax.CallExpr:
		return len(c.Args) == 0 && slices.Contains(c.Assigns, a)
	case *syntax.DeclClause:
		return slices.Contains(c.Args, a)
	}
	return false
}

func (e *evaluator) noteUnset(call *syntax.CallExpr) {
	if len(call.Args) == 0 || call.Args[0].Lit() != "unset" {
		return
	}
	for _, w := range call.Args[1:] {
		e.note(w.Lit(), int(w.Pos().Line()), false)
	}
}
