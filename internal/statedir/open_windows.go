package statedir

import "os"

// openFile is os.OpenFile: no pipe stands at a path on Windows, and Regular sees
// a link.
func openFile(path string, flag int, perm os.FileMode, own bool) (*os.File, error) {
	if own {
		if err := Regular(path); err != nil {
			return nil, err
		}
	}
	return os.OpenFile(path, flag, perm)
}
