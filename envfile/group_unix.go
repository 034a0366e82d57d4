//go:build !windows

package envfile

import (
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the leader of a session, and so of a process group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// killGroup ends every process in the group of cmd, which must not have been
// waited for.
func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // gone is fine
}
