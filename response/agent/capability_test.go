package agent

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/settings/event"
)

// What each agent can be told, as a person reads it.
func TestCapabilities(t *testing.T) {
	for _, tt := range []struct{ agent, event, own, want string }{
		{"theus", "PreToolUse", "PreToolUse", "block, ask, defer, allow, rewrite, stop, context, message, terminalSequence, suppressOutput"},
		{"claude", "PermissionRequest", "PermissionRequest", "block, allow, rewrite, stop, message, updatedPermissions, interrupt, terminalSequence, suppressOutput"},
		{"claude", "SessionEnd", "SessionEnd", "notice, terminalSequence, suppressOutput"},
		{
			"codex", "PreToolUse", "PreToolUse",
			"block, ask → block, defer → block, allow (not honoured), rewrite, stop → block, context, message, terminalSequence (not honoured), suppressOutput (not honoured), context beside a block → reason, message beside a block (not honoured)",
		},
		{
			"qwen", "PreToolUse", "PreToolUse",
			"block, ask, defer → block, allow, rewrite → block, stop (weaker), context (not honoured), message, terminalSequence, suppressOutput, context beside a block → reason",
		},
		{
			"gemini", "PreToolUse", "BeforeTool",
			"block, ask → block, defer → block, allow (not honoured), rewrite, stop, context (not honoured), message, terminalSequence (not honoured), suppressOutput, context beside a block → reason",
		},
		{"gemini", "PostToolUse", "AfterTool", "block, stop, context, message, updatedToolOutput (not honoured), updatedMCPToolOutput (not honoured), classifierContext (not honoured), terminalSequence (not honoured), suppressOutput"},
		{"qwen", "PostToolUse", "PostToolUse", "block → context, stop (weaker), context, message, updatedToolOutput (not honoured), updatedMCPToolOutput (not honoured), classifierContext (not honoured), terminalSequence, suppressOutput"},
		{"codex", "PreCompact", "PreCompact", "block → stop, terminalSequence (not honoured), suppressOutput (not honoured)"},
		{"codex", "UserPromptSubmit", "UserPromptSubmit", "block, stop, context, message, sessionTitle (not honoured), suppressOriginalPrompt → block, terminalSequence (not honoured), suppressOutput (not honoured)"},
	} {
		var found bool
		for _, c := range must(t, tt.agent).Capabilities() {
			if c.Event != tt.event {
				continue
			}
			found = true
			var list []string
			for _, can := range c.Can {
				list = append(list, can.String())
			}
			if diff := cmp.Diff(tt.want, strings.Join(list, ", ")); diff != "" || c.Own != tt.own {
				t.Errorf("%s %s, there %s (-want +got):\n%s", tt.agent, c.Event, c.Own, diff)
			}
		}
		if !found {
			t.Errorf("%s has no %s", tt.agent, tt.event)
		}
	}
}

// Every entry that takes something away says why, and can be applied: the table
// holds nothing that Answer does not do.
func TestAbilities(t *testing.T) {
	does := map[Word][]How{
		Block: {ToText, ToStop, Weaker, Ignored}, Ask: {ToBlock}, Defer: {ToBlock}, Allow: {Ignored},
		Rewrite: {ToBlock}, Stop: {ToBlock, Weaker, Ignored}, Context: {ToBlock, Ignored}, Message: {Ignored},
		Notice: {Ignored}, Terminal: {Ignored}, Suppress: {Ignored}, Permissions: {Ignored}, Interrupt: {Ignored},
		ContextBeside: {Joined}, MessageBeside: {Ignored},
	}
	for _, name := range Names() {
		for _, c := range must(t, name).Capabilities() {
			if _, ok := event.Lookup(c.Event); !ok {
				t.Errorf("%s: no event %s", name, c.Event)
			}
			for _, can := range c.Can {
				allowed, ok := does[can.Word]
				if !ok {
					allowed = []How{ToBlock, Ignored} // an output field
				}
				if can.How != Native && (can.Why == "" || !slices.Contains(allowed, can.How)) {
					t.Errorf("%s %s: %+v", name, c.Event, can)
				}
			}
		}
	}
}
