package session

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile takes the lock of an open file, if nobody else has it. A region far
// behind the text is locked, which others may go on reading.
func lockFile(f *os.File) error {
	at := &windows.Overlapped{OffsetHigh: 1}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
}

// renameOpen makes a file that is open known under another name, as Windows
// renames none.
func renameOpen(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return err
	}
	_ = os.Remove(from)
	return nil
}
