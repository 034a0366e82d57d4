package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/settings"
)

// Whatever stands in a file, the linter comes to an end, and what it says has a
// rule, a place and words, and is the same each time.
func FuzzFiles(f *testing.F) {
	for _, r := range Rules() {
		f.Add([]byte(r.Bad.Settings))
	}
	for _, dir := range []string{"valid", "faulty"} {
		files, err := filepath.Glob(filepath.Join("testdata", dir, "*"))
		if err != nil || len(files) == 0 {
			f.Fatal(files, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	cfg := &precedence.Config{Dialect: settings.Theus, Project: precedence.ProjectDirs{Root: "/nowhere", Main: "/nowhere"}}
	f.Fuzz(func(t *testing.T, data []byte) {
		run := func() string {
			src := &precedence.Source{Scope: precedence.Project, Name: "s.json", File: settings.Parse("s.json", data)}
			problems := Files(cfg, []*precedence.Source{src}, Options{Env: []string{"PATH="}})
			for _, p := range problems {
				r, ok := Lookup(p.Code)
				if !ok || p.Severity != r.Severity || p.Line < 1 || p.Column < 1 || p.Message == "" {
					t.Fatalf("%+v, rule %v", p, r.ID)
				}
			}
			text := ""
			for _, format := range Formats() {
				report, err := Format(problems, format)
				if err != nil {
					t.Fatal(err)
				}
				text += string(report)
			}
			return text
		}
		if first := run(); first != run() {
			t.Fatal("the same file, another report")
		}
	})
}
