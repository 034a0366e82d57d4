package setup

import (
	"path"
	"runtime"
	"strings"
)

// Name is the name of the program.
const Name = "theus-hooks"

// Quote writes the path of a program as a shell reads it.
func Quote(program string) string {
	if runtime.GOOS == "windows" {
		if strings.ContainsAny(program, " &()[]{}^=;!'+,`~") {
			return `"` + program + `"`
		}
		return program
	}
	special := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+@", r))
	}
	if program != "" && !strings.ContainsFunc(program, special) {
		return program
	}
	return "'" + strings.ReplaceAll(program, "'", `'\''`) + "'"
}

// command is the call for an event by our name.
func (s *Setup) command(name string) string {
	return s.program + s.arguments(name)
}

func (s *Setup) arguments(name string) string {
	return " run " + name + " --agent " + s.agent
}

// A calling is how a command calls us.
type calling int

const (
	foreign calling = iota // it does not
	varied                 // for the event, with more arguments or behind others
	ours                   // exactly as Install writes it, whatever the place of the program
)

// calls says how a command calls us for an event.
func (s *Setup) calls(command, name string) calling {
	program, rest, ok := strings.Cut(command, s.arguments(name))
	if !ok || program != s.program && !namesProgram(program) {
		return foreign
	}
	switch {
	case rest == "":
		return ours
	case strings.HasPrefix(rest, " "):
		return varied
	}
	return foreign
}

// callsAny is calls for whichever event, and without variations.
func (s *Setup) callsAny(command string) bool {
	i := strings.LastIndex(command, " run ")
	if i < 0 {
		return false
	}
	name, _, _ := strings.Cut(command[i+len(" run "):], " ")
	return s.calls(command, name) == ours
}

// namesProgram reports whether a word of a shell is our name or a path that ends in it.
func namesProgram(word string) bool {
	if n := len(word); n >= 2 && (word[0] == '\'' || word[0] == '"') && word[n-1] == word[0] {
		word = strings.ReplaceAll(word[1:n-1], `'\''`, "")
	} else if strings.ContainsAny(word, " \t\n;&|<>()$`'\"") {
		return false
	}
	base := strings.TrimSuffix(path.Base(strings.ReplaceAll(word, `\`, "/")), ".exe")
	return base == Name
}
