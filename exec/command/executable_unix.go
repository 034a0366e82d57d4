//go:build unix

package command

import (
	"os"

	"golang.org/x/sys/unix"
)

// executable returns path if it is a program that we may run; found says that
// there is a file of that name.
func executable(path string, _ []string) (file string, found bool) {
	info, err := os.Stat(path)
	switch {
	case err != nil, info.IsDir():
		return "", false
	case unix.Access(path, unix.X_OK) != nil:
		return "", true
	default:
		return path, true
	}
}

// accessible reports whether we may do with a file what an operator of test asks
// for: -r, -w or -x.
func accessible(path, op string) bool {
	mode := map[string]uint32{"-r": unix.R_OK, "-w": unix.W_OK, "-x": unix.X_OK}[op]
	return unix.Access(path, mode) == nil
}
