package command

import (
	"errors"

	"golang.org/x/sys/unix"
)

// awaitEnd returns when the leader has ended, and leaves it to be reaped.
func (p *process) awaitEnd() {
	for {
		err := unix.Waitid(unix.P_PID, p.proc.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
