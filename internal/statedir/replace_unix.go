//go:build !windows

package statedir

import (
	"path/filepath"

	"github.com/google/renameio/v2"
)

// Replace puts a private file with that text at path, at once and as a whole.
func Replace(path string, text []byte) error {
	return renameio.WriteFile(path, text, 0o600,
		renameio.WithTempDir(filepath.Dir(path)), renameio.WithStaticPermissions(0o600))
}
