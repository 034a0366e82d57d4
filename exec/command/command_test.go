//go:build unix

package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/theus-hooks/theus-hooks/response"
)

// runHere runs a job in a fixture.
func runHere(t *testing.T, job Job) response.Result {
	t.Helper()
	if job.Dir == "" {
		job.Dir = fixture(t)
	}
	if job.Env == nil {
		job.Env = fixtureEnv(job.Dir)
	}
	if job.Timeout == 0 {
		job.Timeout = time.Minute
	}
	return Run(context.Background(), job)
}

// runToLimit runs a job that its time limit ends, after it has made the file ready.
// A machine too busy for that gives it more time.
func runToLimit(t *testing.T, job Job) (r response.Result, limit time.Duration) {
	t.Helper()
	for _, limit := range []time.Duration{300 * time.Millisecond, 3 * time.Second, 30 * time.Second} {
		try := job
		try.Dir, try.Timeout = fixture(t), limit
		r := runHere(t, try)
		if _, err := os.Stat(filepath.Join(try.Dir, "ready")); err == nil {
			return r, limit
		}
	}
	t.Fatalf("%s: it is not ready after 30 s", job.Command)
	return r, limit
}

// until waits for what must come, however slow the machine is, and reports
// whether it did.
func until(isSo func() bool) bool {
	for begin := time.Now(); !isSo(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			return false
		}
	}
	return true
}

func TestStatus(t *testing.T) {
	const none = -1
	tests := []struct {
		name   string
		job    Job
		status response.Status
		code   int
		shell  string
		err    string // part of Error
	}{
		{"fine", Job{Command: "true"}, response.OK, 0, "builtin", ""},
		{"blocked", Job{Command: "echo no >&2; exit 2"}, response.Blocked, 2, "builtin", ""},
		{"blocked by a script", Job{Command: "./deny.sh"}, response.Blocked, 2, "builtin", ""},
		{"blocked by bash", Job{Command: "set -e; exit 2"}, response.Blocked, 2, "bash", ""},
		{"blocked by sh", Job{Command: "exit 2", Shell: "sh"}, response.Blocked, 2, "sh", ""},
		{"blocked, exec form", Job{Command: "./deny.sh", Exec: true}, response.Blocked, 2, "exec", ""},
		{"failed", Job{Command: "exit 1"}, response.Failed, 1, "builtin", ""},
		{"failed with 127 of its own", Job{Command: "sh -c 'exit 127'"}, response.Failed, 127, "builtin", ""},
		{"failed with 127 of its own, bash", Job{Command: "exit 127", Shell: "bash"}, response.Failed, 127, "bash", ""},
		{"killed", Job{Command: "sh -c 'kill -9 $$'"}, response.Killed, none, "builtin", "killed by signal KILL"},
		{"killed, bash", Job{Command: "kill -TERM $$"}, response.Killed, none, "bash", "killed by signal TERM"},
		{"killed, exec form", Job{Command: "sh", Args: []string{"-c", "kill -SEGV $$"}, Exec: true}, response.Killed, none, "exec", "killed by signal SEGV"},
		{"137 is no signal", Job{Command: "exit 137"}, response.Failed, 137, "builtin", ""},
		{"not found", Job{Command: "no-such-program"}, response.CouldNotStart, 127, "builtin", "no-such-program is not on the PATH /usr/local/bin:/usr/bin:/bin"},
		{"not found, bash", Job{Command: "no-such-program", Shell: "bash"}, response.CouldNotStart, 127, "bash", "no-such-program: command not found (PATH is /usr/local/bin:/usr/bin:/bin)"},
		{"not found, sh", Job{Command: "no-such-program", Shell: "sh"}, response.CouldNotStart, 127, "sh", "(PATH is "},
		{"not found, exec form", Job{Command: "no-such-program", Exec: true}, response.CouldNotStart, none, "exec", "not on the PATH"},
		{"no file, exec form", Job{Command: "./none.sh", Exec: true}, response.CouldNotStart, none, "exec", "there is no ./none.sh"},
		{"not executable", Job{Command: "./plain.txt"}, response.CouldNotStart, 126, "builtin", "not executable"},
		{"not executable, bash", Job{Command: "./plain.txt", Shell: "bash"}, response.CouldNotStart, 126, "bash", "Permission denied"},
		{"no interpreter", Job{Command: "./noshell.sh", Exec: true}, response.CouldNotStart, none, "exec", "cannot run ./noshell.sh"},
		{"no shebang, exec form", Job{Command: "./bare.sh", Args: []string{"a b"}, Exec: true}, response.Failed, 3, "exec", ""},
		{"path with a space", Job{Command: "$SPACE_PROJECT_DIR/hook.sh"}, response.CouldNotStart, 127, "bash", `write "$SPACE_PROJECT_DIR" with quotes`},
		{"path with a space, quoted", Job{Command: `"$SPACE_PROJECT_DIR"/hook.sh`}, response.Blocked, 2, "builtin", ""},
		{"no directory", Job{Command: "true", Dir: "/no/such/directory"}, response.CouldNotStart, none, "builtin", "working directory"},
		{"directory is a file", Job{Command: "true", Dir: "/etc/passwd"}, response.CouldNotStart, none, "builtin", "working directory"},
		{"unknown shell", Job{Command: "true", Shell: "fish"}, response.CouldNotStart, none, "", `unknown shell "fish"`},
		{"not shell text", Job{Command: "if true; then"}, response.CouldNotStart, 2, "bash", "the command is not shell text"},
		{"not shell text, sh", Job{Command: "a=(1 2); exit 0", Shell: "sh"}, response.CouldNotStart, 2, "sh", "the command is not shell text"},
		{"not shell text at its end", Job{Command: "true\necho )"}, response.CouldNotStart, 2, "bash", "the command is not shell text"},
		{"2 with a complaint", Job{Command: "test -f; [ a = b c ]; exit 2", Shell: "bash"}, response.Blocked, 2, "bash", ""},
		{"2 and words like a complaint", Job{Command: "echo 'bash: syntax error' >&2; exit 2", Shell: "bash"}, response.Blocked, 2, "bash", ""},
		{"empty", Job{Command: ""}, response.OK, 0, "builtin", ""},
		{"only a comment", Job{Command: "# nothing"}, response.OK, 0, "builtin", ""},
		{"too long an argument", Job{Command: "echo " + strings.Repeat("x", 200_000)}, response.CouldNotStart, none, "bash", "argument list too long"},
		{"NUL in the text", Job{Command: "echo \x00"}, response.CouldNotStart, none, "bash", "invalid argument"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if test.job.Dir == "" {
				test.job.Dir = fixture(t)
			}
			test.job.Env = append(fixtureEnv(test.job.Dir), "SPACE_PROJECT_DIR="+test.job.Dir+"/with space")
			r := runHere(t, test.job)
			code := none
			if r.ExitCode != nil {
				code = *r.ExitCode
			}
			if r.Status != test.status || code != test.code || r.Shell != test.shell || !strings.Contains(r.Error, test.err) || (test.err == "") != (r.Error == "") {
				t.Errorf("%s, code %d, by %s (%s), error %q\nwant %s, code %d, by %s, error %q\nstderr %q",
					r.Status, code, r.Shell, r.ShellWhy, r.Error, test.status, test.code, test.shell, test.err, r.Stderr)
			}
		})
	}
}

// TestForcedBuiltin: what the interpreter cannot do is never taken for a
// block.
func TestForcedBuiltin(t *testing.T) {
	for _, text := range []string{
		"umask 077", "kill -0 1", "jobs", "ulimit -n", "wait -n", "trap 'x' TERM", "set -o posix", "exit abc",
		"umask 077; exit $?", "x=$(ulimit -n); exit 2", "read -t 1 x", "read -d '' x", "type -a sh", "declare -i x",
		"[ a b c d ]", "shift x", "[[ a =~ ( ]]", "bg; exit 2", "mapfile -s 1 x; exit 2", "history",
	} {
		r := runHere(t, Job{Command: text, Shell: "builtin"})
		if r.Status != response.Failed && r.Status != response.CouldNotStart || r.Error == "" {
			t.Errorf("%s: %s (%q), want failed with an error", text, r.Status, r.Error)
		}
	}
	if r := runHere(t, Job{Command: "set -f; [ ab = a* ] && exit 2; exit 0", Shell: "builtin"}); r.Status != response.OK {
		t.Errorf("a pattern in [ ]: %s", r.Status)
	}
	for _, text := range []string{"exit 2", "f() { return 2; }; f", "sh -c 'exit 2'", "set -u; exit 2", "((1)) && exit 258", "set -e; ./deny.sh"} {
		if r := runHere(t, Job{Command: text, Shell: "builtin"}); r.Status != response.Blocked || r.Shell != "builtin" {
			t.Errorf("%s: %s by %s (%q), want blocked", text, r.Status, r.Shell, r.Error)
		}
	}
}

func TestStopped(t *testing.T) {
	for _, shell := range []string{"", "bash"} {
		r, limit := runToLimit(t, Job{Command: "echo before; : > ready; exec sleep 1000", Shell: shell})
		if r.Status != response.TimedOut || r.ExitCode != nil || r.Error != "timed out after "+limit.String() || string(r.Stdout) != "before\n" {
			t.Errorf("%q: %s, code %v, %q, stdout %q", shell, r.Status, r.ExitCode, r.Error, r.Stdout)
		}
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(100*time.Millisecond, cancel)
		dir := fixture(t)
		r = Run(ctx, Job{Command: "sleep 1000; exit 2", Shell: shell, Dir: dir, Env: fixtureEnv(dir), Timeout: time.Minute})
		if r.Status != response.Cancelled || r.Error == "" {
			t.Errorf("%q: %s, %q, want cancelled", shell, r.Status, r.Error)
		}
		r = Run(ctx, Job{Command: "touch ran", Shell: shell, Dir: dir, Env: fixtureEnv(dir)})
		if _, err := os.Stat(filepath.Join(dir, "ran")); r.Status != response.Cancelled || err == nil {
			t.Errorf("%q: %s, want cancelled before anything ran", shell, r.Status)
		}
	}
}

// TestBashCleansUp: a hook in bash hears the TERM and may clean up.
func TestBashCleansUp(t *testing.T) {
	r, _ := runToLimit(t, Job{Command: `trap 'echo cleaned; exit 0' TERM; echo waits; : > ready; sleep 1000 & wait`})
	if r.Status != response.TimedOut || string(r.Stdout) != "waits\ncleaned\n" {
		t.Errorf("%s, stdout %q", r.Status, r.Stdout)
	}
}

func TestOutputKept(t *testing.T) {
	for _, shell := range []string{"", "bash"} {
		r := runHere(t, Job{Command: `head -c 3000000 /dev/zero | tr '\0' x; head -c 2000000 /dev/zero >&2`, Shell: shell})
		if r.Status != response.OK || len(r.Stdout) != MaxOutput || len(r.Stderr) != MaxOutput || !r.Truncated || r.DiscardedBytes != 5_000_000-2*MaxOutput {
			t.Errorf("%q: %s, kept %d and %d, truncated %v, %d dropped", shell, r.Status, len(r.Stdout), len(r.Stderr), r.Truncated, r.DiscardedBytes)
		}
		r = runHere(t, Job{Command: `head -c 1048576 /dev/zero`, Shell: shell})
		if len(r.Stdout) != MaxOutput || r.Truncated {
			t.Errorf("%q: exactly the limit: kept %d, truncated %v", shell, len(r.Stdout), r.Truncated)
		}
	}
}

func TestStdinWhole(t *testing.T) {
	data := bytes.Repeat([]byte("año 東京 🙂 \\ \"\n"), 20_000)
	for _, job := range []Job{{Command: "cat"}, {Command: "cat", Shell: "bash"}, {Command: "cat", Exec: true}, {Command: "x=$(cat); echo \"$x\""}, {Command: "while IFS= read -r l; do echo \"$l\"; done"}} {
		job.Stdin = data
		if r := runHere(t, job); !bytes.Equal(r.Stdout, data) || r.Status != response.OK {
			t.Errorf("%+v: %d bytes came back of %d (%s)", job.Command, len(r.Stdout), len(data), r.Status)
		}
	}
}

// TestStdinShared: what a program has read, read does not see again.
func TestStdinShared(t *testing.T) {
	job := Job{Command: `read -r a; sh -c 'read x; read y'; read -r b; echo "$a $b"; read -r c < /dev/stdin; read -r d; echo "$c $d"`, Stdin: []byte("1\n22\n333\n4444\n55555\n6\n77\n")}
	for _, shell := range []string{"", "bash"} {
		job.Shell = shell
		if r := runHere(t, job); string(r.Stdout) != "1 4444\n55555 6\n" || shell == "" && r.Shell != "builtin" {
			t.Errorf("by %s: %q", r.Shell, r.Stdout)
		}
	}
}

// TestEnvironment: what the hook gets is what the job says, each name once.
func TestEnvironment(t *testing.T) {
	dir := fixture(t)
	env := append(fixtureEnv(dir), "TWICE=1", "TWICE=2", "=x", "NOEQUALS", "LINE=a\nb", "PWD=/elsewhere")
	for _, job := range []Job{
		{Command: `sh -c 'echo "$TWICE|$LINE|$PWD"; env | grep -c "^TWICE="'`},
		{Command: `echo "$TWICE|$LINE|$PWD"; env | grep -c "^TWICE="`, Shell: "bash"},
		{Command: "sh", Args: []string{"-c", `echo "$TWICE|$LINE|$PWD"; env | grep -c "^TWICE="`}, Exec: true},
	} {
		job.Dir, job.Env = dir, env
		if r := runHere(t, job); string(r.Stdout) != "2|a\nb|"+dir+"\n1\n" {
			t.Errorf("%s: %q", job.Command, r.Stdout)
		}
	}
	if before := strings.Join(env, "\x00"); before != strings.Join(append(fixtureEnv(dir), "TWICE=1", "TWICE=2", "=x", "NOEQUALS", "LINE=a\nb", "PWD=/elsewhere"), "\x00") {
		t.Error("the job's environment was changed")
	}
}

// TestEngineByEnvironment: what the environment does to a text that the
// interpreter could run.
func TestEngineByEnvironment(t *testing.T) {
	dir := fixture(t)
	tests := []struct{ entry, shell, why string }{
		{"X=1", "builtin", ""},
		{"BASH_ENV=/dev/null", "bash", "BASH_ENV in the environment"},
		{"BASH_FUNC_f%%=() { echo f; }", "bash", "the exported function f"},
		{"CDPATH=/tmp", "bash", "CDPATH in the environment"},
		{"SHELLOPTS=errexit", "bash", "SHELLOPTS in the environment"},
	}
	for _, test := range tests {
		r := runHere(t, Job{Command: "echo a", Dir: dir, Env: append(fixtureEnv(dir), test.entry)})
		if r.Shell != test.shell || r.ShellWhy != test.why || string(r.Stdout) != "a\n" {
			t.Errorf("%s: by %s (%s), stdout %q", test.entry, r.Shell, r.ShellWhy, r.Stdout)
		}
	}
	if shell, why, err := Engine(Job{Command: "set -e", Dir: dir, Env: fixtureEnv(dir)}); shell != "bash" || why != "the builtin set at 1:1" || err != nil {
		t.Errorf("Engine: %s, %q, %v", shell, why, err)
	}
	if r := runHere(t, Job{Command: "echo a", Dir: dir, Env: []string{"PATH=/usr/bin:/bin"}}); r.Shell != "bash" || r.ShellWhy != "no HOME in the environment" {
		t.Errorf("without HOME: by %s (%s)", r.Shell, r.ShellWhy)
	}
}

// TestWithoutBash: the next best shell, and at last the interpreter.
func TestWithoutBash(t *testing.T) {
	dir := fixture(t)
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + bin, "HOME=" + dir}
	r := runHere(t, Job{Command: "set -f; echo a", Dir: dir, Env: env})
	if r.Status != response.OK || r.Shell != "builtin" || r.ShellWhy != "the builtin set at 1:1" || !strings.Contains(r.Warning, "may differ on the builtin set at 1:1") || string(r.Stdout) != "a\n" {
		t.Errorf("without a shell: %s by %s (%s), %q, stdout %q", r.Status, r.Shell, r.ShellWhy, r.Error, r.Stdout)
	}
	r = runHere(t, Job{Command: "if", Dir: dir, Env: env})
	if r.Status != response.CouldNotStart || !strings.Contains(r.Error, "not shell text") {
		t.Errorf("without a shell, no shell text: %s (%q)", r.Status, r.Error)
	}
	if err := os.Symlink("/bin/sh", filepath.Join(bin, "sh")); err != nil {
		t.Fatal(err)
	}
	r = runHere(t, Job{Command: "set -f; echo a", Dir: dir, Env: env})
	if r.Status != response.OK || r.Shell != "sh" || string(r.Stdout) != "a\n" {
		t.Errorf("with sh alone: %s by %s, stdout %q", r.Status, r.Shell, r.Stdout)
	}
}

// TestLookup: programs are found from the job's directory, on the job's PATH.
func TestLookup(t *testing.T) {
	dir := fixture(t)
	for path, want := range map[string]string{
		"sub:.": "<a>\n", ".:/bin": "<a>\n", "": "<a>\n", "/bin": "",
	} {
		r := runHere(t, Job{Command: "args.sh", Args: []string{"a"}, Exec: true, Dir: dir, Env: []string{"PATH=" + path}})
		if string(r.Stdout) != want || (want == "") != (r.Status == response.CouldNotStart) {
			t.Errorf("PATH=%s: %s, stdout %q (%s)", path, r.Status, r.Stdout, r.Error)
		}
	}
}

// TestRedirectionNamesItsFile: who reads that a file is missing sees the name that
// the command has for it.
func TestRedirectionNamesItsFile(t *testing.T) {
	for text, want := range map[string]string{
		`read -r x < sub/nope`:    "open sub/nope: no such file or directory\n",
		`cd sub; echo a > nope/b`: "open nope/b: no such file or directory\n",
		`echo a > "$PWD/sub"`:     "open DIR/sub: is a directory\n",
	} {
		dir := fixture(t)
		r := runHere(t, Job{Command: text, Dir: dir})
		if got := strings.ReplaceAll(string(r.Stderr), dir, "DIR"); r.Shell != "builtin" || got != want {
			t.Errorf("%s by %s: stderr %q, want %q", text, r.Shell, got, want)
		}
	}
}

// TestNoTerminal: a hook has no controlling terminal to ask anyone on.
func TestNoTerminal(t *testing.T) {
	for _, job := range []Job{{Command: "sh -c 'echo x > /dev/tty'"}, {Command: "sh -c 'echo x > /dev/tty'", Shell: "bash"}, {Command: `T=/dev/tty; echo x > "$T"`}} {
		if r := runHere(t, job); r.Status == response.OK || len(r.Stderr) == 0 {
			t.Errorf("%s by %s: %s, stderr %q", job.Command, r.Shell, r.Status, r.Stderr)
		}
	}
}

// TestNamedPipe: a pipe that nobody opens on the other side holds nobody.
func TestNamedPipe(t *testing.T) {
	for _, text := range []string{`read -r x < fifo; echo never`, `echo x > fifo; echo never`} {
		r, _ := runToLimit(t, Job{Command: "mkfifo fifo; : > ready; " + text})
		if r.Status != response.TimedOut || r.Shell != "builtin" || len(r.Stdout) > 0 {
			t.Errorf("%s: %s by %s, stdout %q", text, r.Status, r.Shell, r.Stdout)
		}
	}
	r := runHere(t, Job{Command: `mkfifo fifo; sh -c 'echo through > fifo &'; read -r x < fifo; echo "$x"`})
	if string(r.Stdout) != "through\n" || r.Shell != "builtin" {
		t.Errorf("by %s, stdout %q", r.Shell, r.Stdout)
	}
}

// TestServedOnlyAsItself: a program of the same name elsewhere on the PATH is
// run, not imitated, and so is every one where the switch says so.
func TestServedOnlyAsItself(t *testing.T) {
	dir := fixture(t)
	if err := os.Symlink(filepath.Join(dir, "args.sh"), filepath.Join(dir, "sub", "cat")); err != nil {
		t.Fatal(err)
	}
	env := append(fixtureEnv(dir), "PATH="+dir+"/sub:/bin")
	if r := runHere(t, Job{Command: "cat a.txt", Dir: dir, Env: env}); string(r.Stdout) != "<a.txt>\n" || r.Shell != "builtin" {
		t.Errorf("by %s, stdout %q", r.Shell, r.Stdout)
	}
}
