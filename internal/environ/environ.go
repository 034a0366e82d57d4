// Package environ reads and changes an environment held as a slice of
// NAME=value strings, as os.Environ returns it. It never looks at the
// process's own. Of a doubled name the last counts.
package environ

import (
	"runtime"
	"strings"
)

// Same reports whether two names are one variable to the system.
func Same(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

// Get returns the value of name, "" when it is not set.
func Get(env []string, name string) string {
	value, _ := Lookup(env, name)
	return value
}

// Lookup returns the value of name and whether it is set.
func Lookup(env []string, name string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if n, value, ok := strings.Cut(env[i], "="); ok && Same(n, name) {
			return value, true
		}
	}
	return "", false
}

// Set returns env with name set to value, in its old place or at the end. It
// may reuse the slice.
func Set(env []string, name, value string) []string {
	for i := len(env) - 1; i >= 0; i-- {
		if n, _, ok := strings.Cut(env[i], "="); ok && Same(n, name) {
			env[i] = name + "=" + value
			return env
		}
	}
	return append(env, name+"="+value)
}

// Filter returns a new slice without the variables that drop names.
func Filter(env []string, drop func(name string) bool) []string {
	kept := make([]string, 0, len(env)+16)
	for _, entry := range env {
		if name, _, _ := strings.Cut(entry, "="); !drop(name) {
			kept = append(kept, entry)
		}
	}
	return kept
}
