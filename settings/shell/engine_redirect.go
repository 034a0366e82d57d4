package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (j *judge) redirect(r *syntax.Redirect) {
	if end := int(r.Word.End().Offset()); isDigits(r.Word.Lit()) && end < len(j.text) && strings.IndexByte("<>", j.text[end]) >= 0 {
		j.reject(r, "a number between redirections") // to bash that of the second one
	}
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
	if r.Hdoc == nil {
		return
	}
	j.parts(r.Hdoc.Parts, asHereDoc)
	if !endsLine(r.Hdoc.Parts) {
		j.reject(r, "a here-document that ends within a line") // to the parser, but not to bash
	}
}

// endsLine reports whether the delimiter of a here-document stands on a line of
// its own, after tabs at most.
func endsLine(parts []syntax.WordPart) bool {
	if len(parts) == 0 {
		return true
	}
	last, ok := parts[len(parts)-1].(*syntax.Lit)
	if !ok {
		return false
	}
	text := strings.TrimRight(last.Value, "\t")
	return strings.HasSuffix(text, "\n") || text == "" && len(parts) == 1
}

// closed rejects a word such as then or done that follows redirections with
// nothing between them: { a; } > f then. To bash it is no such word there.
func (j *judge) closed(list []*syntax.Stmt, word syntax.Pos) {
	if len(list) == 0 {
		return
	}
	last := list[len(list)-1]
	for {
		b, ok := last.Cmd.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		last = b.Y
	}
	if len(last.Redirs) == 0 || last.Semicolon.IsValid() {
		return
	}
	from, to := last.Redirs[0].Pos().Offset(), word.Offset()
	if from < to && !strings.Contains(strings.ReplaceAll(j.text[from:to], "\\\n", ""), "\n") {
		j.reject(last, "a word of the shell's after redirections")
	}
}
