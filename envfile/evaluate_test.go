package envfile

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// show writes changes as the rows do.
func show(changes []Change) []string {
	var out []string
	for _, c := range changes {
		if c.Unset {
			out = append(out, "-"+c.Name)
			continue
		}
		out = append(out, c.Name+"="+c.Value)
	}
	return out
}

func TestEvaluate(t *testing.T) {
	for _, r := range rows {
		t.Run(r.text, func(t *testing.T) {
			changes, problems, err := Evaluate(t.Context(), []byte(r.text), Options{Env: surroundings})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(r.want, show(changes)); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if wantProblems := r.wrong || strings.HasSuffix(r.ruled, "dropped"); wantProblems != (len(problems) > 0) {
				t.Errorf("problems %v, want some: %v", problems, wantProblems)
			}
		})
	}
}

// A row evaluates without a shell unless it says otherwise.
func TestEvaluateWithoutShell(t *testing.T) {
	for _, r := range rows {
		t.Run(r.text, func(t *testing.T) {
			text, _ := normalise([]byte(r.text))
			e := newEvaluator(surroundings)
			if err := e.run(t.Context(), text); err != nil {
				t.Fatal(err)
			}
			if e.needsShell != r.shell {
				t.Errorf("needs a shell: %v, want %v (%v)", e.needsShell, r.shell, e.problems)
			}
			if !r.shell && len(e.problems) > 0 {
				t.Errorf("problems %v", e.problems)
			}
		})
	}
}

// bashResult is the environment that the machine's bash gives to a program
// after sourcing text.
func bashResult(t testing.TB, text string, env []string) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "env.sh")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return sourced(t, file, env)
}

func sourced(t testing.TB, file string, env []string) map[string]string {
	t.Helper()
	cmd := exec.Command("bash", "--norc", "--noprofile", "-c", `exec 3>&1 >/dev/null; trap '/usr/bin/env -0 >&3' 0; set -a; . "$0"`, file)
	cmd.Env = env
	out, _ := cmd.Output() // its status is that of the last line
	vars := map[string]string{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if name, value, ok := strings.Cut(entry, "="); ok && isKept(name) {
			vars[name] = value
		}
	}
	return vars
}

// ourResult is the environment after our changes.
func ourResult(env []string, changes []Change) map[string]string {
	vars := map[string]string{}
	for _, entry := range Apply(env, changes) {
		if name, value, _ := strings.Cut(entry, "="); isKept(name) {
			vars[name] = value
		}
	}
	return vars
}

// The expected values are bash's own, but where a ruling says otherwise.
func TestRowsAreBash(t *testing.T) {
	for _, r := range rows {
		if r.ruled != "" {
			continue
		}
		changes, _, err := Evaluate(t.Context(), []byte(r.text), Options{Env: surroundings})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(bashResult(t, r.text, surroundings), ourResult(surroundings, changes)); diff != "" {
			t.Errorf("%q (-bash +ours):\n%s", r.text, diff)
		}
	}
}

func TestProblemsSayWhere(t *testing.T) {
	cases := []struct {
		text string
		opts Options
		want []Problem
	}{
		{"A=1\nA=x y", Options{}, []Problem{{2, "y: command not found"}}},
		{"\ufeffA=1\n\nB=2\r\n", Options{}, []Problem{{1, "byte order mark ignored"}, {3, "carriage returns at line ends ignored"}}},
		{"A=\x001", Options{}, []Problem{{1, "NUL bytes ignored"}}},
		{"A=1\nB=$(id)\nC=3", Options{NoShell: true}, []Problem{{2, "a command substitution is for a shell, and none was found"}}},
		{"A=1\nif x", Options{NoShell: true}, []Problem{{2, "`if <cond>` must be followed by `then`"}}},
		{
			"A=1\nexport LD_PRELOAD=/x.so\nunset NODE_OPTIONS",
			Options{Restricted: true, Env: []string{"NODE_OPTIONS=x"}},
			[]Problem{
				{2, "LD_PRELOAD can run code by itself and is not taken from the hooks of a repository"},
				{3, "NODE_OPTIONS can run code by itself and is not taken from the hooks of a repository"},
			},
		},
		{"A=1\n: $(:)\nexport LD_PRELOAD=/x.so", Options{Restricted: true}, []Problem{
			{3, "LD_PRELOAD can run code by itself and is not taken from the hooks of a repository"},
		}},
	}
	for _, c := range cases {
		c.opts.Env = append(slices.Clone(surroundings), c.opts.Env...)
		_, problems, err := Evaluate(t.Context(), []byte(c.text), c.opts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, problems); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

// Where nothing else can be had, what stands around a line for a shell applies.
func TestNoShellKeepsTheRest(t *testing.T) {
	text := "A=1\nOLD=$(id)\nC=3\nif true; then D=4; fi\nE=5"
	changes, problems, err := Evaluate(t.Context(), []byte(text), Options{Env: surroundings, NoShell: true})
	if err != nil || len(problems) != 2 {
		t.Fatalf("problems %v, error %v", problems, err)
	}
	if diff := cmp.Diff([]string{"A=1", "C=3", "E=5"}, show(changes)); diff != "" {
		t.Error(diff)
	}
}

func TestRestrictedOnlyWhenAsked(t *testing.T) {
	changes, problems, err := Evaluate(t.Context(), []byte("LD_PRELOAD=/x"), Options{Env: surroundings})
	if err != nil || len(problems) > 0 || len(changes) != 1 {
		t.Errorf("changes %v, problems %v, error %v", changes, problems, err)
	}
}

func TestEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Evaluate(ctx, []byte("A=1"), Options{}); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}
