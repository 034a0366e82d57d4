package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/settings"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// ruleOf maps the kinds of testdata/expected.json to rule ids where they differ.
var ruleOf = map[string]string{
	"invalid-regex": "invalid-matcher", "if-several-rules": "if-syntax", "timeout-looks-like-ms": "timeout-milliseconds",
	"async-cannot-block": "async-guard", "header-variable-not-allowed": "header-variable", "secret-in-settings": "secret-in-header",
	"unquoted-project-dir": "unquoted-variable", "exit-1-does-not-block": "exit-1", "plugin-variable-outside-plugin": "plugin-variable",
}

// world is a directory in which one settings file stands in its place, alone.
type world struct{ root, project, home, managed string }

func newWorld(t *testing.T) world {
	t.Helper()
	root := t.TempDir()
	w := world{root, filepath.Join(root, "project"), filepath.Join(root, "home"), filepath.Join(root, "managed")}
	for _, dir := range []string{filepath.Join(w.project, ".theus"), filepath.Join(w.home, ".theus"), w.managed} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// place is where a file of a scope stands.
func (w world) place(scope precedence.Scope) string {
	switch scope {
	case precedence.User:
		return filepath.Join(w.home, ".theus", "settings.json")
	case precedence.Local:
		return filepath.Join(w.project, ".theus", "settings.local.json")
	case precedence.Managed:
		return filepath.Join(w.managed, "managed-settings.json")
	case precedence.Plugin:
		return filepath.Join(w.project, "hooks", "hooks.json")
	}
	return filepath.Join(w.project, ".theus", "settings.json")
}

func (w world) write(t *testing.T, path string, data []byte, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, mode); err != nil {
		t.Fatal(err)
	}
}

func (w world) load() *precedence.Config {
	return precedence.Load(precedence.Options{Env: []string{"HOME=" + w.home}, Dir: w.project, ManagedDir: w.managed, Trust: true})
}

// lint checks one file as `theus-hooks check` does, and returns the
// configuration too.
func (w world) lint(path string, env ...string) ([]settings.Problem, *precedence.Source, *precedence.Config) {
	cfg := w.load()
	src := Open(cfg, path, "settings.json")
	return Files(cfg, []*precedence.Source{src}, Options{Env: append([]string{"HOME=" + w.home}, env...)}), src, cfg
}

type expectation struct {
	path, kind, severity string
	line                 int
	optional             bool
}

// expectations reads a list of expected.json.
func expectations(list jsontext.Value) []expectation {
	var all []expectation
	for _, v := range list.Elements() {
		e := expectation{v.Get("path").Text(), v.Get("kind").Text(), v.Get("severity").Text(), int(v.Get("line").Float()), v.Get("optional").Bool()}
		all = append(all, e)
	}
	return all
}

// about reports whether a problem may be said beside an expected one: at its
// path, below it, or of the object that holds it.
func (e expectation) about(path string) bool {
	parent := e.path[:max(strings.LastIndexAny(e.path, ".["), 0)]
	return path == e.path || strings.HasPrefix(path, e.path+".") || strings.HasPrefix(path, e.path+"[") || path == parent
}

func (e expectation) rule() string {
	if id, ok := ruleOf[e.kind]; ok {
		return id
	}
	return e.kind
}

func corpus(t *testing.T) jsontext.Value {
	t.Helper()
	data, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsontext.Parse(data, jsontext.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Some files are odd on purpose; a checkout must not have mended them.
func TestBytesAreKept(t *testing.T) {
	for file, want := range map[string]string{"valid/23-windows.json": "{\r\n", "faulty/03-bom.json": "\xef\xbb\xbf{\r\n", "faulty/10-utf16.json": "\xff\xfe{\x00"} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil || !strings.HasPrefix(string(data), want) {
			t.Errorf("%s begins with %q, want %q (%v)", file, data[:min(len(data), 6)], want, err)
		}
	}
}

// Files as people write them, without a fault: nothing is said of them.
func TestValidFiles(t *testing.T) {
	n := 0
	for m := range corpus(t).Get("valid").Members() {
		n++
		t.Run(m.Key, func(t *testing.T) {
			w, scope := newWorld(t), precedence.Scope(m.Value.Get("scope").Text())
			data, err := os.ReadFile(filepath.Join("testdata", "valid", m.Key))
			if err != nil {
				t.Fatal(err)
			}
			w.write(t, w.place(scope), data, 0o644)
			problems, src, cfg := w.lint(w.place(scope), "PATH="+os.Getenv("PATH"))
			if src.Scope != scope {
				t.Errorf("read as %s, want %s", src.Scope, scope)
			}
			tolerated := expectations(m.Value.Get("tolerated"))
			for _, p := range problems {
				if !slices.ContainsFunc(tolerated, func(e expectation) bool {
					return e.path == p.Path && e.rule() == p.Code && e.severity == string(p.Severity)
				}) {
					t.Errorf("%s: %s: %s", p.Severity, p.Code, p)
				}
			}
			alive(t, cfg, src, problems, m.Value)
		})
	}
	if n != 30 {
		t.Errorf("%d files, want 30", n)
	}
}

// Files with one or two faults: each is named at its place.
func TestFaultyFiles(t *testing.T) {
	n := 0
	for m := range corpus(t).Get("faulty").Members() {
		n++
		t.Run(m.Key, func(t *testing.T) {
			w, scope := newWorld(t), precedence.Scope(m.Value.Get("scope").Text())
			data, err := os.ReadFile(filepath.Join("testdata", "faulty", m.Key))
			if err != nil {
				t.Fatal(err)
			}
			w.write(t, w.place(scope), data, 0o644)
			problems, src, cfg := w.lint(w.place(scope), "PATH="+os.Getenv("PATH"))
			want := expectations(m.Value.Get("problems"))
			for _, e := range want {
				if !slices.ContainsFunc(problems, func(p settings.Problem) bool {
					return p.Path == e.path && p.Code == e.rule() && string(p.Severity) == e.severity && p.Line == e.line
				}) {
					t.Errorf("not said: %+v; said: %v", e, codes(problems))
				}
			}
			for _, p := range problems {
				if !slices.ContainsFunc(want, func(e expectation) bool { return e.about(p.Path) }) {
					t.Errorf("said of another place: %s: %s", p.Code, p)
				}
			}
			alive(t, cfg, src, problems, m.Value)
		})
	}
	if n != 50 {
		t.Errorf("%d files, want 50", n)
	}
}

func codes(problems []settings.Problem) []string {
	var list []string
	for _, p := range problems {
		list = append(list, string(p.Severity)+" "+p.Code+" "+p.String())
	}
	return list
}

// alive fires every event of a file with every subject that is known or named,
// and compares what was ever selected with what must run and what must not.
func alive(t *testing.T, cfg *precedence.Config, src *precedence.Source, problems []settings.Problem, want jsontext.Value) {
	t.Helper()
	if src.Scope == precedence.Plugin {
		return // read by its plugin, not as a source of its own
	}
	ran, held := map[string]bool{}, map[string]bool{}
	for _, spec := range event.All() {
		if !slices.ContainsFunc(src.File.Groups, func(g settings.Group) bool { return g.Event == spec }) {
			continue
		}
		for _, subject := range candidates(src.File, spec) {
			plan := cfg.Plan(fire(t, spec, subject), nil)
			for _, ch := range plan.Selected {
				ran[ch.Hook.Handler.Place.Path] = ch.Broken == ""
			}
			for _, ch := range plan.Skipped {
				switch ch.Reason { // it would run for another call, or here some day
				case precedence.IfMismatch, precedence.Duplicate, precedence.UnsupportedHere, precedence.URLNotAllowed:
					held[ch.Hook.Handler.Place.Path] = true
				}
			}
		}
	}
	for _, v := range want.Get("survivors").Elements() {
		if !ran[v.Text()] && !held[v.Text()] {
			t.Errorf("%s never runs", v.Text())
		}
	}
	for _, list := range []string{"dead", "inactive"} {
		for _, v := range want.Get(list).Elements() {
			notSent := slices.ContainsFunc(problems, func(p settings.Problem) bool {
				return p.Code == "url-not-allowed" && strings.HasPrefix(p.Path, v.Text())
			})
			if ran[v.Text()] && !notSent {
				t.Errorf("%s runs, and must not", v.Text())
			}
		}
	}
}

// candidates are subjects that may come: the known ones, and of a matcher's names
// those of tools of MCP servers and of kinds that nobody can list.
func candidates(f *settings.File, spec *event.Spec) []string {
	list := append([]string{"mcp__files__read", "mcp__tracker__create_issue", "x"}, known(spec, nil)...)
	for _, g := range f.Groups {
		for _, name := range strings.FieldsFunc(g.Matcher.Text, func(r rune) bool { return strings.ContainsRune("|, ^$()", r) }) {
			if g.Event == spec && (known(spec, nil) == nil || strings.Count(name, "__") > 1) {
				list = append(list, name)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// fire is the example of an event with another subject.
func fire(t *testing.T, spec *event.Spec, subject string) *event.Event {
	t.Helper()
	text := []byte(spec.Example.Input)
	if spec.Subject.Field != "" {
		var err error
		if text, err = jsontext.Set(text, jsontext.Quote(subject), spec.Subject.Field); err != nil {
			t.Fatal(err)
		}
	}
	ev, err := event.Decode(spec, text)
	if err != nil {
		t.Fatal(err)
	}
	return ev
}
