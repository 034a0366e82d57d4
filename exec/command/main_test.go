//go:build unix

package command

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == tortureName {
		torture(os.Args[2], os.Args[3])
	}
	if len(os.Args) == 4 && os.Args[1] == boundedName {
		bounded(os.Args[2], os.Args[3])
	}
	syscall.Umask(0o002) // so that it shows in the modes of files
	dir, err := os.MkdirTemp("", "theus-command-")
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "with space"), 0o755)
	}
	for name, text := range scripts {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	scriptDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}
