package command

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/environ"
)

// executable returns the program of that name, with one of the endings of
// PATHEXT where the name has none.
func executable(path string, env []string) (file string, found bool) {
	endings, ok := environ.Lookup(env, "PATHEXT")
	if !ok {
		endings = ".com;.exe;.bat;.cmd"
	}
	for _, ending := range strings.Split(strings.ToLower(endings), ";") {
		if strings.EqualFold(filepath.Ext(path), ending) && isFile(path) {
			return path, true
		}
		if isFile(path + ending) {
			return path + ending, true
		}
	}
	return "", isFile(path)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// accessible reports whether the system marks a file as one with which may be
// done what an operator of test asks for: -r, -w or -x.
func accessible(path, op string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&map[string]os.FileMode{"-r": 0o400, "-w": 0o200, "-x": 0o100}[op] != 0
}
