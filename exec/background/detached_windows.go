package background

import (
	"os"
	"syscall"

	"github.com/theus-hooks/theus-hooks/exec/command"
	"github.com/theus-hooks/theus-hooks/exec/session"
)

func inherited(in, null *os.File, _ *session.Run, _ *command.Left) []*os.File {
	return []*os.File{in, null, null}
}

// apart keeps the process from the caller's console and its signals.
func apart() *syscall.SysProcAttr {
	const detached = 0x8
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detached}
}

func rootDir() string { return os.TempDir() }

// giveUp lets go of the lock, as the child has to take it for itself.
func giveUp(run *session.Run) { run.HandOver() }

func takeInherited(int) (run *os.File, files []*os.File) { return nil, nil }

func adopt(sess *session.Session, id string, _ *os.File) (*session.Run, error) {
	return sess.OpenRun(id)
}
