package shell

import (
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// call judges a simple command.
func (j *judge) call(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		j.assigns(c.Assigns)
		return
	}
	name, static := staticText(c.Args[0])
	switch {
	case c.Args[0].Lit() == "[":
		j.builtin("[", c)
	case syntax.IsKeyword(c.Args[0].Lit()):
		j.reject(c, "a stray %s", c.Args[0].Lit()) // bash says that it is no shell text
	case beginsWith(c.Args[0], "%"):
		j.reject(c, "a command name with %%")
	case !static:
		j.namedByWord(c)
	case strings.ContainsRune(name, '/'):
		j.external(c)
	case isKnownToShells(name) && c.Args[0].Lit() != name:
		j.reject(c, "the name of a builtin in quotes") // most of these rules look for it without
	case isKnownToShells(name):
		j.builtin(name, c)
	default:
		j.external(c)
	}
}

// beginsWith reports whether what is known of a word's text begins with prefix:
// what stands before it may come to nothing.
func beginsWith(w *syntax.Word, prefix string) bool {
	for _, part := range w.Parts {
		if q, ok := part.(*syntax.DblQuoted); ok && len(q.Parts) > 0 {
			part = q.Parts[0]
		}
		switch p := part.(type) {
		case *syntax.Lit:
			return strings.HasPrefix(withoutEscapes(p.Value, ""), prefix)
		case *syntax.SglQuoted:
			return strings.HasPrefix(p.Value, prefix)
		}
	}
	return false
}

// namedByWord allows a command whose name holds an expansion if it also holds
// a slash, which no builtin has: "$THEUS_PROJECT_DIR"/hooks/x.
func (j *judge) namedByWord(c *syntax.CallExpr) {
	for _, p := range c.Args[0].Parts {
		lit, ok := p.(*syntax.Lit)
		if q, isQuoted := p.(*syntax.DblQuoted); isQuoted && len(q.Parts) > 0 {
			lit, ok = q.Parts[len(q.Parts)-1].(*syntax.Lit)
		}
		if ok && strings.ContainsRune(lit.Value, '/') {
			j.external(c)
			return
		}
	}
	j.reject(c, "a command name known only when it runs")
}

func (j *judge) external(c *syntax.CallExpr) {
	for i, a := range c.Assigns {
		if a.Name != nil && slices.ContainsFunc(c.Assigns[:i], func(b *syntax.Assign) bool { return b.Name != nil && b.Name.Value == a.Name.Value }) {
			j.reject(a, "two assignments of one variable before a command")
		}
	}
	j.assigns(c.Assigns)
	for _, w := range c.Args {
		j.word(w, asFields)
	}
}

func (j *judge) assigns(list []*syntax.Assign) {
	for _, a := range list {
		j.assign(a)
	}
}

// assign allows NAME=VALUE.
func (j *judge) assign(a *syntax.Assign) {
	switch {
	case a.Name == nil || a.Naked:
		j.reject(a, "that declaration")
	case a.Append:
		j.reject(a, "+=")
	case a.Index != nil || a.Array != nil:
		j.reject(a, "an array")
	case !settable(a.Name.Value):
		j.reject(a, "setting %s", a.Name.Value)
	default:
		j.word(a.Value, asOne)
	}
}

// decl allows export NAME=VALUE.
func (j *judge) decl(c *syntax.DeclClause) {
	if c.Variant.Value != "export" || len(c.Args) == 0 {
		j.reject(c, "the declaration %s", c.Variant.Value)
		return
	}
	set := map[string]bool{}
	for _, a := range c.Args {
		if uses(a, set) {
			j.reject(a, "a variable that is exported and used at once") // bash uses its old value
		}
		j.assign(a)
		if a.Name != nil {
			set[a.Name.Value] = true
		}
	}
}

// uses reports whether one of the variables is expanded somewhere in n.
func uses(n syntax.Node, names map[string]bool) (found bool) {
	syntax.Walk(n, func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		found = found || ok && p.Param != nil && names[p.Param.Value]
		return !found
	})
	return found
}

// builtin judges a command that shells have built in.
func (j *judge) builtin(name string, c *syntax.CallExpr) {
	if len(c.Assigns) > 0 && name != "read" {
		j.reject(c, "an assignment before %s", name)
		return
	}
	args := c.Args[1:]
	switch name {
	case ":", "true", "false", "echo", "pwd":
		j.plain(name, c, args)
	case "[", "test":
		j.classicTest(name, c)
	case "printf":
		j.printf(c, args)
	case "read":
		j.read(c, args)
	case "cd":
		j.cd(c, args)
	case "exit":
		j.exit(c, args)
	case "exec":
		j.exec(c, args)
	case "unset":
		j.unsetVars(c, args)
	case "command":
		j.commandV(c, args)
	case "break", "continue":
		switch {
		case len(args) > 0:
			j.reject(c, "%s with an argument", name)
		case j.breaks == 0:
			j.reject(c, "%s outside a loop", name)
		}
	default:
		j.reject(c, "the builtin %s", name)
	}
}

// plain allows builtins whatever their arguments; pwd has none.
func (j *judge) plain(name string, c *syntax.CallExpr, args []*syntax.Word) {
	if name == "pwd" && len(args) > 0 {
		j.reject(c, "pwd with an argument")
	}
	j.external(c)
}

// printf allows a format that is known and only takes strings.
func (j *judge) printf(c *syntax.CallExpr, args []*syntax.Word) {
	if len(args) == 0 {
		j.reject(c, "printf without a format")
		return
	}
	format, static := staticText(args[0])
	if !static || !plainFormat(format) {
		j.reject(args[0], "that printf format")
		return
	}
	for _, w := range args[1:] {
		j.word(w, asFields)
	}
}

// plainFormat reports whether a format uses nothing but %s, %% and the escapes
// that all printfs share.
func plainFormat(format string) bool {
	if strings.HasPrefix(format, "-") {
		return false
	}
	for i := 0; i < len(format); i++ {
		allowed := map[byte]string{'%': "s%", '\\': `ntr\"`}[format[i]]
		if allowed == "" {
			continue
		}
		if i++; i == len(format) || strings.IndexByte(allowed, format[i]) < 0 {
			return false
		}
	}
	return true
}

// read allows read [-r] NAME…, with IFS= before it.
func (j *judge) read(c *syntax.CallExpr, args []*syntax.Word) {
	for _, a := range c.Assigns {
		if _, static := staticText(orEmpty(a.Value)); a.Name.Value != "IFS" || !static {
			j.reject(a, "that assignment before read")
		}
	}
	if len(args) > 0 && args[0].Lit() == "-r" {
		args = args[1:]
	}
	if len(args) == 0 {
		j.reject(c, "read without a name")
	}
	for _, w := range args {
		if name := w.Lit(); !settable(name) {
			j.reject(w, "read with that argument")
		}
	}
}

func orEmpty(w *syntax.Word) *syntax.Word {
	if w == nil {
		return &syntax.Word{}
	}
	return w
}

// cd allows one directory.
func (j *judge) cd(c *syntax.CallExpr, args []*syntax.Word) {
	if len(args) != 1 {
		j.reject(c, "cd without one directory")
		return
	}
	if dir := args[0].Lit(); strings.HasPrefix(dir, "-") || strings.HasPrefix(dir, "//") && !strings.HasPrefix(dir, "///") {
		j.reject(c, "cd %s", dir)
	}
	j.word(args[0], asFields)
	if bare(args[0]) {
		j.reject(c, "cd with a variable outside quotes")
	}
}

// bare reports whether a word holds an expansion outside quotes, which may
// come to no argument at all.
func bare(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if _, ok := p.(*syntax.ParamExp); ok {
			return true
		}
	}
	return false
}

// exec allows a program in the script's place, and redirections without one.
func (j *judge) exec(c *syntax.CallExpr, args []*syntax.Word) {
	if len(args) == 0 {
		if j.within > 0 {
			j.reject(c, "exec inside a redirected command") // it would end with that
		}
		return
	}
	name, static := staticText(args[0])
	if !static || strings.Trim(name, ".") == "" || strings.HasPrefix(name, "-") {
		j.reject(c, "exec with that name")
	}
	for _, w := range args {
		j.word(w, asFields)
	}
}

// unset allows plain names.
func (j *judge) unsetVars(c *syntax.CallExpr, args []*syntax.Word) {
	for _, w := range args {
		if !settable(w.Lit()) {
			j.reject(c, "unset with that argument")
		}
	}
}

// commandV allows command -v NAME for what is no builtin and no keyword.
func (j *judge) commandV(c *syntax.CallExpr, args []*syntax.Word) {
	if len(args) != 2 || args[0].Lit() != "-v" {
		j.reject(c, "command")
		return
	}
	name, static := staticText(args[1])
	if !static || name == "" || name[0] == '-' || isKnownToShells(name) || syntax.IsKeyword(name) {
		j.reject(c, "command -v with that name")
	}
}

// exit allows exit, exit N and exit $?.
func (j *judge) exit(c *syntax.CallExpr, args []*syntax.Word) {
	switch {
	case len(args) == 0:
	case len(args) == 1 && (isNumber(args[0].Lit()) || isStatus(args[0])):
	default:
		j.reject(c, "exit with that argument")
	}
}

// isNumber reports whether s is a plain decimal number, short enough for every
// reader.
func isNumber(s string) bool {
	return isDigits(s) && len(s) <= 9 && (s[0] != '0' || len(s) == 1)
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// isStatus reports whether w is $? or "$?".
func isStatus(w *syntax.Word) bool {
	parts := w.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
	}
	if len(parts) != 1 {
		return false
	}
	p, ok := parts[0].(*syntax.ParamExp)
	return ok && p.Param.Value == "?" && p.Exp == nil && !p.Length && !p.Excl
}

// knownToShells are the names that a shell runs itself: builtins of bash, and
// those that the interpreter takes for one.
var knownToShells = sync.OnceValue(wordSet(`. : [ alias bg bind break builtin caller cd command compgen complete
	compopt continue declare dirs disown echo enable eval exec exit export false fc fg getopts
	hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray
	readonly return set shift shopt source suspend test times trap true type typeset ulimit
	umask unalias unset wait newgrp`))

func isKnownToShells(name string) bool { return knownToShells()[name] }

// specialVariables mean something to bash, or to the interpreter, that a plain
// variable does not.
var specialVariables = sync.OnceValue(wordSet(`BASH BASHOPTS BASHPID BASH_ALIASES BASH_ARGC BASH_ARGV BASH_ARGV0
	BASH_CMDS BASH_COMMAND BASH_COMPAT BASH_ENV BASH_EXECUTION_STRING BASH_LINENO
	BASH_LOADABLES_PATH BASH_REMATCH BASH_SOURCE BASH_SUBSHELL BASH_VERSINFO BASH_VERSION
	BASH_XTRACEFD CDPATH CHILD_MAX COLUMNS COMPREPLY COMP_CWORD COMP_KEY COMP_LINE COMP_POINT
	COMP_TYPE COMP_WORDBREAKS COMP_WORDS COPROC DIRSTACK EMACS ENV EPOCHREALTIME EPOCHSECONDS
	EUID EXECIGNORE FCEDIT FIGNORE FUNCNAME FUNCNEST GID GLOBIGNORE GROUPS HISTCMD HISTCONTROL
	HISTFILE HISTFILESIZE HISTIGNORE HISTSIZE HISTTIMEFORMAT HOSTFILE HOSTNAME HOSTTYPE IFS
	IGNOREEOF INPUTRC INSIDE_EMACS LINENO LINES MACHTYPE MAILCHECK MAILPATH MAPFILE OLDPWD
	OPTARG OPTERR OPTIND OSTYPE PIPESTATUS POSIXLY_CORRECT PPID PROMPT_COMMAND PROMPT_DIRTRIM
	PS0 PS1 PS2 PS3 PS4 RANDOM READLINE_ARGUMENT READLINE_LINE READLINE_MARK READLINE_POINT
	REPLY SECONDS SHELL SHELLOPTS SHLVL SRANDOM TERM TIMEFORMAT TMOUT UID _`))

// wordSet makes the set of the words when it is first needed, not when the
// program starts.
func wordSet(words string) func() map[string]bool {
	return func() map[string]bool {
		set := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			set[w] = true
		}
		return set
	}
}

// readable reports whether $name is an ordinary variable.
func readable(name string) bool {
	return syntax.ValidName(name) && !specialVariables()[name]
}

// settable reports whether setting name does nothing but that.
func settable(name string) bool {
	switch name {
	case "PATH", "HOME", "PWD", "LANG", "LANGUAGE", "TZ", "TMPDIR":
		return false
	}
	return readable(name) && !strings.HasPrefix(name, "LC_")
}

// assigned are the variables that a script sets somewhere.
func assigned(f *syntax.File) map[string]bool {
	names := map[string]bool{}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				names[n.Name.Value] = true
			}
		case *syntax.WordIter:
			names[n.Name.Value] = true
		case *syntax.CallExpr:
			setBy(n, names)
		}
		return true
	})
	return names
}

// exported are the variables that a script exports somewhere.
func exported(f *syntax.File) map[string]bool {
	names := map[string]bool{}
	syntax.Walk(f, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.DeclClause); ok {
			for _, a := range c.Args {
				if a.Name != nil {
					names[a.Name.Value] = true
				}
			}
		}
		return true
	})
	return names
}

// setBy adds the variables that a builtin sets.
func setBy(c *syntax.CallExpr, names map[string]bool) {
	if len(c.Args) == 0 {
		return
	}
	switch c.Args[0].Lit() {
	case "read", "unset":
		for _, w := range c.Args[1:] {
			names[w.Lit()] = true
		}
	case "cd":
		names["PWD"] = true
	}
}
