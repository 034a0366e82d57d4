package trust

import (
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/theus-hooks/theus-hooks/settings"
	"github.com/theus-hooks/theus-hooks/settings/shell"
)

// Bounds of looking for the files that commands name.
const (
	maxWords  = 20_000  // words of all commands together
	maxCode   = 4 << 20 // bytes of all code together, that in arguments again
	maxWord   = 1 << 16 // bytes of one word; more is not known
	maxNested = 4       // code in arguments of code
)

// anything stands in a resolved word for what is known only at run time.
const anything = "\x00"

// finder finds the files that the hooks of a workspace name.
type finder struct {
	ws       Workspace
	words    int
	codeRead int             // bytes
	files    map[string]bool // paths found to be looked at
	order    []string
	full     bool // there is more than is looked at

	bases []string          // where a relative path of the current hook may start
	vars  map[string]string // variables whose value is known, of the current hook
}

func newFinder(ws Workspace) *finder {
	return &finder{ws: ws, files: map[string]bool{}}
}

// source looks at everything in a settings file that names files.
func (f *finder) source(s Source) {
	f.start(s.File.Env, "")
	for _, path := range s.File.HookModules {
		f.named(path)
	}
	for gi := range s.File.Groups {
		handlers := s.File.Groups[gi].Handlers
		for hi := range handlers {
			f.handler(s.File, &handlers[hi])
		}
	}
}

// start begins a hook: where its relative paths start and what its variables
// are.
func (f *finder) start(env []settings.Var, cwd string) {
	f.bases = f.bases[:0]
	for _, dir := range []string{f.ws.Root, f.ws.Main, f.ws.Start} {
		if cwd != "" {
			dir = joined(dir, cwd)
		}
		f.base(dir)
	}
	f.vars = map[string]string{"HOME": f.ws.Home}
	for _, v := range env {
		f.vars[v.Name] = v.Value
	}
	f.vars["THEUS_PROJECT_DIR"], f.vars["CLAUDE_PROJECT_DIR"] = f.ws.Main, f.ws.Main
	f.vars["PWD"] = anything
}

func (f *finder) base(dir string) {
	for _, b := range f.bases {
		if b == dir {
			return
		}
	}
	if len(f.bases) < 8 {
		f.bases = append(f.bases, dir)
	}
}

func joined(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

func (f *finder) handler(file *settings.File, h *settings.Handler) {
	if h.Command == "" && h.EnvFile == "" {
		return
	}
	f.start(append(append([]settings.Var{}, file.Env...), h.Env...), h.Cwd)
	if h.EnvFile != "" {
		f.named(h.EnvFile)
	}
	if !h.Exec {
		f.code(h.Command, 0)
		return
	}
	words := []string{f.expand(h.Command)}
	for _, arg := range h.Args {
		words = append(words, f.expand(arg))
	}
	f.command(words, 0)
}

// expand replaces the placeholders of the exec form.
func (f *finder) expand(text string) string {
	for _, name := range []string{"THEUS_PROJECT_DIR", "CLAUDE_PROJECT_DIR"} {
		text = strings.ReplaceAll(text, "${"+name+"}", f.ws.Main)
	}
	return text
}

// named adds a file that is named outright.
func (f *finder) named(path string) {
	for _, base := range f.bases {
		f.add(joined(base, path))
	}
}

func (f *finder) add(path string) {
	if !f.files[path] && isRegular(path) {
		f.files[path] = true
		f.order = append(f.order, path)
	}
}

// code looks at command text. What cannot be read as a script is cut into words
// at blanks and quotes.
func (f *finder) code(text string, depth int) {
	if f.codeRead += len(text); f.codeRead > maxCode {
		f.full = true
	}
	if depth > maxNested || f.full {
		return
	}
	script, err := shell.Parse(text)
	if err != nil {
		f.command(strings.FieldsFunc(text, separates), depth+1)
		return
	}
	syntax.Walk(script.File, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			f.assign(n, depth)
		case *syntax.Stmt:
			f.statement(n, depth)
		case *syntax.WordIter:
			f.iterate(n, depth)
		}
		return !f.full
	})
}

func separates(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`;&|()<>{},=", r) }

func (f *finder) assign(a *syntax.Assign, depth int) {
	if a.Name == nil || a.Value == nil {
		return
	}
	value := f.resolve(a.Value.Parts)
	f.vars[a.Name.Value] = value
	f.command([]string{value}, depth+1)
}

// iterate looks at the words of a for loop; the last stands for the variable.
func (f *finder) iterate(it *syntax.WordIter, depth int) {
	for _, w := range it.Items {
		f.vars[it.Name.Value] = f.resolve(w.Parts)
		f.command([]string{f.vars[it.Name.Value]}, depth+1)
	}
	if len(it.Items) > 1 {
		f.vars[it.Name.Value] = anything
	}
}

// statement looks at a simple command and at what is fed to any command, which
// may be a shell.
func (f *finder) statement(s *syntax.Stmt, depth int) {
	var words []string
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		for _, a := range call.Assigns { // before the words: PATH=… decides what the first is
			f.assign(a, depth)
		}
		for _, w := range call.Args {
			words = append(words, f.resolve(w.Parts))
		}
	}
	for _, r := range s.Redirs {
		switch {
		case r.Hdoc != nil:
			f.code(f.resolve(r.Hdoc.Parts), depth+1)
		case r.Word != nil && r.Op == syntax.WordHdoc:
			f.code(f.resolve(r.Word.Parts), depth+1)
		case r.Word != nil && r.Op == syntax.RdrIn && len(words) > 0: // sh <file is sh file
			words = append(words, f.resolve(r.Word.Parts))
		}
	}
	f.command(words, depth)
}

// command looks at the words of one command: what may be code of its own, and
// the files that are scripts.
func (f *finder) command(words []string, depth int) {
	if f.words += len(words); f.words > maxWords {
		f.full = true
	}
	if f.full {
		return
	}
	if len(words) > 1 && words[0] == "cd" {
		for _, base := range append([]string{}, f.bases...) {
			f.base(joined(base, strings.TrimPrefix(words[len(words)-1], anything+"/")))
		}
	}
	script := false // the next file is one
	for i, w := range words {
		if i > 0 && strings.ContainsAny(w, " \n\t;&|") && !strings.HasPrefix(w, "-") {
			f.code(w, depth+1)
		}
		if f.word(w, script, i == 0 && strings.ContainsRune(w, '/')) {
			script = false
		}
		script = script || runsFile(words, i)
	}
}

// word adds the files that a word names, all of them if they are known to be
// scripts, and reports whether there are any.
func (f *finder) word(w string, script, program bool) (found bool) {
	paths := f.candidates(w)
	if _, value, ok := strings.Cut(w, "="); ok { // --config=file
		paths = append(paths, f.candidates(value)...)
	}
	for _, path := range paths {
		if script || program || isScript(path) {
			f.add(path)
		}
	}
	f.onPath(w)
	return len(paths) > 0
}

// onPath adds the programs that a name stands for where settings or the command
// itself set PATH. The caller's own PATH is not a matter of the repository.
func (f *finder) onPath(w string) {
	path, ok := f.vars["PATH"]
	if !ok || w == "" || len(w) > 255 || strings.ContainsAny(w, "/ \n"+anything) {
		return
	}
	for i, dir := range filepath.SplitList(path) {
		if i == 50 {
			return
		}
		if strings.Contains(dir, anything) {
			continue
		}
		for _, base := range f.bases {
			f.add(filepath.Join(joined(base, dir), w))
		}
	}
}

// candidates are the regular files that a word may name.
func (f *finder) candidates(word string) []string {
	word, known := strings.CutPrefix(word, anything)
	if strings.Contains(word, anything) || len(word) > 4096 || strings.ContainsRune(word, '\n') || word == "" {
		return nil
	}
	var paths []string
	switch {
	case known && !strings.HasPrefix(word, "/"):
		return nil
	case known: // a directory known only at run time, most likely the project's
		word = word[1:]
		if f.ws.Home != "" {
			paths = append(paths, filepath.Join(f.ws.Home, word))
		}
	case filepath.IsAbs(word):
		return regular([]string{filepath.Clean(word)})
	}
	for _, base := range f.bases {
		paths = append(paths, filepath.Join(base, word))
	}
	return regular(paths)
}

func regular(paths []string) []string {
	var found []string
	for _, p := range paths {
		if isRegular(p) {
			found = append(found, p)
		}
	}
	return found
}

// resolve is a word as the shell would see it.
func (f *finder) resolve(parts []syntax.WordPart) string {
	var b strings.Builder
	for i, p := range parts {
		if b.Len() > maxWord { // a variable doubled again and again
			return anything
		}
		switch p := p.(type) {
		case *syntax.Lit:
			text := unescape(p.Value)
			if rest, ok := strings.CutPrefix(text, "~/"); ok && i == 0 && f.ws.Home != "" {
				text = f.ws.Home + "/" + rest
			}
			b.WriteString(text)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			b.WriteString(f.resolve(p.Parts))
		case *syntax.ParamExp:
			b.WriteString(f.variable(p))
		default:
			b.WriteString(anything)
		}
	}
	return strings.ReplaceAll(b.String(), anything+anything, anything)
}

// variable is the value of a variable where it is known.
func (f *finder) variable(p *syntax.ParamExp) string {
	if p.Param == nil {
		return anything
	}
	value, ok := f.vars[p.Param.Value]
	switch {
	case ok && value != "" && p.Exp == nil && p.Repl == nil && p.Slice == nil && !p.Length:
		return value
	case ok && value != "" && p.Exp != nil && isDefault(p.Exp.Op):
		return value
	case !ok && p.Exp != nil && isDefault(p.Exp.Op) && p.Exp.Word != nil:
		return f.resolve(p.Exp.Word.Parts)
	}
	return anything
}

func isDefault(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull, syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return true
	}
	return false
}

func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
