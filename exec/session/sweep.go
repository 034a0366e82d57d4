package session

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// What Sweep leaves: sessions that were written to within MaxAge, and of those
// the youngest that take at most MaxSize bytes together. A session written to
// within MinAge is never swept.
const (
	MaxAge  = 30 * 24 * time.Hour
	MinAge  = 24 * time.Hour
	MaxSize = 256 << 20
)

// sweptFile is the file under root whose time says when Tidy swept last.
const sweptFile = ".swept"

// Tidy is Sweep for those who end a session: it does something once a day.
func Tidy(ctx context.Context, root string, now time.Time) error {
	path := filepath.Join(root, sweptFile)
	if info, err := os.Stat(path); err == nil && now.Sub(info.ModTime()) < MinAge {
		return nil
	}
	if _, err := os.Stat(root); err != nil {
		return ignoreMissing(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	if err := os.Chtimes(path, now, now); err != nil {
		return err
	}
	return Sweep(ctx, root, now)
}

// Sweep removes the stale sessions under root, as of now. One that is in use
// stays. The error is that of ctx, or of the file system for the sessions that
// could not be removed.
func Sweep(ctx context.Context, root string, now time.Time) error {
	stale, err := staleSessions(ctx, root, now)
	if err != nil {
		return err
	}
	var failed []error
	for _, dir := range stale {
		if err := ctx.Err(); err != nil {
			return err
		}
		failed = append(failed, remove(dir))
	}
	return errors.Join(failed...)
}

// All returns the sessions under root that have state, in the order of their
// folders.
func All(root string) ([]*Session, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, ignoreMissing(err)
	}
	var list []*Session
	for _, e := range entries {
		if len(e.Name()) == nameLen && e.IsDir() {
			list = append(list, At(filepath.Join(root, e.Name())))
		}
	}
	return list, nil
}

type footprint struct {
	dir  string
	used time.Time
	size int64
}

// staleSessions picks the folders to remove, oldest last.
func staleSessions(ctx context.Context, root string, now time.Time) ([]string, error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []footprint
	var stale []string
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), trash) && e.IsDir(): // a sweep that was killed
			stale = append(stale, dir)
		case len(e.Name()) == nameLen && e.IsDir():
			all = append(all, measure(ctx, dir))
		}
	}
	slices.SortFunc(all, func(a, b footprint) int {
		return cmp.Or(b.used.Compare(a.used), strings.Compare(a.dir, b.dir))
	})
	total := int64(0)
	for _, f := range all {
		total += f.size
		age := now.Sub(f.used)
		if age > MaxAge || age > MinAge && total > MaxSize {
			stale = append(stale, f.dir)
		}
	}
	return stale, ctx.Err()
}

// measure finds out how large a session is and when it was last written to.
func measure(ctx context.Context, dir string) footprint {
	f := footprint{dir: dir}
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil {
			return ctx.Err()
		}
		if info, err := d.Info(); err == nil {
			if info.ModTime().After(f.used) {
				f.used = info.ModTime()
			}
			if info.Mode().IsRegular() {
				f.size += info.Size()
			}
		}
		return nil
	})
	return f
}

// trash begins the name of a folder that is being removed.
const trash = ".trash-"

// remove removes a session's folder unless a process holds its lock or a hook of
// it runs in the background. It takes
// the folder away as a whole first, so that none is ever seen in part.
func remove(dir string) error {
	if strings.HasPrefix(filepath.Base(dir), trash) {
		return os.RemoveAll(dir)
	}
	l := flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if err != nil || !ok {
		return err
	}
	defer l.Close()
	if runs, err := At(dir).Runs(); len(runs) > 0 || err != nil {
		return err
	}
	gone := filepath.Join(filepath.Dir(dir), trash+filepath.Base(dir))
	if err := os.Rename(dir, gone); err != nil {
		return err
	}
	return os.RemoveAll(gone)
}
