package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A role is the place of a word, which decides how it is expanded.
type role int

const (
	asFields  role = iota // an argument: split, and matched against files
	asOne                 // an assigned value, a case word, a here-string: one value
	asFile                // a redirection's target
	asPattern             // a case pattern, the right side of == in [[ ]]
	asQuoted              // inside double quotes
	asHereDoc             // the body of a here-document
)

func (j *judge) word(w *syntax.Word, as role) {
	if w != nil {
		j.parts(w.Parts, as)
	}
}

func (j *judge) parts(parts []syntax.WordPart, as role) {
	for i, p := range parts {
		if j.done() {
			return
		}
		j.part(p, as, i == 0)
	}
}

func (j *judge) part(p syntax.WordPart, as role, first bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		j.literal(p, as, first)
	case *syntax.SglQuoted:
		if p.Dollar && !plainEscapes(p.Value) {
			j.reject(p, "an escape in $'…'")
		}
	case *syntax.DblQuoted:
		if p.Dollar {
			j.reject(p, `$"…"`)
		}
		j.parts(p.Parts, asQuoted)
	case *syntax.ParamExp:
		j.param(p, as)
	case *syntax.CmdSubst:
		j.substitution(p, as)
	default:
		j.otherPart(p)
	}
}

// otherPart names what is not on the list.
func (j *judge) otherPart(p syntax.WordPart) {
	switch p := p.(type) {
	case *syntax.ArithmExp:
		j.reject(p, "$(( ))")
	case *syntax.ProcSubst:
		j.reject(p, "a process substitution")
	case *syntax.ExtGlob:
		j.reject(p, "an extended pattern")
	default:
		j.reject(p, "the word %T", p)
	}
}

// plainEscapes reports whether every backslash of a $'…' string is one of the
// escapes that mean the same to every reader.
func plainEscapes(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		if i++; i == len(s) || !strings.ContainsRune(`nt\'"`, rune(s[i])) {
			return false
		}
	}
	return true
}

// literal allows text outside quotes that stands for itself.
func (j *judge) literal(l *syntax.Lit, as role, first bool) {
	if as == asQuoted || as == asHereDoc {
		return
	}
	text := unescaped(l.Value)
	switch {
	case strings.ContainsRune(l.Value, '\\') && as == asPattern:
		j.reject(l, "a backslash in a pattern")
	case strings.HasSuffix(l.Value, `\`) && !strings.HasSuffix(l.Value, `\\`):
		j.reject(l, "a backslash at the end")
	case as == asPattern && strings.ContainsAny(text, "?["):
		j.reject(l, "a pattern with ? or [ ]")
	case as != asPattern && strings.ContainsAny(text, "*?["):
		j.reject(l, "a file pattern")
	case strings.ContainsRune(strings.ReplaceAll(text, "{}", ""), '{'):
		j.reject(l, "a brace")
	case !plainTilde(text, first):
		j.reject(l, "that ~")
	}
}

// unescaped is what of a literal is not protected by a backslash.
func unescaped(s string) string {
	if !strings.ContainsRune(s, '\\') {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
			b.WriteByte('_')
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// plainTilde allows ~ as a whole word or before a slash, at its beginning.
func plainTilde(text string, first bool) bool {
	if first && (text == "~" || strings.HasPrefix(text, "~/")) {
		text = text[1:]
	}
	return !strings.ContainsRune(text, '~')
}

// substitution allows $(…) where its output is not split.
func (j *judge) substitution(c *syntax.CmdSubst, as role) {
	switch {
	case as == asFields || as == asFile:
		j.reject(c, "$(…) outside quotes")
	case as == asPattern:
		j.reject(c, "$(…) in a pattern")
	case c.TempFile || c.ReplyVar:
		j.reject(c, "${ …; }")
	case c.Backquotes && strings.ContainsRune(j.text[c.Pos().Offset():c.End().Offset()], '\\'):
		j.reject(c, "a backslash in backquotes")
	case len(c.Stmts) == 1 && c.Stmts[0].Cmd == nil:
		j.reject(c, "$(<…)")
	default:
		j.apart(func() { j.stmts(c.Stmts) })
	}
}

func (j *judge) param(p *syntax.ParamExp, as role) {
	name := p.Param.Value
	switch {
	case name != "?" && !readable(name):
		j.reject(p, "$%s", name)
	case p.Excl, p.Length, p.Index != nil, p.Slice != nil, p.Repl != nil, p.Names != 0,
		p.Width, p.IsSet, p.Flags != nil, p.NestedParam != nil, p.Modifiers != nil:
		j.reject(p, "that form of ${%s}", name)
	case p.Exp != nil:
		j.expansion(p, as)
	}
	switch as {
	case asFields, asFile:
		j.split(p, name)
	case asPattern:
		j.reject(p, "$%s in a pattern", name)
	}
}

// split allows an expansion outside quotes of a variable whose value can be
// looked at before the script runs.
func (j *judge) split(p *syntax.ParamExp, name string) {
	switch {
	case name == "?":
	case j.assigned[name]:
		j.reject(p, "$%s outside quotes", name)
	case p.Exp != nil:
		j.reject(p, "${%s} with an operator outside quotes", name)
	default:
		j.unquoted[name] = true
	}
}

// expansion allows the operators whose right side is plain text.
func (j *judge) expansion(p *syntax.ParamExp, as role) {
	var text string
	if p.Exp.Word != nil && len(p.Exp.Word.Parts) > 0 {
		lit, ok := p.Exp.Word.Parts[0].(*syntax.Lit)
		if !ok || len(p.Exp.Word.Parts) != 1 {
			j.reject(p, "${%s} with more than text after the operator", p.Param.Value)
			return
		}
		text = lit.Value
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if strings.ContainsAny(text, "\\~{}*?[\"'") {
			j.reject(p, "${%s} with that text after the operator", p.Param.Value)
		}
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		if strings.ContainsAny(text, "\\~{}?[\"'") {
			j.reject(p, "${%s} with that pattern", p.Param.Value)
		}
		if p.Exp.Op == syntax.RemSmallSuffix && strings.ContainsRune(text, '*') {
			j.reject(p, "${%s%%} with a *", p.Param.Value) // the interpreter looks at the first line only
		}
	default:
		j.reject(p, "${%s} with the operator %s", p.Param.Value, p.Exp.Op)
	}
}

// staticText is the text of a word that is known without running anything:
// literals and quotes, without a pattern, tilde or brace that would be
// expanded.
func staticText(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text := unescaped(p.Value)
			if strings.ContainsAny(text, "*?[{") || (i == 0 && strings.HasPrefix(text, "~")) {
				return "", false
			}
			b.WriteString(withoutEscapes(p.Value, ""))
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			text, ok := onlyText(p)
			if !ok {
				return "", false
			}
			b.WriteString(text)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// onlyText is the text of double quotes that hold nothing else.
func onlyText(q *syntax.DblQuoted) (string, bool) {
	if len(q.Parts) == 0 {
		return "", true
	}
	lit, ok := q.Parts[0].(*syntax.Lit)
	if !ok || len(q.Parts) != 1 || q.Dollar {
		return "", false
	}
	return withoutEscapes(lit.Value, "$`\"\\"), true
}

// withoutEscapes takes the backslashes out of s that protect one of the
// characters, or any character if none is given.
func withoutEscapes(s, of string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (of == "" || strings.IndexByte(of, s[i+1]) >= 0) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
