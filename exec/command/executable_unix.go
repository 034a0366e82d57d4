//go:build unix

package command

import (
	"os"

	"golang.org/x/sys/unix"
)

// executable returns path if it is a program that we may run; found says that
// there is something of that name.
func executable(path string, _ []string) (file string, found bool) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", false
	case info.IsDir(), unix.Access(path, unix.X_OK) != nil:
		return "", true
	default:
		return path, true
	}
}
