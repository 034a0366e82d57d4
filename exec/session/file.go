package session

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/internal/statedir"
)

// maxState bounds a state file, in bytes: more than what is written can take.
const maxState = 32 << 20

// load reads the JSON object in the session's file name; what is missing or
// cannot be read is an empty one.
func (s *Session) load(name string) (jsontext.Value, error) {
	f, err := statedir.Open(filepath.Join(s.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return jsontext.Value{}, nil
	}
	if err != nil {
		return jsontext.Value{}, err
	}
	defer f.Close()
	var text bytes.Buffer
	if info, err := f.Stat(); err == nil && info.Size() <= maxState {
		text.Grow(int(info.Size()) + bytes.MinRead)
	}
	if _, err := text.ReadFrom(io.LimitReader(f, maxState+1)); err != nil {
		return jsontext.Value{}, err
	}
	v, err := jsontext.Parse(text.Bytes(), jsontext.Limits{Bytes: maxState, Depth: 16})
	if err == nil && v.Kind() != jsontext.Object {
		err = errors.New("not an object")
	}
	if err != nil {
		s.warn("session state %s cannot be read and counts as empty: %v", filepath.Join(s.dir, name), err)
		return jsontext.Value{}, nil
	}
	return v, nil
}

// save replaces the session's file name. The lock must be held.
func (s *Session) save(name string, v any) error {
	text, err := jsontext.Marshal(v)
	if err != nil {
		return err
	}
	s.sweepHalves(name)
	return statedir.Replace(filepath.Join(s.dir, name), append(text, '\n'))
}

// sweepHalves removes what calls that were killed had written of name.
func (s *Session) sweepHalves(name string) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+name) {
			_ = os.Remove(filepath.Join(s.dir, e.Name()))
		}
	}
}
