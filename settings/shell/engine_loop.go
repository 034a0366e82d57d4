package shell

import "mvdan.cc/sh/v3/syntax"

// maxLoops is how deep loops may nest: each multiplies the passes of those
// inside it.
const maxLoops = 2

func (j *judge) forClause(c *syntax.ForClause) {
	iter, ok := c.Loop.(*syntax.WordIter)
	switch {
	case !ok:
		j.reject(c, "for (( ))")
	case c.Select:
		j.reject(c, "select")
	case !iter.InPos.IsValid():
		j.reject(c, "for without in")
	case iter.InPos.Line() != iter.Name.Pos().Line():
		j.reject(c, "for with in on another line") // inside case it is no word of bash's
	case c.Braces:
		j.reject(c, "for with braces")
	case !settable(iter.Name.Value):
		j.reject(iter.Name, "the variable %s", iter.Name.Value)
	case j.exported[iter.Name.Value]:
		j.reject(iter.Name, "a loop over the exported %s", iter.Name.Value)
	default:
		j.unset[iter.Name.Value] = true // the interpreter would forget that it is exported
		for _, w := range iter.Items {
			j.word(w, asFields)
			if substitutes(w) && usesStatus(c) {
				j.reject(c, "the status of a substitution in for")
			}
		}
		j.loop(c, c.Do)
		j.closed(c.Do, c.DonePos)
	}
}

// whileClause allows a loop over lines, which ends with its input:
// while read -r x; do … done.
func (j *judge) whileClause(c *syntax.WhileClause) {
	switch {
	case c.Until:
		j.reject(c, "until")
	case len(c.Cond) != 1 || !readsFirst(c.Cond[0]):
		j.reject(c, "a while loop without read")
	default:
		j.stmts(c.Cond)
		j.loop(c, c.Do)
		j.closed(c.Do, c.DonePos)
	}
}

// readsFirst reports whether a condition is read, or read || TEST.
func readsFirst(st *syntax.Stmt) bool {
	if st.Negated || len(st.Redirs) > 0 {
		return false
	}
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		return len(c.Args) > 0 && c.Args[0].Lit() == "read"
	case *syntax.BinaryCmd:
		return c.Op == syntax.OrStmt && readsFirst(c.X) && isTest(c.Y)
	default:
		return false
	}
}

func isTest(st *syntax.Stmt) bool {
	c, ok := st.Cmd.(*syntax.CallExpr)
	return ok && !st.Negated && len(c.Args) > 0 && c.Args[0].Lit() == "["
}

func (j *judge) loop(n syntax.Node, body []*syntax.Stmt) {
	j.loops++
	j.breaks++
	if j.loops > maxLoops {
		j.reject(n, "a loop in a loop in a loop")
	}
	j.stmts(body)
	j.loops--
	j.breaks--
}

// apart judges what runs in a shell of its own, where a break ends no loop
// outside it.
func (j *judge) apart(judge func()) {
	breaks := j.breaks
	j.breaks = 0
	judge()
	j.breaks = breaks
}

// branch judges a list that is no loop's body. In one the interpreter would go on
// after a break, to the end of the list.
func (j *judge) branch(list []*syntax.Stmt) {
	j.stmts(list)
	for i, st := range list {
		if i+1 < len(list) && leaves(st) {
			j.reject(list[i+1], "a command after break in a branch")
			return
		}
	}
}

// leaves reports whether a command may end or go on with a loop around it.
func leaves(n syntax.Node) (found bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ForClause, *syntax.WhileClause, *syntax.Subshell, *syntax.CmdSubst:
			return false
		case *syntax.CallExpr:
			found = found || calls(n, "break", "continue")
		}
		return !found
	})
	return found
}
