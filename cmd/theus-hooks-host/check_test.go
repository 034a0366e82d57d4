package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// theus-hooks has no linter; it asks the companion.
func TestCheckIsDelegated(t *testing.T) {
	bin, dir := build(t), t.TempDir()
	file := filepath.Join(dir, "settings.json")
	if err := os.WriteFile(file, []byte(`{"hooks": {"Stop": [{"matcher": "Bash", "hooks": [{"type": "command", "command": ""}]}]}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out := theusHooks(t, bin, nil, "check", "--project-dir", dir, file)
	if code != 1 || !strings.Contains(out, "settings.json:1:22: warning: matcher-ignored\n") || !strings.Contains(out, ": error: empty-command\n") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if code, out = theusHooks(t, bin, nil, "check", "--help"); code != 0 || !strings.Contains(out, "--strict") {
		t.Errorf("--help: exit code %d\n%s", code, out)
	}
}
