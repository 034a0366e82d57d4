//go:build unix

package command

import (
	"os"
	"strconv"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/theus-hooks/theus-hooks/internal/environ"
)

// openPty opens a terminal of the size that the environment names in LINES and
// COLUMNS, else of 24 by 80, that leaves line ends as they are written.
func openPty(env []string) (ours, theirs *os.File, err error) {
	ours, theirs, err = pty.Open()
	if err != nil {
		return nil, nil, err
	}
	size := &pty.Winsize{Rows: dimension(env, "LINES", 24), Cols: dimension(env, "COLUMNS", 80)}
	err = pty.Setsize(ours, size)
	if err == nil {
		err = keepLineEnds(theirs)
	}
	if err != nil {
		closeAll([]*os.File{ours, theirs})
		return nil, nil, err
	}
	return ours, theirs, nil
}

func dimension(env []string, name string, otherwise uint16) uint16 {
	value, _ := environ.Lookup(env, name)
	n, err := strconv.ParseUint(value, 10, 16)
	if err != nil || n == 0 {
		return otherwise
	}
	return uint16(n)
}

func keepLineEnds(tty *os.File) error {
	fd := int(tty.Fd())
	mode, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return err
	}
	mode.Oflag &^= unix.OPOST
	return unix.IoctlSetTermios(fd, setTermios, mode)
}
