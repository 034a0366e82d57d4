package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/theus-hooks/theus-hooks/envfile"
)

func open(t *testing.T) *Session {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "sessions"), "one")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// parse reads "A=1 -B" as changes.
func parse(text string) []envfile.Change {
	var changes []envfile.Change
	for field := range strings.FieldsSeq(text) {
		if name, ok := strings.CutPrefix(field, "-"); ok {
			changes = append(changes, envfile.Change{Name: name, Unset: true})
			continue
		}
		name, value, _ := strings.Cut(field, "=")
		changes = append(changes, envfile.Change{Name: name, Value: value})
	}
	return changes
}

// show writes changes as parse reads them.
func show(changes []envfile.Change) string {
	var fields []string
	for _, c := range changes {
		if c.Unset {
			fields = append(fields, "-"+c.Name)
			continue
		}
		fields = append(fields, c.Name+"="+c.Value)
	}
	return strings.Join(fields, " ")
}

func exporting(hook, changes string) Export {
	return Export{hook, func([]envfile.Change) ([]envfile.Change, error) { return parse(changes), nil }}
}

func exports(t *testing.T, s *Session) string {
	t.Helper()
	changes, err := s.Exports(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return show(changes)
}

func TestDefaultRoot(t *testing.T) {
	cases := []struct {
		goos string
		env  []string
		want string
	}{
		{"linux", []string{"HOME=/h"}, "/h/.local/state/theus-hooks/sessions"},
		{"linux", []string{"HOME=/h", "XDG_STATE_HOME=/s"}, "/s/theus-hooks/sessions"},
		{"linux", []string{"HOME=/h", "XDG_STATE_HOME=rel"}, "/h/.local/state/theus-hooks/sessions"},
		{"linux", []string{"HOME=/h", "XDG_STATE_HOME="}, "/h/.local/state/theus-hooks/sessions"},
		{"linux", []string{"HOME=rel"}, ""},
		{"linux", nil, ""},
		{"darwin", []string{"HOME=/Users/u"}, "/Users/u/Library/Application Support/theus-hooks/sessions"},
		{"darwin", []string{"HOME=/Users/u", "XDG_STATE_HOME=/s"}, "/s/theus-hooks/sessions"},
		{"windows", []string{`LOCALAPPDATA=C:\Users\u\AppData\Local`, "HOME=/h"}, filepath.Join(`C:\Users\u\AppData\Local`, "theus-hooks", "sessions")},
		{"windows", []string{"HOME=/h"}, ""},
	}
	for _, c := range cases {
		got, err := DefaultRoot(c.env, c.goos)
		if got != filepath.FromSlash(c.want) || (err != nil) != (c.want == "") || err != nil && !errors.Is(err, ErrNoRoot) {
			t.Errorf("%s %q: %q, error %v, want %q", c.goos, c.env, got, err, c.want)
		}
	}
}

func TestOpen(t *testing.T) {
	root := filepath.Join(t.TempDir(), "sessions")
	if _, err := Open(root, ""); !errors.Is(err, ErrNoSession) {
		t.Errorf("no id: error %v", err)
	}
	if _, err := Open("", "x"); !errors.Is(err, ErrNoRoot) {
		t.Errorf("no root: error %v", err)
	}
	seen := map[string]bool{}
	for _, id := range []string{"a", "A", "../../etc", "a/b", strings.Repeat("x", 10_000), "\x00"} {
		s, err := Open(root, id)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Dir(s.Dir()) != root || seen[s.Dir()] {
			t.Errorf("%.20q: folder %s", id, s.Dir())
		}
		seen[s.Dir()] = true
		if got := exports(t, s); got != "" {
			t.Errorf("exports %q", got)
		}
		if s.Spent("x") || s.StopReset(t.Context(), "Stop") != nil {
			t.Error("a new session remembers something")
		}
	}
	if _, err := os.Stat(root); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("looking made files: %v", err)
	}
}

func TestPrivate(t *testing.T) {
	s := open(t)
	if err := os.MkdirAll(s.Dir(), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := s.Record(t.Context(), "SessionStart", parse("A=1")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.StopBlocked(t.Context(), "Stop"); err != nil {
		t.Fatal(err)
	}
	env, err := s.EnvFile()
	if err != nil {
		t.Fatal(err)
	}
	spill, err := s.Spill("stdout", "text")
	if err != nil || s.Spend("h") != nil {
		t.Fatal(err)
	}
	for _, path := range []string{env, spill} {
		if !strings.HasPrefix(path, s.Dir()) {
			t.Errorf("%s is not in the session's folder", path)
		}
	}
	err = filepath.WalkDir(s.Dir(), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCorruption(t *testing.T) {
	for _, text := range []string{"", "{", "[]", "\x00\x00\x00", `{"layers":`} {
		s := open(t)
		if err := s.Record(t.Context(), "SessionStart", parse("A=1")); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{exportsFile, countsFile} {
			if err := os.WriteFile(filepath.Join(s.Dir(), name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := exports(t, s); got != "" {
			t.Errorf("exports %q", got)
		}
		if w := s.Warnings(); len(w) != 1 || !strings.Contains(w[0], exportsFile+" cannot be read and counts as empty") {
			t.Errorf("warnings %q", w)
		}
		if w := s.Warnings(); len(w) != 0 {
			t.Errorf("warnings twice: %q", w)
		}
		if n, err := s.StopBlocked(t.Context(), "Stop"); n != 1 || err != nil {
			t.Errorf("count %d, error %v", n, err)
		}
		if err := s.Record(t.Context(), "SessionStart", parse("B=1")); err != nil {
			t.Fatal(err)
		}
		if got := exports(t, s); got != "B=1" {
			t.Errorf("exports %q", got)
		}
	}
}

// Of a file that someone edited, what can be read counts.
func TestPartlyCorrupt(t *testing.T) {
	s := open(t)
	if err := s.Record(t.Context(), "SessionStart", nil); err != nil {
		t.Fatal(err)
	}
	text := `{"layers":[3,{"event":"CwdChanged","changes":[{"name":"C","value":"1"}]},
		{"event":"SessionStart","changes":[{"name":"A","value":"1"},{"name":"x=y","value":"1"},{"name":"B","base64":"!"},7,{"name":"D","value":8}]}],"new":1}`
	if err := os.WriteFile(filepath.Join(s.Dir(), exportsFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := exports(t, s); got != "A=1 C=1" {
		t.Errorf("exports %q", got)
	}
	if w := s.Warnings(); len(w) != 4 {
		t.Errorf("warnings %q", w)
	}
}

func TestUnwritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(filepath.Join(file, "sessions"), "x")
	if err != nil {
		t.Fatal(err)
	}
	_, envErr := s.EnvFile()
	_, spillErr := s.Spill("x", "y")
	_, stopErr := s.StopBlocked(t.Context(), "Stop")
	_, claimErr := s.Claim("x")
	errs := []error{envErr, spillErr, stopErr, claimErr, s.Record(t.Context(), "Stop", parse("A=1")), s.Spend("x")}
	for i, err := range errs {
		var path *os.PathError
		if !errors.As(err, &path) {
			t.Errorf("%d: error %v", i, err)
		}
	}
}

// A folder that is a link to somewhere else is not ours.
func TestLinkedFolder(t *testing.T) {
	s := open(t)
	if err := os.MkdirAll(filepath.Dir(s.Dir()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), s.Dir()); err != nil {
		t.Fatal(err)
	}
	if err := s.Record(t.Context(), "Stop", parse("A=1")); err == nil {
		t.Error("recorded through a link")
	}
}

func TestFull(t *testing.T) {
	s := open(t)
	if err := s.Record(t.Context(), "SessionStart", parse("A=1")); err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat("x", envfile.MaxValue)
	var changes []envfile.Change
	for _, name := range []string{"B", "C", "D", "E"} {
		changes = append(changes, envfile.Change{Name: name, Value: big})
	}
	if err := s.Record(t.Context(), "Stop", changes); !errors.Is(err, ErrFull) {
		t.Errorf("error %v", err)
	}
	if got := exports(t, s); got != "A=1" {
		t.Errorf("exports %.20q", got)
	}
}

func TestCounts(t *testing.T) {
	s := open(t)
	for want := 1; want <= 3; want++ {
		if n, err := s.StopBlocked(t.Context(), "Stop"); n != want || err != nil {
			t.Errorf("count %d, error %v, want %d", n, err, want)
		}
	}
	if n, _ := s.StopBlocked(t.Context(), "SubagentStop"); n != 1 {
		t.Errorf("the counts of two events mix: %d", n)
	}
	if err := s.StopReset(t.Context(), "Stop"); err != nil {
		t.Fatal(err)
	}
	if n, _ := s.StopBlocked(t.Context(), "Stop"); n != 1 {
		t.Errorf("count %d after a reset", n)
	}
}

func TestClaim(t *testing.T) {
	s := open(t)
	first, err := s.Claim("h")
	if err != nil || first == nil {
		t.Fatalf("claim %v, error %v", first, err)
	}
	if second, err := s.Claim("h"); second != nil || err != nil {
		t.Errorf("claimed twice: error %v", err)
	}
	if other, err := s.Claim("g"); other == nil || err != nil {
		t.Errorf("another handler: error %v", err)
	} else if err := other.Release(); err != nil {
		t.Error(err)
	}
	// A run that failed does not use it up.
	if err := first.Release(); err != nil || s.Spent("h") {
		t.Errorf("spent without a run, error %v", err)
	}
	again, err := s.Claim("h")
	if again == nil || err != nil {
		t.Fatalf("not free again: error %v", err)
	}
	if err := errors.Join(again.Spend(), again.Release()); err != nil {
		t.Fatal(err)
	}
	if last, err := s.Claim("h"); last != nil || err != nil || !s.Spent("h") {
		t.Errorf("not spent, error %v", err)
	}
}

func TestEnvFile(t *testing.T) {
	s := open(t)
	for name, makeFile := range map[string]func() (string, error){"session": s.EnvFile, "temporary": TempEnvFile} {
		a, errA := makeFile()
		b, errB := makeFile()
		if errA != nil || errB != nil || a == b {
			t.Fatalf("%s: %s, %s, errors %v, %v", name, a, b, errA, errB)
		}
		for _, path := range []string{a, b} {
			info, err := os.Lstat(path)
			if err != nil || info.Size() != 0 || info.Mode() != 0o600 || !filepath.IsAbs(path) || filepath.Ext(path) != ".sh" {
				t.Errorf("%s: %s, %v, error %v", name, path, info, err)
			}
		}
		if err := errors.Join(os.Remove(a), os.MkdirAll(filepath.Join(a, "sub"), 0o700)); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{a, b, b} {
			if err := RemoveEnvFile(path); err != nil {
				t.Error(err)
			}
			if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is still there: %v", path, err)
			}
		}
	}
}

func TestSpill(t *testing.T) {
	s := open(t)
	a, err := s.Spill("PreToolUse/../reason", "text")
	if err != nil || !filepath.IsAbs(a) || filepath.Dir(a) != filepath.Join(s.Dir(), "spill") {
		t.Fatalf("path %s, error %v", a, err)
	}
	b, _ := s.Spill("PreToolUse/../reason", "text")
	c, _ := s.Spill("PreToolUse/../reason", "other")
	d, _ := s.Spill("stdout", "text")
	if a != b || a == c || a == d {
		t.Errorf("paths %s %s %s %s", a, b, c, d)
	}
	if text, err := os.ReadFile(a); err != nil || string(text) != "text" {
		t.Errorf("text %q, error %v", text, err)
	}
	if err := os.Truncate(a, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Spill("PreToolUse/../reason", "text"); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(a); string(text) != "text" {
		t.Errorf("a cut file stayed: %q", text)
	}
}

func TestEndedContext(t *testing.T) {
	s := open(t)
	unlock, err := s.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error)
	go func() { waiting <- s.Record(ctx, "Stop", parse("A=1")) }()
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := s.Exports(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if changes, err := s.Exports(t.Context()); err != nil || !slices.Equal(changes, nil) {
		t.Errorf("reading waits for the lock: %v", err)
	}
}
