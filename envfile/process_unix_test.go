//go:build !windows

package envfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pidsIn reads the process numbers that a script wrote, one a line.
func pidsIn(t *testing.T, file string) []int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for field := range strings.FieldsSeq(string(text)) {
		pid := 0
		if _, err := fmt.Sscan(field, &pid); err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// alive reports whether a process runs; one that waits to be reaped does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) == nil
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func TestCancelEndsEverything(t *testing.T) {
	dir := t.TempDir()
	list := filepath.Join(dir, "pids")
	ready := filepath.Join(dir, "ready")
	if err := exec.Command("mkfifo", ready).Run(); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("A=1\nsleep 1000 & echo $! $$ >%s\necho >%s\nsleep 1000\n", list, ready)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = os.ReadFile(ready)
		cancel()
	}()
	changes, _, err := Evaluate(ctx, []byte(text), Options{Env: surroundings})
	if !errors.Is(err, context.Canceled) || changes != nil {
		t.Errorf("changes %v, error %v", changes, err)
	}
	assertGone(t, pidsIn(t, list))
}

// assertGone waits until the processes have ended: they were sent a KILL.
func assertGone(t *testing.T, pids []int) {
	t.Helper()
	if len(pids) == 0 {
		t.Error("no process was started")
	}
	for _, pid := range pids {
		for begin := time.Now(); alive(pid); time.Sleep(time.Millisecond) {
			if time.Since(begin) > time.Minute {
				t.Fatalf("process %d lives", pid)
			}
		}
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	list := filepath.Join(t.TempDir(), "pids")
	text := fmt.Sprintf("sleep 1000 & echo $! >%s\nA=1", list)
	changes, problems, err := Evaluate(t.Context(), []byte(text), Options{Env: surroundings})
	if err != nil || len(problems) > 0 || !slices.Equal(changes, []Change{{Name: "A", Value: "1"}}) {
		t.Errorf("changes %v, problems %v, error %v", changes, problems, err)
	}
	assertGone(t, pidsIn(t, list))
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left in the temporary directory: %v", left)
	}
}

// A process that left the group may live, but holds nothing up.
func TestDaemonHoldsNothingUp(t *testing.T) {
	list := filepath.Join(t.TempDir(), "pids")
	text := fmt.Sprintf("set -m; sh -c 'echo $$ >%s.new; mv %s.new %s; exec sleep 1000' & set +m\nuntil [ -e %s ]; do :; done\nA=1", list, list, list, list)
	changes, _, err := Evaluate(t.Context(), []byte(text), Options{Env: surroundings})
	pids := pidsIn(t, list)
	if err != nil || len(changes) != 1 || !alive(pids[0]) {
		t.Errorf("changes %v, error %v", changes, err)
	}
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
