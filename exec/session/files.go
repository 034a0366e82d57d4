package session

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/statedir"
)

// EnvFile makes an empty private file for the exports of one run and returns
// its path, which ends in .sh. RemoveEnvFile takes it away.
func (s *Session) EnvFile() (path string, err error) {
	dir, err := s.folder("env")
	if err != nil {
		return "", err
	}
	return makeEnvFile(dir)
}

// TempEnvFile is EnvFile for a run without a session, in the system's folder
// for temporary files.
func TempEnvFile() (path string, err error) {
	return makeEnvFile(os.TempDir())
}

func makeEnvFile(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "theus-env-*.sh")
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// RemoveEnvFile removes a file that EnvFile or TempEnvFile made, whatever the
// hook left in its place.
func RemoveEnvFile(path string) error { return os.RemoveAll(path) }

// Spill keeps a text that is too long for an answer and returns the absolute
// path of a private file with the whole of it. kind says what it is, in the
// file's name; the same text of one kind is kept once.
func (s *Session) Spill(kind, text string) (path string, err error) {
	dir, err := s.folder("spill")
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	path = filepath.Join(dir, safeName(kind)+"-"+hashed(text)+".txt")
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(text)) {
		return path, nil
	}
	return path, statedir.Replace(path, []byte(text))
}

// safeName turns kind into a short part of a file name.
func safeName(kind string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, kind)
	return name[:min(len(name), 40)]
}
