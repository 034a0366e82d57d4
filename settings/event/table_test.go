package event

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// expected is the hooks contract, event by event: what a matcher is compared
// with, the handler types (A: all, C: no models, S: command and mcp_tool), what
// exit code 2 does, whether plain text is context, and the fields of
// hookSpecificOutput.
var expected = []struct {
	name, subject, types string
	exit2                Effect
	plain                bool
	output               string
}{
	{"Setup", "trigger", "S", EffectNotice, false, "additionalContext"},
	{"SessionStart", "source", "S", EffectNotice, true, "additionalContext initialUserMessage sessionTitle watchPaths reloadSkills"},
	{"InstructionsLoaded", "load_reason", "C", EffectIgnored, false, ""},
	{"UserPromptSubmit", "", "A", EffectBlocks, true, "additionalContext sessionTitle suppressOriginalPrompt"},
	{"UserPromptExpansion", "command_name", "A", EffectBlocks, true, "additionalContext suppressOriginalPrompt"},
	{"PreToolUse", "tool_name", "A", EffectBlocks, false, "permissionDecision permissionDecisionReason updatedInput updatedInputPatch additionalContext"},
	{"PermissionRequest", "tool_name", "A", EffectIgnored, false, "decision"},
	{"PermissionDenied", "tool_name", "A", EffectIgnored, false, "retry"},
	{"PostToolUse", "tool_name", "A", EffectFeedback, false, "additionalContext updatedToolOutput updatedMCPToolOutput classifierContext"},
	{"PostToolUseFailure", "tool_name", "A", EffectFeedback, false, "additionalContext"},
	{"PostToolBatch", "", "A", EffectBlocks, false, "additionalContext"},
	{"Elicitation", "mcp_server_name", "C", EffectBlocks, false, "action content"},
	{"ElicitationResult", "mcp_server_name", "C", EffectBlocks, false, "action content"},
	{"SubagentStart", "agent_type", "C", EffectNotice, false, "additionalContext"},
	{"SubagentStop", "agent_type", "A", EffectContinues, false, "additionalContext"},
	{"TaskCreated", "", "A", EffectBlocks, false, ""},
	{"TaskCompleted", "", "A", EffectBlocks, false, ""},
	{"TeammateIdle", "", "A", EffectContinues, false, ""},
	{"Notification", "notification_type", "C", EffectIgnored, false, ""},
	{"MessageDisplay", "", "C", EffectIgnored, false, "displayContent"},
	{"ConfigChange", "source", "C", EffectBlocks, false, ""},
	{"CwdChanged", "", "C", EffectNotice, false, "watchPaths"},
	{"DirectoryAdded", "source", "C", EffectIgnored, false, ""},
	{"FileChanged", "file_path", "C", EffectNotice, false, "watchPaths"},
	{"PreModelSwitch", "to_model", "C", EffectBlocks, false, "permissionDecision permissionDecisionReason"},
	{"PostModelSwitch", "to_model", "C", EffectNotice, true, "additionalContext"},
	{"WorktreeCreate", "", "C", EffectFails, false, "worktreePath"},
	{"WorktreeRemove", "", "C", EffectFails, false, ""},
	{"PreCompact", "trigger", "C", EffectBlocks, false, ""},
	{"PostCompact", "trigger", "C", EffectNotice, false, ""},
	{"Stop", "", "A", EffectContinues, false, "additionalContext"},
	{"StopFailure", "error", "C", EffectIgnored, false, ""},
	{"SessionEnd", "reason", "C", EffectNotice, false, ""},
}

func TestTable(t *testing.T) {
	types := map[string]Types{"A": AllTypes, "C": Command | HTTP | MCPTool, "S": Command | MCPTool}
	if len(All()) != len(expected) {
		t.Fatalf("%d events, want %d", len(All()), len(expected))
	}
	for i, spec := range All() {
		want := expected[i]
		var output []string
		for _, f := range spec.Output {
			output = append(output, f.Name)
		}
		got := fmt.Sprint(spec.Name, "|", spec.Subject.Field, "|", spec.Types, "|", spec.Exit2, "|", spec.PlainContext, "|", strings.Join(output, " "))
		if w := fmt.Sprint(want.name, "|", want.subject, "|", types[want.types], "|", want.exit2, "|", want.plain, "|", want.output); got != w {
			t.Errorf("\n got %s\nwant %s", got, w)
		}
	}
}

// Lists of events that share a rule.
func TestTableRules(t *testing.T) {
	rules := []struct {
		name string
		has  func(*Spec) bool
		want string
	}{
		{"evaluates if rules", func(s *Spec) bool { return s.If }, "PreToolUse PermissionRequest PermissionDenied PostToolUse PostToolUseFailure"},
		{"fails closed", func(s *Spec) bool { return s.FailClosed }, "PreToolUse PermissionRequest"},
		{"has a narrow matcher", func(s *Spec) bool { return s.Subject.Narrow }, "FileChanged StopFailure"},
		{"compares a file's base name", func(s *Spec) bool { return s.Subject.Base }, "FileChanged"},
		{"blocks on a timeout", func(s *Spec) bool { return s.TimeoutBlocks }, "PreModelSwitch"},
		{"drops hookSpecificOutput on exit code 2", func(s *Spec) bool { return s.Exit2DropsOutput }, "Elicitation ElicitationResult MessageDisplay"},
		{
			"can block", (*Spec).CanBlock,
			"UserPromptSubmit UserPromptExpansion PreToolUse PermissionRequest PostToolBatch Elicitation ElicitationResult SubagentStop " +
				"TaskCreated TaskCompleted TeammateIdle ConfigChange PreModelSwitch WorktreeCreate WorktreeRemove PreCompact Stop",
		},
		{
			"drops continue", func(s *Spec) bool { return s.Continue == ContinueDiscarded },
			"InstructionsLoaded Elicitation ElicitationResult TaskCreated Notification MessageDisplay ConfigChange CwdChanged DirectoryAdded " +
				"FileChanged WorktreeCreate WorktreeRemove PreCompact PostCompact StopFailure SessionEnd",
		},
		{
			"drops systemMessage", func(s *Spec) bool { return s.Message == MessageDiscarded },
			"InstructionsLoaded Elicitation ElicitationResult Notification MessageDisplay ConfigChange WorktreeCreate WorktreeRemove " +
				"PreCompact PostCompact StopFailure SessionEnd",
		},
		{
			"blocks where exit code 2 does, but not on failure", func(s *Spec) bool { return s.Exit2 != s.OnFailure && s.OnFailure == EffectIgnored },
			"SubagentStop TaskCompleted TeammateIdle Stop",
		},
		{
			"blocks on failure though exit code 2 does nothing", func(s *Spec) bool { return s.Exit2 != s.OnFailure && s.OnFailure != EffectIgnored },
			"PermissionRequest",
		},
		{
			"ends the turn when a prompt hook says no", func(s *Spec) bool { return s.NotOK == NotOKStops },
			"UserPromptSubmit UserPromptExpansion PreToolUse PostToolUse PostToolBatch TaskCompleted TeammateIdle",
		},
		{
			"goes on when a prompt hook says no", func(s *Spec) bool { return s.NotOK == NotOKBlocks },
			"PostToolUseFailure SubagentStop TaskCreated Stop",
		},
	}
	for _, rule := range rules {
		var got []string
		for _, s := range All() {
			if rule.has(s) {
				got = append(got, s.Name)
			}
		}
		if diff := cmp.Diff(strings.Fields(rule.want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", rule.name, diff)
		}
	}
}

func TestDefaultTimeouts(t *testing.T) {
	for _, spec := range All() {
		want := 600 * time.Second
		switch spec.Name {
		case "UserPromptSubmit", "PreModelSwitch", "PostModelSwitch":
			want = 30 * time.Second
		case "MessageDisplay":
			want = 10 * time.Second
		}
		for _, typ := range []Types{Command, HTTP, MCPTool} {
			if got := spec.DefaultTimeout(typ); got != want {
				t.Errorf("%s, %v: %v, want %v", spec.Name, typ, got, want)
			}
		}
		if spec.DefaultTimeout(Prompt) != 30*time.Second || spec.DefaultTimeout(Agent) != 60*time.Second {
			t.Errorf("%s: prompt %v, agent %v", spec.Name, spec.DefaultTimeout(Prompt), spec.DefaultTimeout(Agent))
		}
		if got := spec.Timeout.Budget; (got != 0) != (spec.Name == "SessionEnd") || got != 0 && got != 1500*time.Millisecond {
			t.Errorf("%s: budget %v", spec.Name, got)
		}
	}
}

// What every row must have, so that listings and checks can rely on it.
func TestTableRows(t *testing.T) {
	for _, s := range All() {
		if s.Fires == "" || !strings.HasPrefix(s.Fires, "when ") && !strings.HasPrefix(s.Fires, "before ") && !strings.HasPrefix(s.Fires, "after ") && !strings.HasPrefix(s.Fires, "right after ") {
			t.Errorf("%s fires %q", s.Name, s.Fires)
		}
		if s.Subject.Field != "" && !slices.ContainsFunc(s.Fields, func(f Field) bool { return f.Name == s.Subject.Field && f.Type == "string" }) {
			t.Errorf("%s: the subject %s is no field of its input", s.Name, s.Subject.Field)
		}
		for _, f := range s.Fields {
			if f.Doc == "" || kindOf(f.Type) == jsontext.Missing && f.Type != "any" {
				t.Errorf("%s: input %s: type %q, doc %q", s.Name, f.Name, f.Type, f.Doc)
			}
		}
		for _, f := range s.Output {
			if f.Doc == "" || kindOf(f.Type) == jsontext.Missing && f.Type != "any" || f.Values != nil && f.Type != "string" {
				t.Errorf("%s: output %s: type %q, doc %q", s.Name, f.Name, f.Type, f.Doc)
			}
			if f.Merge == MergeUnion != (f.Type == "array") || f.Merge == MergeAny != (f.Type == "boolean") || f.Merge == MergeJoin && f.Type != "string" {
				t.Errorf("%s: output %s of type %s merges by %d", s.Name, f.Name, f.Type, f.Merge)
			}
		}
		for _, value := range s.Unblockable {
			if !slices.Contains(s.Subject.Values, value) {
				t.Errorf("%s: %s is no subject", s.Name, value)
			}
		}
		if s.Example.Does == "" {
			t.Errorf("%s: the example does not say what it does", s.Name)
		}
	}
}

func kindOf(typ string) jsontext.Kind {
	for k := jsontext.Bool; k <= jsontext.Object; k++ {
		if k.String() == typ {
			return k
		}
	}
	return jsontext.Missing
}

// The example of every row is an event as the row says, with nothing more than
// it must have.
func TestExamples(t *testing.T) {
	for _, s := range All() {
		ev, err := Decode(s, []byte(s.Example.Input))
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		if got := strings.TrimSuffix(string(ev.Line()), "\n"); got != s.Example.Input {
			t.Errorf("%s: hooks would receive %s", s.Name, got)
		}
		if len(s.Subject.Values) > 0 && !slices.Contains(s.Subject.Values, ev.Subject()) {
			t.Errorf("%s: unknown subject %q", s.Name, ev.Subject())
		}
		fields := append(CommonFields(), s.Fields...)
		for _, f := range fields {
			if v := ev.json.Get(f.Name); v.Exists() {
				checkField(t, s, f, v)
			} else if !f.Optional {
				t.Errorf("%s: the example has no %s", s.Name, f.Name)
			}
		}
		for m := range ev.json.Members() {
			if !slices.ContainsFunc(fields, func(f Field) bool { return f.Name == m.Key }) {
				t.Errorf("%s: the example has a field %s that the row has not", s.Name, m.Key)
			}
		}
	}
}

func checkField(t *testing.T, s *Spec, f Field, v jsontext.Value) {
	t.Helper()
	if f.Type != "any" && v.Kind() != kindOf(f.Type) {
		t.Errorf("%s: %s is %s, want a %s", s.Name, f.Name, v.Raw(), f.Type)
	}
	if f.Values != nil && !slices.Contains(f.Values, v.Text()) {
		t.Errorf("%s: %s is %s, want one of %v", s.Name, f.Name, v.Raw(), f.Values)
	}
}

func TestLookups(t *testing.T) {
	for _, name := range Names() {
		if s, ok := Lookup(name); !ok || s.Name != name {
			t.Errorf("Lookup(%q) failed", name)
		}
		if s, ok := Fold(strings.ToLower(name)); !ok || s.Name != name {
			t.Errorf("Fold(%q) failed", strings.ToLower(name))
		}
	}
	if _, ok := Lookup("pretooluse"); ok {
		t.Error("Lookup folds case")
	}
	if _, ok := Fold("PreTool"); ok {
		t.Error("Fold takes a prefix")
	}
	pre, _ := Lookup("PreToolUse")
	if pre.OutputField("updatedInput") == nil || pre.OutputField("retry") != nil {
		t.Error("OutputField")
	}
}

func TestTypes(t *testing.T) {
	for name, want := range map[string]Types{"command": Command, "http": HTTP, "mcp_tool": MCPTool, "prompt": Prompt, "agent": Agent, "Command": 0, "": 0} {
		if got, ok := ParseType(name); got != want || ok != (want != 0) {
			t.Errorf("ParseType(%q) = %v, %v", name, got, ok)
		}
	}
	if got := AllTypes.String(); got != "command, http, mcp_tool, prompt, agent" {
		t.Errorf("all types: %s", got)
	}
	if (Command | HTTP).Has(Prompt) || !(Command | HTTP).Has(HTTP) {
		t.Error("Has")
	}
}
