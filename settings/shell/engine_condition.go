package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// test judges the inside of [[ ]]. The interpreter's order of && || ! is
// repaired before it runs.
func (j *judge) test(x syntax.TestExpr) {
	if b, ok := x.(*syntax.BinaryTest); ok && (b.Op == syntax.AndTest || b.Op == syntax.OrTest) && usesStatus(b) {
		j.reject(x, "$? in [[ ]]")
	}
	switch x := x.(type) {
	case *syntax.Word:
		j.word(x, asOne)
		j.goesOn(x)
	case *syntax.ParenTest:
		j.test(x.X)
	case *syntax.UnaryTest:
		if x.Op != syntax.TsNot && !plainUnary(x.Op) {
			j.reject(x, "the test %s in [[ ]]", x.Op)
		}
		if x.Op == syntax.TsNot {
			j.test(x.X)
		} else {
			j.operand(x.X)
		}
	case *syntax.BinaryTest:
		j.binaryTest(x)
	}
}

// goesOn rejects a word of [[ ]] after which the line ends: to bash an operator
// has to follow.
func (j *judge) goesOn(w *syntax.Word) {
	if rest := strings.TrimLeft(j.text[w.End().Offset():], " \t"); strings.HasPrefix(rest, "\n") {
		j.reject(w, "a line that ends after a word in [[ ]]")
	}
}

// operand judges what an operator of [[ ]] is about.
func (j *judge) operand(x syntax.TestExpr) {
	if w, ok := x.(*syntax.Word); ok {
		j.word(w, asOne)
		return
	}
	j.test(x)
}

func (j *judge) binaryTest(x *syntax.BinaryTest) {
	if w, ok := x.X.(*syntax.Word); ok && x.Op != syntax.AndTest && x.Op != syntax.OrTest {
		j.goesOn(w)
	}
	switch x.Op {
	case syntax.AndTest, syntax.OrTest:
		j.test(x.X)
		j.test(x.Y)
	case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch:
		j.operand(x.X)
		if y, ok := x.Y.(*syntax.Word); ok {
			j.word(y, asPattern)
		}
	case syntax.TsReMatch:
		j.operand(x.X)
		if y, ok := x.Y.(*syntax.Word); !ok || !plainRegexp(y.Lit()) {
			j.reject(x, "=~ with that expression")
		}
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		if !j.isInteger(x.X) || !j.isInteger(x.Y) {
			j.reject(x, "%s in [[ ]] with that operand", x.Op)
		}
	default:
		j.reject(x, "%s in [[ ]]", x.Op)
	}
}

// plainUnary are the tests of a string, or of a file by its name.
func plainUnary(op syntax.UnTestOperator) bool {
	switch op {
	case syntax.TsEmpStr, syntax.TsNempStr, syntax.TsExists, syntax.TsRegFile, syntax.TsDirect,
		syntax.TsRead, syntax.TsWrite, syntax.TsExec, syntax.TsNoEmpty, syntax.TsSmbLink, syntax.TsNmPipe:
		return true
	default:
		return false
	}
}

// isInteger reports whether an operand is a number whatever happens: $?, a
// literal, or a variable that only ever holds numbers.
func (j *judge) isInteger(x syntax.TestExpr) bool {
	w, ok := x.(*syntax.Word)
	if !ok {
		return false
	}
	if text, static := staticText(w); static {
		return isNumber(text)
	}
	return isStatus(w)
}

// plainRegexp reports whether an expression means the same to POSIX and to Go:
// literals, anchors, groups, alternatives, and repetitions of any character.
func plainRegexp(re string) bool {
	if re == "" || re[0] == '#' || strings.Contains("|"+re+"|", "||") || strings.Contains(re, "(|") || strings.Contains(re, "|)") || strings.Contains(re, "()") {
		return false // an empty alternative
	}
	for i := 0; i < len(re); i++ {
		switch c := re[i]; c {
		case '\\':
			if i++; i == len(re) || !strings.ContainsRune(`.*+?()[]{}|^$ /-"#&;`, rune(re[i])) {
				return false
			}
		case '.':
			if i+1 == len(re) || (re[i+1] != '*' && re[i+1] != '+') {
				return false // it counts bytes or characters by the locale
			}
		case '[', ']', '{', '}', '~', '$':
			if c != '$' || (i+1 < len(re) && re[i+1] != ')' && re[i+1] != '|') {
				return false
			}
		case '*', '+', '?':
			if i == 0 || strings.IndexByte("*+?(|^", re[i-1]) >= 0 && re[max(i-2, 0)] != '\\' {
				return false // nothing to repeat, or a lazy repetition
			}
		}
		if re[i] >= 0x80 {
			return false
		}
	}
	return true
}

// classicTest judges test and [ ] of at most four words, whose operators are
// known: what the operands come to cannot change how they are read.
func (j *judge) classicTest(name string, c *syntax.CallExpr) {
	args := c.Args[1:]
	if name == "[" {
		if len(args) == 0 || args[len(args)-1].Lit() != "]" {
			j.reject(c, "[ without ]")
			return
		}
		args = args[:len(args)-1]
	}
	if len(args) > 1 && args[0].Lit() == "!" {
		args = args[1:]
	}
	switch {
	case len(args) == 1:
		j.operands(args)
	case len(args) == 2 && classicUnary(args[0].Lit()):
		j.operands(args[1:])
	case len(args) == 3 && (args[1].Lit() == "=" || args[1].Lit() == "==" || args[1].Lit() == "!="):
		j.operands([]*syntax.Word{args[0], args[2]})
	case len(args) == 3 && classicCompare(args[1].Lit()):
		if !j.isInteger(args[0]) || !j.isInteger(args[2]) {
			j.reject(c, "%s with that operand", args[1].Lit())
		}
	default:
		j.reject(c, "that %s", name)
	}
}

// operands allows words that always come to exactly one argument.
func (j *judge) operands(words []*syntax.Word) {
	for _, w := range words {
		j.word(w, asFields)
		if len(w.Parts) == 0 || (bare(w) && !isStatus(w)) {
			j.reject(w, "an operand outside quotes")
		}
	}
}

func classicUnary(op string) bool {
	switch op {
	case "-z", "-n", "-e", "-f", "-d", "-r", "-w", "-x", "-s", "-L", "-h", "-p":
		return true
	default:
		return false
	}
}

func classicCompare(op string) bool {
	switch op {
	case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
		return true
	default:
		return false
	}
}
