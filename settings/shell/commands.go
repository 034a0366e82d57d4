package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of the analysis. What lies past them counts as a command of which
// nothing is known.
const (
	maxLayers   = 10      // wrappers around wrappers, shells in shells
	maxRendered = 1 << 18 // bytes of commands and of code in arguments, all together
	maxCommands = 6_000
)

// A Command is one simple command that a script may run.
type Command struct {
	// Text is the command as its shell would see it: quotes resolved, without
	// leading assignments and redirections, blanks between words as written.
	Text Text
	// Source is the same part as written; empty when it is not written
	// anywhere as such.
	Source string
	// Full is Source with assignments and redirections, without the bodies of
	// here-documents.
	Full string
	// Via names what runs the command when it is not the script itself:
	// "sudo", "xargs", "bash -c", "here-document", …
	Via string
}

// String is the command for people, with what runs it.
func (c Command) String() string {
	s := c.Source
	if s == "" {
		s = c.Text.String()
	}
	if c.Via != "" {
		s += " (by " + c.Via + ")"
	}
	return s
}

// Commands lists every simple command that stands anywhere in the script, in
// the order of the text: in lists, pipelines, compound commands, functions,
// substitutions, unquoted here-documents, and in the code and the arguments
// that other commands run (`bash -c`, `eval`, `xargs`, `sudo`, …). Such a
// command is listed besides the one that runs it. Where code is known only at
// run time, a command whose Text is one Any piece stands for it.
func (s *Script) Commands() []Command {
	return s.passes()
}

// Lists returns the text as a whole and each pipeline in it, for rules that are
// themselves more than a simple command.
func (s *Script) Lists() []string {
	lists := []string{strings.TrimSpace(s.Text)}
	syntax.Walk(s.File, func(n syntax.Node) bool {
		if bin, ok := n.(*syntax.BinaryCmd); ok && piped(bin.Op) {
			lists = append(lists, slice(s.Text, bin.Pos(), bin.End()))
			return false
		}
		return true
	})
	return lists
}

// findings is what the finders of a script and of the code inside it share.
type findings struct {
	setup
	commands  []Command
	rendered  int
	spent     bool     // the bounds are reached
	expanding []string // the aliases being followed
}

// add lists a command, unless the bounds are reached.
func (f *findings) add(c Command) {
	if f.spent {
		return
	}
	for _, p := range c.Text {
		f.rendered += len(p.Text)
	}
	if f.rendered > maxRendered || len(f.commands)+1 >= maxCommands {
		f.spent = true
		c = Command{Text: unknown(), Via: "more than is looked at"}
	}
	f.commands = append(f.commands, c)
}

// unknown lists a command of which nothing is known.
func (f *findings) unknown(via string) {
	f.add(Command{Text: unknown(), Via: via})
}

// finder walks one text: the script's, or code found in it.
type finder struct {
	*findings
	source string
	via    string // what runs the text, for nested ones
	layers int    // how many commands run this text
}

// input is what a command may read as its standard input.
type input struct {
	kind inputKind
	code string // of inputCode
}

type inputKind uint8

const (
	inputOther   inputKind = iota // a file, a terminal: not looked at
	inputCode                     // known text
	inputUnknown                  // text made at run time
)

func (f *finder) file(file *syntax.File, in input) {
	for _, stmt := range file.Stmts {
		f.stmt(stmt, in)
	}
}

// walk looks for statements below a node that is not one itself.
func (f *finder) walk(n syntax.Node, in input) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			f.stmt(n, in)
			return false
		case *syntax.ProcSubst:
			if n.Op == syntax.CmdOut { // >(…) reads what is written to it
				for _, stmt := range n.Stmts {
					f.stmt(stmt, input{kind: inputUnknown})
				}
				return false
			}
		case *syntax.ParamExp:
			if prompts(n) || n.Index != nil && hidden(n.Index, runsCode) || n.Slice != nil && hidden(n, subscripted) {
				f.unknown("${…}")
			}
		case *syntax.ArithmExp, *syntax.CStyleLoop:
			f.arithmetic(n, "((")
		}
		return true
	})
}

func (f *finder) stmt(s *syntax.Stmt, in input) {
	for _, r := range s.Redirs {
		if next, ok := stdin(r); ok {
			in = next
		}
	}
	switch cmd := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		f.call(s, cmd, in)
	case *syntax.BinaryCmd:
		f.stmt(cmd.X, in)
		if piped(cmd.Op) {
			in = input{kind: inputUnknown}
		}
		f.stmt(cmd.Y, in)
	case *syntax.DeclClause:
		f.plain(s, declWords(f.source, cmd))
		f.assigned(cmd.Args)
		f.arithmetic(cmd, cmd.Variant.Value)
		f.walk(cmd, in)
	case *syntax.LetClause:
		f.plain(s, []word{literalWord("let", ""), manyWords()})
		f.arithmetic(cmd, "let")
		f.walk(cmd, in)
	case *syntax.TestClause:
		f.arithmetic(cmd, "[[")
		f.walk(cmd, in)
	case *syntax.ArithmCmd:
		f.arithmetic(cmd, "((")
		f.walk(cmd, in)
	case *syntax.FuncDecl:
		f.defines = true
		if f.feeds {
			in = input{kind: inputUnknown}
		}
		f.walk(cmd, in)
	case *syntax.CoprocClause:
		f.walk(cmd, input{kind: inputUnknown})
	case *syntax.TimeClause:
		f.time(s, cmd)
		f.walk(cmd, in)
	default:
		f.walk(cmd, in)
	}
	for _, r := range s.Redirs {
		if !allLiteral(r.Word) || (r.Hdoc != nil && !allLiteral(r.Hdoc)) {
			f.walk(r, input{})
		}
	}
}

func piped(op syntax.BinCmdOperator) bool {
	return op == syntax.Pipe || op == syntax.PipeAll
}

// stdin is what a redirection of descriptor 0 feeds in.
func stdin(r *syntax.Redirect) (input, bool) {
	if r.N != nil && r.N.Value != "0" {
		return input{}, false
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		return heredoc(r), true
	case syntax.WordHdoc:
		w := resolve(r.Word.Parts)
		if lit, ok := w.literal(); ok {
			return input{inputCode, lit}, true
		}
		return input{kind: inputUnknown}, true
	case syntax.RdrIn, syntax.RdrInOut:
		for _, part := range r.Word.Parts {
			if _, ok := part.(*syntax.ProcSubst); ok {
				return input{kind: inputUnknown}, true
			}
		}
		w := resolve(r.Word.Parts)
		if isDescriptor(&w) {
			return input{kind: inputUnknown}, true
		}
		return input{}, !isStdin(&w)
	case syntax.DplIn:
		if r.Word.Lit() == "-" {
			return input{}, true
		}
		return input{kind: inputUnknown}, true // what the descriptor reads is not followed
	}
	return input{}, false
}

// heredoc is the body of a here-document, if it is known.
func heredoc(r *syntax.Redirect) input {
	if r.Hdoc == nil {
		return input{kind: inputCode}
	}
	quoted := quotedDelimiter(r.Word)
	var b strings.Builder
	for _, part := range r.Hdoc.Parts {
		lit, ok := part.(*syntax.Lit)
		switch {
		case !ok:
			return input{kind: inputUnknown}
		case quoted:
			b.WriteString(lit.Value)
		default:
			b.WriteString(unescapeQuoted(lit.Value))
		}
	}
	return input{inputCode, b.String()}
}

func quotedDelimiter(w *syntax.Word) bool {
	for _, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || strings.Contains(lit.Value, `\`) {
			return true
		}
	}
	return false
}

// call lists a simple command and what it runs.
func (f *finder) call(s *syntax.Stmt, c *syntax.CallExpr, in input) {
	f.note(s, c, in)
	f.assigned(c.Assigns)
	if len(c.Args) == 0 {
		f.plain(s, assignWords(c.Assigns))
	} else if text, ok := f.spelled(c.Args); ok {
		f.add(Command{Text: Text{{Literal, text}}, Source: text, Full: f.whole(s), Via: f.via})
		if len(c.Assigns) == 0 {
			return
		}
	} else {
		f.run(words(f.source, c.Args), launch{full: f.whole(s), in: in, via: f.via, layers: f.layers})
	}
	f.walk(c, in)
}

// spelled is the text of a command that is written just as its shell sees it
// and runs no other, which is most of them.
func (f *finder) spelled(args []*syntax.Word) (string, bool) {
	before := -1
	for i, arg := range args {
		if len(arg.Parts) != 1 {
			return "", false
		}
		lit, ok := arg.Parts[0].(*syntax.Lit)
		if !ok || strings.ContainsAny(lit.Value, special) {
			return "", false
		}
		pos, end := int(lit.ValuePos.Offset()), int(lit.ValueEnd.Offset())
		if end-pos != len(lit.Value) || end > len(f.source) {
			return "", false // an escaped line break in it
		}
		if i == 0 {
			if _, ok := runnerOf(baseName(lit.Value)); ok || len(f.aliases[lit.Value]) > 0 || baseName(lit.Value) == "hash" {
				return "", false
			}
		} else if strings.Trim(f.source[before:pos], " \t") != "" {
			return "", false
		}
		before = end
	}
	return slice(f.source, args[0].Pos(), args[len(args)-1].End()), true
}

// allLiteral reports whether nothing is run to make a word.
func allLiteral(w *syntax.Word) bool {
	for _, part := range w.Parts {
		switch part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		default:
			return false
		}
	}
	return true
}

// plain lists a command that runs no other.
func (f *finder) plain(s *syntax.Stmt, ws []word) {
	f.add(Command{Text: render(ws), Source: slice(f.source, s.Cmd.Pos(), s.Cmd.End()), Full: f.whole(s), Via: f.via})
}

// time lists `time COMMAND`; COMMAND itself is found as a statement.
func (f *finder) time(s *syntax.Stmt, c *syntax.TimeClause) {
	if c.Stmt == nil {
		return
	}
	call, ok := c.Stmt.Cmd.(*syntax.CallExpr)
	if !ok {
		return
	}
	head := []word{literalWord("time", "")}
	if c.PosixFormat {
		head = append(head, literalWord("-p", " "))
	}
	rest := words(f.source, call.Args)
	if len(rest) > 0 {
		rest[0].sep = " "
	}
	f.plain(s, append(head, rest...))
}

// whole is a statement as written, without the bodies of here-documents.
func (f *finder) whole(s *syntax.Stmt) string {
	start, end := s.Position, s.Cmd.End()
	if start.After(s.Cmd.Pos()) {
		start = s.Cmd.Pos() // in a coproc
	}
	for _, r := range s.Redirs {
		if to := r.Word.End(); to.After(end) {
			end = to
		}
	}
	return slice(f.source, start, end)
}

// slice is the source between two positions, "" when they do not fit it.
func slice(source string, from, to syntax.Pos) string {
	i, j := int(from.Offset()), int(to.Offset())
	if i > j || j > len(source) {
		return ""
	}
	return source[i:j]
}

// declWords makes words of `export A=1` and its kin, which the parser reads as
// assignments.
func declWords(source string, d *syntax.DeclClause) []word {
	out := []word{literalWord(d.Variant.Value, "")}
	before := int(d.Variant.End().Offset())
	for _, a := range d.Args {
		w := assignWord(a)
		w.sep = blanks(source, before, int(a.Pos().Offset()))
		before = int(a.End().Offset())
		out = append(out, w)
	}
	return out
}

func assignWords(assigns []*syntax.Assign) []word {
	out := make([]word, 0, len(assigns))
	for _, a := range assigns {
		w := assignWord(a)
		w.sep = " "
		out = append(out, w)
	}
	return out
}

func assignWord(a *syntax.Assign) word {
	switch {
	case a.Name == nil:
		return resolve(a.Value.Parts)
	case a.Index != nil || a.Array != nil:
		return word{parts: Text{{Literal, a.Name.Value}, {Kind: Any}}}
	case a.Naked:
		return literalWord(a.Name.Value, "")
	}
	op := "="
	if a.Append {
		op = "+="
	}
	if a.Value == nil {
		return literalWord(a.Name.Value+op, "")
	}
	value := resolve(a.Value.Parts)
	t := Text{}.add(Piece{Literal, a.Name.Value + op})
	for _, p := range value.text() {
		t = t.add(p)
	}
	if lit, ok := t.Literal(); ok {
		return literalWord(lit, "")
	}
	return word{parts: t}
}

// render joins words into the text of a command.
func render(ws []word) Text {
	if lit, ok := renderLiteral(ws); ok {
		return Text{}.add(Piece{Literal, lit})
	}
	t := make(Text, 0, len(ws)+1)
	lead := true // only words that may vanish so far
	for i := range ws {
		w := &ws[i]
		switch {
		case w.many && lead && i+1 == len(ws):
			t = t.add(Piece{Kind: Any})
		case w.many && lead:
			t = append(t, Piece{Lead, ws[i+1].sep})
		case w.many:
			t = append(t, Piece{Words, w.sep})
		default:
			name := lead && i == 0
			if !lead {
				t = t.add(Piece{Literal, w.sep})
			}
			lead = false
			for _, p := range w.text() {
				t = t.add(settle(p, name))
			}
		}
	}
	return t
}

// settle replaces the piece that depends on the place of its word.
func settle(p Piece, name bool) Piece {
	if p.Kind == quotedAny {
		p.Kind = Any
		if name {
			p.Kind = Solid
		}
	}
	return p
}

func renderLiteral(ws []word) (string, bool) {
	size := 0
	for i := range ws {
		if ws[i].parts != nil {
			return "", false
		}
		size += len(ws[i].sep) + len(ws[i].lit)
	}
	if len(ws) == 1 {
		return ws[0].lit, true
	}
	var b strings.Builder
	b.Grow(size)
	for i := range ws {
		if i > 0 {
			b.WriteString(ws[i].sep)
		}
		b.WriteString(ws[i].lit)
	}
	return b.String(), true
}
