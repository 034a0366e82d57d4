package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/theus-hooks/theus-hooks/internal/statedir"
)

// A File is a configuration file as it was read.
type File struct {
	Path   string // as it was asked for
	Real   string // what Path links to, if it is a link itself
	Text   []byte
	Exists bool

	mode fs.FileMode
}

// ErrChanged is returned by Write when the file is not any more as it was read.
var ErrChanged = errors.New("changed in the meantime; nothing was written, try again")

// ErrReadOnly is returned by Write for a file that its owner may not write, as
// those are that another program makes.
var ErrReadOnly = errors.New("it is read-only; change what makes it, or give it write permission and try again")

// Open reads the file at path, which need not exist. What is no regular file, or
// longer than MaxBytes, is an error.
func Open(path string) (*File, error) {
	f := &File{Path: path, Real: path, mode: 0o600}
	link, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return nil, err
	case link.Mode()&fs.ModeSymlink != 0:
		if f.Real, err = filepath.EvalSymlinks(path); err != nil {
			return nil, &fs.PathError{Op: "follow the link", Path: path, Err: err}
		}
	}
	info, err := os.Stat(f.Real)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("no regular file")}
	}
	f.mode, f.Exists = info.Mode().Perm(), true
	f.Text, err = readBounded(f.Real)
	return f, err
}

func readBounded(path string) ([]byte, error) {
	file, err := statedir.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err == nil && len(text) > MaxBytes {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("more than %d bytes", MaxBytes)}
	}
	return text, err
}

// Write puts the change in the place of what was read, as a whole and at once.
// The file keeps its permissions, and a link stays one. A new file and its
// directory are the user's alone, or readable for all when public is set.
func (f *File) Write(c *Change, public bool) error {
	if f.Exists && f.mode&0o200 == 0 {
		return &fs.PathError{Op: "write", Path: f.Path, Err: ErrReadOnly}
	}
	if err := f.unchanged(); err != nil {
		return err
	}
	if c.Gone && f.Real == f.Path {
		return os.Remove(f.Path)
	}
	text := c.Text
	if c.Gone {
		text = []byte("{}\n") // the link was not made by us
	}
	if !f.Exists {
		dir := fs.FileMode(0o700)
		if public {
			dir, f.mode = 0o755, 0o644
		}
		if err := os.MkdirAll(filepath.Dir(f.Real), dir); err != nil {
			return err
		}
	}
	if err := statedir.Replace(f.Real, text); err != nil {
		return err
	}
	return os.Chmod(f.Real, f.mode)
}

// unchanged reads the file again. Agents write their settings, too.
func (f *File) unchanged() error {
	now, err := readBounded(f.Real)
	if errors.Is(err, fs.ErrNotExist) && !f.Exists {
		return nil
	}
	if err != nil {
		return err
	}
	if !f.Exists || !bytes.Equal(now, f.Text) {
		return &fs.PathError{Op: "write", Path: f.Path, Err: ErrChanged}
	}
	return nil
}
