package envfile

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// A pattern is a shell pattern without brackets, over ASCII.
type pattern []glyph

// A glyph is one character of a pattern: itself, any one (?) or any text (*).
type glyph struct {
	char      byte
	any, many bool
}

func (p pattern) onlyStars() bool {
	return !slices.ContainsFunc(p, func(g glyph) bool { return !g.many })
}

// pattern reads w as a pattern to be matched with value. What depends on the
// locale or on options of the shell is left to bash.
func (e *evaluator) pattern(w *syntax.Word, quoted bool, value string) (pattern, error) {
	if w == nil {
		return nil, nil
	}
	if !isASCII(value) {
		return nil, unsupportedError("a pattern on text that is not ASCII")
	}
	if !isSimpleOperand(w, quoted, `~[(`) {
		return nil, unsupportedError("this pattern")
	}
	var pat pattern
	for i, part := range w.Parts {
		text := ""
		var err error
		active := false
		switch p := part.(type) {
		case *syntax.Lit:
			text, active = e.raw(p.Value), true
		case *syntax.ParamExp:
			text, err = e.parameter(p, quoted)
			active = true
			if err == nil && strings.ContainsAny(text, `[(\~`) {
				err = unsupportedError("this pattern")
			}
		default:
			text, err = e.part(part, i, len(w.Parts))
		}
		if err != nil {
			return nil, err
		}
		if !isASCII(text) {
			return nil, unsupportedError("a pattern that is not ASCII")
		}
		pat = appendGlyphs(pat, text, active)
	}
	return pat, nil
}

// appendGlyphs adds text to pat, as a pattern if active, else as it is.
func appendGlyphs(pat pattern, text string, active bool) pattern {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case active && c == '\\' && i+1 < len(text):
			i++
			pat = append(pat, glyph{char: text[i]})
		case active && c == '*':
			if len(pat) == 0 || !pat[len(pat)-1].many {
				pat = append(pat, glyph{many: true})
			}
		case active && c == '?':
			pat = append(pat, glyph{any: true})
		default:
			pat = append(pat, glyph{char: c})
		}
	}
	return pat
}

// match returns the length of the shortest or longest start (with suffix: end)
// of value that pat matches, -1 if there is none.
func (e *evaluator) match(pat pattern, value string, longest, suffix bool) (int, error) {
	if suffix {
		pat = slices.Clone(pat)
		slices.Reverse(pat)
	}
	states := e.startStates(pat)
	found := -1
	for i := 0; ; i++ {
		if states[len(pat)] {
			found = i
		}
		if i == len(value) || found == i && !longest {
			return found, nil
		}
		if e.steps -= len(states); e.steps < 0 {
			return 0, unsupportedError("a pattern that takes long")
		}
		c := value[i]
		if suffix {
			c = value[len(value)-1-i]
		}
		if !advance(pat, states, c) {
			return found, nil
		}
	}
}

// startStates returns the states before the first character: states[i] says
// that the first i glyphs of pat have matched.
func (e *evaluator) startStates(pat pattern) []bool {
	if cap(e.states) <= len(pat) {
		e.states = make([]bool, len(pat)+1)
	}
	states := e.states[:len(pat)+1]
	clear(states)
	states[0] = true
	passStars(pat, states)
	return states
}

// advance moves states over the character c and reports whether any is left.
func advance(pat pattern, states []bool, c byte) bool {
	alive := false
	for i := len(pat); i >= 0; i-- {
		stays := i < len(pat) && pat[i].many
		moves := i > 0 && states[i-1] && !pat[i-1].many && (pat[i-1].any || pat[i-1].char == c)
		states[i] = states[i] && stays || moves
		alive = alive || states[i]
	}
	passStars(pat, states)
	return alive
}

// passStars lets every star match nothing.
func passStars(pat pattern, states []bool) {
	for i, g := range pat {
		if states[i] && g.many {
			states[i+1] = true
		}
	}
}

// find returns the place and length of the leftmost longest match of pat in
// value, a negative length if there is none.
func (e *evaluator) find(pat pattern, value string) (at, n int, err error) {
	if text, ok := pat.literal(); ok {
		if at = strings.Index(value, text); at < 0 {
			return 0, -1, nil
		}
		return at, len(text), nil
	}
	for at = range len(value) {
		if n, err = e.match(pat, value[at:], true, false); err != nil || n > 0 {
			return at, n, err
		}
	}
	return 0, -1, nil
}

// literal returns the text that alone matches p, if there is one.
func (p pattern) literal() (string, bool) {
	text := make([]byte, len(p))
	for i, g := range p {
		if g.any || g.many {
			return "", false
		}
		text[i] = g.char
	}
	return string(text), true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
