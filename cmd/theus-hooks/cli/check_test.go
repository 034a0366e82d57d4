package cli

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/settings"
)

// What the flags say reaches the linter; what it answers reaches the caller.
func TestCheckCall(t *testing.T) {
	dir := t.TempDir()
	var got CheckCall
	host := Host{Env: []string{"HOME=" + dir, "PATH="}, Dir: dir, ManagedDir: "/m", Check: func(call CheckCall) ([]byte, bool, error) {
		got = call
		return []byte("a\x1b[2Jb\n"), call.Strict, nil
	}}
	var out, errs bytes.Buffer
	run := func(args ...string) int {
		out.Reset()
		errs.Reset()
		return Main(append([]string{"check"}, args...), Streams{Out: &out, Err: &errs}, host)
	}
	code := run("--strict", "--dialect", "claude", "--settings", "{}", "a.json", "/b.json")
	if code != 1 || out.String() != "a\\x1b[2Jb\n" {
		t.Errorf("exit code %d, %q, %q", code, out.String(), errs.String())
	}
	files := []string{filepath.Join(dir, "a.json"), "/b.json"}
	if got.Format != "text" || !cmp.Equal(got.Files, files) || !cmp.Equal(got.Names, []string{"a.json", "/b.json"}) ||
		got.Options.Dialect != settings.Claude || got.Options.ManagedDir != "/m" || !got.Options.Trust || len(got.Options.Settings) != 1 {
		t.Errorf("called with %+v", got)
	}
	if code := run("--json"); code != 0 || got.Format != "json" || out.String() != "a\x1b[2Jb\n" { // JSON escapes by itself
		t.Errorf("exit code %d, format %q, %q", code, got.Format, out.String())
	}
	for _, args := range [][]string{{"--format", "xml"}, {"--json", "--format", "text"}, {"--dialect", "x"}, {"--setting-sources", "x"}, {"--nope"}} {
		if code := run(args...); code != 64 || !strings.HasPrefix(errs.String(), "theus-hooks: ") {
			t.Errorf("%v: exit code %d, %q", args, code, errs.String())
		}
	}
	host.Check = func(CheckCall) ([]byte, bool, error) { return nil, false, errors.New("no") }
	if code := run(); code != 1 || errs.String() != "theus-hooks: no\n" {
		t.Errorf("an error: exit code %d, %q", code, errs.String())
	}
	host.Check = nil
	if code := run(); code != 1 || !strings.Contains(errs.String(), "go install") {
		t.Errorf("no companion: exit code %d, %q", code, errs.String())
	}
}
