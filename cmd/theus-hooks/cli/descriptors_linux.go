package cli

import "golang.org/x/sys/unix"

// keepDescriptors marks the files that the caller left open in us, so that hooks
// do not inherit them: one that lives on would hold up who reads them to the end.
func keepDescriptors() {
	_ = unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC) // an old kernel: they inherit as ever
}
