package shell

import (
	"slices"
	"strings"
)

// launch is how a command comes to run.
type launch struct {
	full   string
	in     input
	via    string
	layers int
}

// by is the launch of what name runs in turn.
func (l launch) by(name string) launch {
	return launch{in: l.in, via: name, layers: l.layers + 1}
}

// run lists the command that ws are the words of, and those it runs itself.
func (f *finder) run(ws []word, l launch) {
	if len(ws) == 0 || f.spent {
		return
	}
	f.add(Command{Text: render(ws), Source: f.written(ws), Full: l.full, Via: l.via})
	f.inner(ws, l)
	f.aliased(ws, l)
	for i := range ws {
		if name, _, ok := strings.Cut(ws[i].prefix(), "="); ok {
			f.exported(name, &ws[i])
		}
	}
}

// written is the source of words that stand in it side by side.
func (f *finder) written(ws []word) string {
	last := ws[len(ws)-1]
	if last.end == 0 || ws[0].end == 0 || last.end > len(f.source) || ws[0].pos > last.end {
		return ""
	}
	return f.source[ws[0].pos:last.end]
}

// base is the name of the program that a command's first word gives, without
// its directory; ok is false when it is known only at run time.
func base(w *word) (name string, ok bool) {
	name, ok = w.literal()
	if !ok {
		last := w.parts[len(w.parts)-1]
		if last.Kind != Literal || !strings.Contains(last.Text, "/") {
			return "", false
		}
		name = last.Text
	}
	return baseName(name), true
}

func baseName(name string) string {
	return strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], ".exe")
}

// inner finds the commands that a command runs.
func (f *finder) inner(ws []word, l launch) {
	name, ok := base(&ws[0])
	if !ok {
		f.unnamed(ws, l)
		return
	}
	f.evaluated(name, ws, l)
	runner, ok := runnerOf(name)
	if !ok {
		return
	}
	if l.layers >= maxLayers {
		f.unknown(name)
		return
	}
	runner.follow(f, ws, l.by(name))
}

// unnamed looks behind a first word that is known only at run time: it may be
// a wrapper or a shell.
func (f *finder) unnamed(ws []word, l launch) {
	if l.layers >= maxLayers {
		return // the command's own text already stands for anything
	}
	l = l.by(ws[0].text().String())
	f.run(ws[1:], l)
	f.input(l)
	for i := range ws {
		if lit, ok := ws[i].literal(); ok && lit == "-c" && i+1 < len(ws) {
			f.code(ws[i+1].text(), l)
		}
	}
}

// code finds the commands of code in an argument or a here-document.
func (f *finder) code(t Text, l launch) {
	lit, ok := t.Literal()
	if !ok {
		f.unknown(l.via)
		return
	}
	f.rendered += len(lit)
	if f.spent || strings.TrimSpace(lit) == "" {
		return
	}
	if f.rendered > maxRendered || l.layers > maxLayers {
		f.unknown(l.via)
		return
	}
	script, err := Parse(lit)
	if err != nil {
		f.unknown(l.via)
		return
	}
	inner := finder{findings: f.findings, source: lit, via: l.via, layers: l.layers}
	inner.file(script.File, l.in)
}

// input finds the commands of the text on the standard input of a shell.
func (f *finder) input(l launch) {
	switch l.in.kind {
	case inputCode:
		l.via += " reading its input"
		text := l.in.code
		l.in = input{}
		f.code(Text{}.add(Piece{Literal, text}), l)
	case inputUnknown:
		f.unknown(l.via + " reading its input")
	}
}

// A runner is a command that runs its arguments, or code.
type runner struct {
	options
	// find, when set, finds what the command runs. Else it is the words
	// behind the options.
	find func(f *finder, ws []word, l launch, o options)
}

func (r runner) follow(f *finder, ws []word, l launch) {
	if r.find != nil {
		r.find(f, ws, l, r.options)
		return
	}
	f.arguments(ws, l, r.options)
}

// arguments follows a command that runs the words behind its options.
func (f *finder) arguments(ws []word, l launch, o options) {
	for _, i := range o.starts(ws) {
		f.run(ws[i:], l)
	}
}

// shell follows a shell: `-c CODE`, or code on its standard input.
func (f *finder) shell(ws []word, l launch, _ options) {
	i, code, fromInput := 1, false, false
	for ; i < len(ws); i++ {
		lit, ok := ws[i].literal()
		if !ok && ws[i].prefix() == "" {
			f.shellOperand(ws[i:], l, code)
			return
		}
		if lit == "--" || lit == "-" {
			i++
			break
		}
		if len(lit) < 2 || (lit[0] != '-' && lit[0] != '+') {
			break
		}
		if strings.HasPrefix(lit, "--") {
			if lit == "--rcfile" || lit == "--init-file" {
				i++
			}
			continue
		}
		code = code || (lit[0] == '-' && strings.Contains(lit, "c"))
		fromInput = fromInput || strings.Contains(lit, "s")
		if strings.ContainsAny(lit[1:], "oO") {
			i++ // the name of the option
		}
	}
	switch {
	case code && i < len(ws):
		f.code(ws[i].text(), launch{in: l.in, via: l.via + " -c", layers: l.layers})
	case fromInput || i >= len(ws) || isStdin(&ws[i]):
		f.input(l)
	case ws[i].proc, isDescriptor(&ws[i]):
		f.unknown(l.via)
	}
}

// shellOperand follows a shell of which a word among the options is known only
// at run time.
func (f *finder) shellOperand(ws []word, l launch, code bool) {
	switch {
	case code || ws[0].proc || ws[0].many:
		f.unknown(l.via)
	default: // one word: a script
	}
}

func isStdin(w *word) bool {
	lit, ok := w.literal()
	return ok && slices.Contains([]string{"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}, lit)
}

// isDescriptor reports whether a word names what is read as something other
// than a file: an open descriptor, a connection.
func isDescriptor(w *word) bool {
	p := w.prefix()
	if !strings.HasPrefix(p, "/dev/") && !strings.HasPrefix(p, "/proc/") {
		return false
	}
	return !isStdin(w) && p != "/dev/null" && p != "/dev/tty"
}

// sourced follows `source FILE`.
func (f *finder) sourced(ws []word, l launch, _ options) {
	for i := range ws[1:] {
		w := &ws[1:][i]
		switch {
		case isStdin(w):
			f.input(l)
		case w.proc, isDescriptor(w):
			f.unknown(l.via)
		default:
			continue
		}
		return
	}
}

// eval follows `eval WORDS…`.
func (f *finder) eval(ws []word, l launch, _ options) {
	ws = ws[1:]
	if len(ws) > 0 {
		if lit, ok := ws[0].literal(); ok && lit == "--" {
			ws = ws[1:]
		}
	}
	if len(ws) > 0 {
		f.code(render(ws), l)
	}
}

// trap follows `trap CODE SIGNAL…`.
func (f *finder) trap(ws []word, l launch, _ options) {
	for i := range ws[1:] {
		w := &ws[1:][i]
		if p := w.prefix(); strings.HasPrefix(p, "-") && p != "-" {
			continue
		}
		if lit, ok := w.literal(); !ok || lit != "-" {
			f.code(w.text(), l)
		}
		return
	}
}

// joined follows a command that hands the words behind its options to a shell.
func (f *finder) joined(ws []word, l launch, o options) {
	for _, i := range o.starts(ws) {
		if i >= len(ws) {
			continue
		}
		if _, ok := render(ws[i:]).Literal(); !ok {
			f.run(ws[i:], l)
		}
		f.code(render(ws[i:]), l)
	}
}

// command follows `command NAME…`, which runs nothing with -v or -V.
func (f *finder) command(ws []word, l launch, o options) {
	for i := range ws[1:] {
		p := ws[1:][i].prefix()
		if !strings.HasPrefix(p, "-") || p == "--" {
			break
		}
		if strings.ContainsAny(p, "vV") {
			return
		}
	}
	f.arguments(ws, l, o)
}

// anywhere follows a command whose own words and those of what it runs are not
// told apart.
func (f *finder) anywhere(ws []word, l launch, _ options) {
	for i := 1; i < len(ws); i++ {
		if !strings.HasPrefix(ws[i].prefix(), "-") {
			f.run(ws[i:], l)
		}
	}
}
