package session

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Waiting for another process: how long at most, and between two looks. A call
// has two seconds beyond its hooks' time for everything.
const (
	lockWait  = time.Second
	lockDelay = 2 * time.Millisecond
)

// lock takes the session's lock and returns what gives it back. The error is
// ErrLocked, that of ctx or of the file system.
func (s *Session) lock(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, ErrLocked)
	defer cancel()
	for {
		unlock, err := s.tryLock(ctx)
		switch {
		case err == nil:
			return unlock, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !errors.Is(err, fs.ErrNotExist): // else the folder was swept under our hands
			return nil, err
		}
		select {
		case <-time.After(lockDelay):
		case <-ctx.Done():
		}
	}
}

// tryLock waits for the lock of the folder that is there now.
func (s *Session) tryLock(ctx context.Context) (unlock func(), err error) {
	dir, err := s.folder("")
	if err != nil {
		return nil, err
	}
	l := flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600))
	if _, err := l.TryLockContext(ctx, lockDelay); err != nil {
		return nil, err
	}
	if !isCurrent(l) {
		_ = l.Unlock()
		return nil, fs.ErrNotExist
	}
	return func() { _ = l.Unlock() }, nil
}

// isCurrent reports whether the file that is locked still stands at its path.
func isCurrent(l *flock.Flock) bool {
	locked, err := l.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(l.Path())
	return err == nil && os.SameFile(locked, there)
}
