package matcher

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// patterns meet every place where the engines and JavaScript may part.
var patterns = []string{
	// tool names
	`Edit.*`, `^Edit$`, `^Notebook`, `mcp__memory__.*`, `mcp__.*__write.*`, `mcp__*`, `mcp__[^_]+__x`, `^mcp__(?!.*own)`,
	`^(?!mcp__).*`, `^(?!Bash$)`, `(?<!Notebook)Edit`, `(?<=mcp__)files`, `^(Edit|Write)$`, `Edit|`, `|`, `Bash(git commit*)`,
	`my-plugin:reviewer`, `^my-plugin:reviewer$`, `read_(file|edit)`, `notes\|todo\.md`, `*.ts`, `.*\.ts$`, `\.env`, `^[A-Z]`,
	// assertions
	`^`, `$`, `^$`, `a$`, `^a`, `\bEdit\b`, `\Ba`, `\B`, `\b`, `a\b`, `^*`, `$+`, `\b*`, `(?=a)*b`, `(?=a){2}`, `(?!a)?b`, `(?<=a)*`, `(?<!a)+`,
	`^^a`, `a$$`, `(^a|b$)`, `x*$`, `(?:^)*a`,
	// dot, classes
	`a.b`, `^.$`, `^..$`, `.`, `[^]`, `[]`, `a[]b`, `a[^]b`, `[^a]`, `^[^a]$`, `[a-c]`, `[c-a]`, `[a\-c]`, `[-a]`, `[a-]`, `[a-c-e]`, `[\]]`, `[]]`, `[^]]`,
	`[[:alpha:]]`, `[[a]`, `[a&&b]`, `[\d-z]`, `[a-\d]`, `[\d]`, `[\w-]`, `[\s\S]`, `[\S]`, `[^\S]`, `[^\s]`, `[\W]`, `[^\W]`, `[\D]`, `[\b]`, `[\B]`, `[.]`, `[$^]`, `[\^]`, `[é-ü]`, `[\x41-\x43]`, `[\u0041-C]`, `[\0]`, `[\cA]`, `[\c]`, `[\c1]`, `[\c_]`, `[\c*]`, `[\101]`, `[\8]`, `[\k]`, `[z`, `[\`, `[a-`, `[😀]`, `^[😀]$`, `^[^😀]$`, `[a-😀]`, `[😀-😁]`, `[\ud83d]`, `[\ud83d\ude00]`,
	// escapes
	`\d`, `\D`, `\w`, `\W`, `\s`, `\S`, `^\s$`, `^\S$`, `^\w+$`, `^\d+$`, `\t`, `\n`, `\v`, `\f`, `\r`, `\0`, `\x41`, `\x4`, `\xg1`, `\u0041`, `\u004`, `\u{61}`, `\u{2}`, `\ud83d\ude00`, `\cA`, `\ca`, `\c`, `\c1`, `a\c*`, `\a`, `\e`, `\A`, `\z`, `\Z`, `\Q.\E`, `\p{L}`, `\pL`, `\/`, `\-`, `\_`, `\é`, `\`, `a\`,
	`\1`, `(a)\1`, `\1(a)`, `(a)\2`, `(a)\10`, `(a)\18`, `\8`, `\9`, `\01`, `\012`, `\377`, `\400`, `\777`, `(\1a)`, `(a)|\1b`, `(?:(a)|b)\1`, `(?:(a)|b)*\1$`, `(a*)*\1b`, `^(.)(.).*\2\1$`,
	`\k`, `\k<n>`, `(?<n>a)\k<n>`, `\k<n>(?<n>a)`, `(?<n>a)\k<m>`, `(?<n>a)\k`, `(?<n>a)(?<n>b)`, `(?<1n>a)`, `(?<>a)`, `(?<n`, `(?<n>a`, `(?<n>.)(.)\2`, `(.)(?<n>.)\1\2`, `(?<é>a)\k<é>`, `(?<$_1>a)`,
	// groups
	`(`, `)`, `a)`, `(a`, `(?`, `(?:`, `(?:a)`, `()`, `(?:)`, `(?i)a`, `(?i:a)`, `(?s:.)`, `(?-i)a`, `(?#c)a`, `(?>a)`, `(?P<n>a)`, `(?'n'a)`, `(?|a)`, `(*a)`, `(?=`, `(?!a`, `(?(1)a)`, `(?R)`,
	// quantifiers
	`a*`, `a+`, `a?`, `a**`, `a++`, `a+*`, `a??`, `a+?`, `a*?`, `a???`, `a{2}`, `a{2,}`, `a{2,3}`, `a{3,2}`, `a{,3}`, `a{,}`, `a{}`, `a{`, `a{x`, `a{2`, `a{2}{3}`, `a{2}?`, `a{2}+`, `{`, `}`, `]`, `{1}`, `{1`, `{a}`, `*`, `+`, `?`, `|*`, `a|*`, `(*)`, `(+a)`, `a{0}`, `^a{0}$`, `a{1001}`, `a{0,1001}b`, `(?:a{100}){100}`, `a{99999999999}`, `a{99999999999,1}`, `^{1}`, `x{1}{`, `x{2}}`, `(?:){3}a`,
	`(a|ab)(c|bcd)(d*)`, `(a+)+$`, `(a|a)*b`, `((a)|b)*`, `(?:a|b)+?c`, `^(?:a?){3}a{3}$`, `(z)((a+)?(b+)?(c))*`,
	// text beyond ASCII
	`é`, `É`, `日本`, `^日.$`, `😀`, `^😀$`, `😀+`, `^😀{2}$`, `^.😀`, `\uD83D`, `\uDE00$`, `K`, `ſ`, "\u2028", "a\nb", ` `, `	`, `ﬀ`, `\uFEFF`, `#`, `a # b`, `"`, `'`, `&`, `~`, `@`, `%`, `,`, `;`, `=`, `!`, `<`, `>`, `:`, `-`, "`", `$a`, `a^b`, `^a^`,
}

var subjects = []string{
	"", "a", "b", "A", "aa", "aaa", "ab", "abc", "abcd", "ba", "abab", "abba", "z", "zaacbbbcac", "Bash", "BashOutput", "Edit", "NotebookEdit", "MultiEdit", "Write", "Read",
	"mcp__memory", "mcp__memory__create", "mcp__files__write_file", "mcp__own-server__x", "my_mcp_tool", "my-plugin:reviewer", "senior-code-reviewer",
	"read_file", "notes", "docs/todo.md", "notes|todo.md", "a.ts", "src/a.ts", ".env", "a b", "a\nb", "a\u2028b", "a\rb", "\n", "\t", "\v", "\f", " ", "\u00a0", "\ufeff", "\u0085", "\u1680", "\u180e", "\b", "\x00", "\x01", "\x1f", "\x11", "\n0",
	"é", "É", "ü", "日本", "日本語", "😀", "😀😀", "a😀", "😁", "x😀a", "K", "ſ", "1", "42", "_", "-", "]", "[", "{", "}", "\\", "^", "$", "c", "\\c", "\\ccc", "cA", "u{61}", "uu", "p{L}", "x4", "k<n>", "akn", "8", "a8", "a{,3}", "a{x", "{1", "$a", "a^b", "&", "a\x08", "S", "\u0100", "ÿ", "Ȁ0", "ab\nab", "Q.E", "(", ")", "*", ":]", "a]", "b]", "aab", "aabb", "e", "d-z", "Bashgit commi",
}

type jsCase struct {
	Pattern  string   `json:"pattern"`
	Subjects []string `json:"subjects"`
}

// jsAnswer is what JavaScript says of a case.
type jsAnswer struct {
	err     string
	matches []bool
}

// askNode runs every case in one process of node.
func askNode(t *testing.T, cases []jsCase) []jsAnswer {
	t.Helper()
	in, err := jsontext.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "testdata/match.js")
	cmd.Stdin = bytes.NewReader(in)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("this test compares with JavaScript and needs node: %v\n%s", err, stderr.String())
	}
	v, err := jsontext.Parse(bytes.TrimSpace(out), jsontext.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var answers []jsAnswer
	for _, a := range v.Elements() {
		answer := jsAnswer{err: a.Get("error").Text()}
		for _, m := range a.Get("matches").Elements() {
			answer.matches = append(answer.matches, m.Bool())
		}
		answers = append(answers, answer)
	}
	if len(answers) != len(cases) {
		t.Fatalf("node answered %d of %d cases", len(answers), len(cases))
	}
	return answers
}

// compareWithJavaScript checks that expressions answer as JavaScript does.
func compareWithJavaScript(t *testing.T, cases []jsCase) {
	t.Helper()
	pairs, bad, engines := 0, 0, map[string]int{}
	for i, want := range askNode(t, cases) {
		c := cases[i]
		expr, err := compile(c.Pattern, TimeLimit)
		if (err != nil) != (want.err != "") {
			t.Errorf("%q: our error is %v, that of JavaScript is %q", c.Pattern, err, want.err)
			bad++
			continue
		}
		if err != nil {
			engines["refused"]++
			continue
		}
		m := &Matcher{kind: kindRegex, expr: expr}
		engines[m.Engine()]++
		for j, s := range c.Subjects {
			pairs++
			got, err := m.Match(s)
			if err != nil {
				t.Errorf("%q on %q: %v", c.Pattern, s, err)
			}
			if got != want.matches[j] {
				bad++
				t.Errorf("%q on %q: we say %v by %s, JavaScript says %v", c.Pattern, s, got, m.Engine(), want.matches[j])
			}
			if bad > 50 {
				t.Fatal("too many differences")
			}
		}
	}
	t.Logf("%d patterns, %d pairs, by engine: %v", len(cases), pairs, engines)
	if pairs < 300 {
		t.Errorf("only %d pairs compared", pairs)
	}
}

func TestJavaScript(t *testing.T) {
	cases := make([]jsCase, len(patterns))
	for i, p := range patterns {
		if !utf8.ValidString(p) {
			t.Fatalf("%q cannot be passed on", p)
		}
		cases[i] = jsCase{p, subjects}
	}
	compareWithJavaScript(t, cases)
}

// TestJavaScriptRandom compares expressions put together at random, always the
// same ones.
func TestJavaScriptRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	atoms := []string{"a", "b", "B", "1", "_", ".", `\d`, `\D`, `\w`, `\W`, `\s`, `\S`, `\b`, `\B`, "^", "$", "[ab]", "[^a]", `[\w.]`, `[^\s\d]`, "[a-c1]", `\.`, `\u0061`, `\x62`, "é", "😀", "-", "{", "]", `\1`, `\2`, `\k<n>`, `\t`, "[]", "[^]", `\cJ`, `\0`, `[\b]`}
	opens := []string{"(", "(", "(?:", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>"}
	repeats := []string{"", "", "", "", "*", "+", "?", "*?", "{2}", "{1,2}", "{0,}", "{2", "??"}
	chars := []string{"a", "a", "b", "b", "B", "1", "_", " ", ".", "-", "\n", "é", "😀", "{", "]", "\t"}
	var build func(depth int) string
	build = func(depth int) string {
		var b strings.Builder
		for range 1 + rng.IntN(3) {
			switch n := rng.IntN(10); {
			case n < 2 && depth < 3:
				b.WriteString(opens[rng.IntN(len(opens))] + build(depth+1) + ")")
			case n == 2:
				b.WriteString("|")
				continue
			default:
				b.WriteString(atoms[rng.IntN(len(atoms))])
			}
			b.WriteString(repeats[rng.IntN(len(repeats))])
		}
		return b.String()
	}
	cases := make([]jsCase, 3000)
	for i := range cases {
		cases[i].Pattern = build(0)
		for range 6 {
			s := ""
			for range rng.IntN(6) {
				s += chars[rng.IntN(len(chars))]
			}
			cases[i].Subjects = append(cases[i].Subjects, s)
		}
	}
	compareWithJavaScript(t, cases)
}
