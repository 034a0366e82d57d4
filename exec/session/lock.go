package session

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/theus-hooks/theus-hooks/internal/statedir"
)

// Waiting for another process: how long at most, and between two looks. Nobody
// holds the lock for longer than a file takes to be written, so on a busy machine
// waiting loses less than giving up. Who has waited for long looks more often, so
// that among many nobody is always late.
const (
	lockWait  = 3 * time.Second
	lockDelay = 2 * time.Millisecond
	lockHurry = 100 * time.Microsecond
	patience  = 200 * time.Millisecond
)

// pause sleeps between two looks of who has waited since begin.
func pause(ctx context.Context, begin time.Time) {
	delay := lockDelay
	if time.Since(begin) > patience {
		delay = lockHurry
	}
	select {
	case <-time.After(delay):
	case <-ctx.Done():
	}
}

// lock takes the session's lock and returns what gives it back. The error is
// ErrLocked, that of ctx or of the file system.
func (s *Session) lock(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, ErrLocked)
	defer cancel()
	for begin := time.Now(); ; {
		unlock, err := s.tryLock(ctx, begin)
		switch {
		case err == nil:
			return unlock, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !errors.Is(err, fs.ErrNotExist): // else the folder was swept under our hands
			return nil, err
		}
		pause(ctx, begin)
	}
}

// tryLock waits for the lock of the folder that is there now.
func (s *Session) tryLock(ctx context.Context, begin time.Time) (unlock func(), err error) {
	dir, err := s.folder("")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "lock")
	if err := statedir.Regular(path); err != nil {
		return nil, err
	}
	l := flock.New(path, flock.SetPermissions(0o600))
	for ok := false; !ok; {
		if ok, err = l.TryLock(); err == nil && !ok {
			pause(ctx, begin)
			err = ctx.Err()
		}
		if err != nil {
			_ = l.Close()
			return nil, err
		}
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
