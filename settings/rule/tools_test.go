package rule

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTools(t *testing.T) {
	call := func(tool string, pairs ...string) Input {
		return Input{Tool: tool, Field: fields(pairs...), Cwd: "/w", Home: "/h"}
	}
	for _, tt := range []struct {
		rule string
		in   Input
		want bool
	}{
		// names
		{"WebSearch", call("WebSearch"), true},
		{"WebSearch(*)", call("WebSearch"), true},
		{"WebSearch", call("WebFetch"), false},
		{"Bash", call("BashOutput"), false},
		{"bash", call("Bash"), false},
		{"Edit", call("Write"), true},
		{"Read", call("Grep"), true},
		{"*", call("Anything"), true},
		{"Web*", call("WebSearch"), true},
		{"*Edit", call("NotebookEdit"), true},
		{"*Edit", call("Edit"), true},
		{"*Edit", call("Editor"), false},
		{"M*i*", call("MultiEdit"), true},
		{"Edit|WebSearch", call("WebSearch"), true},
		{"Edit | WebSearch", call("WebSearch"), true},
		{"Edit|WebSearch", call("WebFetch"), false},

		// MCP
		{"mcp__srv", call("mcp__srv__get_x"), true},
		{"mcp__srv", call("mcp__srv"), true},
		{"mcp__srv", call("mcp__srv2__get_x"), false},
		{"mcp__srv__*", call("mcp__srv__get_x"), true},
		{"mcp__srv__*", call("mcp__other__get_x"), false},
		{"mcp__srv__get_x", call("mcp__srv__get_x"), true},
		{"mcp__srv__get_x", call("mcp__srv__get_y"), false},
		{"mcp__srv__get_*", call("mcp__srv__get_y"), true},
		{"mcp__srv__get_*", call("mcp__srv__set_y"), false},
		{"mcp__*", call("mcp__srv__set_y"), true},
		{"mcp__*", call("my_mcp_tool"), false},
		{"mcp__brave-search", call("mcp__brave-search__web"), true},
		{"mcp__fs__read(path:/etc/*)", call("mcp__fs__read", "path", "/etc/x"), true},
		{"mcp__fs__read(path:/etc/*)", call("mcp__fs__read", "path", "/tmp/x"), false},
		{"mcp__fs(path:/etc/*)", call("mcp__fs__read", "path", "/etc/x"), true},

		// hosts
		{"WebFetch(domain:example.com)", call("WebFetch", "url", "https://example.com/x"), true},
		{"WebFetch(domain:example.com)", call("WebFetch", "url", "https://EXAMPLE.com:8080"), true},
		{"WebFetch(domain:Example.com)", call("WebFetch", "url", "http://example.com."), true},
		{"WebFetch(domain:example.com.)", call("WebFetch", "url", "http://example.com"), true},
		{"WebFetch(domain:example.com)", call("WebFetch", "url", "https://www.example.com"), false},
		{"WebFetch(domain:example.com)", call("WebFetch", "url", "https://example.com.evil.org"), false},
		{"WebFetch(domain:example.com)", call("WebFetch", "url", "https://evil.org/example.com"), false},
		{"WebFetch(domain:example.com)", call("WebFetch", "url", "https://evil.org?example.com"), false},
		{"WebFetch(domain:example.com)", call("WebFetch", "url", "https://evil.org/@example.com"), false},
		{"WebFetch(domain:*.example.com)", call("WebFetch", "url", "https://a.example.com"), true},
		{"WebFetch(domain:*.example.com)", call("WebFetch", "url", "https://a.b.example.com"), true},
		{"WebFetch(domain:*.example.com)", call("WebFetch", "url", "https://example.com"), false},
		{"WebFetch(domain:*.example.com)", call("WebFetch", "url", "https://badexample.com"), false},
		{"WebFetch(domain:api-*.example.com)", call("WebFetch", "url", "https://api-x.example.com"), true},
		{"WebFetch(domain:api-*.example.com)", call("WebFetch", "url", "https://api-x.y.example.com"), false},
		{"WebFetch(domain:example.*)", call("WebFetch", "url", "https://example.org"), true},
		{"WebFetch(domain:example.*)", call("WebFetch", "url", "https://example.co.uk"), false},
		{"WebFetch(domain:*)", call("WebFetch", "url", "https://example.org"), true},
		{"WebFetch(domain:localhost:3000)", call("WebFetch", "url", "http://localhost:3000/x"), true},
		{"WebFetch(domain:localhost:3000)", call("WebFetch", "url", "http://localhost:3001/x"), false},
		{"WebFetch(domain:example.com:443)", call("WebFetch", "url", "https://example.com/x"), true},
		{"WebFetch(domain:[::1])", call("WebFetch", "url", "http://[::1]:80/x"), true},
		{"WebFetch(prompt:*secret*)", call("WebFetch", "url", "http://a", "prompt", "the secret of"), true},
		{"WebFetch(prompt:*secret*)", call("WebFetch", "url", "http://a", "prompt", "x"), false},
		// hosts that cannot be read
		{"WebFetch(domain:example.com)", call("WebFetch"), true},
		{"WebFetch(domain:example.com)", call("WebFetch", "url", "evil.org"), true},
		{"WebFetch(domain:example.com)", call("WebFetch", "url", "https://a@evil.org"), true},
		{"WebFetch(domain:example.com)", call("WebFetch", "url", "https://evil.org\\@x"), true},
		{"WebFetch(domain:example.com)", call("WebFetch", "url", "https://ｅxample.com"), true},
		{"WebFetch(domain:example.com)", call("WebFetch", "url", "https://ex%61mple.com"), true},
		{"WebFetch(domain:example.com)", call("WebFetch", "url", "https:/example.com"), true},
		{"WebFetch(domain:example.com)", call("WebFetch", "url", "https://exa\tmple.com"), true},

		// agents and skills
		{"Agent(reviewer)", call("Agent", "subagent_type", "reviewer"), true},
		{"Agent(reviewer)", call("Task", "subagent_type", "reviewer"), true},
		{"Task(reviewer)", call("Agent", "subagent_type", "reviewer"), true},
		{"Agent(reviewer)", call("Agent", "subagent_type", "senior-reviewer"), false},
		{"Agent(*reviewer)", call("Agent", "subagent_type", "senior-reviewer"), true},
		{"Agent(plugin:reviewer)", call("Agent", "subagent_type", "plugin:reviewer"), true},
		{"Agent(model:opus)", call("Agent", "subagent_type", "x", "model", "opus"), true},
		{"Agent", call("Task"), true},
		{"Agent(reviewer)", call("Agent"), true},
		{"Skill(pdf)", call("Skill", "skill", "pdf"), true},
		{"Skill(pdf)", call("Skill", "skill", "/pdf"), true},
		{"Skill(pdf)", call("Skill", "skill", "pdf-x"), false},
		{"Skill(pdf)", call("Skill", "skill", "pdf x"), false},
		{"Skill(pdf *)", call("Skill", "skill", "pdf"), true},
		{"Skill(pdf *)", call("Skill", "skill", "pdf x"), true},
		{"Skill(pdf *)", call("Skill", "skill", "pdfx"), false},
		{"Skill(docs:*)", call("Skill", "skill", "docs:pdf"), true},
		{"Skill(docs:pdf)", call("Skill", "skill", "docs:pdf"), true},
		{"Skill(*pdf)", call("Skill", "skill", "docs:pdf"), true},
		{"Skill(pdf)", call("Skill"), true},

		// parameters
		{"Bash(run_in_background:true)", call("Bash", "command", "ls", "run_in_background", "true"), true},
		{"Bash(run_in_background:true)", call("Bash", "command", "ls", "run_in_background", "false"), false},
		{"Bash(run_in_background:true)", call("Bash", "command", "ls"), false},
		{"Bash(timeout:*)", call("Bash", "command", "ls", "timeout", "5"), false},
		{"Bash(timeout:*)", call("Bash", "command", "timeout 5 ls"), true},
		{"Grep(output_mode:content)", call("Grep", "output_mode", "content"), true},
		{"Grep(pattern:*secret*)", call("Grep", "pattern", "my secret"), true},
		{"Edit(replace_all:true)", call("Edit", "file_path", "/w/a", "replace_all", "true"), true},
		{"Edit(replace_all:true)", call("Edit", "file_path", "/w/a", "replace_all", "false"), false},
		{"WebSearch(query:*go*)", call("WebSearch", "query", "about go"), true},
		{"WebSearch(query:*go*)", call("WebSearch", "query", "about"), false},
		{"WebSearch(query:x)", call("WebSearch"), false},
		{"Custom(a:1)", call("Custom", "a", "1"), true},
		{"Custom(a:1)", call("Custom", "a", "12"), false},
		{"Custom(a:*)", call("Custom", "a", "12"), true},
		{"Cust*(a:1)", call("Custom", "a", "1"), true},
	} {
		got := mustParse(t, tt.rule).Match(NewCall(tt.in), "")
		if got.Fires != tt.want {
			t.Errorf("%s on %s: fires %v, want %v (%s)", tt.rule, tt.in.Tool, got.Fires, tt.want, got.Detail())
		}
	}
}

// TestSyntaxErrors: what cannot be read is reported, and fires for the tool it
// was meant for, or for every tool where that is not known.
func TestSyntaxErrors(t *testing.T) {
	for _, tt := range []struct {
		rule   string
		offset int
		msg    string // part of it
		fires  []string
		quiet  []string
	}{
		{"", 0, "no tool name", []string{"Bash"}, nil},
		{"  ", 2, "no tool name", []string{"Bash"}, nil},
		{"|", 0, "no tool name", []string{"Bash"}, nil},
		{"(git *)", 0, "is no tool name", []string{"Bash"}, nil},
		{"git push", 3, `behind the tool name git`, []string{"git"}, []string{"Bash"}},
		{"Bash()", 5, "nothing between", []string{"Bash"}, []string{"Edit"}},
		{"Bash( )", 5, "nothing between", []string{"Bash"}, []string{"Edit"}},
		{"Bash(git *", 10, "no closing parenthesis", []string{"Bash"}, []string{"Edit"}},
		{"Bash(git *) && Bash(ls *)", 5, "joined with a single", []string{"Bash"}, nil},
		{"Bash(git *) || Edit(a)", 5, "joined with a single", []string{"Bash", "Edit"}, nil},
		{"Bash(git *), Edit(a)", 5, "joined with a single", []string{"Bash"}, nil},
		{"Bash(git *) Edit", 16, "no closing parenthesis", []string{"Bash"}, nil},
		{"Bash (git *)", 4, "behind the tool name", []string{"Bash"}, nil},
		{"Edit, Write", 4, "cannot be combined", []string{"Edit"}, nil},
		{"bash(git *)", 5, "the tool is called Bash", []string{"Bash", "bash"}, []string{"Edit"}},
		{"Edit(!src/**)", 5, "cannot be negated", []string{"Edit", "Write"}, nil},
		{"Edit(src/[a)", 5, "is no pattern", []string{"Edit"}, nil},
		{"Edit(" + strings.Repeat("{a,b}", 7) + ")", 5, "more than 64 alternatives", []string{"Edit"}, nil},
		{"WebFetch(https://x)", 9, "domain:example.com", []string{"WebFetch"}, nil},
		{"WebFetch(domain:a/b)", 9, "is no host name", []string{"WebFetch"}, nil},
		{"WebFetch(domain:)", 9, "is no host name", []string{"WebFetch"}, nil},
		{"WebSearch(go)", 10, "WebSearch(parameter:value)", []string{"WebSearch"}, nil},
		{"Custom(x)", 7, "Custom(parameter:value)", []string{"Custom"}, nil},
		{"Custom(path:x)", 7, "tool's own rules compare", []string{"Custom"}, nil},
		{"mcp__srv(x)", 9, "parameter:value", []string{"mcp__srv__x"}, []string{"mcp__t"}},
		{"Edit(a)|bash(b)", 13, "the tool is called Bash", []string{"Bash"}, []string{"Read"}},
		{strings.Repeat("x", MaxChars+1), 0, "longer than 10000 characters", []string{"Bash", "x"}, nil},
	} {
		r, err := Parse(tt.rule)
		if tt.fires == nil {
			if err != nil {
				t.Errorf("%.60s: %v", tt.rule, err)
			}
			continue
		}
		var serr *SyntaxError
		if !errors.As(err, &serr) {
			t.Errorf("%.60s: error %v, want a *SyntaxError", tt.rule, err)
			continue
		}
		if serr.Offset != tt.offset || !strings.Contains(err.Error(), tt.msg) {
			t.Errorf("%.60s: offset %d, error %.300s; want %d and %q", tt.rule, serr.Offset, err, tt.offset, tt.msg)
		}
		for _, tool := range tt.fires {
			if m := r.Match(NewCall(Input{Tool: tool}), ""); !m.Fires {
				t.Errorf("%.60s does not fire for %s: %s", tt.rule, tool, m.Detail())
			}
		}
		for _, tool := range tt.quiet {
			if m := r.Match(NewCall(Input{Tool: tool}), ""); m.Fires {
				t.Errorf("%.60s fires for %s: %s", tt.rule, tool, m.Detail())
			}
		}
	}
}

func TestAlternatives(t *testing.T) {
	for _, tt := range []struct {
		rule string
		want []string // tool and specifier of each
	}{
		{"Bash", []string{"Bash"}},
		{"Edit|Write", []string{"Edit", "Write"}},
		{"Edit(*.po)|Write(*.po)", []string{"Edit *.po", "Write *.po"}},
		{" Edit( *.po ) | Write(*.po) ", []string{"Edit *.po", "Write *.po"}},
		{"Bash(a | b)", []string{"Bash a | b"}},
		{"Bash(a|b)", []string{"Bash a|b"}},
		{"Bash((a)|b)", []string{"Bash (a)|b"}},
		{"Bash(a)|b)", []string{"Bash a)|b"}},
		{"Bash((a)|Read(b))", []string{"Bash (a)|Read(b)"}},
		{`Bash(echo \()|Read(x)`, []string{`Bash echo \(`, "Read x"}},
		{`Bash(echo "(")|Read(x)`, []string{`Bash echo "("`, "Read x"}},
		{"Bash(case x in a) *)|Read(x)", []string{"Bash case x in a) *", "Read x"}},
		{"Bash(f() { x; })", []string{"Bash f() { x; }"}},
		{"Bash(a || b)", []string{"Bash a || b"}},
		{"mcp__a|mcp__b__*", []string{"mcp__a", "mcp__b__*"}},
	} {
		r, err := Parse(tt.rule)
		if err != nil {
			t.Errorf("%s: %v", tt.rule, err)
			continue
		}
		var got []string
		for _, p := range r.parts {
			got = append(got, strings.TrimSpace(p.tool+" "+p.spec))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.rule, diff)
		}
	}
}

func TestDetail(t *testing.T) {
	for _, tt := range []struct {
		rule string
		in   Input
		want string
	}{
		{"Edit(*.md)", file("Read", "a.md"), "rule is for Edit, tool is Read"},
		{"Edit(*.md)|Write(*.md)", file("Read", "a.md"), "rule is for Edit or Write, tool is Read"},
		{"Edit", file("Write", "a.md"), "rule is for every call of Edit, tool is Write"},
		{"Edit(*.md)", file("Write", "a.md"), `"*.md" matches "a.md"`},
		{"Edit(*.md)", file("Write", "a.txt"), `"*.md" does not match "a.txt"`},
		{"Edit(*.md)", Input{Tool: "Edit", Cwd: "/w"}, "the call has no path to compare, so the hook runs"},
		{"Edit(*.md)", Input{Tool: "Edit", Field: fields("file_path", "/a")}, "the directory that the pattern is relative to is not known, so the hook runs"},
		{"Bash(git push *)", bash("ls && git push origin"), `"git push *" matches "git push origin"`},
		{"Bash(git push *)", bash("ls | cat"), `"git push *" matches none of the commands "ls", "cat"`},
		{"Bash(git push *)", bash("$X -f"), `"git push *" could match "$X -f", which is not fully known before it runs`},
		{"Bash(git push *)", bash(""), `"git push *" matches none of the commands (there are none)`},
		{"Bash(git push *)", bash("a;b;c;d;e;f;g;h;i;j"), `"git push *" matches none of the commands "a", "b", "c", "d", "e", "f", "g", "h" and 2 more`},
		{"Bash(git push *)", bash("'"), "the command could not be parsed (line 1, column 1: reached EOF without closing quote `'`), so the hook runs"},
		{"Bash(git push *)", bash(strings.Repeat("x", 10_001)), "the command could not be parsed (longer than 10000 characters), so the hook runs"},
		{"Bash(git push *)", Input{Tool: "Bash"}, "the command could not be parsed (the call has no command), so the hook runs"},
		{"WebFetch(domain:a.b)", Input{Tool: "WebFetch", Field: fields("url", "https://x.y/z")}, `"domain:a.b" does not match "x.y"`},
		{"WebFetch(domain:a.b)", Input{Tool: "WebFetch", Field: fields("url", "https://a.b@x.y/z")}, "the url names a user, which hides its host, so the hook runs"},
		{"WebSearch(query:x)", Input{Tool: "WebSearch"}, `"query:x" has nothing to be compared with: the call has no parameter query`},
		{"WebSearch(query:x)", Input{Tool: "WebSearch", Field: fields("query", "y")}, `"query:x" does not match "query:y"`},
	} {
		if got := mustParse(t, tt.rule).Match(NewCall(tt.in), "").Detail(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.rule, got, tt.want)
		}
	}
	r, err := Parse("bash(x)")
	if err == nil {
		t.Fatal("no error")
	}
	want := `rule is not understood ("x" is nothing that can be compared for bash), so the hook runs`
	if got := r.Match(NewCall(bash("ls")), "").Detail(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestMatchCommands(t *testing.T) {
	m := mustParse(t, "Bash(git *)").Match(NewCall(bash(`cd "$D" && sudo rm x`)), "")
	want := []string{`cd "$D"`, `sudo rm x`, `rm x (by sudo)`}
	if diff := cmp.Diff(want, m.Commands()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, m := range []Match{
		mustParse(t, "Bash(git *)").Match(NewCall(bash(`'`)), ""),
		mustParse(t, "Bash(git *)").Match(NewCall(file("Edit", "a")), ""),
		mustParse(t, "Edit(a)").Match(NewCall(file("Edit", "a")), ""),
		{},
	} {
		if got := m.Commands(); got != nil {
			t.Errorf("%s: commands %q, want none", m.Detail(), got)
		}
	}
}

// A rule fires for a call that may do the work of its tool in ways that its
// fields do not tell.
func TestAlso(t *testing.T) {
	call := NewCall(Input{Tool: "apply_patch", Also: []string{"Write", "Edit"}, Field: fields("command", "*** Begin Patch"), Cwd: "/w/app", Home: "/home/u"})
	for text, want := range map[string]bool{
		"Write(secret/**)": true, "Edit(secret/**)": true, "Write": true, "apply_patch": true, "Bash(rm *)": false, "Bash(x)|Edit(a)": true,
	} {
		m := mustParse(t, text).Match(call, "/w/app")
		if m.Fires != want {
			t.Errorf("%s: fires %v: %s", text, m.Fires, m.Detail())
		}
	}
	if got, want := mustParse(t, "Write(secret/**)").Match(call, "").Detail(), "apply_patch may do what Write does, and cannot be read, so the hook runs"; got != want {
		t.Errorf("detail %q, want %q", got, want)
	}
}
