//go:build unix

package statedir

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What is no regular file is refused and not waited for, and a link only where
// the file has to be ours.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	file, fifo, link := filepath.Join(dir, "file"), filepath.Join(dir, "fifo"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("x"), 0o600), syscall.Mkfifo(fifo, 0o600), os.Symlink(file, link)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path      string
		own, read error
	}{{file, nil, nil}, {fifo, ErrNotRegular, ErrNotRegular}, {dir, ErrNotRegular, ErrNotRegular}, {link, syscall.ELOOP, nil}} {
		f, err := Open(test.path)
		if !errors.Is(err, test.own) {
			t.Errorf("Open %s: %v, want %v", test.path, err, test.own)
		}
		f.Close()
		f, err = OpenFile(test.path, os.O_RDONLY, 0)
		if !errors.Is(err, test.read) {
			t.Errorf("OpenFile %s: %v, want %v", test.path, err, test.read)
		}
		f.Close()
	}
}
