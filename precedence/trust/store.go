package trust

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/internal/statedir"
)

// Bounds of the store.
const (
	maxGrants = 32       // of one workspace; the oldest goes
	maxRecord = 32 << 20 // bytes of a file
	maxKept   = 1 << 20  // bytes of text kept to show changes
	lockWait  = 10 * time.Second
	lockDelay = 2 * time.Millisecond
)

// Errors that callers tell apart.
var (
	ErrNoStore = errors.New("no place for what is trusted, set HOME or XDG_STATE_HOME")
	ErrRefused = errors.New("the workspace cannot be trusted")
	ErrBusy    = errors.New("another process keeps the trust store locked")
)

// A Store is the folder that keeps what was trusted: private, with a file for
// each workspace. The zero Store has no place and refuses to write.
type Store struct{ Dir string }

// DefaultStore is the store of the user that env belongs to.
func DefaultStore(env []string) Store {
	root, ok := statedir.Root(env, runtime.GOOS)
	if !ok {
		return Store{}
	}
	return Store{filepath.Join(root, "trust")}
}

// A Record is what was trusted of one workspace. A nil Record trusts nothing.
type Record struct {
	Workspace string
	Grants    []Grant // the newest last
}

// A Grant is one snapshot that was trusted.
type Grant struct {
	Time   time.Time
	Digest string
	Items  []Item // without Source and Line; Text where it was kept
}

// Granted returns the grant of exactly that snapshot.
func (r *Record) Granted(snap *Snapshot) (*Grant, bool) {
	if r == nil || snap.Refused != "" {
		return nil, false
	}
	digest := snap.Digest()
	for i := range r.Grants {
		if r.Grants[i].Digest == digest {
			return &r.Grants[i], true
		}
	}
	return nil, false
}

func (s Store) path(id, suffix string) string {
	return filepath.Join(s.Dir, sum(id)[:32]+suffix)
}

// Load reads what was trusted of a workspace, without texts; nil when that is
// nothing. The error says why the record cannot be relied on.
func (s Store) Load(id string) (*Record, error) {
	if s.Dir == "" {
		return nil, nil
	}
	path := s.path(id, ".json")
	v, err := readPrivate(path)
	if err != nil || !v.Exists() {
		return nil, err
	}
	rec := &Record{Workspace: v.Get("workspace").Text()}
	if rec.Workspace != id || v.Get("version").Float() != 1 {
		return nil, fmt.Errorf("%s is not a record of this version for %s", path, id)
	}
	for _, g := range v.Get("grants").Elements() {
		rec.Grants = append(rec.Grants, parseGrant(g))
	}
	return rec, nil
}

func parseGrant(v jsontext.Value) Grant {
	g := Grant{Digest: v.Get("digest").Text()}
	g.Time, _ = time.Parse(time.RFC3339, v.Get("time").Text()) // only for people
	for _, e := range v.Get("items").Elements() {
		g.Items = append(g.Items, Item{
			Kind: Kind(e.Get("kind").Text()), Group: e.Get("group").Text(), Name: e.Get("name").Text(), Sum: e.Get("sum").Text(),
		})
	}
	return g
}

// readPrivate reads a file of the store; the zero Value when there is none. A
// file that others can write proves nothing.
func readPrivate(path string) (jsontext.Value, error) {
	f, err := statedir.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return jsontext.Value{}, nil
	}
	if err != nil {
		return jsontext.Value{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return jsontext.Value{}, err
	case !info.Mode().IsRegular():
		return jsontext.Value{}, fmt.Errorf("%s is not a regular file", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		return jsontext.Value{}, fmt.Errorf("%s can be written by others, so it is not relied on; `chmod 600` it, or remove it and trust again", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	if err != nil {
		return jsontext.Value{}, err
	}
	v, err := jsontext.Parse(text, jsontext.Limits{Bytes: maxRecord, Depth: 16})
	if err == nil && v.Kind() != jsontext.Object {
		err = errors.New("not an object")
	}
	if err != nil {
		return jsontext.Value{}, fmt.Errorf("%s cannot be read: %w; remove it and trust again", path, err)
	}
	return v, nil
}

// LoadTexts adds to a record the texts that were kept, for showing changes.
// What is missing stays empty.
func (s Store) LoadTexts(rec *Record) error {
	if rec == nil {
		return nil
	}
	v, err := readPrivate(s.path(rec.Workspace, ".texts.json"))
	if err != nil {
		return err
	}
	texts := map[string]string{}
	for m := range v.Members() {
		texts[m.Key] = m.Value.Text()
	}
	for _, g := range rec.Grants {
		for i := range g.Items {
			g.Items[i].Text = texts[g.Items[i].Sum]
		}
	}
	return nil
}

// Grant records that a snapshot of the workspace id is trusted. The error is
// ErrNoStore, ErrRefused, ErrBusy, that of ctx or of the file system.
func (s Store) Grant(ctx context.Context, id string, snap *Snapshot, now time.Time) error {
	if snap.Refused != "" {
		return fmt.Errorf("%w: %s", ErrRefused, snap.Refused)
	}
	return s.locked(ctx, func() error {
		rec, err := s.Load(id)
		if err == nil {
			err = s.LoadTexts(rec)
		}
		if err != nil || rec == nil { // a record that proves nothing is replaced
			rec = &Record{Workspace: id}
		}
		rec.add(Grant{Time: now, Digest: snap.Digest(), Items: snap.Items})
		if err := s.save(id, ".texts.json", rec.texts()); err != nil {
			return err
		}
		return s.save(id, ".json", rec.json())
	})
}

func (r *Record) add(g Grant) {
	kept := r.Grants[:0]
	for _, old := range r.Grants {
		if old.Digest != g.Digest {
			kept = append(kept, old)
		}
	}
	kept = append(kept, g)
	r.Grants = kept[max(0, len(kept)-maxGrants):]
}

// Revoke forgets everything that was trusted of a workspace and reports whether
// there was anything. The errors are those of Grant.
func (s Store) Revoke(ctx context.Context, id string) (bool, error) {
	if s.Dir == "" {
		return false, nil
	}
	if _, err := os.Lstat(s.path(id, ".json")); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return true, s.locked(ctx, func() error {
		err := os.Remove(s.path(id, ".json"))
		if err == nil {
			err = os.Remove(s.path(id, ".texts.json"))
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// locked does something while no other process changes the store.
func (s Store) locked(ctx context.Context, do func() error) error {
	if s.Dir == "" {
		return ErrNoStore
	}
	if err := statedir.Private(s.Dir); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, ErrBusy)
	defer cancel()
	l := flock.New(filepath.Join(s.Dir, "lock"), flock.SetPermissions(0o600))
	if _, err := l.TryLockContext(ctx, lockDelay); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	defer func() { _ = l.Unlock() }()
	return do()
}

func (s Store) save(id, suffix string, v any) error {
	text, err := jsontext.Marshal(v)
	if err != nil {
		return err
	}
	return statedir.Replace(s.path(id, suffix), append(text, '\n'))
}

type recordJSON struct {
	Version   int         `json:"version"`
	Workspace string      `json:"workspace"`
	Grants    []grantJSON `json:"grants"`
}

type grantJSON struct {
	Time   string     `json:"time"`
	Digest string     `json:"digest"`
	Items  []itemJSON `json:"items"`
}

type itemJSON struct {
	Kind  Kind   `json:"kind"`
	Group string `json:"group"`
	Name  string `json:"name"`
	Sum   string `json:"sum"`
}

func (r *Record) json() recordJSON {
	out := recordJSON{Version: 1, Workspace: r.Workspace}
	for _, g := range r.Grants {
		j := grantJSON{Time: g.Time.UTC().Format(time.RFC3339), Digest: g.Digest, Items: []itemJSON{}}
		for _, it := range g.Items {
			j.Items = append(j.Items, itemJSON{it.Kind, it.Group, it.Name, it.Sum})
		}
		out.Grants = append(out.Grants, j)
	}
	return out
}

// texts are what the items say, newest grants first as far as there is room.
func (r *Record) texts() map[string]string {
	texts := map[string]string{}
	room := maxKept
	for i := len(r.Grants) - 1; i >= 0; i-- {
		for _, it := range r.Grants[i].Items {
			if _, done := texts[it.Sum]; !done && it.Text != "" && len(it.Text) <= room {
				texts[it.Sum] = it.Text
				room -= len(it.Text)
			}
		}
	}
	return texts
}
