//go:build unix

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A snippet is one case of testdata/bash: text, and the engine that has to run
// it.
type snippet struct {
	name, engine, text string
}

// snippets reads the files of testdata/bash. A case begins with a line
// "=== NAME ENGINE" and ends at the next one; lines before the first are about
// the file. The sign ␍ is a carriage return.
func snippets(t testing.TB) []snippet {
	t.Helper()
	files, err := filepath.Glob("testdata/bash/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no snippets: %v", err)
	}
	var all []snippet
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		topic := strings.TrimSuffix(filepath.Base(file), ".txt")
		for _, block := range strings.Split("\n"+string(data), "\n=== ")[1:] {
			head, text, _ := strings.Cut(block, "\n")
			fields := strings.Fields(head)
			if len(fields) != 2 {
				t.Fatalf("%s: bad head %q", file, head)
			}
			text = strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "␍", "\r")
			all = append(all, snippet{name: topic + "/" + fields[0], engine: fields[1], text: text})
		}
	}
	return all
}

// event is what the snippets get on stdin.
const event = `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push --force\nls","file_path":"C:\\new\\tab"}}` + "\n"

// An effect is all that a snippet did.
type effect struct {
	Stdout string
	Exit   int
	Stderr bool // anything on it
	Files  map[string]string
}

// TestAsBash runs each snippet by the engine we choose and by bash itself.
func TestAsBash(t *testing.T) {
	names := map[string]bool{}
	for _, s := range snippets(t) {
		if names[s.name] {
			t.Errorf("two cases are called %s", s.name)
		}
		names[s.name] = true
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			got, engine, why := runOurs(t, s.text, "")
			if engine != s.engine {
				t.Errorf("run by %s (%s), want %s", engine, why, s.engine)
			}
			if diff := cmp.Diff(runBash(t, s.text), got); diff != "" {
				t.Errorf("%s\n(-bash +%s)\n%s", s.text, engine, diff)
			}
		})
	}
}

func runOurs(t testing.TB, text, shell string) (e effect, engine, why string) {
	t.Helper()
	dir := fixture(t)
	r := Run(context.Background(), Job{
		Command: text, Shell: shell, Dir: dir, Env: fixtureEnv(dir), Stdin: []byte(event), Timeout: 20 * time.Second,
	})
	e = effect{Stdout: neutral(string(r.Stdout), dir), Stderr: len(r.Stderr) > 0, Files: tree(t, dir)}
	switch {
	case r.ExitCode != nil:
		e.Exit = *r.ExitCode
	case r.Signal == "KILL":
		e.Exit = 128 + 9
	case r.Signal == "TERM":
		e.Exit = 128 + 15
	default:
		t.Fatalf("%s: %s, %s", text, r.Status, r.Error)
	}
	return e, r.Shell, r.ShellWhy
}

func runBash(t testing.TB, text string) effect {
	t.Helper()
	dir := fixture(t)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", text)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, fixtureEnv(dir), strings.NewReader(event)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatal(err)
	}
	return effect{
		Stdout: neutral(stdout.String(), dir),
		Exit:   endingOf(cmd.ProcessState).code,
		Stderr: stderr.Len() > 0,
		Files:  tree(t, dir),
	}
}

// neutral takes the name of the directory out of a text.
func neutral(s, dir string) string { return strings.ReplaceAll(s, dir, "$DIR") }

// scripts are the programs of the fixture. They are written once, before any
// process is started, and linked: a process that starts while one is being
// written would keep it busy.
var scripts = map[string]string{
	"with space/hook.sh": "#!/bin/sh\necho \"spaced $*\"\nexit 2\n",
	"hook.sh":            "#!/bin/sh\necho \"hook $# $*\"\ncat\n",
	"deny.sh":            "#!/bin/bash\necho no >&2\nexit 2\n",
	"bare.sh":            "echo bare \"$1\"; exit 3\n",
	"noshell.sh":         "#!/no/such/shell\necho never\n",
	"args.sh":            "#!/bin/sh\nfor a; do printf '<%s>' \"$a\"; done; echo\n",
}

var scriptDir string

// fixture makes the directory that a snippet runs in.
func fixture(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string, mode fs.FileMode) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, sub := range []string{"sub", "with space"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("a.txt", "one\ntwo\nthree\n", 0o644)
	write("b.txt", "no newline", 0o644)
	write("empty", "", 0o644)
	write("sub/inner.txt", "inner\n", 0o644)
	write("plain.txt", "#!/bin/sh\necho never\n", 0o644)
	for name := range scripts {
		if err := os.Link(filepath.Join(scriptDir, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("sub", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func fixtureEnv(dir string) []string {
	return []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + dir, "LC_ALL=C", "TMPDIR=/tmp",
		"THEUS_PROJECT_DIR=" + dir, "SPACED=" + dir + "/with space", "WORD=word", "EMPTY=",
		"TWO=two words", "STAR=*.txt", "QUOTE=it's \"q\"", "BACK=a\\nb", "DASHN=-n", "JSON={\"a\":[1,2]}",
		"WEIRD.NAME=w", "UTF=a\u00f1o", "LINES3=one\ntwo\nthree",
	}
}

// tree is every file below dir with its mode and text.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = neutral(string(data), dir)
		}
		name, _ := filepath.Rel(dir, path)
		files[name] = fmt.Sprintf("%v %q", info.Mode(), text)
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return files
}
