package command

import (
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// The interpreter makes a regular expression of every pattern, which may be all
// that an event holds, and takes @(x) for an alternative even in quotes. So what
// is known to be text and * is matched by commands of ours.

// sameText makes of A == B such a command, or returns nil.
func sameText(x syntax.TestExpr) *syntax.Stmt {
	b, ok := x.(*syntax.BinaryTest)
	if !ok || b.Op != syntax.TsMatch && b.Op != syntax.TsMatchShort && b.Op != syntax.TsNoMatch {
		return nil
	}
	left, ok := b.X.(*syntax.Word)
	right, ok2 := b.Y.(*syntax.Word)
	if !ok || !ok2 {
		return nil
	}
	if left = oneArgument(left); left == nil {
		return nil
	}
	call := matchCall(left, right)
	if call == nil {
		return nil
	}
	return &syntax.Stmt{Negated: b.Op == syntax.TsNoMatch, Cmd: call}
}

// matchCall is the command that matches a word that is one argument, or nil where
// the pattern is more than text and *. Each piece of the pattern is two arguments:
// "=" and a text, or "*" and nothing.
func matchCall(subject, pattern *syntax.Word) *syntax.CallExpr {
	texts := pieces(pattern)
	if texts == nil {
		return nil
	}
	args := []*syntax.Word{literal(matchName), subject}
	for _, text := range texts {
		if text == nil {
			args = append(args, verbatim(literal("*")), verbatim(literal("")))
			continue
		}
		args = append(args, literal("="), text)
	}
	return &syntax.CallExpr{Args: args}
}

// pieces takes a pattern apart: texts, each a word that is one argument, and nil
// for a *. It returns nil for a pattern of which that is not known.
func pieces(w *syntax.Word) (all []*syntax.Word) {
	text := &syntax.Word{}
	for i, p := range w.Parts {
		if _, ok := p.(*syntax.Lit); !ok {
			if !isQuoted(&syntax.Word{Parts: []syntax.WordPart{p}}) {
				return nil
			}
			text.Parts = append(text.Parts, p)
			continue
		}
		home, rest := tilde(w, i)
		if strings.ContainsAny(rest, `?[\`) {
			return nil
		}
		text.Parts = append(text.Parts, home...)
		for j, part := range strings.Split(rest, "*") {
			if j > 0 && len(text.Parts) > 0 {
				all = append(all, text)
			}
			if j > 0 {
				all, text = append(all, nil), &syntax.Word{}
			}
			if part != "" {
				text.Parts = append(text.Parts, verbatim(literal(part)).Parts...)
			}
		}
	}
	if len(text.Parts) > 0 {
		all = append(all, text)
	}
	return all
}

// tilde splits the literal that is the part i of a word into a ~ that stands for
// the home directory, and the rest.
func tilde(w *syntax.Word, i int) (home []syntax.WordPart, rest string) {
	rest = w.Parts[i].(*syntax.Lit).Value
	switch {
	case i > 0:
	case rest == "~" && len(w.Parts) == 1:
		return []syntax.WordPart{&syntax.Lit{Value: "~"}}, ""
	case strings.HasPrefix(rest, "~/"):
		return []syntax.WordPart{&syntax.Lit{Value: "~/"}}, rest[2:]
	}
	return nil, rest
}

// match does what a command of matchCall asks for.
func match(args []string) error {
	subject, pieces := args[0], args[1:]
	anywhere := false // a * stands before what comes
	for i := 0; i < len(pieces); i += 2 {
		text := pieces[i+1]
		switch {
		case pieces[i] == "*":
			anywhere = true
			continue
		case !anywhere && !strings.HasPrefix(subject, text):
			return interp.ExitStatus(1)
		case !anywhere:
			subject = subject[len(text):]
			continue
		case i+2 == len(pieces):
			if !strings.HasSuffix(subject, text) {
				return interp.ExitStatus(1)
			}
			return nil
		}
		_, after, found := strings.Cut(subject, text)
		if !found {
			return interp.ExitStatus(1)
		}
		subject, anywhere = after, false
	}
	if subject != "" && !anywhere {
		return interp.ExitStatus(1)
	}
	return nil
}

// isQuoted reports whether all of a word stands in quotes, and comes to one
// argument.
func isQuoted(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.SglQuoted:
		case *syntax.DblQuoted:
			if isList(p) {
				return false
			}
		default:
			return false
		}
	}
	return len(w.Parts) > 0
}

// oneArgument writes a word that is one value, as one is in [[ ]], so that it is
// one argument. It returns nil for a word of which that is not known.
func oneArgument(w *syntax.Word) *syntax.Word {
	one := &syntax.Word{}
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			home, rest := tilde(w, i)
			one.Parts = append(one.Parts, home...)
			if rest != "" {
				one.Parts = append(one.Parts, verbatim(literal(rest)).Parts...)
			}
		case *syntax.ParamExp, *syntax.CmdSubst:
			one.Parts = append(one.Parts, &syntax.DblQuoted{Parts: []syntax.WordPart{p}})
		case *syntax.SglQuoted, *syntax.DblQuoted:
			if !isQuoted(&syntax.Word{Parts: []syntax.WordPart{p}}) {
				return nil
			}
			one.Parts = append(one.Parts, p)
		default:
			return nil
		}
	}
	if len(one.Parts) == 0 {
		return nil
	}
	return one
}
