package session

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/theus-hooks/theus-hooks/internal/statedir"
)

// Errors that callers tell apart.
var (
	ErrNoSession = errors.New("no session id, so nothing is kept between calls")
	ErrNoRoot    = errors.New("no place for session state, set HOME or XDG_STATE_HOME")
	ErrLocked    = errors.New("session state stayed locked by another process")
	ErrFull      = errors.New("exports of the session are longer than 4 MiB together")
)

// DefaultRoot returns the folder of all sessions for an environment and an
// operating system as GOOS names it. The error is ErrNoRoot.
func DefaultRoot(env []string, goos string) (string, error) {
	root, ok := statedir.Root(env, goos)
	if !ok {
		return "", ErrNoRoot
	}
	return filepath.Join(root, "sessions"), nil
}

// A Session is the state of one session. Its methods may be called at the same
// time, and by several processes.
type Session struct {
	dir string

	mu       sync.Mutex
	warnings []string
}

// Open returns the session id under root. Nothing is written until something
// is to be kept. The error is ErrNoSession or ErrNoRoot.
func Open(root, id string) (*Session, error) {
	switch {
	case id == "":
		return nil, ErrNoSession
	case root == "":
		return nil, ErrNoRoot
	}
	return &Session{dir: filepath.Join(root, hashed(id))}, nil
}

// At returns the session whose folder is dir, as Dir gives it.
func At(dir string) *Session { return &Session{dir: dir} }

// hashed is the file name that stands for an id of any shape.
func hashed(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:nameLen/2])
}

// nameLen is the length of hashed names.
const nameLen = 32

// Dir is the session's folder, which may not exist yet.
func (s *Session) Dir() string { return s.dir }

// Warnings returns what was tolerated since the last call, one line each.
func (s *Session) Warnings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	warnings := s.warnings
	s.warnings = nil
	return warnings
}

func (s *Session) warn(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// folder makes the session's folder, or one in it, private and returns it.
func (s *Session) folder(name string) (string, error) {
	if err := statedir.Private(s.dir); err != nil { // before: it may be a link to elsewhere
		return "", err
	}
	dir := filepath.Join(s.dir, name)
	return dir, os.MkdirAll(dir, 0o700)
}
