package envfile

import (
	"fmt"
	"runtime"
	"strings"
)

// A Change sets or removes one environment variable.
type Change struct {
	Name  string
	Value string // empty when Unset
	Unset bool
}

// Merge joins lists of changes, earlier ones first: of several changes of one
// name the last one counts and gives the place. The lists stay as they are.
func Merge(lists ...[]Change) []Change {
	last := make(map[string]int)
	total := 0
	for _, list := range lists {
		for _, c := range list {
			last[c.Name] = total
			total++
		}
	}
	merged := make([]Change, 0, len(last))
	at := 0
	for _, list := range lists {
		for _, c := range list {
			if last[c.Name] == at {
				merged = append(merged, c)
			}
			at++
		}
	}
	return merged
}

// Apply returns a new environment: env with the changes made, of several for
// one name the last. A variable keeps its place in env, new ones follow in the
// order of the changes. Changes that Fit leaves out are not made, so that no
// export can keep programs from starting.
func Apply(env []string, changes []Change) []string {
	fitting, _ := Fit(Merge(changes))
	byName := make(map[string]*Change, len(fitting))
	for i := range fitting {
		byName[fitting[i].Name] = &fitting[i]
	}
	out := make([]string, 0, len(env)+len(fitting))
	done := make(map[string]bool, len(fitting))
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		c := byName[name]
		switch {
		case c == nil:
			out = append(out, entry)
		case !c.Unset && !done[name]:
			out = append(out, name+"="+c.Value)
		}
		done[name] = true
	}
	for _, c := range fitting {
		if !c.Unset && !done[c.Name] {
			out = append(out, c.Name+"="+c.Value)
		}
	}
	return out
}

// MaxApplied bounds what all changes together may add to an environment, in
// bytes: operating systems refuse to start a program whose environment is too
// long, and then no hook could run.
const MaxApplied = 512 << 10

// Fit splits changes into those that a program's environment can hold, in
// their order, and a problem for each of the others.
func Fit(changes []Change) ([]Change, []Problem) {
	fitting := make([]Change, 0, len(changes))
	var problems []Problem
	total := 0
	for _, c := range changes {
		size := len(c.Name) + len(c.Value) + 2
		switch {
		case !ValidName(c.Name) || strings.ContainsRune(c.Value, 0):
			problems = append(problems, Problem{Message: fmt.Sprintf("%q is not a variable that a program can be given", c.Name)})
		case c.Unset:
			fitting = append(fitting, c)
		case size > MaxEntry():
			problems = append(problems, Problem{Message: fmt.Sprintf("%s has %d bytes, too many for the environment of a program", c.Name, len(c.Value))})
		case total+size > MaxApplied:
			problems = append(problems, Problem{Message: fmt.Sprintf("%s does not fit: all exports together have more than %d bytes", c.Name, MaxApplied)})
		default:
			total += size
			fitting = append(fitting, c)
		}
	}
	return fitting, problems
}

// MaxEntry is the longest NAME=value with its end mark, in bytes, that the
// system gives to a program.
func MaxEntry() int {
	if runtime.GOOS == "windows" {
		return 32_767
	}
	return 128 << 10 // Linux; others allow more
}
