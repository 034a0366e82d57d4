package jq

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// A regex means the same to Oniguruma, which jq uses, and to Go: ASCII text of
// a small language, see regexDoubt.
type regex struct {
	*regexp.Regexp
	why string // it is not certain, or ""
	// classes: it has what means more in Unicode than in ASCII.
	classes bool
	end     bool // it has a $, which jq also finds before a newline at the end
	begin   bool // it has a ^ or a \b, which the parts that jq 1.6 cuts text into have, too
	word    bool // it has a \b or a \B
	empty   bool // it may match nothing
}

func (r *run) regex(pattern, flags string) *regex {
	if known := r.regexs[flags+"\x00"+pattern]; known != nil {
		return known
	}
	x := newRegex(pattern, flags)
	r.regexs[flags+"\x00"+pattern] = x
	return x
}

func newRegex(pattern, flags string) *regex {
	x := &regex{}
	if x.why = x.read(pattern); x.why != "" {
		return x
	}
	if flags == "i" {
		pattern, x.classes = "(?i)"+pattern, true
	} else if flags != "" {
		x.why = "flags of a regular expression"
		return x
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err == nil {
		x.Regexp, err = regexp.Compile(pattern)
	}
	if err != nil {
		x.why = "a regular expression that Go does not read"
		return x
	}
	x.empty = minimum(tree) == 0
	if x.word && repeatsDot(tree) {
		// Behind one Oniguruma takes a repeated dot for the begin of a line, and
		// looks at no other place.
		x.why = "a word boundary and a repeated dot"
	}
	if repeatsRepeats(tree, false) {
		x.why = "a repetition in a repetition"
	}
	return x
}

// read scans the pattern and says what in it is not certain.
func (x *regex) read(pattern string) string {
	if len(pattern) > 4<<10 || !ascii(pattern) {
		return "a regular expression that is not short and ASCII"
	}
	if rest, ok := strings.CutPrefix(pattern, "(?i)"); ok {
		pattern, x.classes = rest, true
	}
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			if i++; i == len(pattern) || !x.escape(pattern[i]) {
				return "an escape in a regular expression"
			}
		case c == '[':
			n := x.set(pattern[i:])
			if n == 0 {
				return "a set of characters in a regular expression"
			}
			i += n - 1
		case c == '(' && strings.HasPrefix(pattern[i:], "(?") && !strings.HasPrefix(pattern[i:], "(?:"):
			return "a special group in a regular expression"
		case c == '{':
			n := bounds(pattern[i:])
			if n == 0 || i+n < len(pattern) && pattern[i+n] == '?' {
				return "a brace in a regular expression"
			}
			i += n - 1
		case c == '(' && strings.HasPrefix(pattern[i:], "(?:"):
			i += 2
		case c == '.':
			x.classes = true
		case c == '^':
			x.begin = true
		case c == '$':
			x.end = true
		case c < ' ' && c != '\t' && c != '\n', c == '}', c == ']':
			return "a sign in a regular expression"
		case (c == '+' || c == '*' || c == '?') && i > 0 && strings.IndexByte("+*?}", pattern[i-1]) >= 0 && !escapedAt(pattern, i-1):
			if c != '?' || pattern[i-1] == '}' || pattern[i-1] == '?' {
				return "a repetition of a repetition"
			}
		}
	}
	return ""
}

// escapedAt reports whether a backslash makes the sign at i plain.
func escapedAt(pattern string, i int) bool {
	n := 0
	for i > n && pattern[i-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// escape takes what follows a backslash.
func (x *regex) escape(c byte) bool {
	switch {
	case strings.IndexByte("sdwSDW", c) >= 0:
		x.classes = true
	case c == 'b' || c == 'B':
		x.classes, x.begin, x.word = true, true, true
	case strings.IndexByte("nt", c) >= 0:
	default:
		return c > ' ' && c < 0x7f && !('0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '<' || c == '>' || c == '`' || c == '\'')
	}
	return true
}

// set is the length of a plain set of characters at the start of s, or 0.
func (x *regex) set(s string) int {
	i := 1
	if strings.HasPrefix(s[i:], "^") {
		x.classes = true
		i++
	}
	first := i
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c == ']':
			if i == first {
				return 0
			}
			return i + 1
		case c == '[' || c == '^' || c < ' ' || strings.HasPrefix(s[i:], "&&"):
			return 0
		case c == '-' && i != first && !strings.HasPrefix(s[i:], "-]") && !rangeAt(s, i):
			return 0
		case c == '\\':
			if i++; i == len(s) || s[i] == 'b' || s[i] == 'B' || !x.escape(s[i]) {
				return 0
			}
			if strings.IndexByte("sdwSDW", s[i]) >= 0 && strings.HasPrefix(s[i+1:], "-") && !strings.HasPrefix(s[i+1:], "-]") {
				return 0
			}
		}
	}
	return 0
}

// rangeAt reports whether the - at i stands between two letters or digits.
func rangeAt(s string, i int) bool {
	if i+1 == len(s) {
		return false
	}
	alike := func(low, high byte) bool {
		a, b := s[i-1], s[i+1]
		return low <= a && a <= b && b <= high
	}
	plain := i < 3 || s[i-2] != '-' && s[i-2] != '\\'
	return plain && (alike('a', 'z') || alike('A', 'Z') || alike('0', '9'))
}

// bounds is the length of {n}, {n,} or {n,m} at the start of s, or 0.
func bounds(s string) int {
	n := strings.IndexByte(s, '}')
	if n < 0 || n > 6 || strings.Trim(s[1:max(n, 1)], "0123456789,") != "" || n < 2 || s[1] == ',' || strings.Count(s[:n], ",") > 1 {
		return 0
	}
	return n + 1
}

// minimum is 0 if the tree may match nothing.
func minimum(x *syntax.Regexp) int {
	switch x.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpCapture, syntax.OpPlus:
		return minimum(x.Sub[0])
	case syntax.OpRepeat:
		return min(x.Min, 1) * minimum(x.Sub[0])
	case syntax.OpConcat:
		n := 0
		for _, sub := range x.Sub {
			n = max(n, minimum(sub))
		}
		return n
	case syntax.OpAlternate:
		n := 1
		for _, sub := range x.Sub {
			n = min(n, minimum(sub))
		}
		return n
	default:
		return 0
	}
}

// repeatsDot reports whether a dot is repeated without an end.
func repeatsDot(x *syntax.Regexp) bool {
	switch x.Op {
	case syntax.OpStar, syntax.OpPlus:
		if op := x.Sub[0].Op; op == syntax.OpAnyChar || op == syntax.OpAnyCharNotNL {
			return true
		}
	}
	return slices.ContainsFunc(x.Sub, repeatsDot)
}

// repeatsRepeats reports whether something is repeated that holds a repetition
// itself, which can cost a backtracking engine more than it may take, or that
// may match nothing, such as an anchor, which Oniguruma refuses.
func repeatsRepeats(x *syntax.Regexp, inside bool) bool {
	switch x.Op {
	case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		if inside || minimum(x.Sub[0]) == 0 {
			return true
		}
		inside = true
	case syntax.OpQuest:
		if minimum(x.Sub[0]) == 0 {
			return true
		}
	}
	for _, sub := range x.Sub {
		if repeatsRepeats(sub, inside) {
			return true
		}
	}
	return false
}

// fits reports why x may not mean the same for s, or "".
func (x *regex) fits(s string) string {
	switch {
	case x.why != "":
		return x.why
	case x.classes && (!ascii(s) || strings.ContainsAny(s, "\v\r\f\x1c\x1d\x1e\x1f\x7f")):
		return "a class of characters and text that is not plain ASCII"
	case x.end && strings.HasSuffix(s, "\n"):
		return "a $ before a newline"
	default:
		return ""
	}
}

// test is test(pattern; flags).
func (r *run) test(v any, args []any) any {
	s, ok1 := v.(string)
	pattern, ok2 := args[0].(string)
	flags, ok3 := args[1].(string)
	if !ok1 || !ok2 || !ok3 {
		return r.unsure("a test of something else")
	}
	x := r.regex(pattern, flags)
	if why := x.fits(s); why != "" {
		return r.unsure(why)
	}
	r.spend(16)
	return x.MatchString(s)
}

// replace is sub, or gsub for n < 0. jq 1.6 searches what is left of the text
// anew, so nothing in the pattern may look at what stands before.
func (r *run) replace(v any, args []any, n int) any {
	s, ok1 := v.(string)
	pattern, ok2 := args[0].(string)
	with, ok3 := args[1].(string)
	if !ok1 || !ok2 || !ok3 {
		return r.unsure("a replacement in something else")
	}
	x := r.regex(pattern, "")
	why := x.fits(s)
	switch {
	case why != "":
	case !ascii(s) || s == "":
		why = "a replacement in text that is not ASCII"
	case x.empty || n < 0 && (x.begin || x.end) || x.NumSubexp() > 0:
		why = "a replacement by what may match nothing, or holds groups"
	}
	if why != "" {
		return r.unsure(why)
	}
	places := x.FindAllStringIndex(s, n)
	if r.spend(len(s) + len(places)*len(with)); r.why != "" {
		return errFilter
	}
	var b strings.Builder
	at := 0
	for _, place := range places {
		b.WriteString(s[at:place[0]] + with)
		at = place[1]
	}
	return b.String() + s[at:]
}
