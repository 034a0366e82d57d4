//go:build unix

package command

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/theus-hooks/theus-hooks/response"
)

// TestPty: what the command prints goes to a terminal, what it reads is the
// event.
func TestPty(t *testing.T) {
	size := append(fixtureEnv(fixture(t)), "COLUMNS=132", "LINES=40")
	tests := []struct {
		name   string
		job    Job
		status response.Status
		stdout string
	}{
		{"streams", Job{Command: `test -t 1 && test -t 2 && ! test -t 0 && head -c 2 && echo && echo said >&2; exit 2`}, response.Blocked, "{\"\nsaid\n"},
		{"exec form", Job{Command: "sh", Args: []string{"-c", "test -t 1 && test -t 2 && head -c 2"}, Exec: true}, response.OK, "{\""},
		{"sh", Job{Command: "test -t 1 && echo yes", Shell: "sh"}, response.OK, "yes\n"},
		{"its own terminal", Job{Command: "echo here > /dev/tty; ps -o tty= -p $$ | grep -c pts"}, response.OK, "here\n1\n"},
		{"size", Job{Command: "stty size < /dev/tty"}, response.OK, "24 80\n"},
		{"size of the environment", Job{Command: "stty size < /dev/tty", Env: size}, response.OK, "40 132\n"},
		{"size of the caller", Job{Command: "stty size < /dev/tty", Env: size, Window: Window{Rows: 50, Columns: 100}}, response.OK, "50 100\n"},
		{"TERM", Job{Command: "echo $TERM", Env: append(size, "TERM=vt52")}, response.OK, "vt52\n"},
		{"no TERM", Job{Command: "env | grep -c ^TERM=; true"}, response.OK, "0\n"},
		{"line ends of a mode of its own", Job{Command: "stty sane < /dev/tty; echo a; echo b"}, response.OK, "a\nb\n"},
		{"coloured JSON", Job{Command: `printf '\033]0;title\a\033[1;39m{\033[0m"decision":\033[32m"block"\033(B\033[m}\n'`}, response.OK, "{\"decision\":\"block\"}\n"},
		{"coloured text", Job{Command: `printf '\033[1mbold\033[0m'`}, response.OK, "\033[1mbold\033[0m"},
		{"not found", Job{Command: "no-such-program"}, response.CouldNotStart, "bash: line 1: no-such-program: command not found\n"},
		{"no shell text", Job{Command: "if"}, response.CouldNotStart, "bash: -c: line 2: syntax error: unexpected end of file\n"},
		{"killed", Job{Command: "echo a; kill -KILL $$"}, response.Killed, "a\n"},
		{"too slow", Job{Command: "echo a; : > ready; exec sleep 1000"}, response.TimedOut, "a\n"},
		{"waits for its terminal", Job{Command: ": > ready; read -r x < /dev/tty; echo never"}, response.TimedOut, ""},
		{"ignores the hangup", Job{Command: "trap '' HUP TERM; echo a; : > ready; while :; do sleep 1000; done"}, response.TimedOut, "a\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.job.Pty, test.job.Stdin = true, []byte(event)
			var r response.Result
			if test.status == response.TimedOut {
				r, _ = runToLimit(t, test.job)
			} else {
				r = runHere(t, test.job)
			}
			if r.Status != test.status || string(r.Stdout) != test.stdout || len(r.Stderr) > 0 || r.Shell == "builtin" {
				t.Errorf("%s by %s (%s), stdout %q, stderr %q, want %s, stdout %q", r.Status, r.Shell, r.Error, r.Stdout, r.Stderr, test.status, test.stdout)
			}
		})
	}
}

// TestPtyMuch: the limit of the output holds, and what is beyond it is read.
func TestPtyMuch(t *testing.T) {
	r := runHere(t, Job{Command: `head -c 3000000 /dev/zero | tr '\0' x; echo >&2`, Pty: true})
	if r.Status != response.OK || len(r.Stdout) != MaxOutput || !r.Truncated || r.DiscardedBytes != 3_000_001-MaxOutput {
		t.Errorf("%s, %d bytes and %d dropped (%s)", r.Status, len(r.Stdout), r.DiscardedBytes, r.Error)
	}
}

// TestPtyUnread: an event that nobody reads holds up neither the end nor the
// killing.
func TestPtyUnread(t *testing.T) {
	job := Job{Command: `true`, Stdin: bytes.Repeat([]byte("x"), 10<<20), Pty: true}
	if r := runHere(t, job); r.Status != response.OK {
		t.Errorf("%s (%s)", r.Status, r.Error)
	}
	job.Command, job.Timeout = "exec sleep 1000", 300*time.Millisecond
	if r := runHere(t, job); r.Status != response.TimedOut {
		t.Errorf("%s (%s)", r.Status, r.Error)
	}
}

// TestPtyHeld: a process that left the session and keeps the terminal open is
// not waited for, and lives.
func TestPtyHeld(t *testing.T) {
	job, marker := tortureJob(t, `exec "$D"/T theus-torture holder "$M"`)
	job.Pty, job.Timeout = true, time.Minute
	r := Run(t.Context(), job)
	left := remaining(t, marker, 1)
	if r.Status != response.OK || string(r.Stdout) != "{}\n" || len(left) != 1 {
		t.Errorf("%s (%s), stdout %q, %d processes left, want 1", r.Status, r.Error, r.Stdout, len(left))
	}
	for _, pid := range left {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// TestPtyBuiltin: what runs in process has no terminal to give.
func TestPtyBuiltin(t *testing.T) {
	r := runHere(t, Job{Command: "true", Pty: true, Shell: "builtin"})
	if r.Status != response.CouldNotStart || !strings.Contains(r.Error, "terminal") {
		t.Errorf("%s (%s)", r.Status, r.Error)
	}
}
