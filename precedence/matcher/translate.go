package matcher

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// translation is a JavaScript expression in the syntax of both engines.
type translation struct {
	re2  string // "" when RE2 cannot say the same
	ecma string
}

// translate reads a JavaScript expression (no flags, with the extensions for
// browsers that every engine has) and writes it for both engines. What it
// accepts and refuses is what `new RegExp` accepts and refuses.
func translate(text string) (translation, error) {
	if len(text) > MaxChars && utf8.RuneCountInString(text) > MaxChars {
		return translation{}, &SyntaxError{Text: text, Msg: fmt.Sprintf("longer than %d characters", MaxChars)}
	}
	t := &translator{text: text, in: []rune(text), onlyRE2: true, seen: map[string]bool{}}
	t.survey()
	t.disjunction(0)
	if t.err == nil && t.at < len(t.in) {
		t.fail("unmatched )", "")
	}
	if t.err != nil {
		return translation{}, t.err
	}
	out := translation{ecma: t.ecma.String()}
	if t.onlyRE2 {
		out.re2 = t.re2.String()
	}
	return out, nil
}

type translator struct {
	text string
	in   []rune
	at   int

	re2, ecma strings.Builder
	onlyRE2   bool // still sayable in RE2

	groups  int            // capturing groups in the whole text
	numbers map[string]int // of the named ones among them; nil without any
	seen    map[string]bool
	err     error
}

func (t *translator) fail(msg, hint string) {
	if t.err == nil {
		t.err = &SyntaxError{Text: t.text, Offset: min(t.at, len(t.in)), Msg: msg, Hint: hint}
	}
}

// peek is the rune at distance n, or -1.
func (t *translator) peek(n int) rune {
	if t.at+n < len(t.in) {
		return t.in[t.at+n]
	}
	return -1
}

func (t *translator) looking(s string) bool {
	for i, r := range []rune(s) {
		if t.peek(i) != r {
			return false
		}
	}
	return true
}

// survey counts the groups, on which the meaning of \1 and \k depends.
func (t *translator) survey() {
	class := false
	for i := 0; i < len(t.in); i++ {
		switch r := t.in[i]; {
		case r == '\\':
			i++
		case class:
			class = r != ']'
		case r == '[':
			class = true
		case r == '(':
			if i+1 >= len(t.in) || t.in[i+1] != '?' {
				t.groups++
			} else if i+3 < len(t.in) && t.in[i+2] == '<' && t.in[i+3] != '=' && t.in[i+3] != '!' {
				t.groups++
				t.number(t.in[i+3:])
			}
		}
	}
}

// number notes the name that in starts with as that of the latest group.
func (t *translator) number(in []rune) {
	if t.numbers == nil {
		t.numbers = map[string]int{}
	}
	if end := slices.Index(in, '>'); end >= 0 {
		if name := string(in[:end]); t.numbers[name] == 0 {
			t.numbers[name] = t.groups
		}
	}
}

// write adds the same text to both translations.
func (t *translator) write(s string) {
	t.re2.WriteString(s)
	t.ecma.WriteString(s)
}

// disjunction reads alternatives up to a closing parenthesis or the end.
func (t *translator) disjunction(depth int) {
	if depth > MaxDepth {
		t.fail(fmt.Sprintf("nested deeper than %d groups", MaxDepth), "")
	}
	for t.err == nil {
		switch t.peek(0) {
		case -1, ')':
			return
		case '|':
			t.at++
			t.write("|")
		default:
			t.term(depth)
		}
	}
}

// term reads an assertion, or an atom, with its quantifier.
func (t *translator) term(depth int) {
	quantifiable := true
	switch r := t.peek(0); r {
	case '^', '$':
		t.at++
		t.write(string(r))
		quantifiable = false
	case '(':
		quantifiable = t.group(depth)
	case '[':
		t.class()
	case '.':
		t.at++
		t.re2.WriteString(`[^\n\r\x{2028}\x{2029}]`)
		t.ecma.WriteString(".")
	case '\\':
		quantifiable = t.escape()
	case '*', '+', '?':
		t.fail("nothing to repeat", repeatHint(t.text))
	case '{':
		if _, _, size := t.braces(); size > 0 {
			t.fail("nothing to repeat", "")
			return
		}
		t.literal(r)
	default: // "]" and "}" too
		t.literal(r)
	}
	t.quantifier(quantifiable)
}

func repeatHint(text string) string {
	if strings.HasPrefix(text, "*") && !strings.HasPrefix(text, "*|") {
		return `a matcher is no file glob; write ".*" for anything, or "*" alone for every event`
	}
	return ""
}

// literal takes the next rune as itself.
func (t *translator) literal(r rune) {
	t.at++
	t.char(r)
}

// char writes a rune that stands for itself.
func (t *translator) char(r rune) {
	switch {
	case r > 0xffff:
		// Two code units in JavaScript; what follows repeats the second.
		t.onlyRE2 = false
		t.ecma.WriteString(unit(first(r)) + unit(last(r)))
	case isHalf(r):
		t.onlyRE2 = false
		t.ecma.WriteString(unit(r))
	case r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
		t.write(string(r))
	default:
		fmt.Fprintf(&t.re2, `\x{%x}`, r)
		t.ecma.WriteString(unit(r))
	}
}

// group reads what a parenthesis starts; false for what cannot be repeated.
func (t *translator) group(depth int) bool {
	quantifiable := true
	open := "("
	switch {
	case t.looking("(?:"):
		open = "(?:"
	case t.looking("(?="), t.looking("(?!"):
		open = string(t.in[t.at : t.at+3])
		t.onlyRE2 = false
	case t.looking("(?<="), t.looking("(?<!"):
		open = string(t.in[t.at : t.at+4])
		t.onlyRE2 = false
		quantifiable = false
	case t.looking("(?<"):
		t.namedGroup(depth)
		return true
	case t.looking("(?"):
		t.fail("invalid group", groupHint(t.peek(2)))
		return false
	}
	t.at += len(open)
	t.write(open)
	t.inside(depth)
	return quantifiable
}

func groupHint(r rune) string {
	if r == 'i' || r == 'm' || r == 's' || r == 'x' || r == '-' {
		return "JavaScript has no inline flags; spell both cases out, as in [Bb]ash"
	}
	return ""
}

// inside reads the contents of a group and its end.
func (t *translator) inside(depth int) {
	t.disjunction(depth + 1)
	if t.err != nil {
		return
	}
	if t.peek(0) != ')' {
		t.fail("unterminated group", "")
		return
	}
	t.at++
	t.write(")")
}

// namedGroup reads (?<name>…). Both engines get it without its name, so that
// they count groups as JavaScript does.
func (t *translator) namedGroup(depth int) {
	t.at += 3
	name := t.name()
	if t.err != nil {
		return
	}
	if t.seen[name] {
		t.fail("duplicate capture group name", "")
		return
	}
	t.seen[name] = true
	t.write("(")
	t.inside(depth)
}

// name reads an identifier and the ">" behind it.
func (t *translator) name() string {
	from := t.at
	for ; t.at < len(t.in); t.at++ {
		r := t.in[t.at]
		if r == '>' && t.at > from {
			name := string(t.in[from:t.at])
			t.at++
			return name
		}
		letter := r == '_' || r == '$' || unicode.IsLetter(r)
		if !letter && (t.at == from || !unicode.IsDigit(r)) {
			break
		}
	}
	t.fail("invalid capture group name", "")
	return ""
}

// quantifier reads what repeats the term before it, if anything.
func (t *translator) quantifier(allowed bool) {
	if t.err != nil {
		return
	}
	low, high, size := 0, 0, 1
	text := string(t.peek(0))
	switch text {
	case "*", "?", "+":
	case "{":
		if low, high, size = t.braces(); size == 0 {
			return
		}
		text = fmt.Sprintf("{%d,%d}", low, high)
		if high < 0 {
			text = fmt.Sprintf("{%d,}", low)
		}
	default:
		return
	}
	if !allowed {
		t.fail("nothing to repeat", "")
		return
	}
	if high >= 0 && low > high {
		t.fail("numbers out of order in {} quantifier", "")
		return
	}
	if low > 1000 || high > 1000 {
		t.onlyRE2 = false
	}
	t.write(text)
	t.at += size
	if t.peek(0) == '?' {
		t.at++
		t.write("?")
	}
}

// braces reads {n}, {n,} or {n,m} without taking it; size 0 when the brace is
// plain text.
func (t *translator) braces() (low, high, size int) {
	i := 1
	number := func() (int, bool) {
		from := i
		for t.peek(i) >= '0' && t.peek(i) <= '9' {
			i++
		}
		n, err := strconv.Atoi(string(t.in[t.at+from : t.at+i]))
		if err != nil || n > 1<<30 {
			n = 1 << 30
		}
		return n, i > from
	}
	low, ok := number()
	if !ok {
		return 0, 0, 0
	}
	high = low
	if t.peek(i) == ',' {
		i++
		if high, ok = number(); !ok {
			high = -1
		}
	}
	if t.peek(i) != '}' {
		return 0, 0, 0
	}
	return low, high, i + 1
}
