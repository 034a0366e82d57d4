package check

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/settings"
)

var update = flag.Bool("update", false, "rewrite docs/checks.md")

// run checks an example in a world of its own.
func (e Example) run(t *testing.T) []settings.Problem {
	t.Helper()
	w := newWorld(t)
	path := w.place(e.Scope)
	w.write(t, path, []byte(e.Settings), 0o644)
	if e.User != "" {
		w.write(t, w.place(precedence.User), []byte(e.User), 0o644)
	}
	for _, f := range e.Files {
		mode := os.FileMode(0o644)
		if f.Executable {
			mode = 0o755
		}
		w.write(t, filepath.Join(w.project, f.Path), []byte(f.Text), mode)
	}
	bin := filepath.Join(w.root, "bin")
	if !e.NoBash {
		w.write(t, filepath.Join(bin, "bash"), nil, 0o755)
	}
	problems, _, _ := w.lint(path, "PATH="+bin)
	return problems
}

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		t.Run(r.ID, func(t *testing.T) {
			if seen[r.ID] || !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9_]+)*$`).MatchString(r.ID) || r.Summary == "" || r.Text == "" {
				t.Errorf("a rule needs an id of its own, a summary and a text: %+v", r)
			}
			seen[r.ID] = true
			if r.Bad.Settings == "" {
				return // shown by a test of its own
			}
			found := false
			for _, p := range r.Bad.run(t) {
				if p.Code == r.ID {
					found = true
					if p.Severity != r.Severity || p.Line < 1 || p.Column < 1 || p.Message == "" {
						t.Errorf("got %s %s", p.Severity, p)
					}
				}
			}
			if !found {
				t.Errorf("the bad example breaks: %v", codes(r.Bad.run(t)))
			}
			if rest := r.Fixed.run(t); len(rest) > 0 {
				t.Errorf("the fixed example still breaks %v", codes(rest))
			}
		})
	}
}

// Every problem that reading can report must have its row: each code in the
// source of the packages below.
func TestEveryCodeIsARule(t *testing.T) {
	call := regexp.MustCompile(`p\.report\((?:Error|Warning), ([^,]+),|Code: ("[a-z-]+")`)
	files, err := filepath.Glob("../*.go")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	n := 0
	for _, file := range append(files, "../../precedence/source.go") {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range call.FindAllStringSubmatch(string(text), -1) {
			for _, code := range spelled(t, m[1]+m[2]) {
				n++
				if _, ok := Lookup(code); !ok {
					t.Errorf("%s reports %q, which is no rule", file, code)
				}
			}
		}
	}
	if n < 25 {
		t.Errorf("only %d codes were found; does the test still read the source?", n)
	}
}

// spelled lists the codes that an expression of the source stands for.
func spelled(t *testing.T, expr string) []string {
	t.Helper()
	expr = strings.TrimSpace(expr)
	switch {
	case expr == "code": // forgiven
		return []string{"bom", "comment", "trailing-comma"}
	case strings.HasSuffix(expr, "+key"):
		prefix := strings.Trim(strings.TrimSuffix(expr, "+key"), `"`)
		return []string{prefix + "command", prefix + "url", prefix + "server", prefix + "tool", prefix + "prompt"}
	case strings.HasPrefix(expr, `"`):
		return []string{strings.Trim(expr, `"`)}
	}
	t.Fatalf("cannot tell which codes %s stands for", expr)
	return nil
}

func TestDocumentationIsCurrent(t *testing.T) {
	const page = "../../docs/checks.md"
	if *update {
		if err := os.WriteFile(page, []byte(Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil || string(text) != Markdown() {
		t.Errorf("docs/checks.md is not what the rules say (%v); run: go test ./settings/check -run Documentation -update", err)
	}
}

func TestUnreadableFiles(t *testing.T) {
	w := newWorld(t)
	for name, path := range map[string]string{"a directory": w.project, "nothing": filepath.Join(w.project, "x.json")} {
		problems, src, _ := w.lint(path)
		if got := problems; len(got) != 1 || got[0].Code != "unreadable" || !src.File.Lost {
			t.Errorf("%s: %v", name, codes(got))
		}
	}
}

func TestSourcesInOrder(t *testing.T) {
	w := newWorld(t)
	w.write(t, w.place(precedence.User), []byte(`{"hooks":{"Stop":[{"matcher":"x","hooks":[{"type":"command","command":"a"}]}]}}`), 0o644)
	w.write(t, w.place(precedence.Project), []byte(`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"},{"type":"command","command":"b","timeout":0}]}]}}`), 0o644)
	w.write(t, w.place(precedence.Local), []byte(`{"a":`), 0o644)
	w.write(t, w.place(precedence.Managed), []byte(`{"allowManagedHooksOnly":true}`), 0o644)
	var got []string
	for _, p := range Sources(w.load(), Options{}) {
		got = append(got, filepath.Base(p.File)+" "+p.Code)
	}
	want := []string{
		"settings.json policy-off", "settings.json matcher-ignored", // of the user
		"settings.json policy-off", "settings.json duplicate-hook", "settings.json bad-timeout", // of the project
		"settings.local.json syntax",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
