//go:build unix && !linux

package cli

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// keepDescriptors marks the files that the caller left open in us, so that hooks
// do not inherit them: one that lives on would hold up who reads them to the end.
func keepDescriptors() {
	entries, _ := os.ReadDir("/dev/fd")
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}
