package background

import "os"

// terminate ends a process of ours, as Windows has no way to ask.
func terminate(pid int) {
	if proc, err := os.FindProcess(pid); err == nil {
		_ = proc.Kill()
		_ = proc.Release()
	}
}
