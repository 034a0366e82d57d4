package response

import (
	"testing"
)

// A clear deny in the shape of another agent is a deny, and is reported.
func TestForeignDenials(t *testing.T) {
	tests := []struct {
		event, stdout string
		decision      Decision
		reason        string
		problem       string
	}{
		{"PreToolUse", `{"permissionDecision":"deny","permissionDecisionReason":"x"}`, DecisionDeny, "x", `"permissionDecision": "deny"` + notShape},
		{"PreToolUse", `{"permission":"deny","user_message":"x"}`, DecisionDeny, "x", `"permission": "deny"` + notShape},
		{"PreToolUse", `{"ok":false,"reason":"x"}`, DecisionDeny, "x", `"ok": false` + notShape},
		{"PreToolUse", `{"decision":"deny","reason":"x"}`, DecisionDeny, "x", `"decision": "deny"` + notShape},
		{"PreToolUse", `{"cancel":true,"errorMessage":"x"}`, DecisionDeny, "x", `"cancel": true` + notShape},
		{"PreToolUse", `{"halt":true,"reason":"x"}`, DecisionDeny, "x", `"halt": true` + notShape},
		{"PreToolUse", `{"allow":false,"reason":"x"}`, DecisionDeny, "x", `"allow": false` + notShape},
		{"PreToolUse", `{"behavior":"deny","message":"x"}`, DecisionDeny, "x", `"behavior": "deny"` + notShape},
		{"PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permission_decision":"deny","reason":"x"}}`, DecisionDeny, "x", `"hookSpecificOutput.permission_decision": "deny"` + notShape},
		{"PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"Deny","permissionDecisionReason":"x"}}`, DecisionDeny, "x", `"hookSpecificOutput.permissionDecision": "Deny"` + notShape},
		{"PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","decision":{"behavior":"deny","message":"x"}}}`, DecisionDeny, "x", `"hookSpecificOutput.decision.behavior": "deny"` + notShape},
		{"PreToolUse", `{"permission":"ask","reason":"x"}`, DecisionAsk, "x", `"permission": "ask" is not how PreToolUse is answered; it counts here, but elsewhere the action goes on; print {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"…"}}`},
		{"UserPromptSubmit", `{"permissionDecision":"deny","reason":"x"}`, DecisionBlock, "x", `"permissionDecision": "deny" is not how UserPromptSubmit is answered; it counts here, but elsewhere the action goes on; ` + blockHint},
		{"PermissionRequest", `{"decision":"block","reason":"x"}`, DecisionDeny, "x", `"decision": "block" is not how PermissionRequest is answered; it counts here, but elsewhere the action goes on; print {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"…"}}}`},
		{"Elicitation", `{"decision":"block","reason":"x"}`, DecisionDeny, "x", `"decision": "block" is not how Elicitation is answered; it counts here, but elsewhere the action goes on; print {"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}`},
		{"Stop", `{"ok":false,"reason":"x"}`, DecisionBlock, "x", `"ok": false is not how Stop is answered; it counts here, but elsewhere the action goes on; ` + blockHint},
		{"Stop", `{"hookSpecificOutput":{"hookEventName":"Stop","decision":"block","reason":"x"}}`, DecisionBlock, "x", `"hookSpecificOutput.decision": "block" is not how Stop is answered; it counts here, but elsewhere the action goes on; ` + blockHint},
		{"Stop", `{"halt":true}`, DecisionNone, "", `"halt": true has no effect on Stop; ` + blockHint},
		{"PostToolUse", `{"decision":"deny","reason":"x"}`, DecisionBlock, "x", `"decision": "deny" is not how PostToolUse is answered; it counts here, but elsewhere the action goes on; ` + blockHint},
		{"SessionStart", `{"ok":false}`, DecisionNone, "", `"ok": false has no effect on SessionStart`},
		{"PreToolUse", `{"permission":"allow"}`, DecisionNone, "", "its JSON has no field that a hook can answer with; found permission"},
	}
	for _, tt := range tests {
		t.Run(tt.event+tt.stdout, func(t *testing.T) {
			v := Decode(example(t, tt.event), guard, exited(0, tt.stdout, ""))
			if v.Report.Decision != tt.decision || v.Report.Reason != tt.reason || v.Report.Result.Status != OK {
				t.Errorf("got %s %q, status %s", v.Report.Decision, v.Report.Reason, v.Report.Result.Status)
			}
			if len(v.Problems) != 1 || v.Problems[0].Message != "hook guard: "+tt.problem {
				t.Errorf("problems %v, want %s", v.Problems, tt.problem)
			}
		})
	}
}
