package session

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/theus-hooks/theus-hooks/envfile"
)

// Whatever stands in the state files, calls go on, and what is recorded next
// is there.
func FuzzState(f *testing.F) {
	f.Add([]byte(`{"layers":[{"event":"SessionStart","hook":"h","changes":[{"name":"A","value":"1"},{"name":"B","unset":true},{"name":"C","base64":"/w=="}]}],"Stop":3}`))
	f.Add([]byte(`{"layers":[{"changes":[{"name":"A"}]},{"event":"CwdChanged"}],"Stop":1e400}`))
	f.Add([]byte(`{`))
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Open(root, "one")
		if err != nil {
			t.Fatal(err)
		}
		dir, err := s.folder("")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{exportsFile, countsFile} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		before, err := s.Exports(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := envfile.Format(before, envfile.FormatJSON); err != nil {
			t.Fatal(err)
		}
		if err := s.Record(t.Context(), "PreToolUse", parse("LAST=1")); err != nil {
			t.Fatal(err)
		}
		after, err := s.Exports(t.Context())
		if err != nil || len(after) == 0 || after[len(after)-1] != parse("LAST=1")[0] {
			t.Fatalf("exports %v, error %v", after, err)
		}
		if n, err := s.StopBlocked(t.Context(), "Stop"); n < 1 || err != nil {
			t.Fatalf("count %d, error %v", n, err)
		}
	})
}

func BenchmarkSession(b *testing.B) {
	s, err := Open(b.TempDir(), "one")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("Update", func(b *testing.B) {
		n := 0
		for b.Loop() {
			n++
			value := string(rune('a' + n%26))
			if err := s.Record(b.Context(), "SessionStart", []envfile.Change{{Name: "A", Value: value}}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Exports", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Exports(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Exports of nothing", func(b *testing.B) {
		empty, _ := Open(b.TempDir(), "two")
		for b.Loop() {
			if _, err := empty.Exports(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("EnvFile", func(b *testing.B) {
		for b.Loop() {
			path, err := s.EnvFile()
			if err != nil || RemoveEnvFile(path) != nil {
				b.Fatal(err)
			}
		}
	})
}
