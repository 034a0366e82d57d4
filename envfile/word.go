package envfile

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// value evaluates w as the right side of an assignment: nothing is split, no
// file name is looked for, and a tilde counts at the start and after a colon.
func (e *evaluator) value(w *syntax.Word) (string, error) {
	var out []byte
	for i, part := range w.Parts {
		text, err := e.part(part, i, len(w.Parts))
		if err != nil {
			return "", err
		}
		if out = append(out, text...); len(out) > e.limit {
			return "", errLongValue
		}
	}
	return string(out), nil
}

// part evaluates part number i of n of a word.
func (e *evaluator) part(part syntax.WordPart, i, n int) (string, error) {
	switch p := part.(type) {
	case *syntax.Lit:
		return e.unquoted(e.raw(p.Value), i == 0, i == n-1)
	case *syntax.SglQuoted:
		if p.Dollar {
			e.bashOnly = true
			return ansiC(e.raw(p.Value))
		}
		return e.raw(p.Value), nil
	case *syntax.DblQuoted:
		return e.quoted(p)
	case *syntax.ParamExp:
		return e.parameter(p, false)
	}
	return "", unsupportedError(constructName(part))
}

func constructName(node syntax.Node) string {
	switch node.(type) {
	case *syntax.CmdSubst:
		return "a command substitution"
	case *syntax.ArithmExp:
		return "an arithmetic expansion"
	case *syntax.ProcSubst:
		return "a process substitution"
	case *syntax.ExtGlob:
		return "an extended pattern"
	}
	return "this expansion"
}

// unquoted evaluates literal text outside quotes: a backslash is dropped and
// keeps the next character from meaning anything. first and last say where in
// its word the text stands.
func (e *evaluator) unquoted(lit string, first, last bool) (string, error) {
	if !strings.ContainsAny(lit, `\~`) {
		return lit, nil
	}
	var out strings.Builder
	tildeCounts := first
	for i := 0; i < len(lit); i++ {
		c := lit[i]
		switch {
		case c == '\\' && i+1 < len(lit):
			i++
			if lit[i] != '\n' {
				out.WriteByte(lit[i])
			}
		case c == '~' && tildeCounts:
			home, err := e.tilde(lit[i+1:], last)
			if err != nil {
				return "", err
			}
			out.WriteString(home)
		default:
			out.WriteByte(c)
		}
		tildeCounts = c == ':'
	}
	return out.String(), nil
}

// tilde returns what a tilde followed by rest stands for. last says that
// nothing follows rest in the word.
func (e *evaluator) tilde(rest string, last bool) (string, error) {
	if rest == "" && !last || rest != "" && rest[0] != '/' && rest[0] != ':' {
		return "", unsupportedError("a tilde with a name")
	}
	home, err := e.lookup("HOME")
	if err == nil && !home.set {
		err = unsupportedError("a tilde without HOME")
	}
	return home.value, err
}

// quoted evaluates text in double quotes.
func (e *evaluator) quoted(q *syntax.DblQuoted) (string, error) {
	if q.Dollar {
		return "", unsupportedError("a translated string")
	}
	var out []byte
	for _, part := range q.Parts {
		text := ""
		var err error
		switch p := part.(type) {
		case *syntax.Lit:
			text = unescapeQuoted(e.raw(p.Value))
		case *syntax.ParamExp:
			text, err = e.parameter(p, true)
		default:
			err = unsupportedError(constructName(part))
		}
		if err != nil {
			return "", err
		}
		if out = append(out, text...); len(out) > e.limit {
			return "", errLongValue
		}
	}
	return string(out), nil
}

// unescapeQuoted drops the backslashes that mean something in double quotes.
func unescapeQuoted(lit string) string {
	if !strings.Contains(lit, `\`) {
		return lit
	}
	var out strings.Builder
	for i := 0; i < len(lit); i++ {
		if lit[i] == '\\' && i+1 < len(lit) {
			switch lit[i+1] {
			case '$', '`', '"', '\\':
				i++
			case '\n':
				i++
				continue
			}
		}
		out.WriteByte(lit[i])
	}
	return out.String()
}

// ansiC decodes the text between $' and '.
func ansiC(raw string) (string, error) {
	var out strings.Builder
	for i := 0; i < len(raw); {
		if raw[i] != '\\' || i+1 == len(raw) {
			out.WriteByte(raw[i])
			i++
			continue
		}
		text, n, err := ansiEscape(raw[i+1:])
		if err != nil {
			return "", err
		}
		out.WriteString(text)
		i += 1 + n
	}
	return out.String(), nil
}

// ansiEscape decodes what follows a backslash in s, and returns how long that
// was. Escapes that depend on the locale are left to bash.
func ansiEscape(s string) (string, int, error) {
	const from, to = `abeEfnrtv\'"?`, "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"
	if at := strings.IndexByte(from, s[0]); at >= 0 {
		return to[at : at+1], 1, nil
	}
	value, n := 0, 0
	switch c := s[0]; {
	case c >= '0' && c <= '7':
		for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
			value = value*8 + int(s[n]-'0')
			n++
		}
	case c == 'x' && len(s) > 1 && hexDigit(s[1]) >= 0:
		for n = 1; n < 3 && n < len(s) && hexDigit(s[n]) >= 0; n++ {
			value = value*16 + hexDigit(s[n])
		}
	case c == 'x' || c == 'u' || c == 'U' || c == 'c':
		return "", 0, unsupportedError(`\` + s[:1])
	default:
		return `\` + s[:1], 1, nil
	}
	if value&0xff == 0 { // cuts the rest off
		return "", 0, unsupportedError("a NUL byte")
	}
	return string([]byte{byte(value)}), n, nil
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
