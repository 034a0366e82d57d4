//go:build unix

package session

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe where a file of the state should be holds nobody up.
func TestPipes(t *testing.T) {
	s, err := Open(t.TempDir(), "s")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{exportsFile, countsFile, "lock", "background/1-a.done", "background/1-b.wake", "background/c.run", "background/.d", "once/" + hashed("hook") + ".lock"} {
		path := filepath.Join(s.Dir(), name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	if _, err := s.Exports(ctx); err == nil {
		t.Error("exports were read from a pipe")
	}
	if err := s.Record(ctx, "SessionStart", nil); err == nil {
		t.Error("a pipe was locked")
	}
	if _, err := s.StopBlocked(ctx, "Stop"); err == nil {
		t.Error("counted in a pipe")
	}
	if _, err := s.Claim("hook"); err == nil {
		t.Error("a pipe was claimed")
	}
	if lates, err := s.Late(); len(lates) > 0 || err != nil {
		t.Errorf("late: %v, %v", lates, err)
	}
	if runs, err := s.Runs(); len(runs) > 0 || err != nil {
		t.Errorf("runs: %v, %v", runs, err)
	}
	if n := s.Wakes(); n != 0 {
		t.Errorf("%d wakes", n)
	}
}
