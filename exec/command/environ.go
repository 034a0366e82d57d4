package command

import (
	"crypto/rand"
	"runtime"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/environ"
)

// tagName is the variable by which children are known that left their group.
// Its value is a list, as a hook may run hooks.
const (
	tagName      = "THEUS_HOOK_RUN"
	tagSeparator = ":"
)

// setEnv returns env with one variable set, at its end.
func setEnv(env []string, name, value string) []string {
	out := make([]string, 0, len(env)+1)
	for _, entry := range env {
		if key, _, _ := strings.Cut(entry, "="); !environ.Same(key, name) {
			out = append(out, entry)
		}
	}
	return append(out, name+"="+value)
}

// cleanEnv returns env with every name once, its last value, and without the
// entries that no program could be given.
func cleanEnv(env []string) []string {
	last := make(map[string]int, len(env))
	for i, entry := range env {
		if name, _, ok := strings.Cut(entry, "="); ok && name != "" && !strings.ContainsRune(entry, 0) {
			if runtime.GOOS == "windows" {
				name = strings.ToUpper(name)
			}
			last[name] = i
		}
	}
	keep := make([]bool, len(env))
	for _, i := range last {
		keep[i] = true
	}
	out := make([]string, 0, len(last)+2)
	for i, entry := range env {
		if keep[i] {
			out = append(out, entry)
		}
	}
	return out
}

// newTag returns a word that no other run has.
func newTag() string { return rand.Text() }

// tagged returns env with tag added to those it was started with.
func tagged(env []string, tag string) []string {
	if outer, ok := environ.Lookup(env, tagName); ok && outer != "" {
		tag = outer + tagSeparator + tag
	}
	return setEnv(env, tagName, tag)
}
