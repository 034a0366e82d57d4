//go:build unix

package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// endless is an event that never comes to its end; a caller that waits for it
// gives up at its first read.
type endless struct{ t *testing.T }

func (e endless) Read([]byte) (int, error) {
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		e.t.Error(err)
	}
	<-e.t.Context().Done()
	return 0, io.EOF
}

// A call that is ended while the event is still coming is answered at once.
func TestEndedWhileReading(t *testing.T) {
	for name, want := range map[string]int{"PreToolUse": 2, "Stop": 1} {
		var stderr bytes.Buffer
		host := Host{Env: []string{"HOME=" + t.TempDir()}, Dir: t.TempDir(), ManagedDir: t.TempDir()}
		code := Main([]string{"run", name}, Streams{In: endless{t}, Out: io.Discard, Err: &stderr}, host)
		if code != want || !strings.Contains(stderr.String(), "cancelled") {
			t.Errorf("%s: exit code %d, want %d; %q", name, code, want, stderr.String())
		}
	}
}

// A stream that somebody holds open, or a pipe that nobody writes to, does not
// hold up the answer.
func TestDeadlineOfReading(t *testing.T) {
	held, hold := io.Pipe()
	defer hold.Close()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	defer func() { // lets the goroutine go that opens it
		if f, err := os.OpenFile(fifo, os.O_RDWR, 0); err == nil {
			f.Close()
		}
	}()
	for _, args := range [][]string{{"run", "PreToolUse"}, {"run", "PreToolUse", "--event", fifo}} {
		var stderr bytes.Buffer
		host := Host{Env: []string{"HOME=" + t.TempDir()}, Dir: t.TempDir(), ManagedDir: t.TempDir()}
		code := Main(append(args, "--deadline", "1ms"), Streams{In: held, Out: io.Discard, Err: &stderr}, host)
		if code != 2 || !strings.Contains(stderr.String(), "had not come when the deadline did") {
			t.Errorf("%v: exit code %d, %q", args, code, stderr.String())
		}
	}
}
