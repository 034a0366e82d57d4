package hooks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	hooks "github.com/theus-hooks/theus-hooks"
	"github.com/theus-hooks/theus-hooks/response"
)

const toolUsed = `{"session_id":"s","tool_name":"Bash","tool_input":{"command":"make"},"tool_response":{}}`

// A host that lives long starts a hundred background hooks (O-ASYNC-03): each is
// heard once, and no process is left, dead or alive.
func TestManyBackgroundHooksOfOneHost(t *testing.T) {
	var list []string
	for i := range 100 {
		list = append(list, fmt.Sprintf(`{"type":"command","name":"h%d","async":true,"command":"/bin/echo '{\"systemMessage\":\"%d\"}'"}`, i, i))
	}
	opts := options(t, `{"hooks":{"PostToolUse":[{"hooks":[`+strings.Join(list, ",")+`]}]}}`)
	engine := open(t, opts)
	out, err := engine.Fire(t.Context(), "PostToolUse", []byte(toolUsed))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range out.Hooks {
		if h.Result.Status != response.Background {
			t.Fatalf("hook %s: %s %s", h.Hook.Name, h.Result.Status, h.Result.Error)
		}
	}
	told := map[string]int{}
	for begin := time.Now(); len(told) < 100; time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			t.Fatalf("after a minute %d of 100 hooks have been told", len(told))
		}
		out, err := engine.Fire(t.Context(), "UserPromptSubmit", []byte(`{"session_id":"s","prompt":"p"}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range out.SystemMessages {
			told[text]++
		}
	}
	for text, n := range told {
		if n != 1 || len(told) != 100 {
			t.Errorf("%q was told %d times, %d texts", text, n, len(told))
		}
	}
	left := children(t)
	for begin := time.Now(); len(left) > 0 && time.Since(begin) < time.Minute; left = children(t) {
		time.Sleep(10 * time.Millisecond)
	}
	if len(left) > 0 {
		t.Errorf("left processes: %v", left)
	}
}

// children lists the processes that this one has to wait for, where the system
// tells.
func children(t *testing.T) []string {
	t.Helper()
	var list []string
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", os.Getpid()))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil {
			list = append(list, strings.Fields(string(text))...)
		}
	}
	return list
}

// What runs in the background of a host ends with its engine, and another
// engine of the session is told so.
func TestCloseEndsTheBackground(t *testing.T) {
	opts := options(t, `{"hooks":{"PostToolUse":[{"hooks":[{"type":"command","name":"long","async":true,"command":"sleep 600"}]}]}}`)
	engine, err := hooks.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Fire(t.Context(), "PostToolUse", []byte(toolUsed)); err != nil {
		t.Fatal(err)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := open(t, opts).Fire(t.Context(), "UserPromptSubmit", []byte(`{"session_id":"s","prompt":"p"}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(out.SystemMessages) != 1 || !strings.Contains(out.SystemMessages[0], "hook long: in the background it was cancelled") {
		t.Errorf("messages %q", out.SystemMessages)
	}
	if wake, err := engine.Wait(t.Context(), "s"); err != nil || wake.Text != "" {
		t.Errorf("wake %+v, %v", wake, err)
	}
}

// What a call starts is heard by the next one at the earliest, also when it has
// ended before the call has.
func TestLateMeansLater(t *testing.T) {
	opts := options(t, `{"hooks":{"UserPromptSubmit":[{"hooks":[
		{"type":"command","async":true,"command":"echo late"},
		{"type":"command","command":"until ls \"$STATE\"/*/background/*.done >/dev/null 2>&1; do sleep 0.01; done"}]}]}}`)
	opts.StateDir = filepath.Join(opts.Dir, "state")
	opts.Env = append(opts.Env, "STATE="+opts.StateDir)
	engine := open(t, opts)
	for _, want := range []int{0, 1} { // no third: the second finds the file of the first, and does not wait for its own
		out, err := engine.Fire(t.Context(), "UserPromptSubmit", []byte(`{"session_id":"s","prompt":"p"}`))
		if err != nil {
			t.Fatal(err)
		}
		if len(out.AdditionalContext) != want {
			t.Errorf("context %q, want %d", out.AdditionalContext, want)
		}
	}
}

func BenchmarkFireNothingInBackground(b *testing.B) {
	dir := b.TempDir()
	opts := hooks.Options{
		Env: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}, Dir: dir, ManagedDir: dir, Trust: true,
		Settings: []string{`{"hooks":{"PostToolUse":[{"hooks":[{"type":"command","command":"true"}]}]}}`},
	}
	engine, err := hooks.Open(opts)
	if err != nil {
		b.Fatal(err)
	}
	defer engine.Close()
	for b.Loop() {
		if _, err := engine.Fire(b.Context(), "PostToolUse", []byte(toolUsed)); err != nil {
			b.Fatal(err)
		}
	}
}
