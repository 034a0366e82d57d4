//go:build unix

package background

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/theus-hooks/theus-hooks/exec/command"
	"github.com/theus-hooks/theus-hooks/exec/session"
)

// runFile is the descriptor by which the process inherits the file of its run,
// and with it the lock.
const runFile = 3

func inherited(in, null *os.File, run *session.Run, left *command.Left) []*os.File {
	files := []*os.File{in, null, null, null}
	if run != nil {
		files[runFile] = run.File()
	}
	if left != nil {
		files = append(files, left.Files()...)
	}
	return files
}

func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func rootDir() string { return "/" }

// giveUp is for systems where a child cannot inherit the lock.
func giveUp(*session.Run) {}

// takeInherited returns the file of the run and the n files that follow it, and
// closes what the caller's caller left open in us, such as a pipe that somebody
// reads to its end. What a Go program opens by itself is marked to be closed on
// exec; only inherited descriptors are not.
func takeInherited(n int) (run *os.File, files []*os.File) {
	for fd := runFile; fd <= runFile+n; fd++ {
		unix.CloseOnExec(fd)
	}
	for _, fd := range openDescriptors() {
		if fd <= runFile+n {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			unix.Close(fd)
		}
	}
	for fd := runFile + 1; fd <= runFile+n; fd++ {
		_ = unix.SetNonblock(fd, true) // so that a deadline ends a read
		files = append(files, os.NewFile(uintptr(fd), "left"))
	}
	return os.NewFile(runFile, "run"), files
}

func openDescriptors() []int {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return nil
	}
	var list []int
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil {
			list = append(list, fd)
		}
	}
	return list
}

func adopt(sess *session.Session, id string, file *os.File) (*session.Run, error) {
	return sess.AdoptRun(id, file), nil
}
