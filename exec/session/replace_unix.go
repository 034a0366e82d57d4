//go:build !windows

package session

import (
	"path/filepath"

	"github.com/google/renameio/v2"
)

// replaceFile puts a private file with that text at path, at once and as a
// whole.
func replaceFile(path string, text []byte) error {
	return renameio.WriteFile(path, text, 0o600,
		renameio.WithTempDir(filepath.Dir(path)), renameio.WithStaticPermissions(0o600))
}
