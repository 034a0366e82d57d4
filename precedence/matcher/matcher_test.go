package matcher

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// The clock of regexp2 ends by itself, some seconds after its last use.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"))
}

var tool = Options{Tool: true}

func TestMatch(t *testing.T) {
	narrow := Options{Narrow: true}
	for _, tt := range []struct {
		text    string
		opts    Options
		subject string
		want    bool
		kind    string
		engine  string
	}{
		// everything
		{"", tool, "Bash", true, "all", "exact"},
		{"*", tool, "Bash", true, "all", "exact"},
		{"*", Options{}, "", true, "all", "exact"},
		{"", narrow, "a.txt", true, "all", "exact"},
		{"*", narrow, "a.txt", true, "all", "exact"},
		{" ", tool, "Bash", true, "all", "exact"},
		{"|", tool, "Bash", true, "all", "exact"},
		{", ,|", tool, "Bash", true, "all", "exact"},

		// lists
		{"Bash", tool, "Bash", true, "list", "exact"},
		{"Bash", tool, "BashOutput", false, "list", "exact"},
		{"bash", tool, "Bash", false, "list", "exact"},
		{"Edit|Write", tool, "Write", true, "list", "exact"},
		{"Edit, Write", tool, "Write", true, "list", "exact"},
		{"Edit , Write", tool, "Write", true, "list", "exact"},
		{"Edit,Write|Read", tool, "Read", true, "list", "exact"},
		{"Edit|Write", tool, "NotebookEdit", false, "list", "exact"},
		{"Edit|Write", tool, "", false, "list", "exact"},
		{"Edit||Write", tool, "Write", true, "list", "exact"},
		{"Edit||Write", tool, "", false, "list", "exact"},
		{"Edit|", tool, "Edit", true, "list", "exact"},
		{"Edit|", tool, "Read", false, "list", "exact"},
		{",Edit,", tool, "Edit", true, "list", "exact"},
		{"Bash,PowerShell", tool, "Bash", true, "list", "exact"},
		{"Edit", tool, "MultiEdit", false, "list", "exact"},
		{"mcp__memory", tool, "mcp__memory__create", false, "list", "exact"},
		{"mcp__brave-search", tool, "mcp__brave-search__web", false, "list", "exact"},
		{"code-reviewer", Options{}, "senior-code-reviewer", false, "list", "exact"},
		{"code-reviewer", Options{}, "code-reviewer", true, "list", "exact"},
		{"permission_prompt|idle_prompt", Options{}, "idle_prompt", true, "list", "exact"},
		{"two words", Options{}, "two words", true, "list", "exact"},

		// the narrower lists
		{"rate_limit|overloaded", narrow, "overloaded", true, "list", "exact"},
		{"a_b", narrow, "xa_bx", false, "list", "exact"},
		{"a-b", narrow, "xa-bx", true, "regex", "re2"},
		{"a b", narrow, "xa bx", true, "regex", "re2"},
		{"a,b", narrow, "a", false, "regex", "re2"},
		{"a,b", narrow, "a,b", true, "regex", "re2"},
		{".env|.envrc", narrow, ".envrc", true, "regex", "re2"},
		{" ", narrow, "ab", false, "regex", "re2"},
		{"|", narrow, "ab", true, "all", "exact"},

		// expressions
		{"Edit.*", tool, "NotebookEdit", true, "regex", "re2"},
		{"^Edit$", tool, "NotebookEdit", false, "regex", "re2"},
		{"^Edit$", tool, "Edit", true, "regex", "re2"},
		{"^Notebook", tool, "NotebookEdit", true, "regex", "re2"},
		{"^bash$", tool, "Bash", false, "regex", "re2"},
		{"mcp__memory__.*", tool, "mcp__memory__create", true, "regex", "re2"},
		{"mcp__brave-search__.*", tool, "mcp__brave-search__web", true, "regex", "re2"},
		{"mcp__.*__write.*", tool, "mcp__files__write_file", true, "regex", "re2"},
		{"mcp__.*__write.*", tool, "mcp__files__read_file", false, "regex", "re2"},
		{"my-plugin:reviewer", Options{}, "x-my-plugin:reviewer", true, "regex", "re2"},
		{"^my-plugin:reviewer$", Options{}, "x-my-plugin:reviewer", false, "regex", "re2"},
		{"read_(file|edit)", Options{}, "read_file", true, "regex", "re2"},
		{`notes\|todo\.md`, Options{}, "docs/todo.md", false, "regex", "re2"},
		{"Bash(git commit*)", tool, "Bash", false, "regex", "re2"},
		{"Edit|^$|", tool, "Read", true, "regex", "re2"},
		{"mcp__(?!.*own-server)", tool, "mcp__files__read", true, "regex", "ecmascript"},
		{"mcp__(?!.*own-server)", tool, "mcp__own-server__read", false, "regex", "ecmascript"},
		{`^(.)\1`, Options{}, "aab", true, "regex", "ecmascript"},
		{`^(.)\1`, Options{}, "aba", false, "regex", "ecmascript"},
		{`a\1b`, Options{}, "a\x01b", true, "regex", "re2"},

		// every MCP tool
		{"mcp__*", tool, "mcp__files__read", true, "list", "exact"},
		{"mcp__*", tool, "my_mcp_tool", false, "list", "exact"},
		{"mcp__*", tool, "mcp_", false, "list", "exact"},
		{"mcp__*", Options{}, "my_mcp_tool", true, "regex", "re2"},
		{"mcp__files__*", tool, "mcp__files__read", true, "regex", "re2"},

		// one tool of two names
		{"Task", tool, "Agent", true, "list", "exact"},
		{"Agent", tool, "Task", true, "list", "exact"},
		{"Task", tool, "Task", true, "list", "exact"},
		{"Bash|Task", tool, "Agent", true, "list", "exact"},
		{"Bash", tool, "Agent", false, "list", "exact"},
		{"Task", Options{}, "Agent", false, "list", "exact"},
		{"Task.*", tool, "Agent", true, "regex", "re2"},
		{"^Agent$", tool, "Task", true, "regex", "re2"},
		{"^(Agent|Task)$", tool, "Task", true, "regex", "re2"},
		{"^T.*", tool, "Agent", true, "regex", "re2"},
		{"^(?!Task$)", tool, "Agent", false, "regex", "ecmascript"},
		{"^(?!Agent$)", tool, "Task", false, "regex", "ecmascript"},
		{"^Task$", Options{}, "Agent", false, "regex", "re2"},
	} {
		m, err := Compile(tt.text, tt.opts)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		got, err := m.Match(tt.subject)
		if got != tt.want || err != nil {
			t.Errorf("%q (%+v) on %q: %v, %v; want %v", tt.text, tt.opts, tt.subject, got, err, tt.want)
		}
		if m.Kind() != tt.kind || m.Engine() != tt.engine || m.Text() != tt.text {
			t.Errorf("%q (%+v) is %s by %s, text %q; want %s by %s", tt.text, tt.opts, m.Kind(), m.Engine(), m.Text(), tt.kind, tt.engine)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"*.ts", `matcher "*.ts": nothing to repeat at character 1; a matcher is no file glob; write ".*" for anything, or "*" alone for every event`},
		{"(?i)bash", `matcher "(?i)bash": invalid group at character 1; JavaScript has no inline flags; spell both cases out, as in [Bb]ash`},
		{"Edit(", `matcher "Edit(": unterminated group at character 6`},
		{"Edit)", `matcher "Edit)": unmatched ) at character 5`},
		{"[z-a]", `matcher "[z-a]": range out of order in character class at character 5`},
		{"[a", `matcher "[a": unterminated character class at character 3`},
		{`é\`, `matcher "é\\": \ at the end of the pattern at character 2`},
		{"a{3,2}", `matcher "a{3,2}": numbers out of order in {} quantifier at character 2`},
		{"(?<n>a)(?<n>b)", `matcher "(?<n>a)(?<n>b)": duplicate capture group name at character 13`},
		{"." + strings.Repeat("x", MaxChars), "longer than 10000 characters"},
		{strings.Repeat("(", MaxDepth+1) + "." + strings.Repeat(")", MaxDepth+1), "nested deeper than 200 groups"},
	} {
		m, err := Compile(tt.text, tool)
		var serr *SyntaxError
		if m != nil || !errors.As(err, &serr) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40q: %v, %v; want %s", tt.text, m, err, tt.want)
		}
	}
}

func TestRunaway(t *testing.T) {
	for _, text := range []string{`(?=a)(a+)+b`, `^(?!b)(a|aa)+$`} {
		expr, err := compile(text, time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		m := &Matcher{text: text, kind: kindRegex, expr: expr}
		ok, err := m.Match(strings.Repeat("a", 100) + "!")
		if ok || !errors.Is(err, ErrRunaway) {
			t.Errorf("%q: %v, %v; want %v", text, ok, err, ErrRunaway)
		}
	}
	// the same without what RE2 lacks cannot run away
	m, err := Compile(`(a+)+b`, tool)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := m.Match(strings.Repeat("a", 10_000)); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

// TestListAllocs: a list costs one allocation, and matching it none.
func TestListAllocs(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() {
		if m, err := Compile("Edit|Write|MultiEdit", tool); err != nil || m == nil {
			t.Fatal(err)
		}
	}); n > 1 {
		t.Errorf("%v allocations to compile a list", n)
	}
	m, err := Compile("Edit|Write, MultiEdit", tool)
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		if ok, _ := m.Match("NotebookEdit"); ok {
			t.Fatal("it matches")
		}
	}); n > 0 {
		t.Errorf("%v allocations to match a list", n)
	}
}

func FuzzCompile(f *testing.F) {
	for i, p := range patterns {
		f.Add(p, subjects[i%len(subjects)])
	}
	f.Fuzz(func(t *testing.T, text, subject string) {
		for _, opts := range []Options{{}, {Narrow: true}, {Tool: true}} {
			m, err := Compile(text, opts)
			if (err != nil) == (m != nil) {
				t.Fatalf("%v, %v", m, err)
			}
			if err != nil {
				continue
			}
			if _, err := m.Match(subject); err != nil && !errors.Is(err, ErrRunaway) {
				t.Error(err)
			}
			if m.expr != nil && m.expr.re2 != nil && flat(subject) {
				re, err := m.expr.ecma()
				if err != nil {
					t.Fatalf("%q is for RE2 alone: %v", text, err)
				}
				ok, err := re.MatchRunes(units(subject))
				if got := m.expr.re2.MatchString(subject); err == nil && got != ok {
					t.Errorf("%q on %q: RE2 says %v, ECMAScript %v", text, subject, got, ok)
				}
			}
		}
	})
}

func BenchmarkCompileList(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile("Edit|Write|MultiEdit", tool); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMatch compares one subject with n distinct matchers, of which none
// matches.
func BenchmarkMatch(b *testing.B) {
	for kind, text := range map[string]string{"list": "Tool%d|Other%d", "re2": "^Tool%d|Other%d$", "ecmascript": "^(?!Bash)Tool%d|Other%d$"} {
		for _, n := range []int{1, 100, 10_000} {
			if kind == "ecmascript" && n > 100 {
				continue
			}
			ms := make([]*Matcher, n)
			for i := range ms {
				m, err := Compile(fmt.Sprintf(text, i, i), tool)
				if err != nil {
					b.Fatal(err)
				}
				ms[i] = m
			}
			b.Run(fmt.Sprintf("%s/n=%d", kind, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					for _, m := range ms {
						if ok, err := m.Match("NotebookEdit"); ok || err != nil {
							b.Fatal(ok, err)
						}
					}
				}
			})
		}
	}
}
