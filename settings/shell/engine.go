package shell

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// An Engine says whether the in-process interpreter runs a script exactly as
// bash does.
type Engine struct {
	Builtin bool
	// Why names the construct that needs bash and its place: "[[ ]] at 1:4".
	// It is "" for Builtin.
	Why string
	// Unquoted are the variables of the environment that the script expands
	// outside quotes, sorted. Builtin holds only while their values are plain:
	// nothing to split, no pattern.
	Unquoted []string
	// Unset are the variables of which Builtin holds only while the environment
	// has none of them, sorted.
	Unset []string
	// Takes: the script takes output or input into its memory. Builtin holds only
	// while that is small.
	Takes bool
}

// Engine decides which engine runs the script faithfully. It is an allow-list:
// whatever is not known to come out as in bash, by a test against bash in
// exec/command, needs bash. So does text that could spin or grow without bound
// in process.
func (s *Script) Engine() Engine {
	j := s.judge(false)
	if len(j.met) > 0 {
		return Engine{Why: j.met[0].String()}
	}
	return Engine{
		Builtin:  true,
		Unquoted: slices.Sorted(maps.Keys(j.unquoted)),
		Unset:    slices.Sorted(maps.Keys(j.unset)),
		Takes:    substitutes(s.File) || calls(s.File, "read"),
	}
}

// A Guard is a rule of the allow-list by which a script needs bash.
type Guard struct {
	// Rule names the rule; a verb of package fmt stands for what differs from
	// script to script: "the variable %s".
	Rule string
	// What is the construct itself: "the variable IFS".
	What         string
	Line, Column int
}

func (g Guard) String() string { return fmt.Sprintf("%s at %d:%d", g.What, g.Line, g.Column) }

// Guards are all the rules by which the script needs bash; the first is what
// Engine gives as its reason. A script with one guard alone would run in
// process if the allow-list had not that rule.
func (s *Script) Guards() []Guard { return s.judge(true).met }

// judge walks the script, to the first guard or through all of it.
func (s *Script) judge(all bool) *judge {
	j := &judge{
		all: all, text: s.Text, assigned: assigned(s.File), exported: exported(s.File),
		unquoted: map[string]bool{}, unset: map[string]bool{},
	}
	if i := strings.IndexAny(s.Text, "\r\x00"); i >= 0 {
		j.meet("the character %q", 1+strings.Count(s.Text[:i], "\n"), i-strings.LastIndexByte(s.Text[:i], '\n'), s.Text[i])
	}
	j.stmts(s.File.Stmts)
	if !j.done() {
		grows(s.File, j)
	}
	return j
}

// A judge walks a script until it meets something that needs bash.
type judge struct {
	all      bool // go on after that
	met      []Guard
	text     string
	assigned map[string]bool // variables that the script itself sets
	exported map[string]bool // those that it exports
	unquoted map[string]bool // found so far: Engine.Unquoted
	unset    map[string]bool // found so far: Engine.Unset
	loops    int             // loops around the node
	breaks   int             // those of them that a break here would end
	within   int             // redirected commands around the node
}

func (j *judge) done() bool { return len(j.met) > 0 && !j.all }

// reject records a construct that needs bash. Each call is a rule of its own,
// named by its format; a test in exec/command reads them from this source.
func (j *judge) reject(n syntax.Node, rule string, args ...any) {
	j.meet(rule, int(n.Pos().Line()), int(n.Pos().Col()), args...)
}

func (j *judge) meet(rule string, line, column int, args ...any) {
	if !j.done() {
		j.met = append(j.met, Guard{Rule: rule, What: fmt.Sprintf(rule, args...), Line: line, Column: column})
	}
}

func (j *judge) stmts(list []*syntax.Stmt) {
	for _, st := range list {
		j.stmt(st)
	}
}

func (j *judge) stmt(st *syntax.Stmt) {
	switch {
	case j.done():
		return
	case st.Background, st.Disown:
		j.reject(st, "&")
	case st.Negated && calls(st, "exit", "exec", "break", "continue"):
		j.reject(st, "exit or break after !")
	}
	j.errorsAsData(st.Redirs)
	for _, r := range st.Redirs {
		j.redirect(r)
		if substitutes(r) && (st.Cmd == nil || usesStatus(st)) {
			j.reject(r, "the status of a substitution in a redirection")
		}
	}
	switch st.Cmd.(type) {
	case *syntax.CallExpr, *syntax.DeclClause, *syntax.TestClause:
		if substitutes(st.Cmd) && usesStatus(st) {
			j.reject(st, "$? beside a substitution")
		}
	}
	switch c := st.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		if len(c.Args) == 0 && len(st.Redirs) > 0 {
			j.reject(st, "a redirected assignment")
		}
		j.call(c)
	case *syntax.DeclClause:
		if len(st.Redirs) > 0 {
			j.reject(st, "a redirected %s", c.Variant.Value)
		}
		j.decl(c)
	default:
		if len(st.Redirs) > 0 {
			j.within++
			defer func() { j.within-- }()
			if st.Negated {
				j.reject(st, "redirections of a compound command after !") // bash does not negate their failure
			}
		}
		j.command(c)
	}
}

// calls reports whether one of the builtins is called somewhere in n.
func calls(n syntax.Node, names ...string) (found bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		c, ok := n.(*syntax.CallExpr)
		found = found || ok && len(c.Args) > 0 && slices.Contains(names, c.Args[0].Lit())
		return !found
	})
	return found
}

func (j *judge) command(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.BinaryCmd:
		j.binary(c)
	case *syntax.IfClause:
		j.ifClause(c)
	case *syntax.Block:
		j.branch(c.Stmts)
		j.closed(c.Stmts, c.Rbrace)
	case *syntax.Subshell:
		j.apart(func() { j.stmts(c.Stmts) })
	case *syntax.CaseClause:
		j.caseClause(c)
	case *syntax.ForClause:
		j.forClause(c)
	case *syntax.WhileClause:
		j.whileClause(c)
	case *syntax.TestClause:
		j.test(c.X)
	default:
		j.otherCommand(c)
	}
}

// otherCommand names what is not on the list.
func (j *judge) otherCommand(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.FuncDecl:
		j.reject(c, "a function")
	case *syntax.ArithmCmd:
		j.reject(c, "(( ))")
	case *syntax.LetClause:
		j.reject(c, "let")
	case *syntax.TimeClause:
		j.reject(c, "time")
	case *syntax.CoprocClause:
		j.reject(c, "coproc")
	default:
		j.reject(c, "the command %T", c)
	}
}

func (j *judge) binary(c *syntax.BinaryCmd) {
	switch c.Op {
	case syntax.AndStmt, syntax.OrStmt:
		if c.Op == syntax.AndStmt && leaves(c.X) {
			j.reject(c, "break before &&") // what follows would run
		}
		j.stmt(c.X)
		j.stmt(c.Y)
	case syntax.Pipe:
		if c.X.Cmd == nil || c.Y.Cmd == nil {
			j.reject(c, "a pipe with redirections alone") // their failure is none in bash
		}
		j.apart(func() { j.stmt(c.X); j.stmt(c.Y) })
	default:
		j.reject(c, "the operator %s", c.Op)
	}
}

func (j *judge) ifClause(c *syntax.IfClause) {
	for ; c != nil; c = c.Else {
		j.stmts(c.Cond)
		if slices.ContainsFunc(c.Cond, func(st *syntax.Stmt) bool { return leaves(st) }) {
			j.reject(c, "break in a condition")
		}
		j.closed(c.Cond, c.ThenPos)
		j.branch(c.Then)
		if c.Else != nil {
			j.closed(c.Then, c.Else.Position)
		} else {
			j.closed(c.Then, c.FiPos)
		}
	}
}

func (j *judge) caseClause(c *syntax.CaseClause) {
	j.word(c.Word, asOne)
	if substitutes(c.Word) && usesStatus(c) {
		j.reject(c, "the status of a substitution in case")
	}
	for _, item := range c.Items {
		if item.Op != syntax.Break {
			j.reject(item, "case with %s", item.Op)
		}
		for _, p := range item.Patterns {
			j.word(p, asPattern)
			if edits(p) {
				j.reject(p, "${…} with an operator in case") // bash takes one that comes to nothing for a text
			}
		}
		j.branch(item.Stmts)
		j.closed(item.Stmts, c.Esac)
	}
}

// edits reports whether a word holds ${…} with an operator.
func edits(w *syntax.Word) (found bool) {
	syntax.Walk(w, func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		found = found || ok && p.Exp != nil
		return !found
	})
	return found
}

// substitutes reports whether a node holds a command substitution. Its status
// is $? for what comes next in bash, and is not in the interpreter.
func substitutes(n syntax.Node) (found bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		_, ok := n.(*syntax.CmdSubst)
		found = found || ok
		return !found
	})
	return found
}

// usesStatus reports whether $?, or exit without a number, stands somewhere in
// n.
func usesStatus(n syntax.Node) (found bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			found = found || n.Param != nil && n.Param.Value == "?"
		case *syntax.CallExpr:
			found = found || len(n.Args) == 1 && n.Args[0].Lit() == "exit"
		}
		return !found
	})
	return found
}
