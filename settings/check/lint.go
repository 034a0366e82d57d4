package check

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/settings"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// Options say what the linter may look at besides the settings.
type Options struct {
	// Env is the environment that hooks would get, for PATH and HOME. Without a
	// PATH in it nothing is said about programs that are missing.
	Env []string
	// Tools are further names of tools that matchers may use, such as those that
	// agents have for them.
	Tools []string
}

// Sources checks every source of a configuration. The problems come in
// configuration order, those of a file in the order of its text.
func Sources(cfg *precedence.Config, opts Options) []settings.Problem {
	return Files(cfg, cfg.Sources, opts)
}

// Files checks the given sources against a configuration, of which they may or
// may not be part: its policy, its allow-lists and its project count for them.
func Files(cfg *precedence.Config, sources []*precedence.Source, opts Options) []settings.Problem {
	var all []settings.Problem
	seen := twins{}
	for _, src := range sources {
		l := &linter{cfg: cfg, opts: opts, src: src, file: src.File, said: map[finding]bool{}}
		l.lint(seen)
		all = append(all, l.sorted()...)
	}
	return all
}

// Open reads a file for Files. One that is a source of the configuration is
// returned as that; of another the scope is told from its name. name is how
// reports call it.
func Open(cfg *precedence.Config, path, name string) *precedence.Source {
	info, err := os.Stat(path)
	for _, src := range cfg.Sources {
		if before, serr := os.Stat(src.Path); err == nil && serr == nil && os.SameFile(info, before) {
			return src
		}
	}
	src := &precedence.Source{Scope: scopeOf(path), Path: path, Name: name, Anchor: filepath.Dir(path)}
	if src.Scope == precedence.Project || src.Scope == precedence.Local {
		src.Anchor = cfg.Project.Root
	}
	data, err := read(path)
	if err != nil {
		src.File = &settings.File{Name: name, Lost: true, PolicyLost: true, Problems: []settings.Problem{{
			Severity: settings.Error, Code: "unreadable", Message: err.Error(), Hint: "give the path of a settings file", File: name,
		}}}
		return src
	}
	src.File = settings.Parse(name, data)
	return src
}

// scopeOf tells the scope of a file that is no source of this project.
func scopeOf(path string) precedence.Scope {
	base, dir := filepath.Base(path), filepath.Base(filepath.Dir(path))
	switch {
	case base == "hooks.json":
		return precedence.Plugin
	case base == "managed-settings.json", dir == "managed-settings.d":
		return precedence.Managed
	case strings.HasSuffix(base, ".local.json"):
		return precedence.Local
	}
	return precedence.Project
}

var errNotRegular = errors.New("not a regular file")

// read reads a regular file within the bound of settings files.
func read(path string) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, settings.MaxBytes+1))
}

// openRegular opens a regular file. Errors do not name the path, since reports
// do.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	if perr, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, perr.Err
	}
	return f, err
}

type problem = settings.Problem

// linter checks one source.
type linter struct {
	cfg      *precedence.Config
	opts     Options
	src      *precedence.Source
	file     *settings.File
	problems []problem
	said     map[finding]bool // what was reported by rules of this package
}

// A finding is a rule at a place.
type finding struct {
	rule string
	at   settings.Place
}

// report adds a problem of a rule, once for a place.
func (l *linter) report(id string, at settings.Place, hint, format string, args ...any) {
	rule, ok := Lookup(id)
	if !ok {
		panic("check: no rule " + id) // a mistake in this package, found by its tests
	}
	if l.said[finding{id, at}] {
		return
	}
	l.said[finding{id, at}] = true
	l.problems = append(l.problems, settings.Problem{
		Severity: rule.Severity, Code: id, Message: fmt.Sprintf(format, args...), Hint: hint, File: l.src.Name, Place: at,
	})
}

func (l *linter) lint(seen twins) {
	for _, p := range l.file.Problems {
		l.problems = append(l.problems, p)
		l.said[finding{p.Code, p.Place}] = true
	}
	l.scope()
	for gi := range l.file.Groups {
		g := &l.file.Groups[gi]
		m := l.matcher(g)
		for hi := range g.Handlers {
			l.handler(handler{Handler: &g.Handlers[hi], group: g, spec: g.Event, matcher: m}, seen)
		}
	}
	l.schema()
}

// handler is one handler with what stands around it.
type handler struct {
	*settings.Handler
	group   *settings.Group
	spec    *event.Spec
	matcher subjects
}

func (l *linter) handler(h handler, seen twins) {
	l.otherTypes(h)
	l.timeout(h)
	l.condition(h)
	if h.Invalid != "" || !h.spec.Types.Has(h.Type) {
		return // what it would do is of no use before that is mended
	}
	l.background(h)
	switch h.Type {
	case event.Command:
		l.command(h)
	case event.HTTP:
		l.request(h)
	}
	l.twin(h, seen)
}

// sorted are the problems in the order of the text.
func (l *linter) sorted() []settings.Problem {
	slices.SortStableFunc(l.problems, func(a, b settings.Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Code, b.Code))
	})
	return l.problems
}

func (l *linter) at(h handler, keys ...string) settings.Place {
	return l.file.HandlerPlace(h.Handler, keys...)
}

// A Call is a check of files, or of all sources.
type Call struct {
	Options precedence.Options
	Files   []string // absolute; none: every source
	Names   []string // of Files, as reports call those that are no source
	Format  string   // one of Formats
	Strict  bool     // warnings count as errors
	Tools   []string // as in Options
}

// Run carries out a call. failed says that there are problems that count.
func Run(call Call) (report []byte, failed bool, err error) {
	cfg := precedence.Load(call.Options)
	sources, missing := cfg.Sources, cfg.Missing
	if len(call.Files) > 0 {
		missing = nil
		sources = make([]*precedence.Source, len(call.Files))
		for i, file := range call.Files {
			sources[i] = Open(cfg, file, call.Names[i])
		}
	}
	problems := Files(cfg, sources, Options{Env: call.Options.Env, Tools: call.Tools})
	failures, warnings := Count(problems)
	report, err = Format(problems, call.Format)
	if call.Format == "text" {
		report = append(report, looked(cfg, sources, missing)...)
	}
	return report, failures > 0 || call.Strict && warnings > 0, err
}

// looked says which files were looked at, and which are not there.
func looked(cfg *precedence.Config, sources []*precedence.Source, missing []string) string {
	var b strings.Builder
	for _, src := range sources {
		state := "cannot be used"
		if !src.File.Lost {
			n := 0
			for _, g := range src.File.Groups {
				n += len(g.Handlers)
			}
			state = counted(n, "hook")
		}
		fmt.Fprintf(&b, "  looked in %s: %s\n", oneLine(src.Name), state)
	}
	for _, path := range missing {
		fmt.Fprintf(&b, "  looked in %s: not there\n", oneLine(cfg.Project.Rel(path)))
	}
	return b.String()
}
