package envfile

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// parameter evaluates $NAME and the forms of ${NAME…} that need no shell;
// quoted says that it stands in double quotes.
func (e *evaluator) parameter(p *syntax.ParamExp, quoted bool) (string, error) {
	if p.Param == nil || !isPlain(p) {
		return "", unsupportedError("this parameter expansion")
	}
	v, err := e.lookup(p.Param.Value)
	switch {
	case err != nil:
		return "", err
	case p.Length:
		return e.length(v.value)
	case p.Repl != nil:
		return e.replace(v.value, p.Repl, quoted)
	case p.Exp != nil:
		return e.expansion(v, p.Exp, quoted)
	}
	return v.value, nil
}

// isPlain reports whether p has none of the marks of indirection, slices,
// arrays, transformations and other shells.
func isPlain(p *syntax.ParamExp) bool {
	var off syntax.OptState
	return p.Flags == nil && !p.Excl && !p.Width && !p.IsSet && p.NestedParam == nil && p.Index == nil &&
		p.Split == off && p.GlobSubst == off && p.RcExpand == off &&
		len(p.Modifiers) == 0 && p.Slice == nil && p.Names == 0 &&
		(!p.Length || p.Repl == nil && p.Exp == nil)
}

// length counts characters; which bytes make one is a matter of the locale
// unless all are ASCII.
func (e *evaluator) length(value string) (string, error) {
	if !isASCII(value) {
		return "", unsupportedError("the length of text that is not ASCII")
	}
	return strconv.Itoa(len(value)), nil
}

// expansion evaluates the forms with a word behind an operator.
func (e *evaluator) expansion(v variable, exp *syntax.Expansion, quoted bool) (string, error) {
	if !isSimpleOperand(exp.Word, quoted, "") {
		return "", unsupportedError("this operand of an expansion") // even if it is not used: it might end elsewhere
	}
	present := v.set
	switch exp.Op {
	case syntax.AlternateUnsetOrNull, syntax.DefaultUnsetOrNull:
		present = v.set && v.value != ""
	}
	switch exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		if present {
			return v.value, nil
		}
		return e.operand(exp.Word, quoted)
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if !present {
			return "", nil
		}
		return e.operand(exp.Word, quoted)
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return e.trim(v.value, exp, quoted)
	}
	e.bashOnly = true
	return "", unsupportedError("this parameter expansion")
}

// operand evaluates the word behind an operator. Where quoting rules differ
// between shells and places it is left to bash.
func (e *evaluator) operand(w *syntax.Word, quoted bool) (string, error) {
	if w == nil {
		return "", nil
	}
	if !isSimpleOperand(w, quoted, `~`) {
		return "", unsupportedError("this operand of an expansion")
	}
	return e.value(w)
}

// isSimpleOperand reports whether w holds none of the bytes in except outside
// quotes and, where it stands in double quotes itself, only text that no
// quoting rule touches. Braces and nameless parameters are never simple: where
// such an operand ends is a matter of the shell.
func isSimpleOperand(w *syntax.Word, quoted bool, except string) bool {
	if w == nil {
		return true
	}
	except += "{"
	if quoted {
		except += `\'"` + "`"
	}
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, except) {
				return false
			}
		case *syntax.ParamExp:
			if p.Param == nil || !ValidName(p.Param.Value) {
				return false
			}
		default:
			if quoted {
				return false
			}
		}
	}
	return true
}

// trim evaluates ${NAME#pattern} and its kin.
func (e *evaluator) trim(value string, exp *syntax.Expansion, quoted bool) (string, error) {
	pat, err := e.pattern(exp.Word, quoted, value)
	if err != nil {
		return "", err
	}
	suffix := exp.Op == syntax.RemSmallSuffix || exp.Op == syntax.RemLargeSuffix
	longest := exp.Op == syntax.RemLargePrefix || exp.Op == syntax.RemLargeSuffix
	n, err := e.match(pat, value, longest, suffix)
	switch {
	case err != nil:
		return "", err
	case n < 0:
		return value, nil
	case suffix:
		return value[:len(value)-n], nil
	}
	return value[n:], nil
}

// replace evaluates ${NAME/pattern/text} and ${NAME//pattern/text}.
func (e *evaluator) replace(value string, r *syntax.Replace, quoted bool) (string, error) {
	e.bashOnly = true
	pat, err := e.pattern(r.Orig, quoted, value)
	if err != nil {
		return "", err
	}
	if len(pat) == 0 || pat.onlyStars() || pat[0] == (glyph{char: '#'}) || pat[0] == (glyph{char: '%'}) {
		return "", unsupportedError("an anchored or empty pattern")
	}
	with := ""
	if r.With != nil {
		if !isSimpleOperand(r.With, quoted, `~\&`) {
			return "", unsupportedError("this replacement")
		}
		if with, err = e.value(r.With); err != nil {
			return "", err
		}
	}
	if strings.ContainsAny(with, `\&`) { // means the match in newer bashes
		return "", unsupportedError("this replacement")
	}
	return e.substitute(value, pat, with, r.All)
}

// substitute replaces the leftmost longest matches of pat in value.
func (e *evaluator) substitute(value string, pat pattern, with string, all bool) (string, error) {
	var out strings.Builder
	rest := value
	for rest != "" {
		at, n, err := e.find(pat, rest)
		if err != nil {
			return "", err
		}
		if n < 0 {
			break
		}
		out.WriteString(rest[:at])
		out.WriteString(with)
		rest = rest[at+n:]
		if out.Len() > e.limit {
			return "", errLongValue
		}
		if !all {
			break
		}
	}
	out.WriteString(rest)
	return out.String(), nil
}
