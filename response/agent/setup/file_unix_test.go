//go:build !windows

package setup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func open(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
}

func TestFileIsMadeAndRemoved(t *testing.T) {
	for public, mode := range map[bool]os.FileMode{false: 0o600, true: 0o644} {
		path := filepath.Join(t.TempDir(), ".codex", "hooks.json")
		f := open(t, path)
		if f.Exists || f.Text != nil {
			t.Fatalf("%+v", f)
		}
		if err := f.Write(&Change{Text: []byte("{}")}, public); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || content(t, path) != "{}" || info.Mode().Perm() != mode {
			t.Errorf("public %v: %v, %v", public, info.Mode(), err)
		}
		if err := open(t, path).Write(&Change{Gone: true}, public); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("it is still there: %v", err)
		}
	}
}

func TestFileKeepsModeAndLink(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "dotfiles.json"), filepath.Join(dir, "settings.json")
	write(t, real, "{}")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if err := open(t, link).Write(&Change{Text: []byte("new")}, false); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link: %v, %v", info.Mode(), err)
	}
	if info, err = os.Stat(real); err != nil || content(t, real) != "new" || info.Mode().Perm() != 0o640 {
		t.Errorf("the file: %v, %v", info.Mode(), err)
	}
	if err := open(t, link).Write(&Change{Gone: true}, false); err != nil || content(t, link) != "{}\n" {
		t.Errorf("a link is kept with an empty object: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestFileThatChangesMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	missing := open(t, path)
	write(t, path, "one")
	there := open(t, path)
	write(t, path, "two")
	for name, f := range map[string]*File{"made": missing, "changed": there} {
		if err := f.Write(&Change{Text: []byte("ours")}, false); !errors.Is(err, ErrChanged) || content(t, path) != "two" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What another program makes is often read-only, and not ours to write.
func TestFileThatIsReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, "theirs")
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	for _, change := range []*Change{{Text: []byte("ours")}, {Gone: true}} {
		if err := open(t, path).Write(change, false); !errors.Is(err, ErrReadOnly) || !strings.Contains(err.Error(), path) || content(t, path) != "theirs" {
			t.Errorf("%+v: %v", change, err)
		}
	}
}

func TestFileThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	big, dangling := filepath.Join(dir, "big"), filepath.Join(dir, "dangling")
	write(t, big, strings.Repeat(" ", MaxBytes+1))
	if err := os.Symlink(filepath.Join(dir, "nowhere"), dangling); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, big, dangling} {
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A link among the directories is nothing of the file's: one that was made is
// taken away again.
func TestLinkedDirectory(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "elsewhere"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("elsewhere", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "link", "settings.json")
	for _, change := range []*Change{{Text: []byte("{}\n")}, {Gone: true}} {
		f, err := Open(path)
		if err != nil || f.Real != f.Path {
			t.Fatalf("%+v, %v", f, err)
		}
		if err := f.Write(change, false); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Lstat(filepath.Join(root, "elsewhere", "settings.json")); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
}
