//go:build unix

package statedir

import (
	"os"

	"golang.org/x/sys/unix"
)

// openFile is os.OpenFile that does not wait for the other end of a pipe, and
// with own follows no link.
func openFile(path string, flag int, perm os.FileMode, own bool) (*os.File, error) {
	flag |= unix.O_NONBLOCK
	if own {
		flag |= unix.O_NOFOLLOW
	}
	return os.OpenFile(path, flag, perm)
}
