package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/environ"
)

// defaultPath is searched where the environment has no PATH, as bash does.
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// A lookupError says why a program could not be started.
type lookupError struct {
	Name string
	// Path is the list that was searched; "" for a name with a slash.
	Path string
	// Found: there is such a file, and it cannot be executed.
	Found bool
	Cause error // what the system said, or nil
}

func (e *lookupError) Error() string {
	switch {
	case e.Cause != nil:
		return fmt.Sprintf("cannot run %s: %v", e.Name, e.Cause)
	case e.Found:
		return e.Name + " is not executable (chmod +x, or name its interpreter)"
	case e.Path == "":
		return "there is no " + e.Name
	default:
		return fmt.Sprintf("%s is not on the PATH %s", e.Name, e.Path)
	}
}

// status is the exit status of a shell that cannot start a program.
func (e *lookupError) status() int {
	if e.Found {
		return 126
	}
	return 127
}

// lookPath finds a program as a shell would that stands in dir with env. The
// error is a *lookupError.
func lookPath(name, dir string, env []string) (string, error) {
	if name == "" {
		return "", &lookupError{Name: `""`}
	}
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		return lookFile(name, dir, env)
	}
	list, ok := environ.Lookup(env, "PATH")
	if !ok {
		list = defaultPath
	}
	missing := &lookupError{Name: name, Path: list}
	for _, elem := range pathList(list) {
		path := name
		if elem != "" {
			path = strings.TrimRight(elem, `/`) + string(filepath.Separator) + name
		}
		file, found := executable(absolute(path, dir), env)
		if file != "" {
			return file, nil
		}
		missing.Found = missing.Found || found
	}
	return "", missing
}

// withHome returns env with a ~ in its PATH as bash reads it when it looks for a
// program.
func withHome(env []string) []string {
	list, _ := environ.Lookup(env, "PATH")
	if !strings.ContainsRune(list, '~') {
		return env
	}
	home, _ := environ.Lookup(env, "HOME")
	elems := pathList(list)
	for i, elem := range elems {
		if elem == "~" || strings.HasPrefix(elem, "~/") {
			elems[i] = home + elem[1:]
		}
	}
	return setEnv(env, "PATH", strings.Join(elems, string(filepath.ListSeparator)))
}

// pathList splits a PATH. An empty one means the working directory, as an empty
// part of one does.
func pathList(list string) []string {
	if list == "" {
		return []string{"."}
	}
	return filepath.SplitList(list)
}

// lookFile finds a program that is named by its path.
func lookFile(name, dir string, env []string) (string, error) {
	path := absolute(name, dir)
	file, found := executable(path, env)
	if file != "" {
		return file, nil
	}
	_, err := os.Stat(path) // a directory, or below a file
	return "", &lookupError{Name: name, Found: found || !errors.Is(err, fs.ErrNotExist)}
}

// absolute is name as seen from dir. It is not shortened: what a/../b means is
// for the system to say, as a may be a link, and a/ is no file. The empty name
// is no file's.
func absolute(name, dir string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return dir + string(filepath.Separator) + name
}
