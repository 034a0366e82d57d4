package hooks_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/theus-hooks/theus-hooks"

// layers lists for each package what it may import of this module, besides the
// leaves below internal/. "x/..." stands for x and everything below it. The
// table is the design; a new package needs a row.
var layers = map[string][]string{
	"settings/event":       {},
	"settings/shell":       {},
	"settings/rule":        {"settings/shell"},
	"settings":             {"settings/event", "settings/rule"},
	"settings/edit":        {"settings"},
	"settings/check":       {"settings/...", "precedence/..."},
	"settings/schema":      {},
	"precedence/matcher":   {},
	"precedence/trust":     {"settings", "settings/shell"},
	"precedence":           {"settings", "settings/event", "settings/rule", "settings/shell", "precedence/matcher", "precedence/trust"},
	"response":             {"settings/event"},
	"response/agent":       {"response", "settings/event"},
	"response/agent/setup": {"response/agent", "settings/event"},
	"envfile":              {"settings/shell"},
	"exec/session":         {"envfile", "settings/event"},
	"exec/command":         {"response", "settings/shell", "exec/command/jq"},
	"exec/command/jq":      {},
	"exec/background":      {"response", "envfile", "exec/command", "exec/session", "settings/event"},
	"exec/httphook":        {"response", "exec"},
	"exec/model":           {"response", "exec"},
	"exec/module":          {"response", "exec"},
	"exec":                 {"settings/...", "precedence/...", "response", "envfile", "exec/session"},
	"":                     {"settings/...", "precedence/...", "response/...", "envfile", "exec/..."},
	"testscripts":          {"", "exec/background", "exec/session"},
	"cmd/theus-hooks/cli": {
		"", "settings/...", "precedence/...", "response/...", "envfile", "exec/background", "exec/session", "testscripts",
	},
	"cmd/theus-hooks":      {"cmd/theus-hooks/cli"},
	"cmd/theus-hooks-host": {"", "settings/...", "precedence/...", "response/...", "envfile", "exec/...", "testscripts", "cmd/theus-hooks/cli"},
}

func TestImportsRunDownward(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`, "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		paths := strings.Fields(line)
		pkg := inModule(paths[0])
		seen[pkg] = true
		if leaf(pkg) {
			for _, path := range paths[1:] {
				if imported := inModule(path); imported != path && !leaf(imported) {
					t.Errorf("the leaf %s imports %s", pkg, imported)
				}
			}
			continue
		}
		allowed, ok := layers[pkg]
		if !ok {
			t.Errorf("package %q has no row in the table of layers", pkg)
		}
		for _, path := range paths[1:] {
			if imported := inModule(path); imported != path && !leaf(imported) && !permits(allowed, imported) {
				t.Errorf("%q imports %q, which its layer does not allow", pkg, imported)
			}
		}
	}
	for pkg := range layers {
		if !seen[pkg] {
			t.Errorf("the table of layers has %q, which is no package", pkg)
		}
	}
}

// inModule returns the path below the module, or path itself for others.
func inModule(path string) string {
	if path == module {
		return ""
	}
	if below, ok := strings.CutPrefix(path, module+"/"); ok {
		return below
	}
	return path
}

func leaf(pkg string) bool { return strings.HasPrefix(pkg, "internal/") }

func permits(allowed []string, pkg string) bool {
	return slices.ContainsFunc(allowed, func(a string) bool {
		base, tree := strings.CutSuffix(a, "/...")
		return a == pkg || tree && (pkg == base || strings.HasPrefix(pkg, base+"/"))
	})
}
