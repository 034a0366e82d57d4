package matcher

import (
	"fmt"
	"strconv"
	"strings"
)

// space is \s of JavaScript, as a part of a class of RE2.
const (
	space    = `\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	notSpace = `\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
)

// escape reads an escape outside a class; false for what cannot be repeated.
func (t *translator) escape() bool {
	switch r := t.peek(1); {
	case r == -1:
		t.fail(`\ at the end of the pattern`, "")
		return false
	case r == 'b' || r == 'B':
		t.at += 2
		t.write(`\` + string(r))
		return false
	case isClassEscape(r):
		t.at += 2
		t.ecma.WriteString(`\` + string(r))
		t.re2.WriteString("[" + classOf(r) + "]")
		return true
	case r >= '1' && r <= '9' && t.backreference():
		return true
	case r == 'k' && t.numbers != nil:
		t.namedReference()
		return true
	}
	t.char(t.character())
	return true
}

func isClassEscape(r rune) bool {
	switch r {
	case 'd', 'D', 'w', 'W', 's', 'S':
		return true
	}
	return false
}

// classOf is the inside of a class of RE2 for \d and its kin.
func classOf(r rune) string {
	switch r {
	case 's':
		return space
	case 'S':
		return notSpace
	default:
		return `\` + string(r)
	}
}

// backreference reads \1 and the like, if there are so many groups.
func (t *translator) backreference() bool {
	i := 1
	for t.peek(i) >= '0' && t.peek(i) <= '9' && i < 10 {
		i++
	}
	n, _ := strconv.Atoi(string(t.in[t.at+1 : t.at+i]))
	if n > t.groups {
		return false
	}
	t.at += i
	t.onlyRE2 = false
	// In a group of its own, so that a digit behind it does not join it.
	fmt.Fprintf(&t.ecma, `(?:\%d)`, n)
	return true
}

// namedReference reads \k<name>.
func (t *translator) namedReference() {
	t.at += 2
	if t.peek(0) != '<' {
		t.fail("invalid named reference", "")
		return
	}
	t.at++
	n := t.numbers[t.name()]
	if n == 0 {
		t.fail("invalid named capture referenced", "")
		return
	}
	t.onlyRE2 = false
	fmt.Fprintf(&t.ecma, `(?:\%d)`, n)
}

// character takes an escape that stands for one character and returns it.
func (t *translator) character() rune {
	r := t.peek(1)
	switch r {
	case 't':
		t.at += 2
		return '\t'
	case 'n', 'v', 'f', 'r':
		t.at += 2
		return rune("\n\v\f\r"[strings.IndexRune("nvfr", r)])
	case 'c':
		if l := t.peek(2); l >= 'a' && l <= 'z' || l >= 'A' && l <= 'Z' {
			t.at += 3
			return l % 32
		}
		t.at++ // a plain backslash; the c is read as the next character
		return '\\'
	case 'x':
		return t.hex(2)
	case 'u':
		return t.hex(4)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return t.octal()
	}
	t.at += 2
	return r
}

// hex takes \xHH or \uHHHH; with fewer digits the letter stands for itself.
func (t *translator) hex(digits int) rune {
	letter := t.peek(1)
	if t.at+2+digits <= len(t.in) {
		if v, err := strconv.ParseUint(string(t.in[t.at+2:t.at+2+digits]), 16, 32); err == nil {
			t.at += 2 + digits
			return rune(v)
		}
	}
	t.at += 2
	return letter
}

// octal takes up to three octal digits, at most \377.
func (t *translator) octal() rune {
	v, i := rune(0), 1
	for i < 4 && t.peek(i) >= '0' && t.peek(i) <= '7' && v*8+t.peek(i)-'0' <= 0o377 {
		v = v*8 + t.peek(i) - '0'
		i++
	}
	t.at += i
	return v
}
