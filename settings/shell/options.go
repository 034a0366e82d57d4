package shell

import "strings"

// options says how the command line of a wrapper is read up to the command it
// runs.
type options struct {
	flags    string // short options that stand alone
	args     string // short options that take an argument
	long     string // long options whose argument is the next word, each with a blank behind it
	operands int    // words between the options and the command
	assigns  bool   // NAME=VALUE words may stand before the command
}

// starts lists the places in ws at which the command behind the options may
// start: one, or more where an option is not known or a word is known only at
// run time. A place may lie past the end.
func (o options) starts(ws []word) []int {
	s := scan{options: o, ws: ws, seen: make([]bool, len(ws)+3)}
	s.from(1)
	return s.found
}

type scan struct {
	options
	ws    []word
	seen  []bool
	found []int
}

// from reads options at i and what follows.
func (s *scan) from(i int) {
	for i < len(s.ws) {
		if s.seen[i] {
			return
		}
		s.seen[i] = true
		w := &s.ws[i]
		p := w.prefix()
		if p == "" && w.parts != nil {
			s.found = append(s.found, i) // an option, an operand, or the command
			return
		}
		if !strings.HasPrefix(p, "-") {
			break
		}
		if p == "--" {
			i++
			break
		}
		size, doubt := s.option(p)
		if doubt {
			s.from(i + 2)
		}
		i += size
	}
	s.operand(i)
}

// option says how many words an option takes, and whether that is a guess.
func (s *scan) option(p string) (size int, doubt bool) {
	if strings.HasPrefix(p, "--") {
		return s.longOption(p[2:])
	}
	for i := 1; i < len(p); i++ {
		switch {
		case strings.IndexByte(s.args, p[i]) >= 0:
			if i+1 == len(p) {
				return 2, doubt
			}
			return 1, doubt
		case strings.IndexByte(s.flags, p[i]) < 0 && (p[i] < '0' || p[i] > '9'):
			doubt = true
		}
	}
	return 1, doubt
}

// longOption says the same of a long option. One that is not known, or may be
// an abbreviation, is read both ways: --login is no --login-class.
func (s *scan) longOption(name string) (size int, doubt bool) {
	if strings.Contains(name, "=") {
		return 1, false
	}
	for long := range strings.FieldsSeq(s.long) {
		if long == name {
			return 2, false
		}
	}
	return 1, true
}

// operand skips operands and assignments from i and notes where the command
// starts.
func (s *scan) operand(i int) {
	for range s.operands {
		if i < len(s.ws) && s.ws[i].many {
			s.found = append(s.found, i)
			return
		}
		i++
	}
	for s.assigns && i < len(s.ws) && isAssignment(s.ws[i].prefix()) {
		i++
	}
	s.found = append(s.found, min(i, len(s.ws)))
}

// isAssignment reports whether a word starts as NAME= does.
func isAssignment(s string) bool {
	name, _, ok := strings.Cut(s, "=")
	return ok && name != ""
}
