//go:build unix

package command

import (
	"context"
	"os"

	"golang.org/x/sys/unix"
)

// openFifo opens a named pipe, which waits for the other side. When ctx ends
// first, it is the other side itself for a moment.
func openFifo(ctx context.Context, path string, flag int) (*os.File, error) {
	type answer struct {
		f   *os.File
		err error
	}
	opened := make(chan answer, 1)
	go func() {
		f, err := os.OpenFile(path, flag, 0)
		opened <- answer{f, err}
	}()
	select {
	case a := <-opened:
		return a.f, a.err
	case <-ctx.Done():
	}
	if both, err := os.OpenFile(path, os.O_RDWR|unix.O_NONBLOCK, 0); err == nil {
		defer both.Close()
	}
	if a := <-opened; a.f != nil {
		a.f.Close()
	}
	return nil, ctx.Err()
}
