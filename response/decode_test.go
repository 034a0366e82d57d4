package response

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// guard is the hook of these tests.
var guard = Hook{
	ID: "0123456789ab", Name: "guard", Type: "command",
	Source: Source{Scope: "project", File: ".theus/settings.json", Line: 12, Path: "hooks.PreToolUse[0].hooks[0]"},
}

func exited(code int, stdout, stderr string) Result {
	status := Failed
	switch code {
	case 0:
		status = OK
	case 2:
		status = Blocked
	}
	return Result{Status: status, ExitCode: &code, Stdout: []byte(stdout), Stderr: []byte(stderr)}
}

// brief is what most tests compare of a verdict.
type brief struct {
	Status   Status
	Decision Decision
	Reason   string
	Stop     bool
	Problems []string
}

func briefOf(v Verdict) brief {
	b := brief{Status: v.Report.Result.Status, Decision: v.Report.Decision, Reason: v.Report.Reason, Stop: v.say.stop}
	for _, p := range v.Problems {
		b.Problems = append(b.Problems, p.Code+": "+strings.TrimPrefix(p.Message, "hook guard: "))
	}
	return b
}

const (
	allowJSON = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`
	denyJSON  = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x"}}`
	denyHint  = `print {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"…"}}`
	notShape  = ` is not how PreToolUse is answered; it counts here, but elsewhere the action goes on; ` + denyHint
	blockHint = `print {"decision":"block","reason":"…"}`
)

func TestDecode(t *testing.T) {
	tests := []struct {
		name, event string
		result      Result
		want        brief
	}{
		{
			"O-OUT-01 text before the JSON", "PreToolUse", exited(0, "Welcome back\n{\"decision\":\"block\",\"reason\":\"no\"}\n", ""),
			brief{OK, DecisionNone, "", false, []string{"json-after-text: its JSON is not read, so \"decision\": \"block\" does not count, because stdout must hold nothing else; found text above it: Welcome back"}},
		},
		{
			"text after the JSON", "PreToolUse", exited(0, "{\"decision\":\"block\"}\ndone\n", ""),
			brief{OK, DecisionNone, "", false, []string{"json-after-text: its JSON is not read, so \"decision\": \"block\" does not count, because stdout must hold nothing else; found text below it: done"}},
		},
		{
			"a message below text", "PreToolUse", exited(0, "log\n{\"systemMessage\":\"m\"}\n", ""),
			brief{OK, DecisionNone, "", false, []string{"json-after-text: its JSON is not read, because stdout must hold nothing else; found text above it: log"}},
		},
		{"other JSON below text", "PreToolUse", exited(0, "log\n{\"level\":\"info\"}\n", ""), brief{OK, DecisionNone, "", false, nil}},
		{
			"O-OUT-02 looks like JSON, is not", "PreToolUse", exited(0, `{"decision":"block","reason":"a'`+"\n", ""),
			brief{BadOutput, DecisionNone, "", false, []string{`bad-output: stdout begins with { but is not JSON: line 1, column 33: found the end of the text, want the closing "\""`}},
		},
		{
			"not JSON though it ends like it", "PreToolUse", exited(0, "{see notes}", ""),
			brief{BadOutput, DecisionNone, "", false, []string{`bad-output: stdout begins with { but is not JSON: line 1, column 2: found 's', want a key in double quotes`}},
		},
		{"text in braces that does not end like JSON", "PreToolUse", exited(0, "{see notes} first", ""), brief{OK, DecisionNone, "", false, nil}},
		{
			"O-JSON-02 gjson would read it", "PreToolUse", exited(0, `{"decision"&& "block"}`, ""),
			brief{BadOutput, DecisionNone, "", false, []string{`bad-output: stdout begins with { but is not JSON: line 1, column 12: found '&', want ":"`}},
		},
		{
			"O-SIZE-01 too deep", "PreToolUse", exited(0, `{"a":`+strings.Repeat("[", 1200)+strings.Repeat("]", 1200)+"}", ""),
			brief{BadOutput, DecisionNone, "", false, []string{`bad-output: stdout begins with { but is not JSON: more than 1000 levels of nesting`}},
		},
		{"array is text", "PreToolUse", exited(0, `[{"decision":"block"}]`, ""), brief{OK, DecisionNone, "", false, nil}},
		{"byte order mark", "PreToolUse", exited(0, "\xef\xbb\xbf"+denyJSON, ""), brief{OK, DecisionDeny, "x", false, nil}},
		{"white space around", "PreToolUse", exited(0, " \r\n"+denyJSON+"\r\n\r\n", ""), brief{OK, DecisionDeny, "x", false, nil}},
		{"empty object", "PreToolUse", exited(0, "{}", ""), brief{OK, DecisionNone, "", false, nil}},
		{
			"O-OUT-03 unknown field beside a deny", "PreToolUse",
			exited(0, `{"note":1,"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x","note":1}}`, ""),
			brief{OK, DecisionDeny, "x", false, nil},
		},
		{
			"O-OUT-05 event name missing", "PreToolUse", exited(0, `{"hookSpecificOutput":{"permissionDecision":"deny"}}`, "not there"),
			brief{OK, DecisionDeny, "not there", false, []string{`missing-event-name: hookSpecificOutput has no hookEventName; add "hookEventName": "PreToolUse", other agents refuse the output without it`}},
		},
		{
			"another event's name", "PreToolUse",
			exited(0, `{"systemMessage":"m","hookSpecificOutput":{"hookEventName":"PostToolUse","permissionDecision":"deny","permissionDecisionReason":"x","updatedInput":{}}}`, ""),
			brief{BadOutput, DecisionDeny, "x", false, []string{`bad-output: hookSpecificOutput.hookEventName is "PostToolUse", want "PreToolUse"; of such an output only a denial counts`}},
		},
		{
			"another event's name without a deny", "PreToolUse",
			exited(0, `{"systemMessage":"m","hookSpecificOutput":{"hookEventName":"PostToolUse","permissionDecision":"allow"}}`, ""),
			brief{BadOutput, DecisionNone, "", false, []string{`bad-output: hookSpecificOutput.hookEventName is "PostToolUse", want "PreToolUse"; of such an output only a denial counts`}},
		},
		{
			"another event's whole answer", "PreToolUse",
			exited(0, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"x","additionalContext":7}}`, ""),
			brief{BadOutput, DecisionNone, "", false, []string{`bad-output: hookSpecificOutput.hookEventName is "PostToolUse", want "PreToolUse"; of such an output only a denial counts`}},
		},
		{
			"the reason at top level", "PreToolUse", exited(0, `{"reason":"x",`+pre(`"permissionDecision":"deny"`)[1:], ""),
			brief{OK, DecisionDeny, "x", false, nil},
		},
		{
			"a bad field beside a deny", "PreToolUse", exited(0, `{"decision":"block","reason":"x","systemMessage":5}`, ""),
			brief{BadOutput, DecisionDeny, "x", false, []string{`bad-output: systemMessage is 5, want a string`}},
		},
		{
			"a bad field beside a stop", "PreToolUse", exited(0, `{"continue":false,"systemMessage":5}`, ""),
			brief{BadOutput, DecisionDeny, "hook guard blocked this and gave no reason", true, []string{`bad-output: systemMessage is 5, want a string`}},
		},
		{
			"a bad field beside an allow", "PreToolUse", exited(0, `{"suppressOutput":1,`+allowJSON[1:], ""),
			brief{BadOutput, DecisionNone, "", false, []string{`bad-output: suppressOutput is 1, want a boolean`}},
		},
		{
			"a bad value", "PreToolUse", exited(0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"maybe"}}`, ""),
			brief{BadOutput, DecisionNone, "", false, []string{`bad-output: hookSpecificOutput.permissionDecision is "maybe", want "allow", "deny", "ask" or "defer"`}},
		},
		{
			"O-OUT-09 a field of another event", "Stop", exited(0, `{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"deny"}}`, ""),
			brief{BadOutput, DecisionNone, "", false, []string{`misplaced-field: hookSpecificOutput.permissionDecision is not a field of Stop, which has additionalContext`}},
		},
		{
			"a field of another event beside its own", "PreToolUse", exited(0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x","retry":true}}`, ""),
			brief{OK, DecisionDeny, "x", false, []string{`misplaced-field: hookSpecificOutput.retry is not a field of PreToolUse, which has permissionDecision, permissionDecisionReason, updatedInput, updatedInputPatch, additionalContext`}},
		},
		{
			"a misspelt field", "PreToolUse", exited(0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContxt":"x"}}`, ""),
			brief{OK, DecisionNone, "", false, []string{`unknown-field: hookSpecificOutput.additionalContxt is not a field of PreToolUse; did you mean "additionalContext"?`}},
		},
		{
			"no known field", "PreToolUse", exited(0, `{"result":"fine","code":0}`, ""),
			brief{OK, DecisionNone, "", false, []string{`unknown-field: its JSON has no field that a hook can answer with; found result, code`}},
		},
		{"null is not there", "PreToolUse", exited(0, `{"continue":null,"systemMessage":null,"hookSpecificOutput":null}`, ""), brief{OK, DecisionNone, "", false, nil}},
		{
			"both words, the inner one wins", "PreToolUse", exited(0, `{"decision":"block",`+allowJSON[1:], ""),
			brief{OK, DecisionAllow, "", false, []string{`overridden: "decision": "block" is overridden by "allow" beside it`}},
		},
		{"both words deny", "PreToolUse", exited(0, `{"decision":"block","reason":"outer",`+denyJSON[1:], ""), brief{OK, DecisionDeny, "x", false, nil}},
		{"approve means no objection", "UserPromptSubmit", exited(0, `{"decision":"approve","reason":"fine"}`, ""), brief{OK, DecisionNone, "", false, nil}},
		{
			"a stop where it is dropped", "PreCompact", exited(0, `{"continue":false}`, ""),
			brief{OK, DecisionNone, "", false, []string{`no-effect: "continue": false has no effect on PreCompact; ` + blockHint}},
		},
		{
			"a block where nothing can be blocked", "SessionStart", exited(0, `{"decision":"block","reason":"no"}`, ""),
			brief{OK, DecisionNone, "", false, []string{`no-effect: "decision": "block" has no effect on SessionStart`}},
		},
		{"defer", "PreToolUse", exited(0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer","updatedInput":{}}}`, ""), brief{OK, DecisionDefer, "", false, []string{"rewrite-ignored: updatedInput has no effect beside defer"}}},
		{"async", "PreToolUse", exited(0, `{"async":true,"asyncTimeout":5000}`, ""), brief{OK, DecisionNone, "", false, nil}},
		{
			"async with a decision", "PreToolUse", exited(0, "{\"async\":true}\n{\"decision\":\"block\"}", ""),
			brief{OK, DecisionNone, "", false, []string{`async-decision: it answers "async": true and so runs in the background, where it cannot decide; "decision": "block" is not used`}},
		},
		{"not async", "PreToolUse", exited(0, `{"async":false,"decision":"block","reason":"x"}`, ""), brief{OK, DecisionDeny, "x", false, nil}},
		{
			"two objects", "PreToolUse", exited(0, "{\"systemMessage\":\"a\"}\n{\"systemMessage\":\"b\"}", ""),
			brief{BadOutput, DecisionNone, "", false, []string{`bad-output: stdout holds more than one JSON object`}},
		},
		{
			"two objects, one denies", "PreToolUse", exited(0, "{\"systemMessage\":\"a\"}\n"+denyJSON, ""),
			brief{BadOutput, DecisionDeny, "x", false, []string{`bad-output: stdout holds more than one JSON object`}},
		},
		{
			"O-JSON-01 doubled key, one denies", "PreToolUse", exited(0, `{"decision":"block","decision":"approve","reason":"x"}`, ""),
			brief{OK, DecisionDeny, "x", false, []string{`doubled-key: its output has decision more than once; the strictest value counts`}},
		},
		{
			"doubled stop", "PreToolUse", exited(0, `{"continue":false,"continue":true,"stopReason":"x"}`, ""),
			brief{OK, DecisionDeny, "x", true, []string{`doubled-key: its output has continue more than once; the strictest value counts`}},
		},
		{
			"doubled inside, none denies", "PreToolUse", exited(0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecision":"ask"}}`, ""),
			brief{OK, DecisionAsk, "", false, []string{`doubled-key: its output has permissionDecision more than once; the strictest value counts`}},
		},
		{
			"doubled text", "PreToolUse", exited(0, `{"systemMessage":"a","systemMessage":"b"}`, ""),
			brief{BadOutput, DecisionNone, "", false, []string{`bad-output: its output has systemMessage more than once, so it is not clear what it says`}},
		},
		{
			"cut off by the limit", "PreToolUse",
			Result{Status: OK, Stdout: []byte(`{"systemMessage":"x`), Truncated: true},
			brief{BadOutput, DecisionNone, "", false, []string{`bad-output: stdout begins with { and was cut off at the output limit`}},
		},
		{
			"a denial that was cut off", "PreToolUse",
			Result{Status: OK, Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"secret: yy\`), Truncated: true},
			brief{BadOutput, DecisionDeny, "secret: yy", false, []string{`bad-output: stdout begins with { and was cut off at the output limit`}},
		},
		{
			"a denial that was cut off within a key", "PreToolUse",
			Result{Status: OK, Stdout: []byte(`{"a":[{"b":"}],"}],"decision":"block","reason":"r","oth`), Truncated: true},
			brief{BadOutput, DecisionDeny, "r", false, []string{`bad-output: stdout begins with { and was cut off at the output limit`}},
		},
		{
			"an approval that was cut off", "PreToolUse",
			Result{Status: OK, Stdout: []byte(`{"decision":"approve","reason":"r`), Truncated: true},
			brief{BadOutput, DecisionNone, "", false, []string{`bad-output: stdout begins with { and was cut off at the output limit`}},
		},
		{"cut off text", "PreToolUse", Result{Status: OK, Stdout: []byte("log"), Truncated: true}, brief{OK, DecisionNone, "", false, nil}},
		{
			"null for the event name", "PreToolUse", exited(0, `{"hookSpecificOutput":{"hookEventName":null,"permissionDecision":"ask"}}`, ""),
			brief{OK, DecisionAsk, "", false, []string{`missing-event-name: hookSpecificOutput has no hookEventName; add "hookEventName": "PreToolUse", other agents refuse the output without it`}},
		},
		{
			"cut off context", "SessionStart",
			Result{Status: OK, Stdout: []byte("log"), Truncated: true, DiscardedBytes: 7},
			brief{OK, DecisionNone, "", false, []string{`output-truncated: its text was cut off at the output limit; 7 bytes were dropped`}},
		},
		{"not UTF-8", "PreToolUse", exited(0, "{\"decision\":\"block\",\"reason\":\"\xff\"}", ""), brief{OK, DecisionDeny, "\uFFFD", false, nil}},
		{
			"bad terminal sequence", "Stop", exited(0, `{"terminalSequence":"\u001b[2J"}`, ""),
			brief{OK, DecisionNone, "", false, []string{`terminal-sequence: terminalSequence is dropped: only BEL and OSC sequences are passed on`}},
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

// A problem names the hook's place, so that it can be found.
func TestProblemPlace(t *testing.T) {
	v := Decode(example(t, "PreToolUse"), guard, exited(1, "", ""))
	want := []Problem{{
		Severity: "warning", Code: "hook-failed", Message: "hook guard: it ended with exit code 1, and only exit code 2 blocks",
		File: ".theus/settings.json", Line: 12, Path: "hooks.PreToolUse[0].hooks[0]",
	}}
	if diff := cmp.Diff(want, v.Problems); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
