package check

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/settings"
)

// ids are the rules that an example breaks, without its schema's.
func ids(problems []settings.Problem) string {
	var list []string
	for _, p := range problems {
		list = append(list, p.Code)
	}
	return strings.Join(list, " ")
}

func TestMatchers(t *testing.T) {
	tests := []struct{ event, matcher, want string }{
		{"PreToolUse", "Edit|bash|Custom", "matcher-case"},
		{"PreToolUse", "Edit|Custom", ""}, // the set of tools is open
		{"PreToolUse", "Custom", "unknown-subject"},
		{"PreToolUse", "Custom|mcp__a__b", ""},
		{"PreToolUse", "Bsah", "unknown-subject"},
		{"PreToolUse", "LS|TodoWrite", ""},
		{"PreToolUse", "^bash$", "matcher-case"},
		{"PreToolUse", "^Foo", "unknown-subject"},
		{"PreToolUse", "^mcp__foo", ""},
		{"PreToolUse", `\\w*Edit`, ""},
		{"PreToolUse", "Edit*", "glob-in-matcher"},
		{"PreToolUse", "mcp__tracker__", ""},
		{"PreToolUse", "Bash && Edit", "expression-in-matcher"},
		{"PreToolUse", "Bash||Edit", ""},
		{"SessionStart", "startup|reload", ""},
		{"SessionStart", "reload", "unknown-subject"},
		{"SubagentStop", "anything", ""},
		{"FileChanged", ".env|go.mod", ""},
		{"FileChanged", "*.go", "invalid-matcher"},
		{"UserPromptSubmit", "*", ""},
	}
	for _, tt := range tests {
		e := group(tt.event, `{"matcher": "`+tt.matcher+`", "hooks": [{"type": "command", "command": "guard"}]}`)
		if got := ids(e.run(t)); got != tt.want {
			t.Errorf("%s %q: got %q, want %q", tt.event, tt.matcher, got, tt.want)
		}
	}
}

func TestConditions(t *testing.T) {
	tests := []struct{ event, matcher, rule, want, says string }{
		{"Stop", "", "Bash(git *)", "if-never", "Stop has no tool call"},
		{"PreToolUse", "", "Bsah", "if-never", `no such tool is known`},
		{"PreToolUse", "Read", "Bash(git *)|Edit", "if-other-tool", "Bash or Edit"},
		{"PreToolUse", "Read|Write", "Bash(git *)|Edit", "", ""}, // Edit covers Write
		{"PreToolUse", "Task", "Agent(reviewer)", "", ""},
		{"PreToolUse", "^(?!mcp__)", "mcp__files", "", ""}, // known to the agent only
		{"PreToolUse", "mcp__files__read", "mcp__files", "", ""},
		{"PreToolUse", "mcp__notes__read", "mcp__files", "if-other-tool", "mcp__files"},
		{"PreToolUse", "", "mcp__files__read", "", ""},
		{"PreToolUse", "Web.*", "*", "", ""},
	}
	for _, tt := range tests {
		e := group(tt.event, `{"matcher": "`+tt.matcher+`", "hooks": [{"type": "command", "command": "guard", "if": "`+tt.rule+`"}]}`)
		problems := e.run(t)
		if got := ids(problems); got != tt.want || got != "" && !strings.Contains(problems[0].Message, tt.says) {
			t.Errorf("%s %q %q: got %v, want %q", tt.event, tt.matcher, tt.rule, codes(problems), tt.want)
		}
	}
}

func TestTimeouts(t *testing.T) {
	for value, want := range map[string]string{
		"5": "", "900": "", "999": "", "1000": "timeout-milliseconds", "1200": "", "1500": "timeout-milliseconds", "1800": "", "3600": "",
		"30000": "timeout-milliseconds", "14399": "", "14400": "timeout-milliseconds", "1e300": "timeout-milliseconds", "1000.5": "",
	} {
		if got := ids(hook("Stop", `{"type": "command", "command": "true", "timeout": `+value+`}`).run(t)); got != want {
			t.Errorf("%s: got %q, want %q", value, got, want)
		}
	}
}

func TestCommands(t *testing.T) {
	tests := []struct{ event, command, want string }{
		{"Stop", `curl -s https://example.com/x | sudo -E bash -s -- --yes`, "pipe-to-shell"},
		{"Stop", `wget -qO- https://example.com/x | tee log | /bin/sh -e`, "pipe-to-shell"},
		{"Stop", `bash <(curl -s https://example.com/x)`, "pipe-to-shell"},
		{"Stop", `sh -c \"$(curl -s https://example.com/x)\"`, "pipe-to-shell"},
		{"Stop", `curl -s https://example.com/x | python3 -`, "pipe-to-shell"},
		{"Stop", `curl -s https://example.com/x | python3 -m json.tool`, ""},
		{"Stop", `curl -s https://example.com/x | jq .`, ""},
		{"Stop", `curl -s https://example.com/x | sh tools/read.sh`, ""},
		{"Stop", `x=\"$(curl -s https://example.com/x)\"; echo \"$x\"`, ""},

		{"PreToolUse", `exit 1`, "exit-1"},
		{"PreToolUse", `[ -f x ] || exit 1; exit 2`, ""},
		{"PreToolUse", `exit $code`, ""},
		{"PreToolUse", `echo '{\"decision\":\"block\"}'; exit 1`, ""},
		{"PostToolUse", `exit 1`, ""},
		{"UserPromptSubmit", `grep -q secret && exit 1`, "exit-1"},

		{"Stop", `ls $THEUS_PROJECT_DIR`, "unquoted-variable"},
		{"Stop", `x=$THEUS_PROJECT_DIR; export Y=$THEUS_PROJECT_DIR; [[ -d $THEUS_PROJECT_DIR ]]`, ""},
		{"Stop", `case $THEUS_PROJECT_DIR in /srv/*) ;; esac`, ""},
		{"Stop", `for f in ${THEUS_PROJECT_DIR}/*; do :; done`, "unquoted-variable"},
		{"SessionStart", `echo 'A=1' >> $THEUS_ENV_FILE`, "unquoted-variable"},
		{"Stop", `cat <<< $THEUS_PROJECT_DIR`, ""},
		{"Stop", `echo ${#THEUS_PROJECT_DIR}`, ""},
		{"Stop", `echo \"$(ls $THEUS_PROJECT_DIR)\"`, "unquoted-variable"},

		{"Stop", `TOOL_INPUT=$(cat); echo \"$TOOL_INPUT\"`, ""},
		{"Stop", `echo \"$TOOL_INPUT\"`, "no-such-variable"},
		{"Stop", `read -r TOOL_NAME; echo \"$TOOL_NAME\"`, ""},
		{"Stop", `echo \"$CLAUDE_FILE_PATHS\"`, "no-such-variable"},
		{"Stop", `echo \"$MY_TOOL_INPUT\"`, ""},
		{"Stop", `echo \"$THEUS_SESSION_ID $CLAUDE_CODE_SESSION_ID\"`, "other-dialect-variable"},
		{"Stop", `echo \"`, "command-syntax"},
		{"Stop", `if true; then echo x`, "command-syntax"},
	}
	for _, tt := range tests {
		if got := ids(cmd(tt.event, tt.command).run(t)); got != tt.want {
			t.Errorf("%s %s: got %q, want %q", tt.event, tt.command, got, tt.want)
		}
	}
	for handler, want := range map[string]string{
		`{"type": "command", "command": "exit 1", "onFailure": "block"}`:                                                              "", // it blocks then
		`{"type": "command", "command": "echo \"$TOOL_INPUT\"", "env": {"TOOL_INPUT": "x"}}`:                                          "",
		`{"type": "command", "command": "& $env:X -and (", "shell": "powershell"}`:                                                    "",
		`{"type": "command", "command": "guard", "args": ["$HOME", "--dir=${TMPDIR}/x", "$x", "a $HOME"]}`:                            "variable-in-args variable-in-args",
		`{"type": "command", "command": "guard", "args": ["${THEUS_PROJECT_DIR}/x", "$THEUS_PROJECT_DIR"]}`:                           "",
		`{"type": "command", "command": "C:\\Program Files\\x.exe", "args": []}`:                                                      "",
		`{"type": "command", "command": "guard", "asyncRewake": true}`:                                                                "async-guard",
		`{"type": "command", "command": "guard", "async": false}`:                                                                     "",
		`{"type": "prompt", "prompt": "p", "async": true, "url": "x"}`:                                                                "field-of-other-type field-of-other-type",
		`{"type": "command", "command": "guard", "enabled": false}, {"type": "command", "command": "guard"}`:                          "",
		`{"type": "command", "command": "guard", "async": false}, {"type": "command", "command": "guard", "name": "x", "timeout": 3}`: "duplicate-hook",
		`{"type": "command", "command": "guard", "env": {"A": "1"}}, {"type": "command", "command": "guard"}`:                         "",
	} {
		if got := ids(hook("PreToolUse", handler).run(t)); got != want {
			t.Errorf("%s: got %q, want %q", handler, got, want)
		}
	}
}

func TestNoBash(t *testing.T) {
	e := cmd("Stop", `shopt -s extglob; ls !(a)`)
	if got := ids(e.run(t)); got != "" {
		t.Errorf("with bash: %q", got)
	}
	e.NoBash = true
	if got := ids(e.run(t)); got != "needs-bash" {
		t.Errorf("without bash: %q", got)
	}
	e = hook("Stop", `{"type": "command", "command": "true", "shell": "bash"}`)
	e.NoBash = true
	if got := ids(e.run(t)); got != "needs-bash" {
		t.Errorf("without the bash that is asked for: %q", got)
	}
	e = cmd("Stop", "true")
	e.NoBash = true
	if got := ids(e.run(t)); got != "" {
		t.Errorf("without a bash that is not needed: %q", got)
	}
}

func TestCovered(t *testing.T) {
	tests := []struct {
		pattern, url string
		want         bool
	}{
		{"*", "https://a.example.com/", true},
		{"https://a.example.com/*", "https://a.example.com/x?y=1", true},
		{"https://a.example.com/*", "https://A.example.com./x", true},
		{"https://a.example.com/*", "https://a.example.com.evil.example/x", false},
		{"https://a.example.com/*", "http://a.example.com/x", false},
		{"https://a.example.com", "https://a.example.com/x", false},
		{"https://a.example.com", "https://a.example.com", true},
		{"http://localhost:*", "http://localhost:80/any/path", true},
		{"http://localhost:*", "http://localhost/x", false},
		{"https://*.example.com/*", "https://a.b.example.com/x", true},
		{"https://*.example.com/*", "https://evil.example/.example.com/x", false},
		{"https://a.example.com/*/end", "https://a.example.com/x/end", true},
		{"https://a.example.com/*/end", "https://a.example.com/x/ends", false},
		{"a.example.com/*", "https://a.example.com/x", false},
	}
	for _, tt := range tests {
		u, err := url.Parse(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := covered(tt.pattern, u); got != tt.want {
			t.Errorf("%s covers %s: %v", tt.pattern, tt.url, got)
		}
	}
}

func TestRequests(t *testing.T) {
	const to = `{"type": "http", "url": "https://hooks.example.com/x"`
	for handler, want := range map[string]string{
		to + `, "headers": {"X-Price": "$5 and $$ and ${}"}}`:             "",
		to + `, "headers": {"X-Api-Key": "0123456789"}}`:                  "secret-in-header",
		to + `, "headers": {"X-Note": "ghp_0123456789abcdef"}}`:           "secret-in-header",
		to + `, "headers": {"Accept": "application/json"}}`:               "",
		to + `, "headers": {"A": "$B"}, "allowedEnvVars": ["B"]}`:         "",
		to + `, "headers": {"A": "$B ${C}"}, "allowedEnvVars": ["B"]}`:    "header-variable",
		`{"type": "http", "url": "file:///etc/passwd"}`:                   "bad-url",
		`{"type": "http", "url": "https://u@hooks.example.com/x"}`:        "url-userinfo",
		`{"type": "http", "url": "https://hooks.example.com/@x"}`:         "",
		`{"type": "http", "url": "https://hooks.example.com/%zz-secret"}`: "bad-url",
	} {
		problems := hook("PostToolUse", handler).run(t)
		if got := ids(problems); got != want {
			t.Errorf("%s: got %v, want %q", handler, codes(problems), want)
		}
	}
	e := text(`{"httpHookAllowedEnvVars": [], "hooks": {"PostToolUse": [{"hooks": [` + to + `, "headers": {"A": "$B"}, "allowedEnvVars": ["B"]}]}]}}`)
	if got := ids(e.run(t)); got != "header-variable" {
		t.Errorf("a variable that policy does not allow: %q", got)
	}
}

// Lists of user and managed settings add up, that of a repository narrows.
func TestAllowLists(t *testing.T) {
	allow := func(host string) string { return `"allowedHttpHookUrls": ["https://` + host + `/*"]` }
	const hooks = `"hooks": {"Stop": [{"hooks": [{"type": "http", "url": "https://a.example.com/"}, {"type": "http", "url": "https://b.example.com/"}]}]}`
	tests := []struct{ user, project, want string }{
		{`{` + allow("a.example.com") + `}`, `{` + hooks + `}`, "hooks.Stop[0].hooks[1].url"},
		{`{` + allow("a.example.com") + `}`, `{` + allow("b.example.com") + `,` + hooks + `}`, "hooks.Stop[0].hooks[0].url hooks.Stop[0].hooks[1].url"},
		{`{` + allow("a.example.com") + `,` + hooks + `}`, `{` + allow("b.example.com") + `}`, "hooks.Stop[0].hooks[1].url"},
		{`{}`, `{` + allow("*") + `,` + hooks + `}`, ""},
	}
	for _, tt := range tests {
		w := newWorld(t)
		w.write(t, w.place(precedence.User), []byte(tt.user), 0o644)
		w.write(t, w.place(precedence.Project), []byte(tt.project), 0o644)
		var got []string
		for _, p := range Sources(w.load(), Options{}) {
			got = append(got, p.Path)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("user %s, project %s: got %q, want %q", tt.user, tt.project, got, tt.want)
		}
	}
	w := newWorld(t) // what managed settings allow, users may reach too
	w.write(t, w.place(precedence.User), []byte(`{`+allow("a.example.com")+`,`+hooks+`}`), 0o644)
	w.write(t, w.place(precedence.Managed), []byte(`{`+allow("b.example.com")+`}`), 0o644)
	if got := Sources(w.load(), Options{}); len(got) > 0 {
		t.Errorf("joined lists: %v", codes(got))
	}
}

// No message repeats what may be a secret.
func TestSecretsStayOut(t *testing.T) {
	for _, e := range []Example{
		hook("Stop", `{"type": "http", "url": "https://bot:hunter22@hooks.example.com/?key=hunter22", "headers": {"Authorization": "Bearer hunter22", "X-Token": "hunter22-$X"}}`),
		text(`{"allowedHttpHookUrls": [], "hooks": {"Stop": [{"hooks": [{"type": "http", "url": "https://hooks.example.com/?key=hunter22"}]}]}}`),
		hook("Stop", `{"type": "http", "url": "https://bot:hunter22@%zz"}`),
	} {
		problems := e.run(t)
		if len(problems) == 0 {
			t.Error("nothing is said")
		}
		for _, p := range problems {
			if strings.Contains(p.String(), "hunter22") {
				t.Errorf("said: %s", p)
			}
		}
	}
}

func TestScripts(t *testing.T) {
	e := group("PreToolUse", `{"matcher": "Bash", "hooks": [
		{"type": "command", "command": "[ -x tools/a.sh ] && tools/a.sh"},
		{"type": "command", "command": "python3 tools/guard.py"},
		{"type": "command", "command": "node", "args": ["${THEUS_PROJECT_DIR}/tools/gone.mjs", "x"]},
		{"type": "command", "command": "tools/program"},
		{"type": "command", "command": "a.sh", "cwd": "tools"},
		{"type": "command", "command": "./gone.sh", "cwd": "tools"},
		{"type": "command", "command": "nowhere/gone.sh"},
		{"type": "command", "command": "cd tools && ./gone2.sh"},
		{"type": "command", "command": "bash -c tools/gone.sh"},
		{"type": "command", "command": "~/x/gone.sh"},
		{"type": "command", "command": "uv run tools/gone.py --x"}]}`)
	e.Files = []ExampleFile{
		{"tools/guard.py", "import sys\nsys.exit(1)\n", false},
		{"tools/program", "\x7fELF\x00", true},
	}
	var got []string
	for _, p := range e.run(t) {
		got = append(got, p.Code+" "+strings.TrimPrefix(p.Path, "hooks.PreToolUse[0].hooks"))
	}
	want := []string{"exit-1 [1].command", "script-missing [2].args[0]", "script-missing [5].command", "script-missing [10].command"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// In a checkout a script is missed even if its directory is not there.
func TestScriptsOfACheckout(t *testing.T) {
	w := newWorld(t)
	w.write(t, w.place(precedence.Project), []byte(cmd("Stop", ".theus/hooks/gone.sh").Settings), 0o644)
	if problems, _, _ := w.lint(w.place(precedence.Project)); len(problems) > 0 {
		t.Errorf("alone: %v", codes(problems))
	}
	w.write(t, filepath.Join(w.project, ".git"), []byte("gitdir: x\n"), 0o644)
	if problems, _, _ := w.lint(w.place(precedence.Project)); ids(problems) != "script-missing" {
		t.Errorf("in a checkout: %v", codes(problems))
	}
}

func TestScopeOf(t *testing.T) {
	for path, want := range map[string]precedence.Scope{
		"/p/hooks/hooks.json": precedence.Plugin, "/x/managed-settings.json": precedence.Managed, "/x/managed-settings.d/10.json": precedence.Managed,
		"/x/settings.local.json": precedence.Local, "/x/settings.json": precedence.Project, "/x/other.json": precedence.Project,
	} {
		if got := scopeOf(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
