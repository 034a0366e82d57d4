package envfile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// An evaluator carries the variables through one file.
type evaluator struct {
	vars     map[string]variable
	inEnv    map[string]bool // exported before the file
	noted    map[string]note
	problems []Problem
	seq      int // notes made so far
	size     int // bytes of the values set by the file
	limit    int // bytes of one value
	steps    int // work left for patterns
	states   []bool

	widened    bool // each byte of the text was parsed as a character
	needsShell bool // something was not evaluated here
	bashOnly   bool // something in the file is not for a POSIX shell
}

type variable struct {
	value                   string
	set, exported, readonly bool
	own                     bool // set by the file
	touched                 bool // named by the file to change it
}

// A note says where a file last names a variable to change it.
type note struct {
	seq, line int
	sure      bool // no condition, function or subshell stands around it
}

// An unsupportedError names a construct that only a shell evaluates.
type unsupportedError string

func (e unsupportedError) Error() string { return string(e) }

var (
	errLongValue = errors.New("value longer than 1 MiB")
	errLongTotal = errors.New("all values together longer than 4 MiB")
	errTooDeep   = errors.New("nested too deep")
)

// maxSteps bounds the matching of patterns: about a tenth of a second.
const maxSteps = 20_000_000

func newEvaluator(env []string) *evaluator {
	e := &evaluator{
		vars:  make(map[string]variable, len(env)+8),
		inEnv: make(map[string]bool, len(env)),
		noted: make(map[string]note),
		limit: MaxValue,
		steps: maxSteps,
	}
	for _, entry := range env {
		if name, value, ok := strings.Cut(entry, "="); ok && ValidName(name) {
			e.vars[name] = variable{value: value, set: true, exported: true}
			e.inEnv[name] = true
		}
	}
	return e
}

// run evaluates statement by statement, as shells read a file: what stands
// before a syntax error counts. The error is that of ctx.
func (e *evaluator) run(ctx context.Context, text []byte) error {
	if line := doubtfulJoint(text); line > 0 {
		e.needsShell = true
		e.report(line, "this continued line is for a shell, and none was found")
		return nil
	}
	for stmt, err := range e.statements(ctx, text) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			e.parseProblem(err)
			break
		}
		e.statement(stmt)
	}
	return ctx.Err()
}

// statements parses text piece by piece. The parser wants UTF-8, shells take
// any bytes: text that is not UTF-8 is parsed with each byte as a character.
func (e *evaluator) statements(ctx context.Context, text []byte) iter.Seq2[*syntax.Stmt, error] {
	if e.widened = !utf8.Valid(text); e.widened {
		wide := make([]rune, len(text))
		for i, c := range text {
			wide[i] = rune(c)
		}
		text = []byte(string(wide))
	}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	return parser.StmtsSeq(&shallowReader{ctx: ctx, text: text})
}

// doubtfulJoint returns the first line of text with a backslash at its end
// that the parser may not join to the next one as bash does, 0 if there is
// none: it wrongly joins after a comment, and does not see an expansion that
// the joint makes.
func doubtfulJoint(text []byte) int {
	joint := []byte("\\\n")
	if !bytes.Contains(text, joint) {
		return 0
	}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		start, ok := bytes.CutSuffix(line, joint)
		if ok && (bytes.IndexByte(start, '#') >= 0 || bytes.HasSuffix(start, []byte("$"))) {
			return n
		}
	}
	return 0
}

// raw returns the bytes of the file that stand behind a literal.
func (e *evaluator) raw(lit string) string {
	if !e.widened {
		return lit
	}
	var out strings.Builder
	for _, r := range lit {
		out.WriteByte(byte(r))
	}
	return out.String()
}

// parseProblem records where the text stops being readable; bash may know
// better.
func (e *evaluator) parseProblem(err error) {
	e.needsShell = true
	var parse syntax.ParseError
	if errors.As(err, &parse) {
		e.report(int(parse.Pos.Line()), parse.Text)
		return
	}
	e.report(0, err.Error())
}

func (e *evaluator) report(line int, message string) {
	if len(e.problems) < 2*MaxProblems {
		e.problems = append(e.problems, Problem{Line: line, Message: message})
	}
}

// statement evaluates one statement whole, or notes what it would change.
func (e *evaluator) statement(stmt *syntax.Stmt) {
	err := e.evaluate(stmt)
	if err == nil {
		return
	}
	line := int(stmt.Pos().Line())
	var construct unsupportedError
	if !errors.As(err, &construct) {
		e.report(line, err.Error())
		e.noteAll(stmt)
		return
	}
	e.needsShell = true
	e.report(line, err.Error()+" is for a shell, and none was found")
	e.noteAll(stmt)
}

func (e *evaluator) evaluate(stmt *syntax.Stmt) error {
	if stmt.Negated || stmt.Background || stmt.Coprocess || stmt.Disown || len(stmt.Redirs) > 0 {
		return unsupportedError("more than a simple statement")
	}
	switch cmd := stmt.Cmd.(type) {
	case *syntax.CallExpr:
		switch {
		case len(cmd.Args) == 0:
			return e.assignments(cmd.Assigns)
		case len(cmd.Assigns) == 0 && cmd.Args[0].Lit() == "unset":
			return e.unset(cmd.Args[1:], int(stmt.Pos().Line()))
		}
		return unsupportedError("a command")
	case *syntax.DeclClause:
		return e.declare(cmd)
	}
	return unsupportedError("a compound command")
}

// assignments makes A=1 B=$A: one after the other.
func (e *evaluator) assignments(assigns []*syntax.Assign) error {
	for _, a := range assigns {
		value, err := e.assigned(a)
		if err == nil {
			err = e.assign(a, value, true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// assigned returns the value on the right side of a.
func (e *evaluator) assigned(a *syntax.Assign) (string, error) {
	if a.Index != nil || a.Array != nil {
		return "", unsupportedError("an array")
	}
	if a.Value == nil {
		return "", nil
	}
	return e.value(a.Value)
}

// assign sets the variable a names, or adds to it.
func (e *evaluator) assign(a *syntax.Assign, value string, export bool) error {
	name := a.Name.Value
	old, err := e.changeable(name)
	if err != nil {
		return err
	}
	if a.Append {
		e.bashOnly = true
		value = old.value + value
	}
	e.note(name, int(a.Pos().Line()), true)
	size := e.size + len(value)
	if old.own {
		size -= len(old.value)
	}
	switch {
	case len(value) > e.limit:
		return fmt.Errorf("%s: %w", name, errLongValue)
	case size > MaxTotal:
		return fmt.Errorf("%s: %w", name, errLongTotal)
	}
	e.size = size
	e.vars[name] = variable{value: value, set: true, exported: export, own: true, touched: true}
	return nil
}

// changeable returns the variable of that name if the file may change it
// without a shell having a say.
func (e *evaluator) changeable(name string) (variable, error) {
	v, err := e.lookup(name)
	if err == nil && v.readonly {
		err = unsupportedError("a change of a readonly variable")
	}
	return v, err
}

// lookup returns the variable of that name, the zero variable if there is none.
func (e *evaluator) lookup(name string) (variable, error) {
	v, known := e.vars[name]
	if !ValidName(name) || isShellOwn(name) || !known && isShellDefault(name) {
		return v, unsupportedError("$" + name)
	}
	return v, nil
}

func (e *evaluator) note(name string, line int, sure bool) {
	e.seq++
	e.noted[name] = note{seq: e.seq, line: line, sure: sure}
}

// changes returns what the file did to the environment, in its order.
func (e *evaluator) changes() []Change {
	names := make([]string, 0, len(e.noted))
	for name := range e.noted {
		names = append(names, name)
	}
	sortByNote(names, e.noted)
	var out []Change
	for _, name := range names {
		switch v := e.vars[name]; {
		case v.set && v.exported && v.touched:
			out = append(out, Change{Name: name, Value: v.value})
		case e.inEnv[name] && !v.exported:
			out = append(out, Change{Name: name, Unset: true})
		}
	}
	return out
}

// sortByNote sorts names by the place where the file last changes them, those
// it does not name to the end.
func sortByNote(names []string, noted map[string]note) {
	slices.SortFunc(names, func(a, b string) int {
		na, aok := noted[a]
		nb, bok := noted[b]
		switch {
		case aok && bok:
			return cmp.Compare(na.seq, nb.seq)
		case aok:
			return -1
		case bok:
			return 1
		}
		return strings.Compare(a, b)
	})
}

// A shallowReader hands text to the parser and stops it when its recursion
// gets deep or ctx ends: the parser reads on from within, a piece at a time,
// whatever construct it is in.
type shallowReader struct {
	ctx  context.Context
	text []byte
}

// maxFrames of the call stack is far more than any file a person wrote needs
// and far less than the stack holds.
const maxFrames = 2000

func (r *shallowReader) Read(p []byte) (int, error) {
	if len(r.text) == 0 {
		return 0, io.EOF
	}
	var pc [1]uintptr
	if runtime.Callers(maxFrames, pc[:]) > 0 {
		return 0, errTooDeep
	}
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}
