package cli

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// call runs the command in an empty world.
func call(t *testing.T, stdin string, out io.Writer, args ...string) (code int, stderr string) {
	t.Helper()
	var errOut bytes.Buffer
	host := Host{Env: []string{"HOME=" + t.TempDir()}, Dir: t.TempDir(), ManagedDir: t.TempDir()}
	code = Main(args, Streams{In: strings.NewReader(stdin), Out: out, Err: &errOut}, host)
	return code, errOut.String()
}

type panicking struct{}

func (panicking) Write([]byte) (int, error) { panic("a fault of ours") }

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

const preToolUse = `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`

// Whatever goes wrong in run must not let a tool call through, and must not look
// like another protocol answer.
func TestRunFailsClosed(t *testing.T) {
	stop := strings.Replace(preToolUse, "PreToolUse", "Stop", 1)
	const elicitation = `{"session_id":"s","hook_event_name":"Elicitation","mcp_server_name":"m","message":"?"}`
	const decline = `{"hooks":{"Elicitation":[{"hooks":[{"type":"command","command":"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"Elicitation\",\"action\":\"decline\"}}'"}]}]}}`
	tests := []struct {
		name, stdin string
		out         io.Writer
		args        []string
		code        int
		stderr      string
	}{
		{"a panic", preToolUse, panicking{}, []string{"run", "PreToolUse", "--format=outcome"}, 2, "internal error"},
		{"a panic on another event", stop, panicking{}, []string{"run", "Stop", "--format=outcome"}, 1, "internal error"},
		{"nobody reads the answer", preToolUse, closed{}, []string{"run", "PreToolUse", "--format=outcome"}, 2, "broken pipe"},
		{"nobody reads a block", elicitation, closed{}, []string{"run", "Elicitation", "--settings", decline}, 2, "blocked: "},
		{"nobody reads the details of a block", elicitation, closed{}, []string{"run", "Elicitation", "--format=outcome", "--settings", decline}, 2, "broken pipe"},
		{"an unknown flag", preToolUse, io.Discard, []string{"run", "--bogus", "PreToolUse"}, 2, "unknown flag"},
		{"an unknown flag on another event", stop, io.Discard, []string{"run", "--bogus", "Stop"}, 1, "unknown flag"},
		{"a misspelt event", preToolUse, io.Discard, []string{"run", "PreTolUse"}, 2, "did you mean PreToolUse?"},
		{"no event named", preToolUse, io.Discard, []string{"run"}, 2, "want one EVENT"},
		{"no event named, another fired", stop, io.Discard, []string{"run"}, 1, "want one EVENT"},
		{"another event fired", preToolUse, io.Discard, []string{"run", "Stop"}, 2, "hook_event_name"},
		{"another event named", stop, io.Discard, []string{"run", "PreToolUse"}, 2, "hook_event_name"},
		{"no JSON", "", io.Discard, []string{"run", "pretooluse"}, 2, "no JSON"},
		{"a bad format", preToolUse, io.Discard, []string{"run", "PreToolUse", "--format", "xml"}, 2, "use hook, outcome or text"},
		{"bad sources", preToolUse, io.Discard, []string{"run", "PreToolUse", "--setting-sources", "user,team"}, 2, "team"},
		{"a bad dialect", preToolUse, io.Discard, []string{"run", "PreToolUse", "--dialect", "x"}, 2, "use theus or claude"},
		{"bad on-failure", preToolUse, io.Discard, []string{"run", "PreToolUse", "--on-failure", "deny"}, 2, "use continue or block"},
		{"a missing settings file", preToolUse, io.Discard, []string{"run", "PreToolUse", "--settings", "gaurd.json"}, 2, `--settings "gaurd.json" is no file`},
		{"a broken settings text", preToolUse, io.Discard, []string{"run", "PreToolUse", "--settings", `{"hooks":`}, 2, "the settings given for this call cannot be read"},
		{"an empty settings file name", preToolUse, io.Discard, []string{"run", "PreToolUse", "--settings", ""}, 2, "is no file"},
		{"a missing project", preToolUse, io.Discard, []string{"run", "PreToolUse", "--project-dir", "/nonexistent/x"}, 2, "is no directory"},
		{"a missing event file", preToolUse, io.Discard, []string{"run", "PreToolUse", "--event", "gone.json"}, 2, "gone.json"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, stderr := call(t, tt.stdin, tt.out, tt.args...)
			if code != tt.code || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("exit code %d, want %d; stderr %q, want %q in it", code, tt.code, stderr, tt.stderr)
			}
		})
	}
}

func TestMisuseOfOtherCommands(t *testing.T) {
	for _, args := range [][]string{{"bogus"}, {"env"}, {"env", "x"}, {"env", "--session", "s", "--format", "yaml"}, {"events", "a", "b"}, {"events", "Nope"}, {"version", "--x"}, {"explain"}} {
		if code, stderr := call(t, "", io.Discard, args...); code != 64 || !strings.HasPrefix(stderr, "theus-hooks: ") {
			t.Errorf("%v: exit code %d, %q", args, code, stderr)
		}
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain é\n\t": "plain é\n\t", "\x1b[2Jgood": `\x1b[2Jgood`, "a\rb\x7f": `a\x0db\x7f`, "\u009b": `\x9b`,
	} {
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"run", "--help"}, {"help", "run"}, {"--version"}, {"env", "--help"}, {"test", "--help"}} {
		var out bytes.Buffer
		if code, stderr := call(t, "", &out, args...); code != 0 || !strings.Contains(out.String(), "theus-hooks") {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q", args, code, out.String(), stderr)
		}
	}
}
