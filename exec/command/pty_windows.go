package command

import (
	"errors"
	"os"
)

func openPty(Job) (ours, theirs *os.File, err error) {
	return nil, nil, errors.New("pty is not supported on Windows")
}
