package session

import (
	"context"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/theus-hooks/theus-hooks/internal/statedir"
)

const (
	countsFile = "counts.json"
	maxCount   = 1 << 30 // more cannot be meant
)

// StopBlocked counts one more block of event in a row and returns the count.
func (s *Session) StopBlocked(ctx context.Context, event string) (count int, err error) {
	err = s.changeCounts(ctx, func(counts map[string]int) {
		counts[event]++
		count = counts[event]
	})
	return count, err
}

// StopReset ends the row of blocks of event.
func (s *Session) StopReset(ctx context.Context, event string) error {
	counts, err := s.counts()
	if err != nil || counts[event] == 0 {
		return err
	}
	return s.changeCounts(ctx, func(counts map[string]int) { delete(counts, event) })
}

// wakes is the row of wakes among the counts: no event has that name.
const wakes = "wakes"

// Woken counts one more time that hooks woke the agent in a row and returns the
// count.
func (s *Session) Woken(ctx context.Context) (count int, err error) { return s.StopBlocked(ctx, wakes) }

// Wakes is that count.
func (s *Session) Wakes() int {
	counts, _ := s.counts() // unknown: none
	return counts[wakes]
}

// WakeReset ends the row of wakes.
func (s *Session) WakeReset(ctx context.Context) error { return s.StopReset(ctx, wakes) }

func (s *Session) changeCounts(ctx context.Context, change func(map[string]int)) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	counts, err := s.counts()
	if err != nil {
		return err
	}
	change(counts)
	return s.save(countsFile, counts)
}

func (s *Session) counts() (map[string]int, error) {
	file, err := s.load(countsFile)
	if err != nil {
		return nil, err
	}
	counts := make(map[string]int)
	for m := range file.Members() {
		if n := m.Value.Float(); n > 0 && n < maxCount {
			counts[m.Key] = int(n)
		}
	}
	return counts, nil
}

// Spent reports whether Spend was called for the handler id, or a Claim of it
// spent.
func (s *Session) Spent(id string) bool {
	_, err := os.Lstat(s.oncePath(id, ".spent"))
	return err == nil
}

// Spend marks the handler id as one that has had its one run.
func (s *Session) Spend(id string) error {
	if _, err := s.folder("once"); err != nil {
		return err
	}
	f, err := os.OpenFile(s.oncePath(id, ".spent"), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Unspend takes the mark back: the run has failed after all.
func (s *Session) Unspend(id string) error {
	return ignoreMissing(os.Remove(s.oncePath(id, ".spent")))
}

func (s *Session) oncePath(id, ext string) string {
	return filepath.Join(s.dir, "once", hashed(id)+ext)
}

// A Claim is the right to the one run of a handler. It ends with Release or
// with the process that holds it.
type Claim struct {
	session *Session
	id      string
	lock    *flock.Flock
}

// Claim asks for the one run of the handler id. It returns nil without an
// error when the run was spent, or goes on in another process: then the
// handler is not to be run. The holder calls Spend after a run that succeeded,
// and Release in any case.
func (s *Session) Claim(id string) (*Claim, error) {
	if _, err := s.folder("once"); err != nil {
		return nil, err
	}
	path := s.oncePath(id, ".lock")
	if err := statedir.Regular(path); err != nil {
		return nil, err
	}
	c := &Claim{session: s, id: id, lock: flock.New(path, flock.SetPermissions(0o600))}
	ok, err := c.lock.TryLock()
	if err != nil {
		return nil, err
	}
	switch {
	case !ok:
		return nil, nil
	case s.Spent(id): // looked at only now: another may just have spent it
		c.drop()
		return nil, c.Release()
	}
	return c, nil
}

// Spend marks the run as had.
func (c *Claim) Spend() error {
	if err := c.session.Spend(c.id); err != nil {
		return err
	}
	c.drop()
	return nil
}

// drop removes the file of the lock, which is of no use once the run is spent:
// whoever gets the lock looks for that.
func (c *Claim) drop() { _ = os.Remove(c.lock.Path()) }

// Release gives the claim back.
func (c *Claim) Release() error { return c.lock.Unlock() }
