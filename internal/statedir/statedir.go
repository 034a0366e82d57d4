// Package statedir finds the user's folder for what is kept between calls, and
// writes private files in it.
package statedir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/environ"
)

// Root returns the folder of this project for an environment and an operating
// system as GOOS names it; ok is false when the environment names no place.
func Root(env []string, goos string) (dir string, ok bool) {
	var base string
	var below []string
	switch xdg := environ.Get(env, "XDG_STATE_HOME"); {
	case goos == "windows":
		base = environ.Get(env, "LOCALAPPDATA")
	case strings.HasPrefix(xdg, "/"): // a relative one is to be ignored
		base = xdg
	case goos == "darwin":
		base, below = environ.Get(env, "HOME"), []string{"Library", "Application Support"}
	default:
		base, below = environ.Get(env, "HOME"), []string{".local", "state"}
	}
	if base == "" || goos != "windows" && !strings.HasPrefix(base, "/") {
		return "", false
	}
	return filepath.Join(append(append([]string{base}, below...), "theus-hooks")...), true
}

// Regular returns an error where something else than a regular file stands at
// path: opening a pipe would wait for ever. Nothing there is none.
func Regular(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	return nil
}

// ErrNotRegular is wrapped by the error of Open and OpenFile for what is no
// regular file.
var ErrNotRegular = errors.New("not a regular file")

// Open opens a file of ours for reading: a regular one, and no link to one. It
// never waits.
func Open(path string) (*os.File, error) { return regular(openFile(path, os.O_RDONLY, 0, true)) }

// OpenFile is os.OpenFile for regular files, also behind links. It never waits,
// as opening a pipe would.
func OpenFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	return regular(openFile(path, flag, perm, false))
}

// regular closes what is no regular file. Looking before opening would not do:
// the file may have changed between.
func regular(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: ErrNotRegular}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Private makes dir, if it is not there, and takes it from everybody but its
// owner. What stands there and is no folder is an error.
func Private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return &fs.PathError{Op: "open", Path: dir, Err: errors.New("not a folder of ours")}
	case info.Mode().Perm()&0o077 != 0:
		return os.Chmod(dir, 0o700)
	}
	return nil
}
