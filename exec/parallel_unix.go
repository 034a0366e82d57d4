//go:build unix

package exec

import (
	"os"
	"syscall"
)

// What a running hook may need of the files that a process can have open: the
// ends of its pipes, those of pipes and files in its text, the handle of its
// process. Some stay for everything else.
const (
	filesPerHook = 16
	filesBeside  = 24
)

// parallel is how many hooks can run at a time without running out of files.
func parallel() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur >= 4096 {
		return Parallel
	}
	free := int(limit.Cur) - filesBeside
	if open, err := os.ReadDir("/dev/fd"); err == nil {
		free -= len(open)
	}
	return max(1, min(Parallel, free/filesPerHook))
}
