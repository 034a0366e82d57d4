package matcher

import "fmt"

// class reads a [class].
func (t *translator) class() {
	t.at++
	negated := t.peek(0) == '^'
	if negated {
		t.at++
	}
	if t.peek(0) == ']' {
		t.at++
		if negated {
			t.re2.WriteString(`[\x{0}-\x{10ffff}]`)
			t.ecma.WriteString(`[\s\S]`)
		} else {
			t.re2.WriteString(`[^\x{0}-\x{10ffff}]`)
			t.ecma.WriteString(`[^\s\S]`)
		}
		return
	}
	t.write("[")
	if negated {
		t.write("^")
	}
	for t.err == nil {
		switch t.peek(0) {
		case -1:
			t.fail("unterminated character class", "")
			return
		case ']':
			t.at++
			t.write("]")
			return
		}
		t.classRange()
	}
}

// classRange reads one character, \d or the like, or a range.
func (t *translator) classRange() {
	low, set := t.classAtom()
	if t.err != nil {
		return
	}
	if t.peek(0) != '-' || t.peek(1) == ']' || t.peek(1) == -1 {
		t.member(low, set)
		return
	}
	t.at++
	high, highSet := t.classAtom()
	switch {
	case t.err != nil:
	case set != 0 || highSet != 0:
		// "\d-x" is no range: both ends and the hyphen belong to the class.
		t.member(low, set)
		t.member('-', 0)
		t.member(high, highSet)
	case last(low) > first(high):
		t.fail("range out of order in character class", "")
	default:
		t.span(low, high)
	}
}

// classAtom takes one character (set 0), or the letter of \d and its kin.
func (t *translator) classAtom() (r, set rune) {
	r = t.peek(0)
	if r != '\\' {
		t.at++
		return r, 0
	}
	switch next := t.peek(1); {
	case next == -1:
		t.fail(`\ at the end of the pattern`, "")
		return 0, 0
	case isClassEscape(next):
		t.at += 2
		return 0, next
	case next == 'b':
		t.at += 2
		return '\b', 0
	case next == 'c':
		if l := t.peek(2); l == '_' || l >= '0' && l <= '9' {
			t.at += 3
			return l % 32, 0
		}
	case next == 'k' && t.numbers != nil:
		t.fail("invalid escape", "")
		return 0, 0
	}
	return t.character(), 0
}

// member adds a character, or the set of an escape, to the class.
func (t *translator) member(r, set rune) {
	switch {
	case set != 0:
		t.re2.WriteString(classOf(set))
		t.ecma.WriteString(`\` + string(set))
	case r > 0xffff:
		t.onlyRE2 = false
		t.ecma.WriteString(unit(first(r)) + unit(last(r)))
	default:
		t.span(r, r)
	}
}

// span adds a range of characters to the class. Of a character that is two
// code units, the one next to the hyphen is the end of the range.
func (t *translator) span(low, high rune) {
	if low > 0xffff {
		t.ecma.WriteString(unit(first(low)))
	}
	t.units(last(low), first(high))
	if high > 0xffff {
		t.ecma.WriteString(unit(last(high)))
	}
	if low > 0xffff || high > 0xffff || high >= surrogateMin && low <= surrogateMax {
		t.onlyRE2 = false
		return
	}
	fmt.Fprintf(&t.re2, `\x{%x}-\x{%x}`, low, high)
}

// units adds a range of code units for ECMAScript: up to three, as halves of
// characters are moved out of their place.
func (t *translator) units(low, high rune) {
	for _, part := range [][2]rune{
		{low, min(high, surrogateMin-1)},
		{max(low, surrogateMin), min(high, surrogateMax)},
		{max(low, surrogateMax+1), high},
	} {
		switch {
		case part[0] == part[1]:
			t.ecma.WriteString(unit(part[0]))
		case part[0] < part[1]:
			t.ecma.WriteString(unit(part[0]) + "-" + unit(part[1]))
		}
	}
}
