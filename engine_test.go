package hooks_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	hooks "github.com/theus-hooks/theus-hooks"
	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// options are those of a world of its own with one project.
func options(t *testing.T, settings string) hooks.Options {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"home", "app/.theus", "managed"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "app/.theus/settings.json"), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	return hooks.Options{
		Env:        []string{"HOME=" + filepath.Join(root, "home"), "PATH=" + os.Getenv("PATH")},
		Dir:        filepath.Join(root, "app"),
		ManagedDir: filepath.Join(root, "managed"),
		Trust:      true,
	}
}

func open(t *testing.T, opts hooks.Options) *hooks.Engine {
	t.Helper()
	engine, err := hooks.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return engine
}

const bashCall = `{"session_id":"s","tool_name":"Bash","tool_input":{"command":"make clean"}}`

func guard(command string) string {
	return fmt.Sprintf(`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":%q}]}]}}`, command)
}

func TestFire(t *testing.T) {
	engine := open(t, options(t, guard("echo no >&2; exit 2")))
	out, err := engine.Fire(t.Context(), "PreToolUse", []byte(bashCall))
	if err != nil {
		t.Fatal(err)
	}
	if !out.Blocked || out.Decision != response.DecisionDeny || out.Reason != "no" {
		t.Errorf("blocked %v, decision %s, reason %q", out.Blocked, out.Decision, out.Reason)
	}
}

func TestSettingsAreReadForEveryEvent(t *testing.T) {
	opts := options(t, guard("true"))
	engine := open(t, opts)
	for _, tt := range []struct {
		command string
		blocked bool
	}{{"true", false}, {"exit 2", true}, {"true", false}} {
		if err := os.WriteFile(filepath.Join(opts.Dir, ".theus/settings.json"), []byte(guard(tt.command)), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := engine.Fire(t.Context(), "PreToolUse", []byte(bashCall))
		if err != nil || out.Blocked != tt.blocked {
			t.Errorf("%s: blocked %v, %v", tt.command, out.Blocked, err)
		}
	}
}

func TestFireErrors(t *testing.T) {
	opts := options(t, guard("true"))
	engine := open(t, opts)
	_, err := engine.Fire(t.Context(), "PreTolUse", []byte(bashCall))
	if unknown, ok := errors.AsType[*hooks.UnknownEventError](err); !ok || unknown.Suggest != "PreToolUse" {
		t.Errorf("an unknown event: %v", err)
	}
	_, err = engine.Fire(t.Context(), "PreToolUse", []byte(`{"a":`))
	if _, ok := errors.AsType[*event.InputError](err); !ok {
		t.Errorf("an event that is not JSON: %v", err)
	}
	if err := os.WriteFile(filepath.Join(opts.ManagedDir, "managed-settings.json"), []byte(`{"hooks":`), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = engine.Fire(t.Context(), "PreToolUse", []byte(bashCall))
	if policy, ok := errors.AsType[*hooks.PolicyError](err); !ok || !strings.Contains(policy.Error(), "managed-settings.json:1:10") {
		t.Errorf("managed settings that are not JSON: %v", err)
	}
	if _, err := hooks.Open(hooks.Options{Dir: "relative"}); err == nil {
		t.Error("a relative Dir was accepted")
	}
}

// A cancelled call has decided nothing, whatever its hooks would have said.
func TestCancelled(t *testing.T) {
	opts := options(t, guard("exit 0"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, opts).Fire(ctx, "PreToolUse", []byte(bashCall)); !errors.Is(err, hooks.ErrCancelled) {
		t.Errorf("got %v", err)
	}
}

// Results stand in configuration order whatever finishes first.
func TestOrder(t *testing.T) {
	var entries, want []string
	for i := range 40 { // more than run at a time
		entries = append(entries, fmt.Sprintf(`{"type":"command","name":"h%d","command":"sleep 0.%d; echo %d >&2; exit 2"}`, i, 9-i%10, i))
		want = append(want, fmt.Sprintf("h%d", i))
	}
	engine := open(t, options(t, `{"hooks":{"PreToolUse":[{"hooks":[`+strings.Join(entries, ",")+`]}]}}`))
	out, err := engine.Fire(t.Context(), "PreToolUse", []byte(bashCall))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range out.Hooks {
		got = append(got, h.Hook.Name)
		if h.Result.Status != response.Blocked {
			t.Errorf("%s: %s", h.Hook.Name, h.Result.Status)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEnvironmentOfHooks(t *testing.T) {
	opts := options(t, `{"env":{"FROM_SETTINGS":"1","NODE_OPTIONS":"-r x","BOTH":"settings"},"hooks":{"PreToolUse":[{"hooks":[
		{"type":"command","command":"env >\"$THEUS_PROJECT_DIR\"/seen","env":{"BOTH":"handler","LD_PRELOAD":"x","THEUS_PROJECT_DIR":"/nowhere"}}]}]}}`)
	sub := filepath.Join(opts.Dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	opts.Env = append(opts.Env, "KEPT=1", "GIT_DIR=/x/.git", "GIT_INDEX_FILE=i", "OTEL_TRACES=1", "BASH_FUNC_f%%=() { :; }", "GIT_AUTHOR_NAME=n", "SHELLOPTS=noexec")
	out, err := open(t, opts).Fire(t.Context(), "PreToolUse", []byte(`{"session_id":"abc","tool_name":"Bash","effort":{"level":"high"},"cwd":"`+sub+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(opts.Dir, "seen"))
	if err != nil {
		t.Fatalf("%v; %+v", err, out.Hooks)
	}
	seen := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		seen[name] = value
	}
	for name, want := range map[string]string{
		"KEPT": "1", "GIT_AUTHOR_NAME": "n", "FROM_SETTINGS": "1", "BOTH": "handler", "THEUS": "1", "THEUS_SESSION_ID": "abc",
		"THEUS_EFFORT": "high", "THEUS_PROJECT_DIR": opts.Dir, "PWD": sub,
	} {
		if seen[name] != want {
			t.Errorf("%s is %q, want %q", name, seen[name], want)
		}
	}
	for _, name := range []string{"GIT_DIR", "GIT_INDEX_FILE", "OTEL_TRACES", "BASH_FUNC_f%%", "SHELLOPTS", "NODE_OPTIONS", "LD_PRELOAD", "CLAUDE_PROJECT_DIR"} {
		if value, ok := seen[name]; ok {
			t.Errorf("%s reached the hook: %q", name, value)
		}
	}
	var codes []string
	for _, p := range out.Problems {
		codes = append(codes, p.Code)
	}
	if diff := cmp.Diff([]string{"refused-variable", "refused-variable"}, codes); diff != "" {
		t.Errorf("problems: %s", diff)
	}
}

func Example() {
	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	engine, err := hooks.Open(hooks.Options{
		Env: []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")},
		Dir: dir,
		Settings: []string{`{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
			{"type": "command", "if": "Bash(git push *)", "command": "echo ask a colleague first >&2; exit 2"}]}]}}`},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer engine.Close()
	outcome, err := engine.Fire(context.Background(), "PreToolUse",
		[]byte(`{"tool_name": "Bash", "tool_input": {"command": "make && git push origin"}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(outcome.Decision, outcome.Blocked, outcome.Reason)
	// Output: deny true ask a colleague first
}
