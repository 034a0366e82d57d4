package rule

import (
	"math/bits"
	"strings"
	"sync"

	"github.com/theus-hooks/theus-hooks/settings/shell"
)

// A pattern is the text of a command rule: literal text with "*" for any run
// of characters. One that ends in " *" or ":*" also fits where its text ends,
// and only at the end of a word.
type pattern struct {
	segments []string // the literal text between the stars, at least one
	tail     bool     // the end is " *"
	fold     bool     // without regard to case

	machine func() *machine
}

// compilePattern reads the text of a command rule.
func compilePattern(spec string, fold bool) *pattern {
	if fold {
		spec = strings.ToLower(spec)
	}
	p := &pattern{fold: fold}
	if core, ok := strings.CutSuffix(spec, ":*"); ok {
		spec = core + " *"
	}
	if core, ok := strings.CutSuffix(spec, " *"); ok {
		spec, p.tail = core, true
	}
	p.segments = splitStars(spec)
	p.machine = sync.OnceValue(func() *machine { return newMachine(p) })
	return p
}

// splitStars splits at the stars that no backslash precedes.
func splitStars(spec string) []string {
	var segments []string
	var b strings.Builder
	for i := 0; i < len(spec); i++ {
		switch {
		case spec[i] == '\\' && i+1 < len(spec) && spec[i+1] == '*':
			i++
			b.WriteByte('*')
		case spec[i] == '*':
			for i+1 < len(spec) && spec[i+1] == '*' {
				i++
			}
			segments = append(segments, b.String())
			b.Reset()
		default:
			b.WriteByte(spec[i])
		}
	}
	return append(segments, b.String())
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// matches compares the pattern with known text.
func (p *pattern) matches(s string) bool {
	if p.fold {
		s = strings.ToLower(s)
	}
	head := p.segments[0]
	if !strings.HasPrefix(s, head) {
		return false
	}
	s = s[len(head):]
	if len(p.segments) == 1 {
		return s == "" || p.tail && blank(s[0])
	}
	last := len(p.segments) - 1
	for _, mid := range p.segments[1:last] {
		i := strings.Index(s, mid)
		if i < 0 {
			return false
		}
		s = s[i+len(mid):]
	}
	end := p.segments[last]
	if strings.HasSuffix(s, end) {
		return true
	}
	return p.tail && endsWord(s, end)
}

// endsWord reports whether word stands in s with a blank behind it.
func endsWord(s, word string) bool {
	for {
		i := strings.Index(s, word)
		if i < 0 {
			return false
		}
		if rest := s[i+len(word):]; rest != "" && blank(rest[0]) {
			return true
		}
		if i == len(s) {
			return false
		}
		s = s[i+1:]
	}
}

// couldMatch compares the pattern with text of which parts are unknown: is
// there a text it may turn out to be that the pattern fits?
func (p *pattern) couldMatch(t shell.Text) bool {
	if len(t) > 0 && t[0].Kind == shell.Literal {
		known, head := t[0].Text, p.segments[0]
		if p.fold {
			known = strings.ToLower(known)
		}
		n := min(len(known), len(head))
		if known[:n] != head[:n] {
			return false
		}
	}
	return p.machine().could(t, p.fold)
}

// A machine is a pattern as a nondeterministic automaton whose state i means
// "the first i tokens are matched"; sets of states are bit sets.
type machine struct {
	words  int // of 64 states each
	class  [256]uint8
	masks  [][]uint64 // by class: the tokens that a byte of it passes; class 0 passes none
	star   []uint64   // tokens that pass any run of bytes
	solid  []uint64   // tokens that pass a byte that is no blank
	accept []uint64
}

func newMachine(p *pattern) *machine {
	n := 2 * len(p.segments)
	for _, s := range p.segments {
		n += len(s)
	}
	m := &machine{words: (n+3)/64 + 1}
	m.star, m.solid, m.accept = m.set(), m.set(), m.set()
	m.masks = [][]uint64{m.set()}
	at := 0
	for i, s := range p.segments {
		if i > 0 {
			add(m.star, at)
			at++
		}
		for j := range len(s) {
			add(m.mask(s[j]), at)
			if !blank(s[j]) {
				add(m.solid, at)
			}
			at++
		}
	}
	add(m.accept, at)
	if p.tail {
		for _, c := range []byte(" \t\n") {
			add(m.mask(c), at)
		}
		add(m.star, at+1)
		add(m.accept, at+2)
	}
	return m
}

func (m *machine) set() []uint64 { return make([]uint64, m.words) }

// mask is the set of tokens that a byte passes, for changing it.
func (m *machine) mask(c byte) []uint64 {
	if m.class[c] == 0 {
		m.masks = append(m.masks, m.set())
		m.class[c] = uint8(len(m.masks) - 1)
	}
	return m.masks[m.class[c]]
}

func add(set []uint64, i int) { set[i/64] |= 1 << (i % 64) }

// could runs the machine over a text.
func (m *machine) could(t shell.Text, fold bool) bool {
	s := m.set()
	add(s, 0)
	m.close(s)
	for _, p := range t {
		text := p.Text
		if fold {
			text = strings.ToLower(text)
		}
		switch p.Kind {
		case shell.Literal:
			m.read(s, text)
		case shell.Any:
			fill(s)
		case shell.Solid:
			m.passSolid(s)
		case shell.Words:
			old := append([]uint64(nil), s...)
			m.read(s, text)
			fill(s)
			union(s, old)
		case shell.Lead:
			old := append([]uint64(nil), s...)
			fill(s)
			m.read(s, text)
			union(s, old)
		}
	}
	for i := range s {
		if s[i]&m.accept[i] != 0 {
			return true
		}
	}
	return false
}

// close adds the states behind a star that matches nothing.
func (m *machine) close(s []uint64) {
	carry := uint64(0)
	for i := range s {
		at := s[i] & m.star[i]
		s[i] |= at<<1 | carry
		carry = at >> 63
	}
}

// read passes known text.
func (m *machine) read(s []uint64, text string) {
	for i := range len(text) {
		mask := m.masks[m.class[text[i]]]
		carry := uint64(0)
		for j := range s {
			passed := s[j] & mask[j]
			s[j] = s[j]&m.star[j] | passed<<1 | carry
			carry = passed >> 63
		}
		m.close(s)
	}
}

// fill passes any text: every state behind the first can be reached.
func fill(s []uint64) {
	for i := range s {
		if s[i] == 0 {
			continue
		}
		s[i] |= ^uint64(0) << bits.TrailingZeros64(s[i])
		for j := i + 1; j < len(s); j++ {
			s[j] = ^uint64(0)
		}
		return
	}
}

// passSolid passes any text without a blank.
func (m *machine) passSolid(s []uint64) {
	carry := uint64(0)
	for i := range s {
		s[i] |= carry
		open := m.solid[i] | m.star[i]
		for {
			next := s[i] | (s[i]&open)<<1
			if next == s[i] {
				break
			}
			s[i] = next
		}
		carry = (s[i] & open) >> 63
	}
}

func union(s, old []uint64) {
	for i := range s {
		s[i] |= old[i]
	}
}
