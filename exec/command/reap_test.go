//go:build unix

package command

import (
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// running starts sh with text, whose stdin ends when the file that is returned is
// closed.
func running(t *testing.T, text string) (*process, *os.File) {
	t.Helper()
	sh, err := lookPath("sh", t.TempDir(), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	in, hold, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	p, err := start(program{path: sh, argv: []string{"sh", "-c", text}, dir: t.TempDir(), files: [3]*os.File{in, nil, nil}})
	if err != nil {
		t.Fatal(err)
	}
	return p, hold
}

// Who waits for any child of this process takes the exit code of ours away. It
// may have been a block.
func TestStatusLost(t *testing.T) {
	p, hold := running(t, "exit 2")
	hold.Close()
	<-p.ended
	if _, err := p.proc.Wait(); err != nil {
		t.Fatal(err)
	}
	p.state = nil
	if end := p.reap(); !errors.Is(end.broke, errStatusLost) {
		t.Errorf("ended as %+v", end)
	}
}

// A process that takes its time to end leaves no zombie.
func TestLateEndIsReaped(t *testing.T) {
	p, hold := running(t, "read -r line")
	pid := p.proc.Pid
	if end := p.reap(); !errors.Is(end.broke, errNotEnded) {
		t.Errorf("ended as %+v", end)
	}
	hold.Close()
	for range 3000 {
		if unix.Kill(pid, 0) != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("it is still there")
}
