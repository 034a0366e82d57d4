package command

import "mvdan.cc/sh/v3/syntax"

// The variables in which a rewritten case keeps its word, and the status of what
// came before.
const (
	caseName   = "__theus_case"
	beforeName = "__theus_before"
)

// caseByMatch makes of a case a chain of ifs with matches of ours, or returns nil:
//
//	{ S=$? V=WORD; if match "$V" …; then V=; status "$S"; BODY; …; else V=; fi; }
//
// The status of what came before is $? in the body. A word that stays the same
// needs no V.
func caseByMatch(c *syntax.CaseClause) syntax.Command {
	subject := oneArgument(c.Word)
	if subject == nil {
		return nil
	}
	before := &syntax.CallExpr{Assigns: []*syntax.Assign{assign(beforeName, dollar("?"))}}
	forget := assignment(caseName, &syntax.SglQuoted{})
	if changes(c.Word) {
		before.Assigns = append(before.Assigns, assign(caseName, subject.Parts...))
		subject = quoted(dollar(caseName))
	}
	first := &syntax.IfClause{}
	last := first
	for _, item := range c.Items {
		cond := itemMatch(item, subject)
		if cond == nil {
			return nil
		}
		last.Cond = []*syntax.Stmt{cond}
		last.Then = []*syntax.Stmt{forget}
		if len(item.Stmts) > 0 {
			status := &syntax.CallExpr{Args: []*syntax.Word{literal(statusCode), quoted(dollar(beforeName))}}
			last.Then = append([]*syntax.Stmt{forget, {Cmd: status}}, item.Stmts...)
		}
		last.Else = &syntax.IfClause{}
		last = last.Else
	}
	last.Then = []*syntax.Stmt{forget}
	chain := &syntax.Stmt{Cmd: first}
	if len(c.Items) == 0 {
		chain = forget
	}
	return &syntax.Block{Stmts: []*syntax.Stmt{{Cmd: before}, chain}}
}

// itemMatch is the condition of one item: a match of its patterns, one after the
// other.
func itemMatch(item *syntax.CaseItem, subject *syntax.Word) (whole *syntax.Stmt) {
	for _, p := range item.Patterns {
		call := matchCall(subject, p)
		if call == nil || usesStatus(p) {
			return nil
		}
		whole = binary(syntax.OrStmt, whole, &syntax.Stmt{Cmd: call})
	}
	return whole
}

// changes reports whether a word would not be the same a second time: a command
// in it would run again, and $? be another.
func changes(w *syntax.Word) (found bool) {
	syntax.Walk(w, func(n syntax.Node) bool {
		_, ok := n.(*syntax.CmdSubst)
		found = found || ok
		return !found
	})
	return found || usesStatus(w)
}

func usesStatus(w *syntax.Word) (found bool) {
	syntax.Walk(w, func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		found = found || ok && p.Param != nil && p.Param.Value == "?"
		return !found
	})
	return found
}

func quoted(p syntax.WordPart) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: []syntax.WordPart{p}}}}
}
