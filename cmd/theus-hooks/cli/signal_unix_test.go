//go:build unix

package cli

import (
	"bytes"
	"io"
	"os"
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
