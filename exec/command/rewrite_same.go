package command

import "mvdan.cc/sh/v3/syntax"

// sameText makes of A == "B", where B is no pattern, a command of ours that
// compares texts, or returns nil. The interpreter would make a regular
// expression of B, which may be all that an event holds.
func sameText(x syntax.TestExpr) *syntax.Stmt {
	b, ok := x.(*syntax.BinaryTest)
	if !ok || b.Op != syntax.TsMatch && b.Op != syntax.TsMatchShort && b.Op != syntax.TsNoMatch {
		return nil
	}
	left, ok := b.X.(*syntax.Word)
	right, ok2 := b.Y.(*syntax.Word)
	if !ok || !ok2 || !isQuoted(right) {
		return nil
	}
	if left = oneArgument(left); left == nil {
		return nil
	}
	call := &syntax.CallExpr{Args: []*syntax.Word{literal(sameName), left, right}}
	return &syntax.Stmt{Negated: b.Op == syntax.TsNoMatch, Cmd: call}
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
			if i == 0 && len(p.Value) > 0 && p.Value[0] == '~' {
				return nil
			}
			text := &syntax.Word{Parts: []syntax.WordPart{p}}
			one.Parts = append(one.Parts, verbatim(text).Parts...)
			continue
		case *syntax.ParamExp, *syntax.CmdSubst:
			one.Parts = append(one.Parts, &syntax.DblQuoted{Parts: []syntax.WordPart{p}})
		case *syntax.SglQuoted, *syntax.DblQuoted:
			one.Parts = append(one.Parts, p)
		default:
			return nil
		}
	}
	if !isQuoted(one) {
		return nil
	}
	return one
}
