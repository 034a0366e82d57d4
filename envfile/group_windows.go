package envfile

import "os/exec"

// ownGroup does nothing: Windows has no process groups of this kind.
func ownGroup(*exec.Cmd) {}

// killGroup ends the process of cmd itself.
func killGroup(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // gone is fine
}
