package response

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/settings/event"
)

func TestDecodeExitCodes(t *testing.T) {
	tests := []struct {
		name, event string
		result      Result
		want        brief
	}{
		{"O-EXIT-06 exit 2 beats an allow", "PreToolUse", exited(2, allowJSON, "no"), brief{Blocked, DecisionDeny, "no", false, nil}},
		{"exit 2 with a deny of its own", "PreToolUse", exited(2, denyJSON, "no"), brief{Blocked, DecisionDeny, "x", false, nil}},
		{
			"exit 2 with bad JSON", "PreToolUse", exited(2, `{"decision":"maybe"}`, "no"),
			brief{Blocked, DecisionDeny, "no", false, []string{`bad-output: decision is "maybe", want "approve" or "block"`}},
		},
		{"exit 2, text on both", "PreToolUse", exited(2, "hello", "no"), brief{Blocked, DecisionDeny, "no", false, nil}},
		{
			"O-EXIT-02 exit 2, empty stderr", "PreToolUse", exited(2, "reason on stdout\n", " \n"),
			brief{Blocked, DecisionDeny, "hook guard ended with exit code 2 and gave no reason on stderr; on stdout: reason on stdout", false, nil},
		},
		{"exit 2, silent", "PreToolUse", exited(2, "", ""), brief{Blocked, DecisionDeny, "hook guard ended with exit code 2 and gave no reason on stderr", false, nil}},
		{"exit 2, nothing that can be seen", "PreToolUse", exited(2, "", "\ufeff\n\u200b\x1f"), brief{Blocked, DecisionDeny, "hook guard ended with exit code 2 and gave no reason on stderr", false, nil}},
		{
			"exit 2 drops an allow even where it does nothing", "PermissionRequest",
			exited(2, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`, "no"),
			brief{Blocked, DecisionNone, "", false, []string{
				`no-effect: exit code 2 has no effect on PermissionRequest; print {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"…"}}}; it said: no`,
			}},
		},
		{"exit 1 with JSON", "PreToolUse", exited(1, denyJSON, "oops"), brief{OK, DecisionDeny, "x", false, nil}},
		{"exit 3 with JSON", "PreToolUse", exited(3, allowJSON, ""), brief{OK, DecisionAllow, "", false, nil}},
		{
			"O-EXIT-01 exit 1 with text", "PreToolUse", exited(1, "hello", "policy broken\nat line 2"),
			brief{Failed, DecisionNone, "", false, []string{"hook-failed: it ended with exit code 1, and only exit code 2 blocks: policy broken"}},
		},
		{
			"exit 1 with JSON that is no answer", "PreToolUse", exited(1, `{"error":"db down"}`, ""),
			brief{Failed, DecisionNone, "", false, []string{
				"unknown-field: its JSON has no field that a hook can answer with; found error",
				"hook-failed: it ended with exit code 1, and only exit code 2 blocks",
			}},
		},
		{
			"exit 1 where text is context", "UserPromptSubmit", exited(1, "hello", ""),
			brief{Failed, DecisionNone, "", false, []string{"hook-failed: it ended with exit code 1, and only exit code 2 blocks"}},
		},
		{"O-EXIT-03 exit 0 with chatter", "PreToolUse", exited(0, "", "note"), brief{OK, DecisionNone, "", false, nil}},
		{
			"O-EXIT-04 could not start", "PreToolUse",
			Result{Status: CouldNotStart, Error: "no such file: /srv/guard.sh"},
			brief{CouldNotStart, DecisionNone, "", false, []string{"hook-not-started: it could not be started, so it enforces nothing: no such file: /srv/guard.sh"}},
		},
		{
			"timed out", "PreToolUse",
			Result{Status: TimedOut, Error: "timed out after 1s", Duration: time.Second, Stdout: []byte(denyJSON)},
			brief{TimedOut, DecisionNone, "", false, []string{"hook-timed-out: timed out after 1s, so it enforces nothing"}},
		},
		{
			"O-EXIT-05 killed", "PreToolUse",
			Result{Status: Killed, Signal: "KILL"},
			brief{Killed, DecisionNone, "", false, []string{"hook-killed: it was killed by signal KILL, so it enforces nothing"}},
		},
		{
			"killed after an allow", "PreToolUse",
			Result{Status: Killed, Signal: "KILL", Stdout: []byte(allowJSON)},
			brief{Killed, DecisionNone, "", false, []string{"hook-killed: it was killed by signal KILL, so it enforces nothing"}},
		},
		{
			"killed after a deny", "PreToolUse",
			Result{Status: Killed, Signal: "KILL", Stdout: []byte(denyJSON)},
			brief{Killed, DecisionDeny, "x", false, []string{"hook-killed: it was killed by signal KILL"}},
		},
		{
			"http error", "PreToolUse",
			Result{Status: HTTPError, Error: "status 500"},
			brief{HTTPError, DecisionNone, "", false, []string{"hook-http-error: its request failed, so it enforces nothing: status 500"}},
		},
		{
			"no model", "PreToolUse",
			Result{Status: ModelError, Error: "no model is configured"},
			brief{ModelError, DecisionNone, "", false, []string{"hook-model-error: the model gave no usable answer, so it enforces nothing: no model is configured"}},
		},
		{
			"cancelled guard", "PreToolUse",
			Result{Status: Cancelled},
			brief{Cancelled, DecisionDeny, "hook guard: it was cancelled before it answered", false, nil},
		},
		{
			"cancelled guard of a permission", "PermissionRequest",
			Result{Status: Cancelled},
			brief{Cancelled, DecisionDeny, "hook guard: it was cancelled before it answered", false, nil},
		},
		{
			"cancelled elsewhere", "Stop",
			Result{Status: Cancelled},
			brief{Cancelled, DecisionNone, "", false, []string{"hook-cancelled: it was cancelled before it answered, so it enforces nothing"}},
		},
		{"background", "PreToolUse", Result{Status: Background, Stdout: []byte(denyJSON)}, brief{Background, DecisionNone, "", false, nil}},
		{
			"a timeout that blocks", "PreModelSwitch",
			Result{Status: TimedOut, Error: "timed out after 30s"},
			brief{TimedOut, DecisionDeny, "hook guard: timed out after 30s", false, nil},
		},
		{
			"a worktree that could not be made", "WorktreeCreate",
			Result{Status: TimedOut, Error: "timed out after 1s"},
			brief{TimedOut, DecisionBlock, "hook guard: timed out after 1s", false, []string{"hook-timed-out: timed out after 1s"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := briefOf(Decode(example(t, tt.event), guard, tt.result))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeUnblockable(t *testing.T) {
	spec, _ := event.Lookup("ConfigChange")
	ev, err := event.Decode(spec, []byte(`{"source":"policy_settings"}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		result Result
		want   brief
	}{
		{exited(2, "", "no"), brief{Blocked, DecisionNone, "", false, []string{"no-effect: exit code 2 has no effect on ConfigChange of policy_settings; it said: no"}}},
		{exited(0, `{"decision":"block","reason":"no"}`, ""), brief{OK, DecisionNone, "", false, []string{`no-effect: "decision": "block" has no effect on ConfigChange of policy_settings`}}},
	} {
		v := Decode(ev, guard, tt.result)
		if diff := cmp.Diff(tt.want, briefOf(v)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if o := Combine(ev, []Verdict{v}); o.Blocked {
			t.Error("blocked")
		}
	}
}

// onFailure "block" turns every way to fail into what exit code 2 does.
func TestFailClosed(t *testing.T) {
	closed := guard
	closed.FailClosed = true
	one := 1
	failures := map[string]Result{
		"it ended with exit code 1: boom":                           {Status: Failed, ExitCode: &one, Stderr: []byte("boom")},
		"it could not be started: gone":                             {Status: CouldNotStart, Error: "gone"},
		"timed out after 1s":                                        {Status: TimedOut, Error: "timed out after 1s"},
		"it was killed by signal TERM":                              {Status: Killed, Signal: "TERM"},
		"its request failed: 500":                                   {Status: HTTPError, Error: "500"},
		"the model gave no usable answer":                           {Status: ModelError},
		"systemMessage is 5, want a string":                         {Status: OK, Stdout: []byte(`{"systemMessage":5}`)},
		"stdout begins with { and was cut off at the output limit":  {Status: OK, Stdout: []byte(`{"a`), Truncated: true},
		"its output has reason more than once, so it is not clear ": {Status: OK, Stdout: []byte(`{"reason":"a","reason":"b"}`)},
	}
	events := map[string]Decision{
		"PreToolUse": DecisionDeny, "PermissionRequest": DecisionDeny, "UserPromptSubmit": DecisionBlock, "PostToolUse": DecisionBlock,
		"TaskCreated": DecisionBlock, "PreCompact": DecisionBlock, "Elicitation": DecisionDeny,
		"Stop": DecisionNone, "SubagentStop": DecisionNone, "TaskCompleted": DecisionNone, "TeammateIdle": DecisionNone,
		"Notification": DecisionNone,
	}
	for name, want := range events {
		for text, res := range failures {
			v := Decode(example(t, name), closed, res)
			if v.Report.Decision != want {
				t.Errorf("%s, %s: %s, want %s", name, text, v.Report.Decision, want)
			}
			if begin := "hook guard: it failed, and its failure blocks: " + text; want != DecisionNone && !strings.HasPrefix(v.Report.Reason, begin) {
				t.Errorf("%s: reason %q, want %q", name, v.Report.Reason, begin)
			}
			if last := v.Problems[len(v.Problems)-1]; want == DecisionNone && !strings.HasPrefix(last.Message, `hook guard: "onFailure": "block" has no effect on `+name) {
				t.Errorf("%s, %s: last problem %q", name, text, last.Message)
			}
		}
	}
}

func TestFailClosedStaysOpen(t *testing.T) {
	closed := guard
	closed.FailClosed = true
	one := 1
	for name, res := range map[string]Result{
		"ok": exited(0, "", ""), "text": exited(0, "hello", ""), "allow at exit 1": {Status: Failed, ExitCode: &one, Stdout: []byte(allowJSON)},
		"background": {Status: Background},
	} {
		if v := Decode(example(t, "PreToolUse"), closed, res); v.Report.Decision == DecisionDeny {
			t.Errorf("%s: denied: %s", name, v.Report.Reason)
		}
	}
	if v := Decode(example(t, "PreToolUse"), closed, exited(2, "", "mine")); v.Report.Reason != "mine" {
		t.Errorf("the reason of exit code 2 is %q", v.Report.Reason)
	}
}

func TestObserve(t *testing.T) {
	hook := guard
	hook.Observe = true
	ev := example(t, "PreToolUse")
	v := Decode(ev, hook, exited(2, `{"systemMessage":"m"}`, "no"))
	want := brief{Blocked, DecisionNone, "", false, []string{"observed: it only observes; enforced, it would have answered deny: no"}}
	if diff := cmp.Diff(want, briefOf(v)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if o := Combine(ev, []Verdict{v}); o.Blocked || len(o.SystemMessages) > 0 || o.Answer(AnswerOptions{}).Exit != 0 {
		t.Errorf("a hook that observes decided: %+v", o)
	}
	hook.FailClosed = true
	if v := Decode(ev, hook, Result{Status: TimedOut}); v.Report.Decision != DecisionNone {
		t.Errorf("a hook that observes and fails denied: %s", v.Report.Reason)
	}
}
