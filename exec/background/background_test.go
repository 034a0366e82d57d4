//go:build unix

package background

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/theus-hooks/theus-hooks/envfile"
	"github.com/theus-hooks/theus-hooks/exec/command"
	"github.com/theus-hooks/theus-hooks/exec/session"
	"github.com/theus-hooks/theus-hooks/response"
)

// The test binary is the program that carries hooks on, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Command {
		ctx, stop := signal.NotifyContext(context.Background(), unix.SIGTERM) // as the command does
		defer stop()
		if err := Main(ctx, os.Stdin); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // else each process of a -race build ends with a second of sleep
	goleak.VerifyTestMain(m)
}

func open(t *testing.T) *session.Session {
	t.Helper()
	s, err := session.Open(filepath.Join(t.TempDir(), "sessions"), "one")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func job(t *testing.T, name, text string) Job {
	t.Helper()
	dir := t.TempDir()
	return Job{
		Hook: response.Hook{ID: name, Name: name, Type: "command"}, Event: "PostToolUse",
		Command: command.Job{Command: text, Dir: dir, Env: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}, Stdin: []byte("{}\n"), Timeout: time.Minute},
	}
}

func all(response.Late) bool { return true }

// settle waits for the hooks of a session and takes what they say.
func settle(t *testing.T, s *session.Session) []response.Late {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := Settle(ctx, filepath.Dir(s.Dir())); err != nil {
		t.Fatal(err)
	}
	pending, err := Look(s)
	if err != nil {
		t.Fatal(err)
	}
	return pending.Take(all)
}

// starters are both ways to run a hook in the background.
func starters(t *testing.T) map[string]Starter {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	group := &Group{}
	t.Cleanup(group.Close)
	return map[string]Starter{
		"group":    group,
		"detached": &Detached{Executable: self, Args: []string{"theus-hooks", Command}, Env: os.Environ()},
	}
}

func TestStart(t *testing.T) {
	for name, starter := range starters(t) {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			says := job(t, "says", `cat >/dev/null; printf '{"systemMessage":"hi"}'`)
			quiet := job(t, "quiet", "true")
			wakes := job(t, "wakes", "echo up; exit 2")
			wakes.Rewake = true
			exports := job(t, "exports", `echo 'N=$BASE:1' >> file`)
			exports.EnvFile, exports.Parent = filepath.Join(exports.Command.Dir, "file"), []string{"BASE=b"}
			for _, j := range []Job{says, quiet, wakes, exports} {
				if err := starter.Start(j, s); err != nil {
					t.Fatal(err)
				}
			}
			got := map[string]bool{}
			for _, l := range settle(t, s) {
				got[l.Message+l.Wake+l.Failure] = true
			}
			if want := map[string]bool{"hi": true, "up": true}; !reflect.DeepEqual(got, want) {
				t.Errorf("told %v, want %v", got, want)
			}
			changes, err := s.Exports(t.Context())
			if want := []envfile.Change{{Name: "N", Value: "b:1"}}; err != nil || !reflect.DeepEqual(changes, want) {
				t.Errorf("exports %v, %v", changes, err)
			}
			if _, err := os.Stat(exports.EnvFile); err == nil {
				t.Error("the env file is still there")
			}
			if files, _ := os.ReadDir(filepath.Join(s.Dir(), "background")); len(files) > 0 {
				t.Errorf("left: %v", files)
			}
		})
	}
}

// Nothing in a job is lost on its way to another process, whatever the bytes.
func TestJobSurvives(t *testing.T) {
	j := Job{
		Hook:  response.Hook{ID: "i", Name: "n", Type: "command", Observe: true, Source: response.Source{Scope: "user", File: "f", Line: 3, Path: "p"}},
		Event: "Stop", Rewake: true, Once: true, EnvFile: "/e\xff", Parent: []string{"A=\xfe"}, Restricted: true,
		Settings: []envfile.Change{{Name: "S", Value: "\x80"}},
		Command: command.Job{
			Command: "c\xff", Args: []string{"a", ""}, Exec: true, Shell: "sh", Pty: true, Window: command.Window{Rows: 50, Columns: 120}, Dir: "/d", Env: []string{"B=1"},
			Stdin: []byte("{\"a\":\"\xff\"}\n"), Timeout: 1500 * time.Millisecond,
		},
	}
	text, err := j.encode("/state", "run")
	if err != nil {
		t.Fatal(err)
	}
	got, state, run, err := decodeJob(bytes.NewReader(text), func(int) []*os.File { return nil })
	if err != nil || state != "/state" || run != "run" || !reflect.DeepEqual(got, j) {
		t.Errorf("%+v, %q, %q, %v; want %+v", got, state, run, err, j)
	}
}

func TestCancel(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d := &Detached{Executable: self, Args: []string{"theus-hooks", Command}, Env: os.Environ()}
	s := open(t)
	sleep := fmt.Sprintf("sleep 600.%010d", os.Getpid()) // nobody else's
	for _, name := range []string{"a", "b"} {
		j := job(t, name, ": > up; exec "+sleep)
		if err := d.Start(j, s); err != nil {
			t.Fatal(err)
		}
		until(t, "the hook is up", func() bool { return exists(filepath.Join(j.Command.Dir, "up")) })
	}
	Cancel(s)(t.Context())
	lates := settle(t, s) // on a busy machine they may take longer than CancelTime
	if len(lates) != 2 {
		t.Errorf("told %d times, want 2", len(lates))
	}
	for _, late := range lates {
		if late.Status != response.Cancelled {
			t.Errorf("told %+v", late)
		}
	}
	until(t, "no hook lives on", func() bool {
		list, err := exec.Command("ps", "-A", "-o", "args=").Output()
		return err == nil && !strings.Contains(string(list), sleep)
	})
}

// A process that is not ready to be told when the session ends is told later.
func TestCancelWaitsForTheOwner(t *testing.T) {
	s := open(t)
	run, err := s.StartRun(session.RunInfo{Hook: "h"})
	if err != nil {
		t.Fatal(err)
	}
	owner := exec.Command("sleep", "60")
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	wait := Cancel(s)
	if err := run.SetInfo(session.RunInfo{Hook: "h", Owner: owner.Process.Pid}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		err := owner.Wait()
		run.Abandon()
		ended <- err
	}()
	wait(t.Context())
	if err := <-ended; err == nil || err.Error() != "signal: terminated" {
		t.Errorf("it ended by %v, want a TERM", err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// until waits for what must come, however slow the machine is.
func until(t *testing.T, what string, isSo func() bool) {
	t.Helper()
	for begin := time.Now(); !isSo(); time.Sleep(look) {
		if time.Since(begin) > time.Minute {
			t.Fatalf("a minute later it is not so that %s", what)
		}
	}
}

// endHook ends a hook whose keeper was killed, by the number it wrote to a file.
func endHook(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Kill(-pid, unix.SIGKILL); err != nil { // its own group
		t.Error(err)
	}
}

// A process that is killed is told of once, and leaves nothing.
func TestLost(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := open(t)
	j := job(t, "lost", "echo $$ > pid; mv pid up; exec sleep 600")
	defer endHook(t, filepath.Join(j.Command.Dir, "up"))
	if err := (&Detached{Executable: self, Args: []string{"theus-hooks", Command}, Env: os.Environ()}).Start(j, s); err != nil {
		t.Fatal(err)
	}
	until(t, "the hook is up", func() bool { return exists(filepath.Join(j.Command.Dir, "up")) })
	runs, err := s.Runs()
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs %v, %v", runs, err)
	}
	for _, info := range runs {
		if sid, err := unix.Getsid(info.Owner); err != nil || sid != info.Owner {
			t.Errorf("process %d is in session %d, %v; want one of its own", info.Owner, sid, err)
		}
		proc, err := os.FindProcess(info.Owner)
		if err != nil {
			t.Fatal(err)
		}
		if err := proc.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	lates := settle(t, s)
	if len(lates) != 1 || !strings.Contains(lates[0].Failure, "hook lost: the process that ran it in the background is gone") {
		t.Errorf("told %+v", lates)
	}
	if lates = settle(t, s); len(lates) > 0 {
		t.Errorf("told again: %+v", lates)
	}
}

// Close ends what runs, and the next call is told.
func TestClose(t *testing.T) {
	s, g := open(t), &Group{}
	if err := g.Start(job(t, "long", "sleep 600"), s); err != nil {
		t.Fatal(err)
	}
	g.Close()
	lates := settle(t, s)
	if len(lates) != 1 || lates[0].Status != response.Cancelled {
		t.Errorf("told %+v", lates)
	}
	if err := g.Start(job(t, "late", "true"), s); err == nil {
		t.Error("started after Close")
	}
	if runs, _ := s.Runs(); len(runs) > 0 {
		t.Errorf("runs %v", runs)
	}
}

// Hooks that nobody hears are forgotten, the oldest first.
func TestBounded(t *testing.T) {
	s := open(t)
	run, err := s.StartRun(session.RunInfo{Hook: "h"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range session.MaxLate + 5 {
		if err := os.WriteFile(filepath.Join(s.Dir(), "background", fmt.Sprintf("%019d-x.done", i)), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.Finish(encodeLate(response.Late{Message: "last"}), false); err != nil {
		t.Fatal(err)
	}
	pending, err := Look(s)
	if err != nil || len(pending) != session.MaxLate {
		t.Fatalf("%d results, %v", len(pending), err)
	}
	if lates := pending[len(pending)-1:].Take(all); len(lates) != 1 || lates[0].Message != "last" {
		t.Errorf("the last is %+v", lates)
	}
}

func TestWait(t *testing.T) {
	s, g := open(t), &Group{}
	defer g.Close()
	wake, err := Wait(t.Context(), s)
	if err != nil || len(wake.Lates) > 0 {
		t.Errorf("without a hook: %+v, %v", wake, err)
	}
	plain, waking := job(t, "plain", "sleep 600"), job(t, "waking", "until [ -e go ]; do sleep 0.01; done; echo up >&2; exit 2")
	waking.Rewake = true
	for _, j := range []Job{plain, waking} {
		if err := g.Start(j, s); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := Wait(ctx, s); err != context.DeadlineExceeded {
		t.Errorf("while it runs: %v", err)
	}
	if err := os.WriteFile(filepath.Join(waking.Command.Dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	wake, err = Wait(t.Context(), s)
	if err != nil || len(wake.Lates) != 1 || wake.Lates[0].Wake != "up" || s.Wakes() != 1 {
		t.Errorf("%+v, %v, %d wakes", wake, err, s.Wakes())
	}
}

func FuzzDecodeJob(f *testing.F) {
	text, _ := Job{Event: "Stop", Command: command.Job{Command: "true", Stdin: []byte("{}")}}.encode("/s", "r")
	f.Add(text)
	f.Add([]byte(`{"left":{"pid":1,"files":3}}`))
	f.Add([]byte(`{"parent":["%"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		j, _, _, err := decodeJob(bytes.NewReader(data), func(int) []*os.File { return nil })
		if err == nil && j.Left != nil {
			t.Errorf("a command without files: %+v", j.Left)
		}
	})
}
