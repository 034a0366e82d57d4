package command

import (
	"fmt"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// repair changes the tree of a script where the interpreter is known to read it
// otherwise than bash does, so that it comes out the same. Each repair is
// proven by a case of testdata/bash and goes when the interpreter is right
// without it.
func repair(f *syntax.File) {
	own := functions(f)
	for _, n := range nodes(f) { // not while walking: a repaired node is not to be repaired again
		switch n := n.(type) {
		case *syntax.Assign:
			splitEscapes(n.Value)
		case *syntax.CmdSubst:
			readByCat(n)
		case *syntax.CaseClause:
			splitEscapes(n.Word)
		case *syntax.Redirect:
			switch n.Op {
			case syntax.Hdoc:
			case syntax.DashHdoc:
				stripTabs(n)
			default:
				splitEscapes(n.Word)
			}
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe {
				n.Y = alone(n.Y)
			}
		case *syntax.Stmt:
			repairStmt(n, own)
		}
	}
}

// readByCat makes $(< file) a $(cat < file): the interpreter would take in the
// whole file, however long it is.
func readByCat(sub *syntax.CmdSubst) {
	if len(sub.Stmts) != 1 {
		return
	}
	if st := sub.Stmts[0]; st.Cmd == nil && len(st.Redirs) == 1 && st.Redirs[0].Op == syntax.RdrIn {
		st.Cmd = &syntax.CallExpr{Args: []*syntax.Word{literal("cat")}}
	}
}

func nodes(f *syntax.File) (all []syntax.Node) {
	syntax.Walk(f, func(n syntax.Node) bool {
		if n != nil {
			all = append(all, n)
		}
		return true
	})
	return all
}

func repairStmt(st *syntax.Stmt, functions map[string]bool) {
	if c, ok := st.Cmd.(*syntax.CallExpr); ok && len(st.Redirs) > 0 {
		if inner := expandFirst(st, c); inner != nil {
			st = inner
		}
	}
	switch c := st.Cmd.(type) {
	case *syntax.TestClause:
		st.Cmd = asCommand(condition(c.X))
	case *syntax.CallExpr:
		if x := classicTest(c, functions); x != nil {
			st.Cmd = asCommand(condition(x))
		}
	case *syntax.CaseClause:
		if chain := caseByMatch(c); chain != nil {
			st.Cmd = chain
		}
	case *syntax.WhileClause:
		st.Cmd = keepStatus(c)
	}
}

// expandFirst lets the substitutions in a simple command run before its
// redirections, as bash does: echo "$(cat f)" > f. The interpreter opens the
// files first. Each substitution goes into a variable of its own:
// { V=$(cat f); echo "$V" > f; }. It returns the statement that the redirections
// are now with, or nil if there is no substitution.
func expandFirst(st *syntax.Stmt, c *syntax.CallExpr) *syntax.Stmt {
	var before []*syntax.Stmt
	hoist := func(parts []syntax.WordPart) {
		for i, p := range parts {
			if sub, ok := p.(*syntax.CmdSubst); ok {
				name := fmt.Sprintf("__theus_%d", sub.Pos().Offset())
				before = append(before, assignment(name, sub))
				parts[i] = dollar(name)
			}
		}
	}
	each := func(w *syntax.Word) {
		if w == nil {
			return
		}
		for _, p := range w.Parts {
			if q, ok := p.(*syntax.DblQuoted); ok {
				hoist(q.Parts)
			}
		}
		hoist(w.Parts)
	}
	for _, w := range c.Args {
		each(w)
	}
	for _, a := range c.Assigns {
		each(a.Value)
	}
	if before == nil {
		return nil
	}
	inner := &syntax.Stmt{Position: st.Position, Cmd: c, Redirs: st.Redirs}
	st.Redirs = nil
	st.Cmd = &syntax.Block{Stmts: append(before, inner)}
	return inner
}

// splitEscapes makes each escaped character a quoted one: where a word becomes
// one value, the interpreter keeps the backslash.
func splitEscapes(w *syntax.Word) {
	if w == nil {
		return
	}
	var parts []syntax.WordPart
	for _, p := range w.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok || !strings.ContainsRune(lit.Value, '\\') {
			parts = append(parts, p)
			continue
		}
		parts = append(parts, unescape(lit.Value)...)
	}
	w.Parts = parts
}

func unescape(s string) (parts []syntax.WordPart) {
	for s != "" {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			return append(parts, &syntax.Lit{Value: s})
		}
		if i > 0 {
			parts = append(parts, &syntax.Lit{Value: s[:i]})
		}
		parts = append(parts, &syntax.SglQuoted{Value: s[i+1 : i+2]})
		s = s[i+2:]
	}
	return parts
}

// stripTabs makes <<- a << without the tabs. The interpreter takes empty lines
// at the beginning with them.
func stripTabs(r *syntax.Redirect) {
	r.Op = syntax.Hdoc
	if r.Hdoc == nil {
		return
	}
	atStart := true
	for _, p := range r.Hdoc.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			atStart = false
			continue
		}
		lines := strings.SplitAfter(lit.Value, "\n")
		for i, line := range lines {
			if atStart || i > 0 {
				lines[i] = strings.TrimLeft(line, "\t")
			}
		}
		lit.Value = strings.Join(lines, "")
		atStart = strings.HasSuffix(lit.Value, "\n")
	}
}

// alone puts the last part of a pipe into a subshell, which it is in bash: it
// cannot leave the script nor set its variables.
func alone(st *syntax.Stmt) *syntax.Stmt {
	return &syntax.Stmt{Position: st.Position, Cmd: &syntax.Subshell{Stmts: []*syntax.Stmt{st}}}
}

// statusName is how the variable begins in which a repaired loop keeps its
// status. Each loop has its own, as they nest.
const statusName = "__theus_status_"

// keepStatus gives a while loop the exit status of its body's last pass, which
// the interpreter forgets: { S=0; while C; do S=0; B; S=$?; done; (exit $S); }
func keepStatus(c *syntax.WhileClause) syntax.Command {
	name := statusName + strconv.Itoa(int(c.Pos().Offset()))
	zero := assignment(name, &syntax.Lit{Value: "0"})
	body := append([]*syntax.Stmt{zero}, c.Do...)
	loop := *c
	loop.Do = append(body, assignment(name, dollar("?")))
	leave := &syntax.CallExpr{Args: []*syntax.Word{literal("exit"), {Parts: []syntax.WordPart{dollar(name)}}}}
	return &syntax.Block{Stmts: []*syntax.Stmt{
		zero, {Cmd: &loop}, {Cmd: &syntax.Subshell{Stmts: []*syntax.Stmt{{Cmd: leave}}}},
	}}
}

func assignment(name string, value ...syntax.WordPart) *syntax.Stmt {
	return &syntax.Stmt{Cmd: &syntax.CallExpr{Assigns: []*syntax.Assign{assign(name, value...)}}}
}

func assign(name string, value ...syntax.WordPart) *syntax.Assign {
	return &syntax.Assign{Name: &syntax.Lit{Value: name}, Value: &syntax.Word{Parts: value}}
}

func dollar(name string) *syntax.ParamExp {
	return &syntax.ParamExp{Short: true, Param: &syntax.Lit{Value: name}}
}

func literal(s string) *syntax.Word {
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: s}}}
}

// condition makes of a [[ ]] expression commands joined by && and ||: the
// interpreter binds ! looser than &&, && looser than ||, and looks at both
// sides in any case.
func condition(x syntax.TestExpr) *syntax.Stmt {
	operands, operators := flatten(x)
	if len(operands) > 1 {
		return join(operands, operators)
	}
	switch x := operands[0].(type) {
	case *syntax.ParenTest:
		return condition(x.X)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			return &syntax.Stmt{Negated: true, Cmd: asCommand(condition(x.X))}
		}
	}
	if st := sameText(operands[0]); st != nil {
		return st
	}
	if st := fileTest(operands[0]); st != nil {
		return st
	}
	repairOperand(operands[0])
	return &syntax.Stmt{Cmd: &syntax.TestClause{X: operands[0]}}
}

// flatten takes an expression apart at its && and ||, in the order of the text.
// A ! before several belongs to the first: parentheses would have kept them
// together.
func flatten(x syntax.TestExpr) (operands []syntax.TestExpr, operators []syntax.BinTestOperator) {
	switch x := x.(type) {
	case *syntax.BinaryTest:
		if x.Op != syntax.AndTest && x.Op != syntax.OrTest {
			break
		}
		left, leftOps := flatten(x.X)
		right, rightOps := flatten(x.Y)
		operators = append(append(leftOps, x.Op), rightOps...)
		return append(left, right...), operators
	case *syntax.UnaryTest:
		if x.Op != syntax.TsNot {
			break
		}
		operands, operators = flatten(x.X)
		operands[0] = &syntax.UnaryTest{OpPos: x.OpPos, Op: syntax.TsNot, X: operands[0]}
		return operands, operators
	}
	return []syntax.TestExpr{x}, nil
}

// join builds a || b && c as bash groups it in [[ ]]: && first.
func join(operands []syntax.TestExpr, operators []syntax.BinTestOperator) *syntax.Stmt {
	var whole *syntax.Stmt
	group := condition(operands[0])
	for i, op := range operators {
		next := condition(operands[i+1])
		if op == syntax.AndTest {
			group = binary(syntax.AndStmt, group, next)
			continue
		}
		whole = binary(syntax.OrStmt, whole, group)
		group = next
	}
	return binary(syntax.OrStmt, whole, group)
}

func binary(op syntax.BinCmdOperator, x, y *syntax.Stmt) *syntax.Stmt {
	if x == nil {
		return y
	}
	return &syntax.Stmt{Cmd: &syntax.BinaryCmd{Op: op, X: x, Y: y}}
}

func asCommand(st *syntax.Stmt) syntax.Command {
	if st.Negated {
		return &syntax.Block{Stmts: []*syntax.Stmt{st}}
	}
	return st.Cmd
}

// repairOperand repairs the words of a single test. In a regular expression a
// point is any character, a newline too.
func repairOperand(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		splitEscapes(x)
	case *syntax.UnaryTest:
		repairOperand(x.X)
	case *syntax.BinaryTest:
		repairOperand(x.X)
		y, ok := x.Y.(*syntax.Word)
		if ok && x.Op == syntax.TsReMatch {
			y.Parts = append([]syntax.WordPart{&syntax.Lit{Value: "(?s)"}}, y.Parts...)
		}
	}
}

// classicTest reads test and [ ] by their operators as written, so that an
// operand that comes to "!" or "-f" is not taken for one. It returns nil for
// forms that it does not know.
func classicTest(c *syntax.CallExpr, functions map[string]bool) syntax.TestExpr {
	if len(c.Args) == 0 || len(c.Assigns) > 0 {
		return nil
	}
	name, args := c.Args[0].Lit(), c.Args[1:]
	switch {
	case functions[name] || (name != "[" && name != "test"):
		return nil
	case name == "[":
		if len(args) == 0 || args[len(args)-1].Lit() != "]" {
			return nil
		}
		args = args[:len(args)-1]
	}
	return classicExpr(args)
}

func classicExpr(args []*syntax.Word) syntax.TestExpr {
	switch {
	case len(args) == 3 && single(args[0]) && single(args[2]) && binaryOperators[args[1].Lit()] != 0:
		y := oneArgument(args[2])
		if y == nil {
			y = verbatim(args[2])
		}
		return &syntax.BinaryTest{Op: binaryOperators[args[1].Lit()], X: args[0], Y: y}
	case len(args) > 1 && args[0].Lit() == "!":
		if x := classicExpr(args[1:]); x != nil {
			return &syntax.UnaryTest{Op: syntax.TsNot, X: x}
		}
	case len(args) == 1 && single(args[0]):
		return &syntax.UnaryTest{Op: syntax.TsNempStr, X: args[0]}
	case len(args) == 2 && single(args[1]):
		if op, ok := unaryOperators[args[0].Lit()]; ok {
			return &syntax.UnaryTest{Op: op, X: args[1]}
		}
	}
	return nil
}

var unaryOperators = map[string]syntax.UnTestOperator{
	"-z": syntax.TsEmpStr, "-n": syntax.TsNempStr, "-e": syntax.TsExists, "-f": syntax.TsRegFile,
	"-d": syntax.TsDirect, "-r": syntax.TsRead, "-w": syntax.TsWrite, "-x": syntax.TsExec,
	"-s": syntax.TsNoEmpty, "-L": syntax.TsSmbLink, "-h": syntax.TsSmbLink, "-p": syntax.TsNmPipe,
}

var binaryOperators = map[string]syntax.BinTestOperator{
	"=": syntax.TsMatch, "==": syntax.TsMatch, "!=": syntax.TsNoMatch,
	"-eq": syntax.TsEql, "-ne": syntax.TsNeq, "-lt": syntax.TsLss,
	"-le": syntax.TsLeq, "-gt": syntax.TsGtr, "-ge": syntax.TsGeq,
}

// single reports whether a word always comes to one argument.
func single(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			if isList(p) {
				return false
			}
		case *syntax.ParamExp:
			if p.Param == nil || p.Param.Value != "?" {
				return false
			}
		default:
			return false
		}
	}
	return len(w.Parts) > 0
}

// isList reports whether double quotes may hold several words, as "$@" does.
func isList(q *syntax.DblQuoted) bool {
	for _, p := range q.Parts {
		if e, ok := p.(*syntax.ParamExp); ok && (e.Param == nil || e.Param.Value == "@" || e.Index != nil || e.Excl) {
			return true
		}
	}
	return false
}

// verbatim quotes what is literal in a word, so that it is no pattern.
func verbatim(w *syntax.Word) *syntax.Word {
	splitEscapes(w)
	quoted := &syntax.Word{}
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			p = &syntax.SglQuoted{Value: lit.Value}
		}
		quoted.Parts = append(quoted.Parts, p)
	}
	return quoted
}
