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
	case st.Negated && calls(st, "exit", "exec"):
		j.reject(st, "exit after !")
	}
	j.errorsAsData(st.Redirs)
	for _, r := range st.Redirs {
		j.redirect(r)
		if substitutes(r) && st.Cmd != nil && usesStatus(st.Cmd) {
			j.reject(r, "the status of a substitution in a redirection")
		}
	}
	switch c := st.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		if len(c.Args) == 0 && len(st.Redirs) > 0 {
			j.reject(st, "a redirected assignment")
		}
		if substitutes(c) && usesStatus(c) {
			j.reject(st, "$? beside a substitution")
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
		j.stmts(c.Stmts)
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
		j.stmt(c.X)
		j.stmt(c.Y)
	case syntax.Pipe:
		j.apart(func() { j.stmt(c.X); j.stmt(c.Y) })
	default:
		j.reject(c, "the operator %s", c.Op)
	}
}

func (j *judge) ifClause(c *syntax.IfClause) {
	for ; c != nil; c = c.Else {
		j.stmts(c.Cond)
		j.stmts(c.Then)
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
		}
		j.stmts(item.Stmts)
	}
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

func (j *judge) redirect(r *syntax.Redirect) {
	if n := r.N; n != nil && n.Value != "0" && n.Value != "1" && n.Value != "2" {
		j.reject(r, "a redirection of %s", n.Value)
		return
	}
	input := r.Op == syntax.RdrIn || r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc || r.Op == syntax.WordHdoc
	if r.N != nil && (r.N.Value == "0") != input {
		j.reject(r, "the redirection %s%s", r.N.Value, r.Op)
		return
	}
	switch r.Op {
	case syntax.RdrIn, syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll:
		j.word(r.Word, asFile)
		if name, ok := staticText(r.Word); ok && !plainFile(name) {
			j.reject(r, "the file %s", name)
		}
	case syntax.DplOut:
		if to := r.Word.Lit(); to != "1" && to != "2" {
			j.reject(r, ">&%s", to)
		}
	case syntax.Hdoc, syntax.DashHdoc:
		j.hereDoc(r)
	case syntax.WordHdoc:
		j.word(r.Word, asOne)
	default:
		j.reject(r, "the redirection %s", r.Op)
	}
}

// errorsAsData rejects redirections that make data of what stands on standard
// error: the words of an error are those of bash and its programs, and a script
// may look for them.
func (j *judge) errorsAsData(list []*syntax.Redirect) {
	null := false // standard output leads to nowhere
	for _, r := range list {
		name, _ := staticText(r.Word)
		nowhere := name == "/dev/null"
		errs := r.N != nil && r.N.Value == "2"
		switch r.Op {
		case syntax.RdrAll, syntax.AppAll:
			null, errs = nowhere, true
		case syntax.DplOut:
			nowhere = null || name == "2"
			null = null && errs
		default:
			if !errs && (r.Op == syntax.RdrOut || r.Op == syntax.AppOut) {
				null = nowhere
			}
		}
		if errs && !nowhere {
			j.reject(r, "standard error as data")
		}
	}
}

// plainFile reports whether a redirection's target means the same to any
// process that opens it.
func plainFile(name string) bool {
	switch name {
	case "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr":
		return true
	}
	return !strings.HasPrefix(name, "/dev/") && !strings.HasPrefix(name, "/proc/") && !strings.Contains(name, "//")
}

// hereDoc allows a delimiter that is all quoted or not at all.
func (j *judge) hereDoc(r *syntax.Redirect) {
	if _, static := staticText(r.Word); len(r.Word.Parts) != 1 || !static {
		j.reject(r, "a here-document with that delimiter")
	}
	if r.Hdoc != nil {
		j.parts(r.Hdoc.Parts, asHereDoc)
	}
}
