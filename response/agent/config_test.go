package agent

import (
	"math"
	"path/filepath"
	"testing"
	"time"
)

func TestConfigFiles(t *testing.T) {
	tests := []struct {
		agent *Agent
		env   []string
		want  string
	}{
		{&claude, nil, "/h/.claude/settings.json"},
		{&claude, []string{"CLAUDE_CONFIG_DIR=/c"}, "/c/settings.json"},
		{&codex, nil, "/h/.codex/hooks.json"},
		{&codex, []string{"CODEX_HOME=/c"}, "/c/hooks.json"},
		{&qwen, nil, "/h/.qwen/settings.json"},
		{&qwen, []string{"QWEN_HOME=/c"}, "/c/settings.json"},
		{&gemini, []string{"GEMINI_CLI_HOME="}, "/h/.gemini/settings.json"},
		{&gemini, []string{"GEMINI_CLI_HOME=/c"}, "/c/.gemini/settings.json"},
	}
	for _, tt := range tests {
		if got := filepath.ToSlash(tt.agent.Config.UserFile(tt.env, "/h")); got != tt.want {
			t.Errorf("%s, %v: %s, want %s", tt.agent.Name, tt.env, got, tt.want)
		}
	}
	if got := filepath.ToSlash(codex.Config.ProjectFile("/p")); got != "/p/.codex/hooks.json" {
		t.Error(got)
	}
	if theus.Config.File != "" {
		t.Error("theus has no configuration but its hooks")
	}
}

// The unit of "timeout" is each agent's own. Codex cuts SessionEnd to 3 s, and
// qwen reads 1000 and more as milliseconds.
func TestConfigTimeouts(t *testing.T) {
	for _, tt := range []struct {
		agent *Agent
		event string
		want  string
	}{
		{&claude, "PreToolUse", "660"},
		{&claude, "SessionEnd", "60"},
		{&codex, "PreToolUse", "660"},
		{&codex, "SessionEnd", "3"},
		{&qwen, "PreToolUse", "660"},
		{&gemini, "BeforeTool", "60000"},
	} {
		if got := tt.agent.Config.Number(tt.agent.Config.Wait(tt.event)); got != tt.want {
			t.Errorf("%s, %s: %s, want %s", tt.agent.Name, tt.event, got, tt.want)
		}
	}
	if limit := gemini.Config.Timeout; gemini.Deadline() == 0 || gemini.Deadline() >= limit {
		t.Errorf("gemini goes on after %v, we answer after %v", limit, gemini.Deadline())
	}
	for _, d := range []time.Duration{time.Second, 999 * time.Second, 1000 * time.Second, 90 * time.Minute} {
		number := qwen.Config.Number(d)
		if want := map[time.Duration]string{time.Second: "1", 999 * time.Second: "999", 1000 * time.Second: "1000000", 90 * time.Minute: "5400000"}[d]; number != want {
			t.Errorf("qwen: %v is %s, want %s", d, number, want)
		}
	}
	for n, want := range map[float64]time.Duration{0: 0, -1: 0, math.NaN(): 0, 0.5: time.Second / 2, 999: 999 * time.Second, 1000: time.Second, math.Inf(1): math.MaxInt64 / 2} {
		if got := qwen.Config.Read(n); got != want {
			t.Errorf("qwen reads %v as %v, want %v", n, got, want)
		}
	}
	if got := gemini.Config.Read(1500); got != 1500*time.Millisecond {
		t.Errorf("gemini reads 1500 as %v", got)
	}
}
