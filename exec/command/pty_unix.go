//go:build unix

package command

import (
	"os"
	"strconv"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/theus-hooks/theus-hooks/internal/environ"
)

// openPty opens a terminal that leaves line ends as they are written.
func openPty(job Job) (ours, theirs *os.File, err error) {
	ours, theirs, err = pty.Open()
	if err != nil {
		return nil, nil, err
	}
	size := &pty.Winsize{Rows: job.Window.Rows, Cols: job.Window.Columns}
	if size.Rows == 0 || size.Cols == 0 {
		size.Rows, size.Cols = dimension(job.Env, "LINES", 24), dimension(job.Env, "COLUMNS", 80)
	}
	if err = pty.Setsize(ours, size); err == nil {
		err = keepLineEnds(theirs)
	}
	if err != nil {
		closeAll([]*os.File{ours, theirs})
		return nil, nil, err
	}
	return pollable(ours), theirs, nil
}

// pollable returns f as a file whose reads a deadline ends. What pty.Open
// returns blocks in the system, where no deadline reaches it. A system that
// cannot poll terminals gets f back.
func pollable(f *os.File) *os.File {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return f
	}
	if unix.SetNonblock(fd, true) != nil {
		unix.Close(fd)
		return f
	}
	polled := os.NewFile(uintptr(fd), f.Name())
	if polled.SetReadDeadline(time.Time{}) != nil {
		_ = unix.SetNonblock(fd, false) // which f shares
		polled.Close()
		return f
	}
	f.Close()
	return polled
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
