package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/theus-hooks/theus-hooks/response/agent/setup"
)

// An agent that does not find a hook's command goes on without the hook, so the
// entries name the program's place where the PATH does not have it.
func TestInitNamesTheProgram(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "my bin")
	program := filepath.Join(bin, setup.Name)
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	host := Host{Env: []string{"HOME=" + dir, "PATH="}, Dir: dir, Executable: program}
	run := func(args ...string) (code int, errs string) {
		var out, err bytes.Buffer
		code = Main(append([]string{"init", "--agent", "codex"}, args...), Streams{Out: &out, Err: &err}, host)
		return code, err.String()
	}
	hooks := func() string {
		text, err := os.ReadFile(filepath.Join(dir, ".codex", "hooks.json"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if code, errs := run(); code != 0 || !strings.Contains(errs, "not on PATH, so the entries start "+program) {
		t.Errorf("exit code %d, %s", code, errs)
	}
	place := setup.Quote(program) + " run PreToolUse --agent codex"
	if !strings.Contains(hooks(), `"`+strings.ReplaceAll(place, `\`, `\\`)+`"`) && runtime.GOOS != "windows" {
		t.Errorf("not called by its place %s: %s", place, hooks())
	}
	if _, errs := run(); !strings.Contains(errs, "is as it should be") {
		t.Errorf("twice: %s", errs)
	}

	host.Env = append(host.Env, "PATH="+bin)
	if code, errs := run(); code != 0 || strings.Contains(errs, "not on PATH") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	if text := hooks(); strings.Contains(text, "my bin") || strings.Count(text, `"theus-hooks run `) != 11 {
		t.Errorf("not called by its name: %s", text)
	}

	host.Env, host.Executable = []string{"HOME=" + dir}, ""
	if code, errs := run(); code != 1 || !strings.Contains(errs, "put it on PATH") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	if code, errs := run("--remove"); code != 0 {
		t.Errorf("--remove: exit code %d, %s", code, errs)
	}
	if _, err := os.Stat(filepath.Join(dir, ".codex", "hooks.json")); err == nil {
		t.Error("the file is still there")
	}
}
