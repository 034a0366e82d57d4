package statedir

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRoot(t *testing.T) {
	for _, tt := range []struct {
		goos string
		env  []string
		want string
	}{
		{"linux", []string{"HOME=/h"}, "/h/.local/state/theus-hooks"},
		{"linux", []string{"HOME=/h", "XDG_STATE_HOME=/x"}, "/x/theus-hooks"},
		{"linux", []string{"HOME=/h", "XDG_STATE_HOME=x"}, "/h/.local/state/theus-hooks"},
		{"darwin", []string{"HOME=/h"}, "/h/Library/Application Support/theus-hooks"},
		{"windows", []string{"LOCALAPPDATA=/l", "HOME=/h"}, "/l/theus-hooks"},
		{"linux", nil, ""},
		{"linux", []string{"HOME=h"}, ""},
	} {
		got, ok := Root(tt.env, tt.goos)
		if filepath.ToSlash(got) != tt.want || ok != (tt.want != "") {
			t.Errorf("%s %v: %q, %v; want %q", tt.goos, tt.env, got, ok, tt.want)
		}
	}
}

func TestPrivateAndReplace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Private(dir); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "f")
	for _, text := range []string{"one", "two"} {
		if err := Replace(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, file: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	link := filepath.Join(filepath.Dir(dir), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if Private(link) == nil || Private(file) == nil {
		t.Error("a link or a file counts as a folder of ours")
	}
}
