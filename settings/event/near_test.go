package event

import "testing"

func TestNear(t *testing.T) {
	tests := []struct {
		word, want string
		near       bool
	}{
		{"macther", "matcher", true},
		{"comand", "command", true},
		{"Async", "async", true},
		{"timeout_ms", "timeout", true},
		{"on_failure", "onFailure", true},
		{"asyncc", "asyncRewake", false},
		{"id", "if", false},
		{"note", "once", false},
		{"tags", "args", false}, // both short: another word
		{"type2", "type", true},
	}
	for _, tt := range tests {
		if got := Near(tt.word, tt.want); got != tt.near {
			t.Errorf("Near(%q, %q) = %v, want %v", tt.word, tt.want, got, tt.near)
		}
	}
}
