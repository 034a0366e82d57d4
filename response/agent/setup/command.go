package setup

import (
	"path"
	"runtime"
	"slices"
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
	varied                 // for the event, with more arguments or among other commands
	ours                   // exactly as Install writes it, whatever the place of the program
)

// calls says how a command calls us for an event.
func (s *Setup) calls(command string, c call) calling {
	program, rest, ok := strings.Cut(command, s.arguments(c.name))
	if ok && rest == "" && (program == s.program || namesProgram(program)) {
		return ours
	}
	if s.mentions(command, c.name) || s.mentions(command, c.own) {
		return varied
	}
	return foreign
}

// mentions reports whether a command calls us for an event among other things,
// as far as its text shows it.
func (s *Setup) mentions(command, name string) bool {
	for {
		before, rest, ok := strings.Cut(command, s.arguments(name))
		if !ok {
			return false
		}
		at := strings.LastIndexAny(before, " \t\n;&|(") + 1
		called := before == s.program || namesProgram(before[at:]) && beginsCommand(before[:at])
		if called && (rest == "" || strings.ContainsAny(rest[:1], " \t\n;&|)")) {
			return true
		}
		command = rest
	}
}

// beginsCommand reports whether a command begins behind text, assignments and
// words that run what follows aside.
func beginsCommand(text string) bool {
	for word := range strings.FieldsSeq(text[strings.LastIndexAny(text, "\n;&|(")+1:]) {
		if !strings.Contains(word, "=") && !slices.Contains([]string{"exec", "command", "env", "nohup", "time"}, word) {
			return false
		}
	}
	return true
}

// callsAny is calls for whichever event, and without variations.
func (s *Setup) callsAny(command string) bool {
	i := strings.LastIndex(command, " run ")
	if i < 0 {
		return false
	}
	name, _, _ := strings.Cut(command[i+len(" run "):], " ")
	return s.calls(command, call{name: name, own: name}) == ours
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
