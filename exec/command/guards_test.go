//go:build unix

package command

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/settings/shell"
)

// rules are the guards of the allow-list, read from its source: what it calls
// reject and meet with.
func rules(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../../settings/shell/engine*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no source of the allow-list: %v", err)
	}
	var found []string
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			called, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || called.Sel.Name != "reject" && called.Sel.Name != "meet" {
				return true
			}
			for _, arg := range call.Args[:min(2, len(call.Args))] {
				if lit, ok := arg.(*ast.BasicLit); ok {
					rule, _ := strconv.Unquote(lit.Value)
					found = append(found, rule)
				}
			}
			return true
		})
	}
	return found
}

// unproven are the guards that no difference to bash proves, and why they stand.
// A case of testdata/bash that only such a guard keeps from running in process
// is still wanted: it fails if the guard is taken out.
var unproven = map[string]string{
	"the command %T": "for kinds of commands that the parser may come to know",
	"the word %T":    "for kinds of words that the parser may come to know",

	"a loop in a loop in a loop":      "bounds the time: each loop multiplies the passes of those in it",
	"a value that grows in a loop":    "bounds the memory",
	"values made of too many others":  "bounds the memory",
	"a command that expands too much": "bounds the memory",

	"a process substitution": "leaves a goroutine behind that nobody can end, where nothing opens it",

	"$(<…)": "in process it needs a cat on the PATH",

	`$"…"`: "the text depends on catalogues of translations",

	"[ without ]":                           unknown,
	"a backslash at the end":                unknown,
	"a backslash in a pattern":              unknown,
	"a backslash in backquotes":             unknown,
	"for with braces":                       unknown,
	"for without in":                        unknown,
	"printf without a format":               unknown,
	"read without a name":                   unknown,
	"that assignment before read":           unknown,
	"${%s} with an operator outside quotes": unknown,
}

const unknown = "no difference is known, and none is ruled out"

// unguarded are the guards of which even that case cannot be written.
var unguarded = []string{"the command %T", "the word %T"}

// TestGuards: every guard of the allow-list is needed. Without it, the snippet
// that is found here would run in process, and come out otherwise than in bash.
func TestGuards(t *testing.T) {
	all := rules(t)
	proofs, alone := provenBy(t)
	for i, rule := range all {
		if alone[rule] == "" && !slices.Contains(unguarded, rule) {
			t.Errorf("no snippet would notice if the guard %q were taken out", rule)
		}
		if slices.Contains(all[:i], rule) {
			t.Errorf("two guards are called %q; nobody could say which one is meant", rule)
		}
		why, known := unproven[rule]
		switch found := proofs[rule]; {
		case len(found) == 0 && !known:
			t.Errorf("no snippet needs the guard %q", rule)
		case len(found) > 0 && known:
			t.Errorf("the guard %q is proven by %v, and listed as unproven: %s", rule, found, why)
		}
	}
	checkTables(t, proofs, alone)
	for rule := range unproven {
		if !slices.Contains(all, rule) {
			t.Errorf("there is no guard %q", rule)
		}
	}
}

// provenBy gives for each guard the first snippet that only this guard keeps
// from running in process, alone, and all of them that came out otherwise there,
// proofs.
func provenBy(t testing.TB) (proofs map[string][]string, alone map[string]string) {
	proofs, alone = map[string][]string{}, map[string]string{}
	var mu sync.Mutex
	var wait sync.WaitGroup
	places := make(chan struct{}, 8)
	for _, s := range snippets(t) {
		script, err := shell.Parse(s.text)
		if s.engine != "bash" || err != nil {
			continue
		}
		rule, only := onlyGuard(script)
		if !only {
			continue
		}
		if alone[rule] == "" {
			alone[rule] = s.name
		}
		if why := unproven[rule]; strings.HasPrefix(why, "bounds") || strings.HasPrefix(why, "leaves") {
			continue // not to be tried
		}
		dir := tempDir(t)
		wait.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			if cmp.Equal(runBash(t, dir, s.text), runUnguarded(t, dir, s.text)) {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			proofs[rule] = append(proofs[rule], s.name)
		})
	}
	wait.Wait()
	for _, names := range proofs {
		slices.Sort(names)
	}
	return proofs, alone
}

// onlyGuard is the guard of a script that has no other.
func onlyGuard(s *shell.Script) (rule string, only bool) {
	for _, g := range s.Guards() {
		if rule != "" && g.Rule != rule {
			return "", false
		}
		rule = g.Rule
	}
	return rule, rule != ""
}

// runUnguarded runs a text in process, whatever the allow-list says.
func runUnguarded(t testing.TB, dir, text string) effect {
	t.Helper()
	fillFixture(t, dir)
	defer os.RemoveAll(dir)
	script, err := shell.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	job := Job{Command: text, Dir: dir, Env: fixtureEnv(dir), Stdin: []byte(event), Timeout: time.Minute}
	tag := newTag()
	job.Env = setEnv(tagged(cleanEnv(job.Env), tag), "PWD", job.Dir)
	var r response.Result
	supervise(context.Background(), job, engine{name: "builtin", script: script}, tag, &r)
	e := effect{Stdout: string(r.Stdout), Exit: -1, Stderr: len(r.Stderr) > 0, Files: tree(t, dir)}
	if r.ExitCode != nil {
		e.Exit = *r.ExitCode
	}
	return e
}
