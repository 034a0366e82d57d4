package settings

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// summary is what a file amounts to, one line per handler.
func summary(f *File) []string {
	var lines []string
	for _, g := range f.Groups {
		for _, h := range g.Handlers {
			line := fmt.Sprintf("%s %q %s", g.Event.Name, g.Matcher.Text, h.Place.Path)
			if g.Matcher.Broken != "" {
				line += " BROKEN"
			}
			if h.Invalid != "" {
				line += " INVALID"
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func problems(f *File) []string {
	var lines []string
	for _, p := range f.Problems {
		lines = append(lines, fmt.Sprintf("%s %d:%d %s %s", p.Severity, p.Line, p.Column, p.Code, p.Path))
	}
	return lines
}

func TestParse(t *testing.T) {
	const run = `{"type":"command","command":"true"}`
	tests := []struct {
		name, text string
		handlers   []string
		problems   []string
	}{
		{
			"groups in the order of the text",
			`{"hooks":{"Stop":[{"hooks":[` + run + `]}],"PreToolUse":[{"matcher":"Bash","hooks":[` + run + `,` + run + `]},{"hooks":[` + run + `]}]}}`,
			[]string{
				`Stop "" hooks.Stop[0].hooks[0]`, `PreToolUse "Bash" hooks.PreToolUse[0].hooks[0]`,
				`PreToolUse "Bash" hooks.PreToolUse[0].hooks[1]`, `PreToolUse "" hooks.PreToolUse[1].hooks[0]`,
			},
			nil,
		},
		{
			"keys of others are never looked at",
			`{"permissions":{"allow":["Bash(*)","NoSuchTool((("]},"statusLine":7,"x":{"hooks":1},"hooks":{"Stop":[{"x_owner":1,"hooks":[{"type":"command","command":"t","x_id":7}]}]}}`,
			[]string{`Stop "" hooks.Stop[0].hooks[0]`},
			nil,
		},
		{
			"an unknown event costs itself",
			"{\n \"hooks\": {\n  \"MoonPhase\": [{\"hooks\": [" + run + "]}],\n  \"Stop\": [{\"hooks\": [" + run + "]}]\n }\n}",
			[]string{`Stop "" hooks.Stop[0].hooks[0]`},
			[]string{"warning 3:3 unknown-event hooks.MoonPhase"},
		},
		{
			"an event in another case is read",
			`{"hooks":{"preToolUse":[{"hooks":[` + run + `]}],"session_start":[{"hooks":[` + run + `]}]}}`,
			[]string{`PreToolUse "" hooks.PreToolUse[0].hooks[0]`, `SessionStart "" hooks.SessionStart[0].hooks[0]`},
			[]string{"warning 1:11 event-case hooks.preToolUse", "warning 1:74 event-case hooks.session_start"},
		},
		{
			"both blocks of a doubled event",
			`{"hooks":{"Stop":[{"hooks":[` + run + `]}],"Stop":[{"hooks":[` + run + `]}]}}`,
			[]string{`Stop "" hooks.Stop[0].hooks[0]`, `Stop "" hooks.Stop[1].hooks[0]`},
			[]string{"error 1:68 duplicate-key hooks.Stop"},
		},
		{
			"both blocks of doubled hooks",
			`{"hooks":{"Stop":[{"hooks":[` + run + `]}]},"hooks":{"Stop":[{"hooks":[` + run + `]}]}}`,
			[]string{`Stop "" hooks.Stop[0].hooks[0]`, `Stop "" hooks.Stop[1].hooks[0]`},
			[]string{"error 1:69 duplicate-key hooks"},
		},
		{
			"a doubled key makes one handler invalid",
			`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a","command":"b"},` + run + `]}]}}`,
			[]string{`Stop "" hooks.Stop[0].hooks[0] INVALID`, `Stop "" hooks.Stop[0].hooks[1]`},
			[]string{"error 1:61 duplicate-key hooks.Stop[0].hooks[0].command"},
		},
		{
			"a matcher that is no string breaks its group",
			`{"hooks":{"PreToolUse":[{"matcher":["Edit","Write"],"hooks":[` + run + `]}],"Stop":[{"matcher":null,"hooks":[` + run + `]}]}}`,
			[]string{`PreToolUse "" hooks.PreToolUse[0].hooks[0] BROKEN`, `Stop "" hooks.Stop[0].hooks[0]`},
			[]string{"error 1:26 wrong-type hooks.PreToolUse[0].matcher"},
		},
		{
			"a handler without its group",
			`{"hooks":{"PostToolUse":[{"matcher":"Edit|Write","command":"make fmt","type":"command"}],"Stop":{"hooks":[` + run + `]},"SessionEnd":"./x.sh"}}`,
			[]string{`PostToolUse "Edit|Write" hooks.PostToolUse[0]`, `Stop "" hooks.Stop.hooks[0]`},
			[]string{
				"error 1:26 flat-entry hooks.PostToolUse[0]", "error 1:90 wrong-type hooks.Stop",
				"error 1:145 wrong-type hooks.SessionEnd",
			},
		},
		{
			"entries that are no handlers",
			`{"hooks":{"Stop":[{"hooks":["./x.sh",{"type":"command"},{"type":"command","command":" "},{"type":"command","command":["a","b"]},{"type":"comand","command":"x"},` + run + `]},7]}}`,
			[]string{
				`Stop "" hooks.Stop[0].hooks[0] INVALID`, `Stop "" hooks.Stop[0].hooks[1] INVALID`, `Stop "" hooks.Stop[0].hooks[2] INVALID`,
				`Stop "" hooks.Stop[0].hooks[3] INVALID`, `Stop "" hooks.Stop[0].hooks[4] INVALID`, `Stop "" hooks.Stop[0].hooks[5]`,
			},
			[]string{
				"error 1:29 wrong-type hooks.Stop[0].hooks[0]", "error 1:38 missing-command hooks.Stop[0].hooks[1]",
				"error 1:75 empty-command hooks.Stop[0].hooks[2].command", "error 1:108 wrong-type hooks.Stop[0].hooks[3].command",
				"error 1:130 unknown-type hooks.Stop[0].hooks[4].type", "error 1:199 wrong-type hooks.Stop[1]",
			},
		},
		{
			"a type that can be only one thing is read as that",
			`{"hooks":{"Stop":[{"hooks":[{"command":"a"},{"type":"Command","command":"b"}]}]}}`,
			[]string{`Stop "" hooks.Stop[0].hooks[0]`, `Stop "" hooks.Stop[0].hooks[1]`},
			[]string{"error 1:29 missing-type hooks.Stop[0].hooks[0]", "error 1:46 unknown-type hooks.Stop[0].hooks[1].type"},
		},
		{
			"a type that the event does not allow",
			`{"hooks":{"SessionStart":[{"hooks":[{"type":"prompt","prompt":"p"}]}]}}`,
			[]string{`SessionStart "" hooks.SessionStart[0].hooks[0]`},
			[]string{"error 1:37 type-not-allowed hooks.SessionStart[0].hooks[0]"},
		},
		{
			"events outside hooks",
			`{"PreToolUse":[{"hooks":[` + run + `]}]}`,
			nil,
			[]string{"warning 1:2 event-outside-hooks PreToolUse"},
		},
		{"hooks is a list", `{"hooks":[1]}`, nil, []string{"error 1:2 wrong-type hooks"}},
		{"not an object", `[1]`, nil, []string{"error 1:1 wrong-type "}},
		{"cut off", "{\"hooks\":\n {\"Stop\": ", nil, []string{"error 2:10 syntax "}},
		{"empty", " \n", nil, []string{"warning 1:1 empty-file "}},
		{"utf-16", "\xff\xfe{\x00}\x00", nil, []string{"error 1:1 encoding "}},
		{
			"bom, comments and commas are read",
			"\xef\xbb\xbf{ // rules\n\"hooks\":{\"Stop\":[{\"hooks\":[" + run + ",]},],},}",
			[]string{`Stop "" hooks.Stop[0].hooks[0]`},
			[]string{"warning 1:1 bom ", "warning 1:3 comment ", "warning 2:63 trailing-comma "},
		},
		{
			"a rule in the matcher",
			`{"hooks":{"PreToolUse":[{"matcher":"Bash(git *)","hooks":[` + run + `]},{"matcher":"Notebook(Edit)","hooks":[` + run + `]}]}}`,
			[]string{`PreToolUse "Bash(git *)" hooks.PreToolUse[0].hooks[0]`, `PreToolUse "Notebook(Edit)" hooks.PreToolUse[1].hooks[0]`},
			[]string{"warning 1:26 rule-in-matcher hooks.PreToolUse[0].matcher"},
		},
		{
			"typos",
			`{"hooks":{"PreToolUse":[{"macther":"Bash","hooks":[{"type":"command","command":"a","timeout_ms":5,"Async":true,"id":1,"tags":[]}]}]}}`,
			[]string{`PreToolUse "" hooks.PreToolUse[0].hooks[0]`},
			[]string{
				"warning 1:84 field-typo hooks.PreToolUse[0].hooks[0].timeout_ms", "warning 1:99 field-typo hooks.PreToolUse[0].hooks[0].Async",
				"warning 1:26 field-typo hooks.PreToolUse[0].macther",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := Parse("settings.json", []byte(tt.text))
			if diff := cmp.Diff(tt.handlers, summary(f)); diff != "" {
				t.Errorf("handlers: %s", diff)
			}
			if diff := cmp.Diff(tt.problems, problems(f)); diff != "" {
				t.Errorf("problems: %s", diff)
			}
		})
	}
}

func handler(t *testing.T, text string) (Handler, *File) {
	t.Helper()
	f := Parse("s.json", []byte(`{"hooks":{"PreToolUse":[{"hooks":[`+text+`]}]}}`))
	if len(f.Groups) != 1 || len(f.Groups[0].Handlers) != 1 {
		t.Fatalf("no handler in %s", text)
	}
	return f.Groups[0].Handlers[0], f
}

func TestHandlerFields(t *testing.T) {
	h, f := handler(t, `{"type":"command","command":"guard","args":["-x","$HOME"],"name":"g","if":"Bash(git *)","timeout":1.5,
		"statusMessage":"…","once":true,"onFailure":"block","mode":"observe","enabled":false,"shell":"sh","env":{"B":"2","A":"1"},
		"envFile":".env","cwd":"sub","pty":true,"async":true,"asyncRewake":true}`)
	if len(f.Problems) > 0 {
		t.Fatalf("problems: %v", f.Problems)
	}
	switch {
	case h.Command != "guard", cmp.Diff([]string{"-x", "$HOME"}, h.Args) != "", !h.Exec, h.Name != "g", h.If == nil, h.IfText != "Bash(git *)",
		h.Timeout != 1500*time.Millisecond, !h.Once, !h.OnFailure, !h.FailClosed, !h.Observe, !h.Disabled, h.Shell != "sh",
		cmp.Diff([]Var{{"B", "2"}, {"A", "1"}}, h.Env) != "", h.EnvFile != ".env", h.Cwd != "sub", !h.Pty, !h.Async, !h.AsyncRewake:
		t.Errorf("got %+v", h)
	}
}

// What a field says must be read in the direction that keeps a guard a guard.
func TestBrokenFields(t *testing.T) {
	tests := []struct {
		field   string
		ok      func(Handler) bool
		problem string
	}{
		{`"timeout":"30"`, func(h Handler) bool { return h.Timeout == 0 }, `found a string, want a number of seconds; write 30`},
		{`"timeout":0`, func(h Handler) bool { return h.Timeout == 0 }, `timeout is 0, want more than 0 seconds; the default is used; leave it out for the default`},
		{`"timeout":1e300`, func(h Handler) bool { return h.Timeout == maxTimeout }, ""},
		{`"timeout":1e-12`, func(h Handler) bool { return h.Timeout == time.Millisecond }, ""},
		{`"enabled":"false"`, func(h Handler) bool { return !h.Disabled }, `found a string, want true or false; write false, without quotes`},
		{`"mode":"dry-run"`, func(h Handler) bool { return !h.Observe }, `unknown value "dry-run"; it counts as "enforce"; known values: enforce, observe`},
		{`"onFailure":"deny"`, func(h Handler) bool { return h.FailClosed }, `unknown value "deny"; it counts as "block"; known values: continue, block`},
		{`"shell":"zsh"`, func(h Handler) bool { return h.Shell == "" }, `unknown value "zsh"; the default is used; known values: builtin, bash, sh, powershell, direct`},
		{`"shell":"direct"`, func(h Handler) bool { return h.Shell == "builtin" }, ""},
		{`"env":{"N":1}`, func(h Handler) bool { return cmp.Diff([]Var{{"N", "1"}}, h.Env) == "" }, `found a number, want a string; write "1"`},
		{`"args":"x"`, func(h Handler) bool { return h.Invalid != "" }, `found a string, want a list of strings`},
		{`"args":["x",1]`, func(h Handler) bool { return h.Invalid != "" }, `found a number, want a string; write "1"`},
		{`"if":["Bash"]`, func(h Handler) bool { return h.If == nil && h.Invalid == "" }, `found an array, want one permission rule such as "Bash(git *)"; until that is mended the hook runs whatever the tool does`},
		{`"once":"yes"`, func(h Handler) bool { return !h.Once }, `found a string, want true or false`},
	}
	for _, tt := range tests {
		t.Run(tt.field, func(t *testing.T) {
			h, f := handler(t, `{"type":"command","command":"a",`+tt.field+`}`)
			if !tt.ok(h) {
				t.Errorf("got %+v", h)
			}
			got := ""
			for _, p := range f.Problems {
				got += strings.TrimPrefix(p.String(), p.File+fmt.Sprintf(":%d:%d: %s: ", p.Line, p.Column, p.Path))
			}
			if got != tt.problem {
				t.Errorf("problems %q, want %q", got, tt.problem)
			}
		})
	}
}

func TestPolicyKeys(t *testing.T) {
	f := Parse("s.json", []byte(`{"disableAllHooks":true,"disableAllHooks":false,"allowManagedHooksOnly":"yes","strictPluginOnlyCustomization":["hooks"],
		"allowedHttpHookUrls":["a","b"],"allowedHttpHookUrls":["b"],"httpHookAllowedEnvVars":7}`))
	p := f.Policy
	switch {
	case !*p.DisableAllHooks: // the narrower of two
		t.Error("a doubled disableAllHooks switched hooks on")
	case !*p.AllowManagedHooksOnly: // present but invalid counts as true
		t.Error("an invalid allowManagedHooksOnly counts as false")
	case !p.StrictPluginOnly, cmp.Diff([]string{"b"}, p.AllowedHTTPHookURLs) != "", p.HTTPHookAllowedEnv == nil, len(p.HTTPHookAllowedEnv) != 0, !f.PolicyLost:
		t.Errorf("got %+v, lost %v", p, f.PolicyLost)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x","if":"Bash(rm *)","timeout":1}]}]}}`,
		`{"hooks":{"PreToolUse":{"command":1},"stop":[[]],"":[{"hooks":{}}]},"env":{"A":null},"disableAllHooks":[]}`,
		"\xef\xbb\xbf{// x\n\"hooks\":{\"Stop\":[{\"hooks\":[\"a\",{}],\"hooks\":1}],},}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := Parse("s.json", data)
		for _, p := range file.Problems {
			if p.Line < 1 || p.Column < 1 || p.Code == "" || p.Message == "" {
				t.Fatalf("a problem without place or words: %+v", p)
			}
		}
		if file.Lost && len(file.Problems) == 0 {
			t.Fatalf("%q was lost without a word", data)
		}
	})
}
