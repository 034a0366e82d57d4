package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/envfile"
)

// age sets the time at which everything in dir was last written.
func age(t *testing.T, dir string, at time.Time) {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Backward(paths) {
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSweep(t *testing.T) {
	root := filepath.Join(t.TempDir(), "sessions")
	now := time.Date(2030, 1, 31, 0, 0, 0, 0, time.UTC)
	days := map[string]int{"fresh": 0, "young": 29, "old": 31, "held": 40, "running": 40, "large today": 0, "large": 3, "small": 4}
	names := map[string]string{}
	for id, n := range days {
		s, _ := Open(root, id)
		if err := s.Record(t.Context(), "Stop", parse("A=1")); err != nil {
			t.Fatal(err)
		}
		if id == "large" || id == "large today" {
			path, err := s.Spill("x", "")
			if err != nil || os.Truncate(path, MaxSize/2+1) != nil {
				t.Fatal(err)
			}
		}
		if id == "running" {
			run, err := s.StartRun(RunInfo{Hook: "h"})
			if err != nil {
				t.Fatal(err)
			}
			defer run.Abandon()
		}
		age(t, s.Dir(), now.AddDate(0, 0, -n))
		names[filepath.Base(s.Dir())] = id
	}
	for _, other := range []string{"notes", trash + "x"} {
		if err := os.Mkdir(filepath.Join(root, other), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	held, _ := Open(root, "held")
	unlock, err := held.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := Sweep(t.Context(), root, now); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		if id := names[e.Name()]; id != "" {
			left = append(left, id)
			continue
		}
		left = append(left, e.Name())
	}
	slices.Sort(left)
	if diff := cmp.Diff([]string{"fresh", "held", "large today", "notes", "running"}, left); diff != "" {
		t.Error(diff)
	}
}

func TestSweepNothing(t *testing.T) {
	if err := Sweep(t.Context(), filepath.Join(t.TempDir(), "none"), time.Now()); err != nil {
		t.Error(err)
	}
}

// A lock on a folder that was swept since is none.
func TestSweptLock(t *testing.T) {
	s := open(t)
	if err := s.Record(t.Context(), "Stop", parse("A=1")); err != nil {
		t.Fatal(err)
	}
	l := flock.New(filepath.Join(s.Dir(), "lock"))
	if ok, err := l.TryLock(); !ok || err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if !isCurrent(l) {
		t.Error("a fresh lock counts as swept")
	}
	if err := os.RemoveAll(s.Dir()); err != nil {
		t.Fatal(err)
	}
	if isCurrent(l) {
		t.Error("the lock of a removed folder counts")
	}
	if err := s.Record(t.Context(), "Stop", parse("B=1")); err != nil {
		t.Fatal(err)
	}
	if isCurrent(l) {
		t.Error("the lock of a removed folder counts for the new one")
	}
}

// A session that is swept while calls wait for its lock starts anew, and what
// they record is kept.
func TestSweepUnderWriters(t *testing.T) {
	root := filepath.Join(t.TempDir(), "sessions")
	s, _ := Open(root, "one")
	done := make(chan struct{})
	var sweeper, writers sync.WaitGroup
	sweeper.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if err := remove(s.Dir()); err != nil && !os.IsNotExist(err) {
				t.Error(err)
			}
		}
	})
	for i := range 4 {
		writers.Go(func() {
			for j := range 10 {
				err := s.Record(t.Context(), "Stop", []envfile.Change{{Name: fmt.Sprintf("N%d_%d", i, j), Value: "1"}})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	close(done)
	sweeper.Wait()
	if err := s.Record(t.Context(), "Stop", parse("LAST=1")); err != nil {
		t.Fatal(err)
	}
	if got := exports(t, s); got[max(0, len(got)-6):] != "LAST=1" {
		t.Errorf("exports %q", got)
	}
}

// Tidy sweeps once a day, and makes no folder where there is none.
func TestTidy(t *testing.T) {
	root := filepath.Join(t.TempDir(), "sessions")
	now := time.Now()
	if err := Tidy(t.Context(), root, now); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(root); err == nil {
		t.Error("made a folder")
	}
	stale := func(id string) string {
		s, err := Open(root, id)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Spend("h"); err != nil {
			t.Fatal(err)
		}
		return s.Dir()
	}
	for _, tt := range []struct {
		after time.Duration
		gone  bool
	}{{0, true}, {time.Hour, false}, {25 * time.Hour, true}} {
		dir := stale(tt.after.String())
		if err := Tidy(t.Context(), root, now.Add(MaxAge+time.Hour+tt.after)); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir); (err != nil) != tt.gone {
			t.Errorf("after %s: %v, want it gone: %v", tt.after, err, tt.gone)
		}
	}
}
