package shell

import (
	"maps"

	"mvdan.cc/sh/v3/syntax"
)

// An expansion cannot be interrupted, so what a script may hold in memory has to
// be bounded before. Sizes are counted in units: a unit is the most that a
// substitution or a line may bring into the script, which is watched while it
// runs, as is what all variables together hold whenever a command begins. In
// between, the words of one statement, and the variables that are made of
// others, may hold maxSize. A speck is a text of the script itself; a variable of
// the environment is bounded by the system.
const (
	speck     = 1
	inherited = 2
	unit      = 64
	maxSize   = 6 * unit
)

// A pattern becomes an expression, which holds many times its text.
const patternWeight = 16

// grows tells j of the constructs by which a script could hold more than that. A
// loop in which a variable gets larger from pass to pass has no bound.
func grows(f *syntax.File, j *judge) {
	s := sizes{judge: j, vars: map[string]int{}, copies: map[string]int{}}
	s.stmts(f.Stmts)
}

type sizes struct {
	judge  *judge
	vars   map[string]int // the largest size so far of those that the script sets
	copies map[string]int // the same of those that are made of others
	copied int            // the sum of copies
}

// stmts visits what runs one after the other, and returns the most that one of
// them holds.
func (s *sizes) stmts(list []*syntax.Stmt) int {
	most := 0
	for _, st := range list {
		most = max(most, s.stmt(st))
	}
	return most
}

func (s *sizes) stmt(st *syntax.Stmt) int {
	total := s.command(st.Cmd)
	for _, r := range st.Redirs {
		total += s.held(r.Word) + s.held(r.Hdoc)
	}
	if total > maxSize {
		s.judge.reject(st, "a command that expands too much")
	}
	return min(total, maxSize+1)
}

// command returns what a command holds at one time while it runs: the parts of a
// pipe run together, the parts of a list do not.
func (s *sizes) command(c syntax.Command) int {
	switch c := c.(type) {
	case *syntax.CallExpr:
		return s.call(c)
	case *syntax.DeclClause:
		return s.assigns(c.Args)
	case *syntax.BinaryCmd:
		x, y := s.stmt(c.X), s.stmt(c.Y)
		if c.Op == syntax.Pipe {
			return x + y
		}
		return max(x, y)
	case *syntax.IfClause:
		most := max(s.stmts(c.Cond), s.stmts(c.Then))
		if c.Else != nil {
			most = max(most, s.command(c.Else))
		}
		return most
	case *syntax.Block:
		return s.stmts(c.Stmts)
	case *syntax.Subshell:
		return s.stmts(c.Stmts)
	case *syntax.CaseClause:
		return s.caseClause(c)
	case *syntax.TestClause:
		return s.test(c.X)
	case *syntax.ForClause:
		return s.loop(c)
	case *syntax.WhileClause:
		return max(s.stmts(c.Cond), s.twice(c, c.Do))
	default:
		return 0
	}
}

func (s *sizes) call(c *syntax.CallExpr) int {
	total := s.assigns(c.Assigns)
	for _, w := range c.Args {
		total += s.held(w)
	}
	if len(c.Args) > 0 && c.Args[0].Lit() == "read" {
		for _, w := range c.Args[1:] {
			s.set(w.Lit(), unit)
		}
	}
	return total
}

func (s *sizes) assigns(list []*syntax.Assign) int {
	total := 0
	for _, a := range list {
		total += s.held(a.Value)
		if a.Name == nil || a.Value == nil {
			continue
		}
		size := s.word(a.Value)
		s.set(a.Name.Value, size)
		if size > unit || !substitutes(a.Value) {
			s.copy(a, a.Name.Value, size)
		}
	}
	return total
}

func (s *sizes) caseClause(c *syntax.CaseClause) int {
	total, most := s.held(c.Word), 0
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			total += patternWeight * s.held(p)
		}
		most = max(most, s.stmts(item.Stmts))
	}
	return max(total, most)
}

func (s *sizes) test(x syntax.TestExpr) int {
	switch x := x.(type) {
	case *syntax.Word:
		return s.held(x)
	case *syntax.ParenTest:
		return s.test(x.X)
	case *syntax.UnaryTest:
		return s.test(x.X)
	case *syntax.BinaryTest:
		if y, ok := x.Y.(*syntax.Word); ok && !allQuoted(y) {
			return s.test(x.X) + patternWeight*s.held(y)
		}
		return s.test(x.X) + s.test(x.Y)
	default:
		return 0
	}
}

// allQuoted reports whether all of a word stands in quotes, so that it is no
// pattern.
func allQuoted(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
		default:
			return false
		}
	}
	return true
}

func (s *sizes) loop(n *syntax.ForClause) int {
	total := 0
	if iter, ok := n.Loop.(*syntax.WordIter); ok {
		for _, w := range iter.Items {
			total += s.held(w)
			s.set(iter.Name.Value, s.word(w))
		}
	}
	return total + s.twice(n, n.Do)
}

// twice goes through a loop's body two times: what grew in the second pass
// would grow in every one.
func (s *sizes) twice(n syntax.Node, body []*syntax.Stmt) int {
	most := s.stmts(body)
	before := maps.Clone(s.vars)
	s.stmts(body)
	for name, size := range s.vars {
		if size > before[name] {
			s.judge.reject(n, "a value that grows in a loop")
			break
		}
	}
	return most
}

func (s *sizes) set(name string, size int) {
	s.vars[name] = min(max(s.vars[name], size), maxSize+1)
}

// copy notes the size of a variable that is made of others.
func (s *sizes) copy(n syntax.Node, name string, size int) {
	if more := size - s.copies[name]; more > 0 {
		s.copies[name] = size
		s.copied += more
	}
	if s.copied > maxSize && size <= maxSize {
		s.judge.reject(n, "values made of too many others")
	}
}

// held is what a word holds while it is expanded, the commands in it included.
func (s *sizes) held(w *syntax.Word) int {
	if w == nil {
		return 0
	}
	total := s.word(w)
	syntax.Walk(w, func(n syntax.Node) bool {
		sub, ok := n.(*syntax.CmdSubst)
		if ok {
			total += s.stmts(sub.Stmts)
		}
		return !ok
	})
	return total
}

// word is the size that a word may come to.
func (s *sizes) word(w *syntax.Word) int {
	if w == nil {
		return 0
	}
	return s.parts(w.Parts)
}

// parts adds up what a word is made of.
func (s *sizes) parts(parts []syntax.WordPart) int {
	total := 0
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.DblQuoted:
			total += s.parts(p.Parts)
		case *syntax.ParamExp:
			total += s.param(p)
		case *syntax.CmdSubst:
			total += s.output(p.Stmts)
		default:
			total += speck
		}
	}
	return min(total, maxSize+1)
}

func (s *sizes) param(p *syntax.ParamExp) int {
	if p.Param != nil {
		if size, ok := s.vars[p.Param.Value]; ok {
			return size
		}
	}
	return inherited
}

// output is what commands may print into a substitution.
func (s *sizes) output(stmts []*syntax.Stmt) int {
	total := 0
	for _, st := range stmts {
		total += s.printed(st.Cmd)
	}
	return min(total, maxSize+1)
}

func (s *sizes) printed(c syntax.Command) int {
	switch c := c.(type) {
	case nil, *syntax.TestClause, *syntax.DeclClause:
		return 0
	case *syntax.CallExpr:
		return s.printedBy(c)
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe {
			return s.output([]*syntax.Stmt{c.Y})
		}
		return s.output([]*syntax.Stmt{c.X, c.Y})
	case *syntax.Block:
		return s.output(c.Stmts)
	case *syntax.Subshell:
		return s.output(c.Stmts)
	case *syntax.IfClause:
		total := s.output(c.Cond) + s.output(c.Then)
		if c.Else != nil {
			total += s.printed(c.Else)
		}
		return total
	case *syntax.CaseClause:
		total := 0
		for _, item := range c.Items {
			total += s.output(item.Stmts)
		}
		return total
	default:
		return maxSize + 1 // a loop: as much as it likes
	}
}

// printedBy is what a simple command may print: echo its arguments, a program
// a unit, whatever it reads.
func (s *sizes) printedBy(c *syntax.CallExpr) int {
	if len(c.Args) == 0 {
		return 0
	}
	switch name := c.Args[0].Lit(); {
	case name == "echo" || name == "printf":
		total := 0
		for _, w := range c.Args[1:] {
			total += s.word(w)
		}
		return total
	case name != "exec" && isKnownToShells(name):
		return speck
	default:
		return unit
	}
}
