//go:build unix

package command

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/theus-hooks/theus-hooks/settings/shell"
)

var update = flag.Bool("update", false, "write the tables of docs/shell.md anew")

// inProcess is the allow-list in the words of a reader. Each entry has to stand
// in a case that runs in process.
var inProcess = []struct{ kind, list string }{
	{"commands", "program|A=x|A=x program|export A=x|&&|\\||!|if|else|elif|case|for A in|while read|{ }|( )|[[ ]]"},
	{"builtins", ":|true|false|echo|printf|pwd|cd|read|test|[|exit|exec|unset|command|break|continue"},
	{"words", `'x'|"x"|$'x'|\x|~|$A|${A}|$?|$(x)|` + "`x`" + `|${A-x}|${A:-x}|${A+x}|${A:+x}|${A#x}|${A##x}|${A%x}|${A%%x}`},
	{"redirections", "<|>|>>|2>|&>|&>>|>&2|<<|<<-|<<<"},
	{"tests", "[ -e|[ -f|[ -d|[ -n|[ -z|[ -r|[ -w|[ -x|[ -s|[ -L|[ -h|[ -p|[ =|[ ==|[ !=|[ -eq|[ -ne|[ -lt|[ -le|[ -gt|[ -ge|[ !"},
	{"[[ ]]", "[[ -e|[[ -f|[[ -d|[[ -n|[[ -z|[[ -r|[[ -w|[[ -x|[[ -s|[[ -L|[[ -p|[[ =|[[ ==|[[ !=|[[ =~|[[ -eq|[[ -ne|[[ -lt|[[ -le|[[ -gt|[[ -ge|[[ !|[[ &&|[[ \\||[[ (|[[ x"},
}

// entries splits a list at its bars; a bar that is meant is \|.
func entries(list string) []string {
	parts := strings.Split(strings.ReplaceAll(list, `\||`, "\x00|"), "|")
	for i, p := range parts {
		parts[i] = strings.Replace(p, "\x00", "||", 1)
	}
	return parts
}

// constructs are the entries of inProcess that stand in a script.
func constructs(f *syntax.File) map[string]bool {
	found := map[string]bool{}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			note(found, "!", n.Negated)
		case *syntax.CallExpr:
			ofCall(n, found)
		case *syntax.DeclClause:
			found["export A=x"] = true
		case *syntax.BinaryCmd:
			found[strings.TrimSuffix(n.Op.String(), "\x00")] = true
		case *syntax.IfClause:
			ofIf(n, found)
		case *syntax.CaseClause:
			found["case"] = true
		case *syntax.ForClause:
			found["for A in"] = true
		case *syntax.WhileClause:
			found["while read"] = true
		case *syntax.Block:
			found["{ }"] = true
		case *syntax.Subshell:
			found["( )"] = true
		case *syntax.TestClause:
			found["[[ ]]"] = true
			_, isWord := n.X.(*syntax.Word)
			note(found, "[[ x", isWord)
		case *syntax.UnaryTest:
			found["[[ "+n.Op.String()] = true
		case *syntax.BinaryTest:
			found["[[ "+n.Op.String()] = true
		case *syntax.ParenTest:
			found["[[ ("] = true
		case *syntax.Redirect:
			ofRedirect(n, found)
		case syntax.WordPart:
			ofPart(n, found)
		}
		return true
	})
	return found
}

func note(found map[string]bool, construct string, is bool) {
	if is {
		found[construct] = true
	}
}

func ofCall(c *syntax.CallExpr, found map[string]bool) {
	if len(c.Args) == 0 {
		found["A=x"] = true
		return
	}
	name := c.Args[0].Lit()
	if !slices.Contains(entries(inProcess[1].list), name) {
		name = "program"
		note(found, "A=x program", len(c.Assigns) > 0)
	}
	found[name] = true
	if name == "[" || name == "test" {
		for _, w := range c.Args[1:] {
			found["[ "+w.Lit()] = true
		}
	}
}

func ofIf(c *syntax.IfClause, found map[string]bool) {
	found["if"] = true
	if c.Else != nil {
		note(found, "else", len(c.Else.Cond) == 0)
		note(found, "elif", len(c.Else.Cond) > 0)
	}
}

func ofRedirect(r *syntax.Redirect, found map[string]bool) {
	op := r.Op.String()
	if r.N != nil && r.N.Value == "2" {
		op = "2" + op
	}
	if r.Op == syntax.DplOut && r.Word.Lit() == "2" {
		op = ">&2"
	}
	found[op] = true
}

func ofPart(p syntax.WordPart, found map[string]bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		note(found, `\x`, strings.Contains(p.Value, `\`))
		note(found, "~", strings.HasPrefix(p.Value, "~"))
	case *syntax.SglQuoted:
		note(found, "'x'", !p.Dollar)
		note(found, "$'x'", p.Dollar)
	case *syntax.DblQuoted:
		found[`"x"`] = true
	case *syntax.CmdSubst:
		note(found, "`x`", p.Backquotes)
		note(found, "$(x)", !p.Backquotes)
	case *syntax.ParamExp:
		switch {
		case p.Param.Value == "?":
			found["$?"] = true
		case p.Exp != nil:
			found["${A"+p.Exp.Op.String()+"x}"] = true
		case p.Short:
			found["$A"] = true
		default:
			found["${A}"] = true
		}
	}
}

// TestConstructs: each entry of the allow-list is proven by cases that run in
// process, and every builtin of it is one of ours to prove.
func TestConstructs(t *testing.T) {
	cases := casesOf(t)
	for _, group := range inProcess {
		for _, entry := range entries(group.list) {
			if len(cases[entry]) == 0 {
				t.Errorf("no case with %s runs in process", entry)
			}
		}
	}
}

// casesOf gives for each construct the cases that run in process and hold it.
func casesOf(t testing.TB) map[string][]string {
	t.Helper()
	cases := map[string][]string{}
	for _, s := range snippets(t) {
		if s.engine != "builtin" {
			continue
		}
		script, err := shell.Parse(s.text)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		for c := range constructs(script.File) {
			cases[c] = append(cases[c], s.name)
		}
	}
	return cases
}

// checkTables compares the tables of docs/shell.md with what the suite says.
func checkTables(t *testing.T, proofs map[string][]string, alone map[string]string) {
	t.Helper()
	const file, begin, end = "../../docs/shell.md", "<!-- begin: written by go test ./exec/command -run TestGuards -update -->\n", "<!-- end -->"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for its tables", file)
	}
	want := before + begin + tables(t, proofs, alone, rest) + end + after
	switch {
	case *update:
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	case want != string(data):
		t.Errorf("%s is stale; write it with -update", file)
	}
}

// tables writes the tables. Of several proofs the one that page shows stays: a
// snippet with programs in the background may come out otherwise once in a while.
func tables(t testing.TB, proofs map[string][]string, alone map[string]string, page string) string {
	var b strings.Builder
	byName, count := map[string]string{}, map[string]int{}
	for _, s := range snippets(t) {
		byName[s.name] = s.text
		count[s.engine]++
	}
	cases := casesOf(t)
	fmt.Fprintf(&b, "\nIn process, proven by %d cases; in brackets, how many of them hold it:\n\n| | |\n|---|---|\n", count["builtin"])
	for _, group := range inProcess {
		var cells []string
		for _, entry := range entries(group.list) {
			cells = append(cells, fmt.Sprintf("%s (%d)", code(entry), len(cases[entry])))
		}
		fmt.Fprintf(&b, "| %s | %s |\n", cell(group.kind), strings.Join(cells, ", "))
	}
	fmt.Fprintf(&b, "\nBy bash, in %d cases:\n\n| because of | for example | why |\n|---|---|---|\n", count["bash"])
	for _, rule := range rules(t) {
		names, effect := proofs[rule], "differs in process"
		if len(names) == 0 {
			effect = unproven[rule]
			if name := alone[rule]; name != "" {
				names = []string{name}
			}
		}
		row := func(example string) string {
			return fmt.Sprintf("| %s | %s | %s |\n", cell(ruleName(rule)), example, cell(effect))
		}
		if len(names) == 0 {
			b.WriteString(row("–"))
			continue
		}
		shown := slices.IndexFunc(names, func(name string) bool { return strings.Contains(page, row(code(byName[name]))) })
		b.WriteString(row(code(byName[names[max(0, shown)]])))
	}
	return b.String() + "\n"
}

// ruleName is a rule with … for what differs.
func ruleName(rule string) string {
	return strings.NewReplacer("%%", "%", "%s", "…", "%q", "…", "%T", "…").Replace(rule)
}

func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`).Replace(s)
}

// code writes shell text as code in a table, which ends neither at a bar nor at
// a line.
func code(s string) string {
	s = strings.NewReplacer("|", `\|`, "\n", "⏎", "\r", "␍").Replace(s)
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}
