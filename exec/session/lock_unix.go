//go:build unix

package session

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes the lock of an open file, if nobody else has it. Whoever
// inherits the open file has the lock too.
func lockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// renameOpen renames a file that is open.
func renameOpen(from, to string) error { return os.Rename(from, to) }
