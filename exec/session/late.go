package session

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/internal/statedir"
)

// What hooks in the background leave in a session's folder:
//
//	background/ID.run        a hook that runs: what it is; locked as long as it does
//	background/TIME-ID.done  what one that ended has to say
//	background/TIME-ID.wake  the same of one that wakes the agent
//
// Removing a file is the right to it: of several processes one succeeds.
const (
	lateFolder = "background"
	runExt     = ".run"
	doneExt    = ".done"
	wakeExt    = ".wake"
)

// MaxLate bounds how many results wait in a session: beyond it the oldest go.
const MaxLate = 1000

// maxRecord bounds one result, in bytes.
const maxRecord = 8 << 20

// A Run is a hook that runs in the background. It ends with Finish or Abandon,
// or with the process that holds its file.
type Run struct {
	// ID names the run in its session.
	ID   string
	path string
	file *os.File
	info RunInfo
}

// A RunInfo is what others may know of a run.
type RunInfo struct {
	Hook   string // its name, for people
	Rewake bool   // it may wake the agent
	// Owner is the process that carries it on and ends it on a SIGTERM; 0: one
	// that must not be signalled.
	Owner int
	// Hosted: it is carried on by a program that does other things too, and that
	// will never be an owner.
	Hosted bool
}

// StartRun announces a hook that is to run in the background.
func (s *Session) StartRun(info RunInfo) (*Run, error) {
	dir, err := s.folder(lateFolder)
	if err != nil {
		return nil, err
	}
	id := strings.ToLower(rand.Text())
	hidden := filepath.Join(dir, "."+id)
	f, err := os.OpenFile(hidden, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	r := &Run{ID: id, path: filepath.Join(dir, id+runExt), file: f}
	// Nobody sees the file before it is locked, or it would look like that of a
	// run whose process is gone.
	if err = lockFile(f); err == nil {
		err = r.SetInfo(info)
	}
	if err == nil {
		err = renameOpen(hidden, r.path)
	}
	if err != nil {
		f.Close()
		return nil, errors.Join(err, os.Remove(hidden))
	}
	return r, nil
}

// AdoptRun is the run id for the process that inherited its file.
func (s *Session) AdoptRun(id string, file *os.File) *Run {
	return &Run{ID: id, path: filepath.Join(s.dir, lateFolder, id+runExt), file: file, info: readInfo(file)}
}

// OpenRun is the run id for a process that could not inherit its file.
func (s *Session) OpenRun(id string) (*Run, error) {
	path := filepath.Join(s.dir, lateFolder, id+runExt)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	for range 100 {
		if err = lockFile(f); err == nil {
			return &Run{ID: id, path: path, file: f, info: readInfo(f)}, nil
		}
		time.Sleep(lockDelay) // somebody looks at it
	}
	f.Close()
	return nil, err
}

// File is the run's file, locked: a child that inherits it holds the lock too.
func (r *Run) File() *os.File { return r.file }

// Info is what was announced.
func (r *Run) Info() RunInfo { return r.info }

// infoJSON is a RunInfo in a file that others read while it is written: of one
// that is half the new and half the old, the two owners differ.
type infoJSON struct {
	Hook   string `json:"hook"`
	Rewake bool   `json:"rewake"`
	Hosted bool   `json:"hosted"`
	Owner  int    `json:"owner"`
	Again  int    `json:"again"`
}

// SetInfo changes what others may know.
func (r *Run) SetInfo(info RunInfo) error {
	r.info = info
	text, err := jsontext.Marshal(infoJSON{info.Hook, info.Rewake, info.Hosted, info.Owner, info.Owner})
	if err != nil {
		return err
	}
	if _, err := r.file.WriteAt(text, 0); err != nil {
		return err
	}
	return r.file.Truncate(int64(len(text)))
}

// HandOver closes this process's copy of the run's file, once a child holds it.
func (r *Run) HandOver() { r.file.Close() }

// Abandon ends a run of which nothing is to be told.
func (r *Run) Abandon() {
	_ = os.Remove(r.path)
	r.file.Close()
}

// Finish ends a run and keeps record, what is to be told of it, for a later
// call of the session; nil: nothing is. wake: the agent is to be woken for it.
func (r *Run) Finish(record []byte, wake bool) error {
	defer r.Abandon()
	if record == nil {
		return nil
	}
	ext := doneExt
	if wake {
		ext = wakeExt
	}
	dir := filepath.Dir(r.path)
	trimLate(dir)
	return statedir.Replace(filepath.Join(dir, fmt.Sprintf("%019d-%s%s", time.Now().UnixNano(), r.ID, ext)), record)
}

// trimLate makes room for one more result.
func trimLate(dir string) {
	entries, _ := os.ReadDir(dir) // by name, which begins with the time
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool {
		ext := filepath.Ext(e.Name())
		return strings.HasPrefix(e.Name(), ".") || ext != doneExt && ext != wakeExt
	})
	for len(entries) >= MaxLate {
		_ = os.Remove(filepath.Join(dir, entries[0].Name()))
		entries = entries[1:]
	}
}

// A Late is the result of a hook that ran in the background, or a run that was
// lost with its process.
type Late struct {
	Wake bool
	Lost bool
	Hook string // of a lost one
	path string
}

// Late lists what hooks in the background left to be told, in the order in which
// they ended, lost ones last.
func (s *Session) Late() ([]Late, error) {
	dir := filepath.Join(s.dir, lateFolder)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, ignoreMissing(err)
	}
	var list, lost []Late
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch ext := filepath.Ext(e.Name()); {
		case !e.Type().IsRegular(): // nothing of ours; opening a pipe would wait for ever
		case strings.HasPrefix(e.Name(), "."):
			removeHalf(path, e)
		case ext == doneExt || ext == wakeExt:
			list = append(list, Late{path: path, Wake: ext == wakeExt})
		case ext == runExt:
			if info, state := look(path); state == runLost {
				lost = append(lost, Late{path: path, Lost: true, Hook: info.Hook})
			}
		}
	}
	return append(list, lost...), nil // ReadDir sorts by name, which begins with the time
}

// removeHalf removes what a process left that was killed while it wrote.
func removeHalf(path string, e fs.DirEntry) {
	if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
		_ = os.Remove(path)
	}
}

// Read returns the record. ok is false when another call has it.
func (l Late) Read() (record []byte, ok bool) {
	f, err := os.Open(l.path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	record, err = io.ReadAll(io.LimitReader(f, maxRecord))
	return record, err == nil
}

// Take reports whether it is the caller who tells of it. It succeeds once, in
// whatever process.
func (l Late) Take() bool {
	if l.Lost {
		return reap(l.path)
	}
	return os.Remove(l.path) == nil
}

// Runs lists the hooks of the session that run in the background now, by their
// ID.
func (s *Session) Runs() (map[string]RunInfo, error) {
	dir := filepath.Join(s.dir, lateFolder)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, ignoreMissing(err)
	}
	runs := map[string]RunInfo{}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), runExt)
		if !ok || !e.Type().IsRegular() {
			continue
		}
		if info, state := look(filepath.Join(dir, e.Name())); state == runAlive {
			runs[id] = info
		}
	}
	return runs, nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

type runState uint8

const (
	runGone  runState = iota // it ended
	runAlive                 // somebody holds its lock
	runLost                  // nobody does, and nobody ended it
)

// look says how it stands with the run whose file is path.
func look(path string) (RunInfo, runState) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return RunInfo{}, runGone
	}
	defer f.Close()
	info := readInfo(f)
	if lockFile(f) != nil {
		return info, runAlive
	}
	if !stillThere(f, path) {
		return info, runGone
	}
	return info, runLost
}

// readInfo reads what is known of a run. One of which it cannot be read might
// wake the agent, for all that is known.
func readInfo(f *os.File) RunInfo {
	for range 20 {
		text, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<20))
		v, bad := jsontext.Parse(text, jsontext.Limits{Depth: 4})
		if err == nil && bad == nil && v.Get("owner").Float() == v.Get("again").Float() {
			return RunInfo{
				Hook: v.Get("hook").Text(), Rewake: v.Get("rewake").Bool(), Hosted: v.Get("hosted").Bool(),
				Owner: int(v.Get("owner").Float()),
			}
		}
		time.Sleep(lockHurry) // it is being written
	}
	return RunInfo{Rewake: true}
}

// reap removes the file of a lost run, and reports whether it did.
func reap(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return lockFile(f) == nil && stillThere(f, path) && os.Remove(path) == nil
}

// stillThere reports whether f still stands at path.
func stillThere(f *os.File, path string) bool {
	held, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(held, there)
}
