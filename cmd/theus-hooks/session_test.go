//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/theus-hooks/theus-hooks/exec/background"
	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// Each call has a hook that runs once, one that exports and one in the
// background; the last two say which call it was.
const sessionSettings = `{"hooks": {"PostToolUse": [{"hooks": [
  {"type": "command", "once": true, "command": "echo x >> once.txt"},
  {"type": "command", "command": "read -r e; n=${e#*call_}; n=${n%%.*}; echo \"N_$n=1\" >> \"$THEUS_ENV_FILE\""},
  {"type": "command", "async": true, "command": "read -r e; n=${e#*call_}; n=${n%%.*}; printf '{\"hookSpecificOutput\":{\"hookEventName\":\"PostToolUse\",\"additionalContext\":\"%s\"}}' \"$n\""}]}]}}`

// A world is an installed command with a project and a state folder.
type world struct {
	bin, project, state string
}

func newWorld(t *testing.T, settings string) *world {
	t.Helper()
	root := t.TempDir()
	w := &world{filepath.Join(root, "theus-hooks"), filepath.Join(root, "app"), filepath.Join(root, "state")}
	if out, err := exec.Command("go", "build", "-o", w.bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if err := os.MkdirAll(filepath.Join(w.project, ".theus"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.project, ".theus", "settings.json"), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) sessions() string { return filepath.Join(w.state, "theus-hooks", "sessions") }

// run fires an event and returns the contexts of the answer.
func (w *world) run(event, input string) ([]string, error) {
	cmd := exec.Command(w.bin, "run", event, "--trust")
	cmd.Dir = w.project
	cmd.Env = []string{"HOME=" + w.project, "PATH=" + os.Getenv("PATH"), "XDG_STATE_HOME=" + w.state}
	cmd.Stdin = strings.NewReader(input)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		return nil, fmt.Errorf("%v: %s", err, stderr.String())
	}
	if len(out) == 0 {
		return nil, nil
	}
	v, err := jsontext.Parse(out, jsontext.Limits{})
	return strings.Split(v.Path("hookSpecificOutput", "additionalContext").Text(), "\n"), err
}

// Eight processes with a hundred calls each of one session: nothing is lost,
// nothing happens twice, nothing is left.
func TestManyCallsOfOneSession(t *testing.T) {
	const processes, calls = 8, 100
	w := newWorld(t, sessionSettings)
	told := make([][]string, processes)
	var all sync.WaitGroup
	for p := range processes {
		all.Go(func() {
			for i := range calls {
				input := fmt.Sprintf(`{"session_id":"s","tool_name":"Bash","tool_input":{"command":"call_%d_%d."},"tool_response":{}}`, p, i)
				said, err := w.run("PostToolUse", input)
				if err != nil {
					t.Errorf("process %d, call %d: %v", p, i, err)
				}
				told[p] = append(told[p], said...)
			}
		})
	}
	all.Wait()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := background.Settle(ctx, w.sessions()); err != nil {
		t.Fatal(err)
	}
	rest, err := w.run("UserPromptSubmit", `{"session_id":"s","prompt":"p"}`)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for p := range processes {
		for i := range calls {
			want = append(want, fmt.Sprintf("%d_%d", p, i))
		}
	}
	slices.Sort(want)
	got := append(slices.Concat(told...), rest...)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%d background results were told, %d of them different; want %d", len(got), len(slices.Compact(slices.Clone(got))), len(want))
	}
	if once, _ := os.ReadFile(filepath.Join(w.project, "once.txt")); string(once) != "x\n" {
		t.Errorf("the hook that runs once wrote %q", once)
	}
	checkExports(t, w, want)
	checkLeft(t, w)
}

func checkExports(t *testing.T, w *world, calls []string) {
	t.Helper()
	cmd := exec.Command(w.bin, "env", "--session", "s", "--format", "json")
	cmd.Env = []string{"XDG_STATE_HOME=" + w.state}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsontext.Parse(out, jsontext.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	missing := 0
	for _, n := range calls {
		if v.Get("N_"+n).Text() != "1" {
			missing++
		}
	}
	if missing > 0 {
		t.Errorf("%d of %d exports are missing", missing, len(calls))
	}
}

// checkLeft looks for processes of the command and files beside its records. Those
// who told what a hook said may still be about to end, which they have a minute for.
func checkLeft(t *testing.T, w *world) {
	t.Helper()
	faults := w.left()
	for begin := time.Now(); len(faults) > 0 && time.Since(begin) < time.Minute; faults = w.left() {
		time.Sleep(50 * time.Millisecond)
	}
	for _, fault := range faults {
		t.Error(fault)
	}
}

// left says what is there now and should not be.
func (w *world) left() (faults []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe") // none where there is no /proc
	for _, link := range links {
		if path, err := os.Readlink(link); err == nil && strings.HasPrefix(path, w.bin) {
			faults = append(faults, link+" still runs")
		}
	}
	var files []string
	err := filepath.WalkDir(w.sessions(), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, filepath.Ext(path)+" "+filepath.Base(path))
		}
		return err
	})
	if err != nil { // a file that went meanwhile, too
		faults = append(faults, err.Error())
	}
	if len(files) != 3 || !slices.Contains(files, ".json exports.json") || !slices.Contains(files, " lock") {
		faults = append(faults, fmt.Sprintf("left in the session: %q; want the exports, the lock and the mark of the spent hook", files))
	}
	return faults
}
