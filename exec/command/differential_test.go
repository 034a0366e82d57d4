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
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/interp"

	"github.com/theus-hooks/theus-hooks/settings/shell"
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
			dir := tempDir(t)
			got, engine, why := runOurs(t, dir, s.text)
			if engine != s.engine {
				t.Errorf("run by %s (%s), want %s", engine, why, s.engine)
			}
			if diff := cmp.Diff(runBash(t, dir, s.text), got); diff != "" {
				t.Errorf("%s\n(-bash +%s)\n%s", s.text, engine, diff)
			}
		})
	}
}

// runOurs and runBash run a text in a fixture of their own, both at dir, so that
// its name is the same to both.
func runOurs(t testing.TB, dir, text string) (e effect, engine, why string) {
	t.Helper()
	fillFixture(t, dir)
	defer os.RemoveAll(dir)
	r := Run(context.Background(), Job{
		Command: text, Dir: dir, Env: fixtureEnv(dir), Stdin: []byte(event), Timeout: time.Minute,
	})
	e = effect{Stdout: string(r.Stdout), Stderr: len(r.Stderr) > 0, Files: tree(t, dir)}
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

func runBash(t testing.TB, dir, text string) effect {
	t.Helper()
	fillFixture(t, dir)
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
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
		Stdout: stdout.String(),
		Exit:   endingOf(cmd.ProcessState).code,
		Stderr: stderr.Len() > 0,
		Files:  tree(t, dir),
	}
}

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

// tempDir is a name for a directory that is not there yet.
func tempDir(t testing.TB) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "here")
}

// fixture makes a directory for a hook to run in.
func fixture(t testing.TB) string {
	dir := tempDir(t)
	fillFixture(t, dir)
	return dir
}

func fillFixture(t testing.TB, dir string) {
	t.Helper()
	write := func(name, text string, mode fs.FileMode) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, sub := range []string{"sub", "with space"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
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
			text = string(data)
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

// TestNamesOfBash: what bash runs itself is never taken for a program, and
// what it sets itself never for an ordinary variable.
func TestNamesOfBash(t *testing.T) {
	names := func(text string) []string {
		cmd := exec.Command("bash", "-c", text)
		cmd.Env = []string{"PATH=/usr/bin:/bin"}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(out))
	}
	builtin := func(text string) bool {
		script, err := shell.Parse(text)
		return err == nil && script.Engine().Builtin
	}
	proven := strings.Fields(": [ cd command echo exec exit false printf pwd read test true unset export")
	for _, name := range names("compgen -b") {
		if builtin(name+" x") && !slices.Contains(proven, name) {
			t.Errorf("%s is taken for a program", name)
		}
	}
	for _, name := range names("compgen -v") {
		if builtin(`echo "$`+name+`"`) && name != "PATH" && name != "PWD" {
			t.Errorf("$%s is taken for an ordinary variable", name)
		}
	}
}

// TestNamesOfInterpreter: what the interpreter takes for a builtin is none of
// ours unless it is proven.
func TestNamesOfInterpreter(t *testing.T) {
	for _, dir := range []string{"/usr/bin", "/bin"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			script, err := shell.Parse(e.Name() + " x")
			if err == nil && interp.IsBuiltin(e.Name()) && script.Engine().Builtin && !slices.Contains(strings.Fields("[ echo false printf pwd test true"), e.Name()) {
				t.Errorf("%s is a builtin of the interpreter alone", e.Name())
			}
		}
	}
}
