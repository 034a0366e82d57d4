package envfile

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "env.sh")
	if err := os.WriteFile(file, []byte("A=1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := Read(file); err != nil || string(text) != "A=1" {
		t.Errorf("text %q, error %v", text, err)
	}
	if text, err := Read(filepath.Join(dir, "none")); err != nil || len(text) != 0 {
		t.Errorf("missing file: text %q, error %v", text, err)
	}
	if _, err := Read(dir); !errors.Is(err, ErrNotRegular) {
		t.Errorf("directory: error %v", err)
	}
	if err := os.Truncate(file, MaxText+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(file); !errors.Is(err, ErrTooLarge) {
		t.Errorf("long file: error %v", err)
	}
}

func TestTooLarge(t *testing.T) {
	if _, _, err := Evaluate(t.Context(), make([]byte, MaxText+1), Options{}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error %v", err)
	}
}

func TestValueLimit(t *testing.T) {
	x := strings.Repeat("x", MaxValue)
	cases := map[string]struct {
		text  string
		names []string
		lines []int
	}{
		"just fits":        {"A='" + x + "'\nB=1", []string{"A", "B"}, nil},
		"too long":         {"A='" + x + "y'\nB=1", []string{"B"}, []int{1}},
		"appended":         {"A='" + x + "'\nA+=y", []string{"A"}, []int{2}},
		"doubled":          {"A='" + x + "'\nB=$A$A", []string{"A"}, []int{2}},
		"replaced":         {"A='" + x + "'\nB=${A//x/yyyyyyyyyyyyyyyyyyyyyyyyyy}", []string{"A"}, []int{2}},
		"all together":     {"A='" + x + "'\nB=$A\nC=$A\nD=$A\nE=$A", []string{"A", "B", "C", "D"}, []int{5}},
		"freed by unset":   {"A='" + x + "'\nB=$A\nC=$A\nD=$A\nunset D\nE=$A", []string{"A", "B", "C", "E"}, nil},
		"through a shell":  {": $(:)\nA='" + x + "y'\nB=1", []string{"B"}, []int{2}},
		"shell, just fits": {": $(:)\nA='" + x + "'", []string{"A"}, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			changes, problems, err := Evaluate(t.Context(), []byte(c.text), Options{Env: surroundings})
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, c := range changes {
				names = append(names, c.Name)
			}
			var lines []int
			for _, p := range problems {
				lines = append(lines, p.Line)
			}
			if diff := cmp.Diff(c.names, names) + cmp.Diff(c.lines, lines); diff != "" {
				t.Errorf("%s\n%v", diff, problems)
			}
		})
	}
}

// Text that makes a parser recurse, or a matcher work, costs a shell at most.
func TestHostileText(t *testing.T) {
	x := strings.Repeat("a", 1<<19)
	texts := []string{
		"A='" + x + "'\nB=${A//*a*a*a*b/x}",
		"A='" + x + "'\nB=${A//?/x}",
		strings.Repeat("B=1;", 1<<18),
		strings.Repeat("a|", 1<<19) + "a",
		strings.Repeat("a&&", 1<<18) + "a",
	}
	for _, piece := range []string{"A=$(", "A=\"$(", "A=${A:-", "((", "A=$((1+", "{ ", "if ", "! ", "a|", "a&&", "A=`", "<<A ", "A[", "[[ ! ", "time ", "f()", "$((- ", "case a in a)"} {
		texts = append(texts, strings.Repeat(piece, (1<<18)/len(piece)))
	}
	for _, text := range texts {
		_, problems, err := Evaluate(t.Context(), []byte(text), Options{Env: surroundings, NoShell: true})
		if err != nil || len(problems) > MaxProblems+1 {
			t.Errorf("%.20q: %d problems, error %v", text, len(problems), err)
		}
	}
}

func TestProblemsAreBounded(t *testing.T) {
	_, problems, err := Evaluate(t.Context(), []byte(strings.Repeat("no_such_command\n", 1000)), Options{Env: surroundings, NoShell: true})
	if err != nil || len(problems) != MaxProblems+1 {
		t.Fatalf("%d problems, error %v", len(problems), err)
	}
}

func TestShellSees(t *testing.T) {
	dir := t.TempDir()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	hook := filepath.Join(dir, "rc")
	if err := os.WriteFile(hook, []byte("export FROM_RC=1"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(slices.Clone(surroundings), "BASH_ENV="+hook, "ENV="+hook, "SHELLOPTS=noexec", "BASH_FUNC_command%%=() { exit; }", "ODD.NAME=x")
	cases := map[string]string{
		"no input":         "read -r A; A=${A:-none}$(cat)",
		"its directory":    "A=$(pwd)",
		"no rc file":       "A=${FROM_RC:-clean}$(:)",
		"no arguments":     "A=$#$(:)",
		"output of others": "echo noise; echo noise >&2; A=1$(:)",
		"an exit trap":     "trap 'A=2' 0; A=1$(:)",
	}
	wants := map[string]string{
		"no input": "none", "its directory": real, "no rc file": "clean", "no arguments": "0",
		"output of others": "1", "an exit trap": "1",
	}
	for name, text := range cases {
		changes, problems, err := Evaluate(t.Context(), []byte(text), Options{Env: env, Dir: real})
		want := []Change{{Name: "A", Value: wants[name]}}
		if err != nil || len(problems) > 0 || !slices.Equal(changes, want) {
			t.Errorf("%s: changes %v, problems %v, error %v", name, changes, problems, err)
		}
	}
}

func TestUnfinished(t *testing.T) {
	for _, text := range []string{"A=1\nexec true", "A=1\nkill -9 $$", "trap : 0; A=1; exit"} {
		changes, _, err := Evaluate(t.Context(), []byte(text), Options{Env: surroundings, Name: "the env file of guard"})
		if !errors.Is(err, ErrUnfinished) || changes != nil || !strings.HasPrefix(err.Error(), "the env file of guard: ") {
			t.Errorf("%q: changes %v, error %v", text, changes, err)
		}
	}
}

func TestTimeLimit(t *testing.T) {
	changes, _, err := Evaluate(t.Context(), []byte("A=1$(:); while :; do :; done"), Options{Env: surroundings, TimeLimit: 1})
	if !errors.Is(err, ErrUnfinished) || changes != nil {
		t.Errorf("changes %v, error %v", changes, err)
	}
}

func TestShellThatIsNotThere(t *testing.T) {
	_, _, err := Evaluate(t.Context(), []byte("A=$(:)"), Options{Env: surroundings, Bash: "/no/such/bash"})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// A plain sh serves where there is no bash, but not what only bash can do.
func TestPlainSh(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	text := "A=\"it's\nB=$(printf '%s' '$x`\"\\')\"\nexport C=\xff\nunset OLD\nno_such_command\n"
	changes, problems, err := Evaluate(t.Context(), []byte(text), Options{Env: surroundings, Bash: sh})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"A=it's\nB=$x`\"\\", "C=\xff", "-OLD"}, show(changes)); diff != "" {
		t.Error(diff)
	}
	if len(problems) != 1 || problems[0].Line != 5 {
		t.Errorf("problems %v", problems)
	}
}

func TestFindShell(t *testing.T) {
	dir := t.TempDir()
	bash := filepath.Join(dir, "bash")
	if err := os.WriteFile(bash, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := findShell(Options{Env: []string{"PATH=.:rel:" + dir}}, false); got != bash {
		t.Errorf("found %q", got)
	}
	if got := findShell(Options{Env: []string{"PATH=" + dir}, NoShell: true}, false); got != "" {
		t.Errorf("found %q", got)
	}
	if got := findShell(Options{Bash: "/x/bash"}, true); got != "/x/bash" {
		t.Errorf("found %q", got)
	}
}
