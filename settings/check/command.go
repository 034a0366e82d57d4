package check

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/theus-hooks/theus-hooks/internal/environ"
	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/settings"
	"github.com/theus-hooks/theus-hooks/settings/event"
	"github.com/theus-hooks/theus-hooks/settings/shell"
)

// command checks what a command hook would run.
func (l *linter) command(h handler) {
	if h.Exec {
		l.execForm(h)
		return
	}
	if h.Shell == "powershell" {
		return // its language is not read here
	}
	at := l.at(h, "command")
	script, err := shell.Parse(h.Command)
	if err != nil {
		if perr, ok := errors.AsType[*shell.ParseError](err); ok {
			l.report("command-syntax", at, "mend the quotes and brackets, or move it into a script", "the command is not shell text: %v", perr)
		}
		return // too long or too deep to look at
	}
	c := readCommand(script)
	l.engine(h, script, at)
	l.variables(h, c, at)
	if c.piped != "" {
		l.report("pipe-to-shell", at, "download it once, read it, and keep it in the repository", "%s runs whatever a server sends, each time", c.piped)
	}
	if l.mustBlock(h) && c.exits["1"] && !c.blocks() && !decides(h.Command) {
		l.report("exit-1", at, "use exit 2, with the reason on standard error", "the command fails with exit code 1 only, and on %s only exit code 2 blocks", h.spec.Name)
	}
	for _, name := range c.frozen {
		l.report("single-quoted-variable", at, `write it in double quotes, as in "$THEUS_PROJECT_DIR"/x.sh`, "$%s stands in single quotes, where the shell fills nothing in", name)
	}
	l.scripts(h, c, at)
}

// mustBlock reports whether the hook stands where exit code 2 blocks and 1 does
// not.
func (l *linter) mustBlock(h handler) bool {
	return h.spec.Exit2 == event.EffectBlocks && !h.FailClosed && !h.Async && !h.AsyncRewake
}

// engine reports text that no shell of this machine can run as it is meant.
func (l *linter) engine(h handler, script *shell.Script, at settings.Place) {
	if h.Shell == "sh" {
		return
	}
	engine := script.Engine()
	switch {
	case h.Shell == "bash" && l.lacks("bash"):
		l.report("needs-bash", l.at(h, "shell"), "install bash, or take the field out", "shell is bash, and there is no bash on the PATH")
	case engine.Builtin || h.Shell == "bash":
	case h.Shell == "builtin":
		l.report("needs-bash", at, `take "shell" out: bash is used where it is needed`, "the builtin shell does not read %s as bash does", engine.Why)
	case l.lacks("bash"):
		l.report("needs-bash", at, "install bash, or write it without that", "%s needs bash, and there is no bash on the PATH", engine.Why)
	}
}

// lacks reports whether a program is known not to be on the PATH.
func (l *linter) lacks(program string) bool {
	path, ok := environ.Lookup(l.opts.Env, "PATH")
	return ok && !onPath(path, program)
}

// execForm checks a command that runs without a shell.
func (l *linter) execForm(h handler) {
	if program, _, blank := strings.Cut(h.Command, " "); blank && !strings.ContainsAny(program, `/\$`) {
		words := strings.Fields(h.Command)
		quoted := make([]string, 0, len(words)+len(h.Args))
		for _, w := range append(words[1:], h.Args...) {
			quoted = append(quoted, fmt.Sprintf("%q", w))
		}
		l.report("blank-in-executable", l.at(h, "command"), fmt.Sprintf(`write "command": %q, "args": [%s]`, words[0], strings.Join(quoted, ", ")),
			"with args, command is the name of one program, and no program is called %q", h.Command)
	}
	for i, arg := range h.Args {
		if m := argVariable.FindStringSubmatch(arg); m != nil && !l.placeholder(m[2]) {
			l.report("variable-in-args", l.at(h, "args", strconv.Itoa(i)), "take args out to have a shell, or write the path itself", "no shell fills in $%s in args; it stays as it is", m[2])
		}
	}
	l.execScripts(h)
}

// argVariable is an argument that is or begins with a variable, as in a path.
var argVariable = regexp.MustCompile(`^(--?[\w-]+=)?\$\{?([A-Z_][A-Z0-9_]*)\}?(/\S*)?$`)

// placeholder reports whether the exec form fills a name in.
func (l *linter) placeholder(name string) bool {
	for _, suffix := range []string{"PROJECT_DIR", "PLUGIN_ROOT", "PLUGIN_DATA"} {
		if name == settings.Theus.EnvPrefix+suffix || name == l.cfg.Dialect.EnvPrefix+suffix {
			return true
		}
	}
	return false
}

// variables checks the variables of a command: whether they are ever set, and
// whether a path with a blank in it stays one word.
func (l *linter) variables(h handler, c *commandText, at settings.Place) {
	for _, name := range c.unquoted {
		if l.placeholder(name) || name == "THEUS_ENV_FILE" {
			l.report("unquoted-variable", at, fmt.Sprintf(`write "$%s" in double quotes`, name), "$%s stands outside quotes; the command breaks where that path has a blank in it", name)
		}
	}
	for _, name := range c.used {
		if !c.assigned[name] && !hasVar(h.Env, name) && !hasVar(l.file.Env, name) {
			l.variable(h, name, at)
		}
	}
}

var (
	neverSet  = regexp.MustCompile(`^((THEUS|CLAUDE)_)?(TOOL_(NAME|INPUT|OUTPUT|RESPONSE|ARGS|FILE_PATH|USE_ID|COMMAND|INPUT_\w+)|FILE_PATHS?|HOOK_EVENT(_NAME)?|EVENT_NAME)$`)
	ofPlugins = regexp.MustCompile(`^(THEUS|CLAUDE)_PLUGIN_(ROOT|DATA|OPTION_\w+)$`)
)

func (l *linter) variable(h handler, name string, at settings.Place) {
	switch {
	case neverSet.MatchString(name) && strings.Contains(name, "_"):
		l.report("no-such-variable", at, "read the event's JSON, as in f=$(jq -r .tool_input.file_path)", "$%s is never set: the event comes on standard input", name)
	case ofPlugins.MatchString(name) && l.src.Scope != precedence.Plugin:
		l.report("plugin-variable", at, "use $THEUS_PROJECT_DIR for files of the project", "$%s is set for hooks of plugins only", name)
	case l.cfg.Dialect == settings.Theus:
		for _, v := range settings.Claude.Vars {
			if v.Value == name {
				l.report("other-dialect-variable", at, fmt.Sprintf("write $%s", v.Name), "$%s is not set in the theus dialect", name)
			}
		}
	}
}

func hasVar(vars []settings.Var, name string) bool {
	return slices.ContainsFunc(vars, func(v settings.Var) bool { return v.Name == name })
}

// commandText is what the linter wants to know of shell text.
type commandText struct {
	calls    []call
	used     []string // variables, in the order of the text
	unquoted []string // variables that the shell splits into words
	frozen   []string // variables in single quotes, of a program or script to run
	assigned map[string]bool
	exits    map[string]bool // arguments of exit; "?" for one that is not known
	tested   map[string]bool // words of tests and of `command -v`
	moves    bool            // it changes the directory
	piped    string          // the program whose output is run as code
}

// A call is one simple command: its words, of which "" are not known.
type call struct{ words []string }

// blocks reports whether an exit code may be 2.
func (c *commandText) blocks() bool { return c.exits["2"] || c.exits["?"] }

func readCommand(script *shell.Script) *commandText {
	c := &commandText{assigned: map[string]bool{}, exits: map[string]bool{}, tested: map[string]bool{}}
	syntax.Walk(script.File, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			c.call(n)
		case *syntax.Assign:
			if n.Name != nil {
				c.assigned[n.Name.Value] = true
			}
		case *syntax.WordIter:
			c.assigned[n.Name.Value] = true
			c.split(n.Items...)
		case *syntax.Redirect:
			if n.Op != syntax.Hdoc && n.Op != syntax.DashHdoc && n.Op != syntax.WordHdoc {
				c.split(n.Word)
			}
		case *syntax.ArrayElem:
			c.split(n.Value)
		case *syntax.ParamExp:
			if n.Param != nil && !slices.Contains(c.used, n.Param.Value) {
				c.used = append(c.used, n.Param.Value)
			}
		case *syntax.TestClause:
			c.test(n)
		case *syntax.BinaryCmd:
			c.pipe(n)
		}
		return true
	})
	return c
}

func (c *commandText) call(n *syntax.CallExpr) {
	c.split(n.Args...)
	words := make([]string, len(n.Args))
	for i, w := range n.Args {
		words[i] = plain(w)
	}
	if len(words) == 0 {
		return
	}
	c.calls = append(c.calls, call{words})
	c.freeze(n.Args, words)
	switch words[0] {
	case "exit":
		code := "?"
		if len(words) > 1 && words[1] != "" {
			code = words[1]
		}
		c.exits[code] = true
	case "cd", "pushd":
		c.moves = true
	case "[", "test", "command":
		for _, w := range words[1:] {
			c.tested[w] = true
		}
	case "read", "mapfile", "readarray", "export", "eval", "source", ".":
		for _, w := range words[1:] {
			c.assigned[w] = true
		}
	}
	c.downloaded(n, words)
}

// freeze notes the variable with which a program or script in single quotes begins.
// Other words may be for somebody who fills it in.
func (c *commandText) freeze(args []*syntax.Word, words []string) {
	use, ok := scriptOf(words)
	if !ok {
		return
	}
	quoted, ok := args[slices.Index(words, use.word)].Parts[0].(*syntax.SglQuoted)
	if !ok || quoted.Dollar {
		return
	}
	if m := leading.FindStringSubmatch(quoted.Value); m != nil {
		c.frozen = append(c.frozen, m[1])
	}
}

// leading is a variable at the beginning of a path.
var leading = regexp.MustCompile(`^\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?(/|$)`)

func (c *commandText) test(n *syntax.TestClause) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if w, ok := n.(*syntax.Word); ok {
			c.tested[plain(w)] = true
		}
		return true
	})
}

// split notes the variables of words that the shell splits.
func (c *commandText) split(words ...*syntax.Word) {
	for _, w := range words {
		if w == nil {
			continue
		}
		for _, part := range w.Parts {
			if p, ok := part.(*syntax.ParamExp); ok && p.Param != nil && !p.Length && !slices.Contains(c.unquoted, p.Param.Value) {
				c.unquoted = append(c.unquoted, p.Param.Value)
			}
		}
	}
}

// plain is the text of a word with its variables as "${NAME}", "" when it holds
// anything else that is known only at run time.
func plain(w *syntax.Word) string {
	var b strings.Builder
	if !plainParts(&b, w.Parts) {
		return ""
	}
	return b.String()
}

func plainParts(b *strings.Builder, parts []syntax.WordPart) bool {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if !plainParts(b, p.Parts) {
				return false
			}
		case *syntax.ParamExp:
			if p.Param == nil || p.Exp != nil || p.Repl != nil || p.Slice != nil || p.Index != nil || p.Length || p.Excl {
				return false
			}
			b.WriteString("${" + p.Param.Value + "}")
		default:
			return false
		}
	}
	return true
}

// base is the name of a program without its directory.
func base(word string) string { return word[strings.LastIndexByte(word, '/')+1:] }

var (
	downloaders  = []string{"curl", "wget", "fetch"}
	shells       = []string{"sh", "bash", "zsh", "dash", "ksh", "ash"}
	interpreters = []string{"python", "python3", "node", "ruby", "perl", "php", "deno", "bun"}
)

// pipe looks for a download whose output goes to a shell.
func (c *commandText) pipe(n *syntax.BinaryCmd) {
	if n.Op != syntax.Pipe && n.Op != syntax.PipeAll {
		return
	}
	to, ok := n.Y.Cmd.(*syntax.CallExpr)
	if !ok {
		return
	}
	words := make([]string, len(to.Args))
	for i, w := range to.Args {
		words[i] = plain(w)
	}
	if from := downloads(n.X); from != "" && runsInput(words) {
		c.piped = from + " | " + strings.Join(words, " ")
	}
}

// downloads names the downloader that a node runs, "" for none.
func downloads(n syntax.Node) string {
	found := ""
	syntax.Walk(n, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			if name := base(plain(call.Args[0])); slices.Contains(downloaders, name) && found == "" {
				found = name
			}
		}
		return true
	})
	return found
}

// runsInput reports whether a command reads code from its standard input.
func runsInput(words []string) bool {
	for len(words) > 0 && slices.Contains([]string{"sudo", "doas", "env", "exec", "command", "nohup"}, base(words[0])) {
		words = words[1:]
		for len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")) {
			words = words[1:]
		}
	}
	if len(words) == 0 {
		return false
	}
	name := base(words[0])
	rest := words[1:]
	if slices.Contains(shells, name) {
		for _, w := range rest {
			switch {
			case strings.HasPrefix(w, "-") && strings.Contains(w, "s"), w == "-", w == "/dev/stdin":
				return true
			case !strings.HasPrefix(w, "-") || strings.Contains(w, "c"):
				return false
			}
		}
		return true
	}
	return slices.Contains(interpreters, name) && (len(rest) == 0 || rest[0] == "-")
}

// downloaded looks for code that a substitution downloads: `bash <(curl …)`,
// `sh -c "$(curl …)"`, `eval "$(curl …)"`.
func (c *commandText) downloaded(n *syntax.CallExpr, words []string) {
	name := base(words[0])
	if !slices.Contains(shells, name) && name != "eval" && name != "source" && name != "." {
		return
	}
	for _, w := range n.Args[1:] {
		if from := downloads(w); from != "" {
			c.piped = name + " with the output of " + from
		}
	}
}
