//go:build unix

package command

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/theus-hooks/theus-hooks/exec/command/jq"
	"github.com/theus-hooks/theus-hooks/response"
)

// jqDir is a directory whose jq begins as text says. What begins as a program
// does cannot run, so that nothing but the built-in one can answer for it.
func jqDir(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "jq"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

const notReally = "\x7fELF, and no more of it"

func TestJqInProcess(t *testing.T) {
	wrapper := "#!/bin/sh\necho wrapped\n"
	tests := []struct {
		name, jq, text, home string
		noTools              bool
		env                  string
		out                  string
		status               response.Status
	}{
		{"served", notReally, "jq -r .tool_name", "", false, "", "Bash\n", response.OK},
		{"served in a substitution", notReally, `x=$(jq -r .tool_name); echo "<$x>"`, "", false, "", "<Bash>\n", response.OK},
		{"status of -e", notReally, "jq -e .nothing", "", false, "", "null\n", response.Failed},
		{"switched off by the job", notReally, "jq -r .tool_name", "", true, "", "", response.CouldNotStart},
		{"switched off by the environment", notReally, "jq -r .tool_name", "", false, toolsName + "=0", "", response.CouldNotStart},
		{"definitions of the user's", notReally, "jq -r .tool_name", "def f: 1;", false, "", "", response.CouldNotStart},
		{"a filter off the list", notReally, "jq -r 'def f: 1; f'", "", false, "", "", response.CouldNotStart},
		{"a wrapper is no jq", wrapper, "jq -r .tool_name", "", false, "", "wrapped\n", response.OK},
		{"a name for something else", "", "jq -r .tool_name", "", false, "", "", response.CouldNotStart},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, home := jqDir(t, tt.jq), t.TempDir()
			if tt.jq == "" {
				other := filepath.Join(dir, "other")
				_ = os.Remove(filepath.Join(dir, "jq"))
				if err := os.WriteFile(other, []byte(notReally), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink("other", filepath.Join(dir, "jq")); err != nil {
					t.Fatal(err)
				}
			}
			if tt.home != "" {
				if err := os.WriteFile(filepath.Join(home, ".jq"), []byte(tt.home), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			r := Run(t.Context(), Job{
				Command: tt.text, Dir: dir, Stdin: []byte(event), NoTools: tt.noTools, Timeout: time.Minute,
				Env: []string{"PATH=" + dir + ":/bin", "HOME=" + home, tt.env},
			})
			if r.Shell != "builtin" || string(r.Stdout) != tt.out || (r.Status == response.OK) != (tt.status == response.OK) {
				t.Errorf("%s by %s: %q %q %s, want %s %q", r.Status, r.Shell, r.Stdout, r.Stderr, r.Error, tt.status, tt.out)
			}
		})
	}
}

// TestWithoutJq runs calls where there is no jq at all.
func TestWithoutJq(t *testing.T) {
	tests := []struct {
		text, out string
		status    response.Status
		says      string
	}{
		{"jq -r .tool_name", "Bash\n", response.OK, noJq},
		{"jq -c '{b: 1, a: 2}'", "{\"b\":1,\"a\":2}\n", response.OK, noJq},
		{"jq -r 'def f: .tool_name; f'", "Bash\n", response.OK, noJq},
		{`jq -r '.tool_input.command | capture("(?<v>push)").v'`, "push\n", response.OK, noJq},
		{"jq -n '[limit(3; range(10))] | length'", "3\n", response.OK, noJq},
		{"jq -n '[inputs] | length'", "1\n", response.OK, noJq},
		{"jq -cn --args '$ARGS.positional' a b", "[\"a\",\"b\"]\n", response.OK, noJq},
		{"jq -cn --jsonargs '$ARGS.positional' 1 '{\"a\":2}'", "[1,{\"a\":2}]\n", response.OK, noJq},
		{"jq -n 1e1000", "1.7976931348623157e+308\n", response.OK, noJq},
		{"jq .tool_name.x", "", response.Failed, ""},
		{"jq '.a b'", "", response.Failed, ""},
		{"jq '\"x\" | halt_error(2)'", "", response.Blocked, ""},
		{"jq --nope .", "", response.Failed, "does not know the option --nope"},
		{"jq --nope . || exit 0", "", response.Failed, "does not know the option --nope"},
		{"jq", "", response.Failed, "no filter"},
		{"jq --version", "", response.Failed, "--version"},
		{"jq . nothing.json", "", response.Failed, "nothing.json"},
		{"jq -n '[range(1e12)] | length'", "", response.Failed, "too many steps"},
		{"jq -n 'def f: f + 1; f'", "", response.Failed, "too many steps"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			dir := t.TempDir()
			r := Run(t.Context(), Job{
				Command: tt.text, Dir: dir, Stdin: []byte(event), Timeout: time.Minute,
				Env: []string{"PATH=" + dir, "HOME=" + dir}, Shell: "builtin",
			})
			if r.Status != tt.status || string(r.Stdout) != tt.out || !strings.Contains(r.Error, tt.says) {
				t.Errorf("%s: %q %q %s\nwant %s: %q %s", r.Status, r.Stdout, r.Stderr, r.Error, tt.status, tt.out, tt.says)
			}
		})
	}
}

// TestJqLongInput: what was read of an input that is too long to look at
// reaches the real jq whole.
func TestJqLongInput(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, size := range []int{jq.MaxInput - 100, jq.MaxInput + 1<<20} {
		text := `{"x":"` + strings.Repeat("x", size) + `"}`
		r := Run(context.Background(), Job{
			Command: "jq '.x | length'", Dir: t.TempDir(), Stdin: []byte(text), Env: os.Environ(), Timeout: time.Minute,
		})
		cmd := exec.Command("jq", ".x | length")
		cmd.Stdin = strings.NewReader(text)
		want, err := cmd.Output()
		if err != nil || string(r.Stdout) != string(want) {
			t.Errorf("%d: %q %s, want %q %v", size, r.Stdout, r.Error, want, err)
		}
	}
}

// TestRefill: a program that does not read lets go of what was kept for it, and
// of what is still to come.
func TestRefill(t *testing.T) {
	defer goleak.VerifyNone(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for _, source := range []*os.File{nil, r} {
		for _, size := range []int{0, 1 << 20} {
			f, err := newRefill(make([]byte, size), source)
			if err != nil {
				t.Fatal(err)
			}
			f.stop()
		}
	}
}

// BenchmarkJqHookBuiltin and BenchmarkJqHookBash are the commonest hook of all;
// what a run costs with the machine's jq depends on its version.
func BenchmarkJqHookBuiltin(b *testing.B) { benchmark(b, Job{Command: "jq -r .tool_input.command"}) }

func BenchmarkJqHookBash(b *testing.B) {
	benchmark(b, Job{Command: "jq -r .tool_input.command", Shell: "bash"})
}

func BenchmarkJqDenyBuiltin(b *testing.B) { benchmark(b, Job{Command: jqDeny}) }

func BenchmarkJqDenyBash(b *testing.B) { benchmark(b, Job{Command: jqDeny, Shell: "bash"}) }

const jqDeny = `input=$(cat)
cmd=$(echo "$input" | jq -r '.tool_input.command // empty')
case "$cmd" in
*--force*)
  jq -n --arg r "no force: $cmd" '{hookSpecificOutput:{hookEventName:"PreToolUse",permissionDecision:"deny",permissionDecisionReason:$r}}'
  ;;
esac`
