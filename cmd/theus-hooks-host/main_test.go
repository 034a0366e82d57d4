package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// build makes both programs in a directory of their own, as an installation has
// them.
func build(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	cmd := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "../...")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return bin
}

// theusHooks runs the command with a PATH that has no companion.
func theusHooks(t *testing.T, bin string, env []string, args ...string) (code int, output string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "theus-hooks"), args...)
	cmd.Env = append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), out.String()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, out.String()
}

func TestScriptsOfPeople(t *testing.T) {
	bin := build(t)
	code, out := theusHooks(t, bin, nil, "test", "../../examples")
	if code != 0 || !strings.Contains(out, "4 passed, 0 failed") {
		t.Fatalf("the examples: exit code %d\n%s", code, out)
	}

	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "guard.txtar")
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(script, bytes.Replace(text, []byte("decision deny"), []byte("decision allow"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out = theusHooks(t, bin, nil, "test", dir)
	for _, want := range []string{`decision: got "deny", want "allow"`, "ran guard: blocked", "guard.txtar", "3 passed, 1 failed"} {
		if !strings.Contains(out, want) {
			t.Errorf("a changed word: no %q in\n%s", want, out)
		}
	}
	if code != 1 {
		t.Errorf("a changed word: exit code %d, want 1", code)
	}

	code, out = theusHooks(t, bin, nil, "test", "--run", "log|format", "-v", dir)
	if code != 0 || !strings.Contains(out, "2 passed, 0 failed") || !strings.Contains(out, "> hook PostToolUse") {
		t.Errorf("--run and -v: exit code %d\n%s", code, out)
	}
	code, out = theusHooks(t, bin, nil, "test", dir, "--json")
	if code != 1 || !strings.HasPrefix(out, `{"scripts":[{"name":`) {
		t.Errorf("--json: exit code %d\n%s", code, out)
	}
	if code, out = theusHooks(t, bin, nil, "test", t.TempDir()); code != 1 || !strings.Contains(out, "no .txtar script found") {
		t.Errorf("no scripts: exit code %d\n%s", code, out)
	}
	if code, out = theusHooks(t, bin, nil, "test", "--bogus"); code != 64 {
		t.Errorf("a bogus flag: exit code %d\n%s", code, out)
	}
}

func TestCompanionIsFoundOrMissed(t *testing.T) {
	bin := build(t)
	companion := filepath.Join(bin, "theus-hooks-host")
	moved := filepath.Join(t.TempDir(), "companion")
	if err := os.Rename(companion, moved); err != nil {
		t.Fatal(err)
	}
	noPath := "PATH=" + t.TempDir()
	code, out := theusHooks(t, bin, []string{noPath}, "test", "../../examples/log.txtar")
	if code != 1 || !strings.Contains(out, "go install") {
		t.Errorf("without a companion: exit code %d\n%s", code, out)
	}
	code, out = theusHooks(t, bin, []string{"THEUS_HOOKS_HOST=" + moved}, "test", "../../examples/log.txtar")
	if code != 0 {
		t.Errorf("named by the variable: exit code %d\n%s", code, out)
	}
	code, out = theusHooks(t, bin, []string{noPath, "THEUS_HOOKS_HOST=" + moved + "x"}, "test", "../../examples/log.txtar")
	if code != 1 || !strings.Contains(out, "THEUS_HOOKS_HOST") {
		t.Errorf("named wrongly: exit code %d\n%s", code, out)
	}
}
