//go:build unix

package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/theus-hooks/theus-hooks/response"
)

func saysLeave(line []byte) bool { return string(line) == "leave me" }

// leftJob is one that says the word and goes on when a file is there.
func leftJob(t *testing.T, text string) (job Job, gate string) {
	t.Helper()
	dir := t.TempDir()
	return Job{
		Command: text, Dir: dir, Stdin: []byte("event\n"), Timeout: time.Minute,
		Env: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")},
	}, filepath.Join(dir, "go")
}

const untilGo = "until [ -e go ]; do sleep 0.01; done; "

// What a command prints before and after it was left is all there, whoever
// reads, and so is what it is given.
func TestRunOrLeave(t *testing.T) {
	big := []byte(strings.Repeat("0123456789", 100_000) + "\n")
	for _, tt := range []struct {
		name string
		job  func(*Job)
		text string
		want string
	}{
		{"bash", func(j *Job) { j.Shell = "bash" }, "echo leave me; " + untilGo + "echo done >&2; cat", ""},
		{"sh", func(j *Job) { j.Shell = "sh" }, "echo; echo leave me; " + untilGo + "echo done >&2; cat", ""},
		{"one program", func(*Job) {}, "sh -c 'echo leave me; " + untilGo + "echo done >&2; cat'", ""},
		{"exec", func(j *Job) {
			j.Exec, j.Command, j.Args = true, "sh", []string{"-c", j.Command}
		}, "echo leave me; " + untilGo + "echo done >&2; cat", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			job, gate := leftJob(t, tt.text)
			job.Stdin = big
			tt.job(&job)
			result, left := RunOrLeave(t.Context(), job, saysLeave)
			if left == nil || result.Status != response.Background {
				t.Fatalf("not left: %+v", result)
			}
			if err := os.WriteFile(gate, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			result = Resume(t.Context(), left)
			out := bytes.TrimPrefix(bytes.TrimLeft(result.Stdout, "\n"), []byte("leave me\n"))
			if result.Status != response.OK || !bytes.Equal(out, big) || string(result.Stderr) != "done\n" {
				t.Errorf("%s %s, %d bytes of %d, stderr %q", result.Status, result.Error, len(out), len(big), result.Stderr)
			}
		})
	}
}

// A command that is not left is run as by Run.
func TestNotLeft(t *testing.T) {
	for _, text := range []string{
		"echo something; echo leave me; exit 3",
		"printf 'leave me'; exit 3", // no whole line
		"echo leave me >&2; exit 3",
		"for i in 1; do echo leave me; done; exit 3", // not a process of its own
	} {
		job, _ := leftJob(t, text)
		result, left := RunOrLeave(t.Context(), job, saysLeave)
		if left != nil || result.Status != response.Failed || *result.ExitCode != 3 {
			t.Errorf("%q: left %v, %s", text, left, result.Status)
		}
	}
}

// A command that was left ends with its time, or with who took it over, and its
// children with it.
func TestLeftIsEnded(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Left, context.CancelFunc)
		want   response.Status
	}{
		{"time", func(l *Left, _ context.CancelFunc) { l.Timeout = time.Millisecond }, response.TimedOut},
		{"caller", func(_ *Left, cancel context.CancelFunc) { cancel() }, response.Cancelled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			job, _ := leftJob(t, "sleep 600 & echo leave me; sleep 600")
			job.Shell = "bash"
			_, left := RunOrLeave(t.Context(), job, saysLeave)
			if left == nil {
				t.Fatal("not left")
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			tt.change(left, cancel)
			if result := Resume(ctx, left); result.Status != tt.want {
				t.Errorf("%s, want %s", result.Status, tt.want)
			}
			if !until(func() bool { return !hasOthers(left.Pid) && left.ended() }) {
				t.Error("something still runs")
			}
		})
	}
}
