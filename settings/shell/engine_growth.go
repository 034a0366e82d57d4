package shell

import (
	"fmt"

	"mvdan.cc/sh/v3/syntax"
)

// An expansion cannot be interrupted, so what one command of a script may hold
// in memory has to be bounded before. Sizes are counted in units: a unit is the
// most that a value can be that comes from outside (the event, the environment,
// the output of a program). The text of the script itself is a speck.
const (
	speck   = 1
	unit    = 64
	maxSize = 16 * unit
)

// grows names the construct by which a script could hold more than maxSize
// units, or "". A variable's size is what it may be made of; a loop in which a
// variable gets larger from pass to pass has no bound.
func grows(f *syntax.File) string {
	s := sizes{vars: map[string]int{}}
	s.stmts(f.Stmts)
	return s.why
}

type sizes struct {
	vars map[string]int // the largest size so far; one not in it has a unit
	why  string
}

func (s *sizes) reject(n syntax.Node, what string) {
	if s.why == "" {
		s.why = fmt.Sprintf("%s at %d:%d", what, n.Pos().Line(), n.Pos().Col())
	}
}

func (s *sizes) stmts(list []*syntax.Stmt) {
	for _, st := range list {
		s.node(st)
	}
}

// node visits what runs, in the order of the text.
func (s *sizes) node(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			s.bound(n, []*syntax.Word{n.Value})
			if n.Name != nil {
				s.set(n.Name.Value, s.word(n.Value))
			}
		case *syntax.CallExpr:
			s.bound(n, n.Args)
		case *syntax.Redirect:
			s.bound(n, []*syntax.Word{n.Word, n.Hdoc})
		case *syntax.ForClause:
			s.loop(n)
			return false
		case *syntax.WhileClause:
			s.stmts(n.Cond)
			s.twice(n, n.Do)
			return false
		}
		return true
	})
}

func (s *sizes) loop(n *syntax.ForClause) {
	if iter, ok := n.Loop.(*syntax.WordIter); ok {
		s.bound(n, iter.Items)
		for _, w := range iter.Items {
			s.set(iter.Name.Value, s.word(w))
		}
	}
	s.twice(n, n.Do)
}

// twice goes through a loop's body two times: what grew in the second pass
// would grow in every one.
func (s *sizes) twice(n syntax.Node, body []*syntax.Stmt) {
	s.stmts(body)
	before := map[string]int{}
	for name, size := range s.vars {
		before[name] = size
	}
	s.stmts(body)
	for name, size := range s.vars {
		if size > before[name] {
			s.reject(n, "a value that grows in a loop")
		}
	}
}

func (s *sizes) set(name string, size int) {
	s.vars[name] = min(max(s.vars[name], size), maxSize+1)
}

func (s *sizes) bound(n syntax.Node, words []*syntax.Word) {
	total := 0
	for _, w := range words {
		total += s.word(w)
	}
	if total > maxSize {
		s.reject(n, "a command that expands too much")
	}
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
	if size, ok := s.vars[p.Param.Value]; ok {
		return size
	}
	return unit
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
