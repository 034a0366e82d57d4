package response

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/settings/event"
)

// said makes the verdicts of hooks named a, b, c, … that printed these texts.
func said(ev *event.Event, stdouts ...string) []Verdict {
	var list []Verdict
	for i, text := range stdouts {
		name := string(rune('a' + i))
		list = append(list, Decode(ev, Hook{ID: "id-" + name, Name: name, Type: "command"}, exited(0, text, "")))
	}
	return list
}

// pre is a PreToolUse answer with these fields.
func pre(fields string) string {
	return `{"hookSpecificOutput":{"hookEventName":"PreToolUse",` + fields + `}}`
}

func TestStrictestWins(t *testing.T) {
	say := map[Decision]string{
		DecisionNone: "", DecisionAllow: pre(`"permissionDecision":"allow"`), DecisionAsk: pre(`"permissionDecision":"ask"`),
		DecisionDefer: pre(`"permissionDecision":"defer"`), DecisionDeny: pre(`"permissionDecision":"deny","permissionDecisionReason":"x"`),
	}
	strict := []Decision{DecisionNone, DecisionAllow, DecisionAsk, DecisionDefer, DecisionDeny}
	ev := example(t, "PreToolUse")
	for i, a := range strict {
		for j, b := range strict {
			o := Combine(ev, said(ev, say[a], say[b]))
			if want := strict[max(i, j)]; o.Decision != want || o.Blocked != (want == DecisionDeny) {
				t.Errorf("%s and %s: %s, blocked %v", a, b, o.Decision, o.Blocked)
			}
		}
	}
}

func TestReasons(t *testing.T) {
	deny := func(reason string) string {
		return pre(`"permissionDecision":"deny","permissionDecisionReason":"` + reason + `"`)
	}
	ev := example(t, "PreToolUse")
	one := Combine(ev, said(ev, deny("no"), pre(`"permissionDecision":"ask","permissionDecisionReason":"sure?"`)))
	if one.Reason != "no" {
		t.Errorf("one reason: %q", one.Reason)
	}
	two := Combine(ev, said(ev, deny("no"), "", deny("never")))
	if two.Reason != "a: no\nc: never" {
		t.Errorf("two reasons: %q", two.Reason)
	}
	nameless := said(ev, deny("no"), deny("never"))
	nameless[1].Report.Hook.Name = ""
	nameless[1].Report.Hook.Source = Source{File: ".theus/settings.json", Line: 4, Path: "hooks.PreToolUse[1].hooks[0]"}
	if got := Combine(ev, nameless).Reason; got != "a: no\nhooks.PreToolUse[1].hooks[0] (.theus/settings.json:4): never" {
		t.Errorf("a hook without a name: %q", got)
	}
}

func TestTextsAreAllKept(t *testing.T) {
	ev := example(t, "PreToolUse")
	o := Combine(ev, said(
		ev,
		`{"systemMessage":"m1","terminalSequence":"\u0007",`+pre(`"additionalContext":"c1"`)[1:],
		`{"suppressOutput":true}`,
		`{"systemMessage":"m2","terminalSequence":"\u001b]9;x\u0007",`+pre(`"additionalContext":"c2"`)[1:],
	))
	if diff := cmp.Diff([]string{"m1", "m2"}, o.SystemMessages); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"c1", "c2"}, o.AdditionalContext); diff != "" {
		t.Error(diff)
	}
	if !o.SuppressOutput || o.TerminalSequence != "\a\x1b]9;x\a" {
		t.Errorf("suppress %v, terminal %q", o.SuppressOutput, o.TerminalSequence)
	}
	want := `{"systemMessage":"m1\nm2","terminalSequence":"\u0007\u001b]9;x\u0007","hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c1\nc2"},"suppressOutput":true}` + "\n"
	if a := o.Answer(AnswerOptions{}); string(a.Stdout) != want || a.Exit != 0 {
		t.Errorf("answer %d\n%s", a.Exit, a.Stdout)
	}
}

func TestSingleValues(t *testing.T) {
	tests := []struct {
		name, event string
		stdouts     []string
		want        string // hookSpecificOutput
		conflicts   []Conflict
	}{
		{
			"the last title wins", "SessionStart",
			[]string{`{"hookSpecificOutput":{"hookEventName":"SessionStart","sessionTitle":"x"}}`, `{"hookSpecificOutput":{"hookEventName":"SessionStart","sessionTitle":"y"}}`, ""},
			`{"hookEventName":"SessionStart","sessionTitle":"y"}`,
			[]Conflict{{"sessionTitle", "id-b", []string{"id-a"}}},
		},
		{
			"the same title twice is no conflict", "SessionStart",
			[]string{`{"hookSpecificOutput":{"hookEventName":"SessionStart","sessionTitle":"x"}}`, `{"hookSpecificOutput":{"hookEventName":"SessionStart","sessionTitle":"x"}}`},
			`{"hookEventName":"SessionStart","sessionTitle":"x"}`, nil,
		},
		{
			"paths are united", "CwdChanged",
			[]string{`{"hookSpecificOutput":{"hookEventName":"CwdChanged","watchPaths":["/a","/b"]}}`, `{"hookSpecificOutput":{"hookEventName":"CwdChanged","watchPaths":["/b","/c"]}}`},
			`{"hookEventName":"CwdChanged","watchPaths":["/a","/b","/c"]}`, nil,
		},
		{
			"an empty list clears", "CwdChanged",
			[]string{`{"hookSpecificOutput":{"hookEventName":"CwdChanged","watchPaths":[]}}`},
			`{"hookEventName":"CwdChanged","watchPaths":[]}`, nil,
		},
		{
			"one retry is enough", "PermissionDenied",
			[]string{`{"hookSpecificOutput":{"hookEventName":"PermissionDenied","retry":true}}`, `{"hookSpecificOutput":{"hookEventName":"PermissionDenied","retry":false}}`},
			`{"hookEventName":"PermissionDenied","retry":true}`, nil,
		},
		{
			"notes are joined", "PostToolUse",
			[]string{`{"hookSpecificOutput":{"hookEventName":"PostToolUse","classifierContext":"x"}}`, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","classifierContext":"y"}}`},
			`{"hookEventName":"PostToolUse","classifierContext":"x\ny"}`, nil,
		},
		{
			"the last answer to a server wins whole", "Elicitation",
			[]string{
				`{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{"project":"x"}}}`,
				`{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept"}}`,
			},
			`{"hookEventName":"Elicitation","action":"accept"}`, nil,
		},
		{
			"but a denial beats it", "Elicitation",
			[]string{
				`{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"cancel"}}`,
				`{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{"project":"x"}}}`,
			},
			`{"hookEventName":"Elicitation","action":"cancel"}`, nil,
		},
		{
			"the last path wins", "WorktreeCreate",
			[]string{"/a", "/b"},
			`{"hookEventName":"WorktreeCreate","worktreePath":"/b"}`,
			[]Conflict{{"worktreePath", "id-b", []string{"id-a"}}},
		},
		{
			"permissions add up", "PermissionRequest",
			[]string{
				`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"git push -n"}}}}`,
				`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedPermissions":[{"type":"setMode"}]}}}`,
			},
			`{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"git push -n"},"updatedPermissions":[{"type":"setMode"}]}}`, nil,
		},
		{
			"a denied permission takes nothing along", "PermissionRequest",
			[]string{
				`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"git push -n"}}}}`,
				`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no","interrupt":true}}}`,
			},
			`{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no","interrupt":true}}`, nil,
		},
		{
			"the last stop reason counts", "PreToolUse",
			[]string{`{"continue":false,"stopReason":"x"}`, `{"continue":false,"stopReason":"y"}`, `{"continue":false}`, `{"stopReason":"unused"}`},
			`{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"a: x\nb: y\nc: hook c blocked this and gave no reason"}`,
			[]Conflict{{"stopReason", "id-b", []string{"id-a"}}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ev := example(t, tt.event)
			o := Combine(ev, said(ev, tt.stdouts...))
			if string(o.HookSpecificOutput) != tt.want {
				t.Errorf("hookSpecificOutput\n got %s\nwant %s", o.HookSpecificOutput, tt.want)
			}
			if diff := cmp.Diff(tt.conflicts, o.Conflicts); diff != "" {
				t.Errorf("conflicts (-want +got):\n%s", diff)
			}
		})
	}
}

// What a hook of a chain changes of the rewrites before it, which it has seen,
// is no conflict.
func TestRewriteInChains(t *testing.T) {
	spec, _ := event.Lookup("PreToolUse")
	ev, err := event.Decode(spec, []byte(`{"tool_name":"Bash","tool_input":{"command":"make"}}`))
	if err != nil {
		t.Fatal(err)
	}
	x, y := `"updatedInputPatch":{"command":"x"}`, `"updatedInputPatch":{"command":"y"}`
	whole := `"updatedInput":{"command":"z"}`
	for _, tt := range []struct {
		name      string
		fields    []string
		chains    []int
		want      string
		conflicts []Conflict
	}{
		{"patch after patch", []string{x, y}, []int{1, 1}, `{"command":"y"}`, nil},
		{"whole after patch", []string{x, whole}, []int{1, 1}, `{"command":"z"}`, nil},
		{"two chains", []string{x, y}, []int{1, 2}, `{"command":"y"}`, []Conflict{{"updatedInput.command", "id-b", []string{"id-a"}}}},
		{"beside a chain", []string{x, y, whole}, []int{0, 1, 1}, `{"command":"z"}`, []Conflict{{"updatedInput", "id-c", []string{"id-a"}}}},
		{"no chains", []string{x, whole}, []int{0, 0}, `{"command":"z"}`, []Conflict{{"updatedInput", "id-b", []string{"id-a"}}}},
		{"a chain after others", []string{x, y, x}, []int{0, 2, 2}, `{"command":"x"}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stdouts []string
			for _, f := range tt.fields {
				stdouts = append(stdouts, pre(f))
			}
			verdicts := said(ev, stdouts...)
			for i := range verdicts {
				verdicts[i].Chain = tt.chains[i]
			}
			o := Combine(ev, verdicts)
			if string(o.UpdatedInput) != tt.want {
				t.Errorf("got %s, want %s", o.UpdatedInput, tt.want)
			}
			if diff := cmp.Diff(tt.conflicts, o.Conflicts); diff != "" {
				t.Errorf("conflicts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRewrite(t *testing.T) {
	spec, _ := event.Lookup("PreToolUse")
	ev, err := event.Decode(spec, []byte(`{"tool_name":"Bash","tool_input":{"command":"make","timeout":600000.0,"env":{"A":"1","B":"2"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name      string
		fields    []string
		want      string // "": not rewritten
		conflicts []Conflict
		problems  []string
	}{
		{"none", []string{`"permissionDecision":"allow"`}, "", nil, nil},
		{
			"whole",
			[]string{`"updatedInput":{"command":"make -j2","timeout":600000.0,"env":{}}`},
			`{"command":"make -j2","timeout":600000.0,"env":{}}`, nil, nil,
		},
		{
			"whole, dropping",
			[]string{`"updatedInput":{"command":"make -j2"}`},
			`{"command":"make -j2"}`, nil,
			[]string{"hook a: updatedInput takes the place of the whole tool_input and so drops timeout, env; repeat what is to stay, or use updatedInputPatch"},
		},
		{
			"patch",
			[]string{`"updatedInputPatch":{"command":"make -j2","env":{"A":null,"C":"3"}}`},
			`{"command":"make -j2","timeout":600000.0,"env":{"B":"2","C":"3"}}`, nil, nil,
		},
		{"patch drops on purpose", []string{`"updatedInputPatch":{"timeout":null,"env":null}`}, `{"command":"make"}`, nil, nil},
		{
			"patches add up",
			[]string{`"updatedInputPatch":{"command":"x"}`, `"updatedInputPatch":{"timeout":1}`},
			`{"command":"x","timeout":1,"env":{"A":"1","B":"2"}}`, nil, nil,
		},
		{
			"patches that meet",
			[]string{`"updatedInputPatch":{"command":"x"}`, `"updatedInputPatch":{"command":"y"}`},
			`{"command":"y","timeout":600000.0,"env":{"A":"1","B":"2"}}`,
			[]Conflict{{"updatedInput.command", "id-b", []string{"id-a"}}},
			nil,
		},
		{
			"a patch that puts back what was",
			[]string{`"updatedInputPatch":{"command":"x"}`, `"updatedInputPatch":{"command":"make"}`},
			`{"command":"make","timeout":600000.0,"env":{"A":"1","B":"2"}}`,
			[]Conflict{{"updatedInput.command", "id-b", []string{"id-a"}}},
			nil,
		},
		{
			"the last whole one wins",
			[]string{
				`"updatedInput":{"command":"x","timeout":1,"env":{}}`, `"updatedInputPatch":{"command":"y"}`,
				`"updatedInput":{"command":"z","timeout":1,"env":{}}`, `"updatedInputPatch":{"timeout":2}`,
			},
			`{"command":"z","timeout":2,"env":{}}`,
			[]Conflict{{"updatedInput", "id-c", []string{"id-a", "id-b"}}, {"updatedInput.timeout", "id-d", []string{"id-c"}}},
			nil,
		},
		{"patch of one's own whole", []string{`"updatedInputPatch":{"timeout":3},"updatedInput":{"command":"x","timeout":1,"env":{}}`}, `{"command":"x","timeout":3,"env":{}}`, nil, nil},
		{"beside ask", []string{`"permissionDecision":"ask","updatedInputPatch":{"command":"x"}`}, `{"command":"x","timeout":600000.0,"env":{"A":"1","B":"2"}}`, nil, nil},
		{"beside deny", []string{`"updatedInputPatch":{"command":"x"}`, `"permissionDecision":"deny","permissionDecisionReason":"x"`}, "", nil, nil},
		{"beside defer", []string{`"updatedInputPatch":{"command":"x"}`, `"permissionDecision":"defer"`}, "", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdouts []string
			for _, f := range tt.fields {
				stdouts = append(stdouts, pre(f))
			}
			o := Combine(ev, said(ev, stdouts...))
			if string(o.UpdatedInput) != tt.want {
				t.Errorf("\n got %s\nwant %s", o.UpdatedInput, tt.want)
			}
			var problems []string
			for _, p := range o.Problems {
				problems = append(problems, p.Message)
			}
			if diff := cmp.Diff(tt.conflicts, o.Conflicts); diff != "" {
				t.Errorf("conflicts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.problems, problems); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

// A hook that runs after another sees what that one made of the input.
func TestVerdictUpdatedInput(t *testing.T) {
	ev := example(t, "PreToolUse")
	for fields, want := range map[string]string{
		`"updatedInputPatch":{"description":"x"}`:                    `{"command":"rm -rf build","description":"x"}`,
		`"permissionDecision":"deny","updatedInput":{"command":"x"}`: "",
		`"permissionDecision":"ask","updatedInput":{"command": "x"}`: `{"command":"x"}`,
		`"additionalContext":"x"`:                                    "",
	} {
		if got := said(ev, pre(fields))[0].UpdatedInput(ev); string(got) != want {
			t.Errorf("%s: %s, want %s", fields, got, want)
		}
	}
}

func TestMergePatch(t *testing.T) {
	// The cases of RFC 7396, appendix A, and our own.
	for _, tt := range []struct{ target, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `null`, `null`},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{``, `{"a":1,"b":null}`, `{"a":1}`},
		{`{"n":1.0,"s":"\u003c<"}`, `{"m":1e2}`, `{"n":1.0,"s":"\u003c<","m":1e2}`},
		{`{"a":1,"b":2}`, `{"a":null,"a":3}`, `{"b":2,"a":3}`},
		{`{"a.b":1,"*":2}`, `{"a.b":3}`, `{"a.b":3,"*":2}`},
	} {
		if got := mergePatch(tt.target, tt.patch); got != tt.want {
			t.Errorf("%s patched with %s: %s, want %s", tt.target, tt.patch, got, tt.want)
		}
	}
}

// A worktree is made when one hook made it, and fails when one hook failed.
func TestWorktreeHooks(t *testing.T) {
	ev := example(t, "WorktreeCreate")
	ok, silent := said(ev, "/srv/w")[0], said(ev, "")[0]
	failed := Decode(ev, guard, exited(1, "/srv/x", "disk full"))
	for name, tt := range map[string]struct {
		verdicts []Verdict
		want     Answer
	}{
		"made":              {[]Verdict{silent, ok, silent}, Answer{0, []byte("/srv/w\n"), nil}},
		"failed":            {[]Verdict{ok, failed}, Answer{1, nil, []byte("disk full\n")}},
		"nobody made it":    {[]Verdict{silent}, Answer{1, nil, []byte("no hook printed the path of the worktree; the last line on stdout must be it\n")}},
		"there is no hook":  {nil, Answer{}},
		"in the background": {[]Verdict{Decode(ev, guard, Result{Status: Background})}, Answer{}},
	} {
		o := Combine(ev, tt.verdicts)
		if diff := cmp.Diff(tt.want, o.Answer(AnswerOptions{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if o.Blocked && o.HookSpecificOutput != nil {
			t.Errorf("%s: blocked, and still %s", name, o.HookSpecificOutput)
		}
	}
}

func TestLetStop(t *testing.T) {
	ev := example(t, "Stop")
	o := Combine(ev, said(ev, `{"decision":"block","reason":"go on","hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"c"}}`))
	if !o.KeepsGoing() {
		t.Fatal("a block on Stop does not keep the agent going")
	}
	o.LetStop(8)
	const text = "Stop hooks have made the agent go on 8 times in a row; it may stop now, although they said: go on"
	if o.KeepsGoing() || o.Blocked || o.Decision != DecisionNone || o.Reason != "" || o.HookSpecificOutput != nil {
		t.Errorf("still going on: %s", o.JSON())
	}
	if want := `{"systemMessage":"` + text + `"}` + "\n"; string(o.Answer(AnswerOptions{}).Stdout) != want {
		t.Errorf("answer %s", o.Answer(AnswerOptions{}).Stdout)
	}
	if len(o.Problems) != 1 || o.Problems[0].Message != text {
		t.Errorf("problems %v", o.Problems)
	}
	for stdout, want := range map[string]bool{
		"": false, `{"continue":false,"decision":"block"}`: false,
		`{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"c"}}`: true,
	} {
		if got := Combine(ev, said(ev, stdout)).KeepsGoing(); got != want {
			t.Errorf("%s: keeps going %v", stdout, got)
		}
	}
}

func ExampleCombine() {
	spec, _ := event.Lookup("PreToolUse")
	ev, _ := event.Decode(spec, []byte(`{"tool_name":"Bash","tool_input":{"command":"rm -rf /"}}`))
	code := 2
	v := Decode(ev, Hook{Name: "guard"}, Result{Status: Blocked, ExitCode: &code, Stderr: []byte("not the root")})
	a := Combine(ev, []Verdict{v}).Answer(AnswerOptions{})
	fmt.Printf("%d %s", a.Exit, a.Stderr)
	// Output: 2 not the root
}

func TestExamplesOfTheTable(t *testing.T) {
	for _, spec := range event.All() {
		if spec.Example.Answer == "" {
			continue
		}
		ev := example(t, spec.Name)
		v := Decode(ev, guard, exited(0, spec.Example.Answer, ""))
		if v.Report.Result.Status != OK || len(v.Problems) > 0 {
			t.Errorf("%s: the example answer is %s: %v", spec.Name, v.Report.Result.Status, v.Problems)
		}
		a := Combine(ev, []Verdict{v}).Answer(AnswerOptions{})
		if a.Exit == 0 && len(a.Stdout) == 0 {
			t.Errorf("%s: the example answer does nothing", spec.Name)
		}
		if len(a.Stdout) > 0 && spec.Form != event.FormPath && !json.Valid(a.Stdout) {
			t.Errorf("%s: not JSON: %s", spec.Name, a.Stdout)
		}
		if strings.Contains(string(a.Stdout), "null") {
			t.Errorf("%s: %s", spec.Name, a.Stdout)
		}
	}
}
