package check

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/settings"
	"github.com/theus-hooks/theus-hooks/settings/shell"
)

// A scriptUse is a script that a command names.
type scriptUse struct {
	word   string // as it is written
	direct bool   // run as a program, not given to an interpreter
	tested bool   // the command looks whether it is there
}

// scriptNames are the endings by which an argument of an interpreter is taken
// for a script.
var scriptNames = regexp.MustCompile(`\.(sh|bash|py|js|mjs|cjs|ts|mts|rb|pl|php|ps1)$`)

// scripts checks the scripts that shell text names.
func (l *linter) scripts(h handler, c *commandText, at settings.Place) {
	for _, call := range c.calls {
		use, ok := scriptOf(call.words)
		if !ok {
			continue
		}
		if path, ok := l.resolve(h, use.word, c.moves); ok {
			use.tested = c.tested[use.word]
			l.script(h, use, path, at)
		}
	}
}

// execScripts checks the script that a hook without a shell names.
func (l *linter) execScripts(h handler) {
	words := append([]string{h.Command}, h.Args...)
	use, ok := scriptOf(words)
	if !ok {
		return
	}
	at := l.at(h, "command")
	if !use.direct {
		at = l.at(h, "args", strconv.Itoa(slices.Index(h.Args, use.word)))
	}
	if path, ok := l.resolve(h, use.word, false); ok {
		l.script(h, use, path, at)
	}
}

// scriptOf finds the script among the words of a simple command.
func scriptOf(words []string) (scriptUse, bool) {
	if len(words) == 0 || words[0] == "" {
		return scriptUse{}, false
	}
	if strings.ContainsAny(words[0], "/") && !slices.Contains(append(shells, interpreters...), base(words[0])) {
		return scriptUse{word: words[0], direct: true}, true
	}
	name, rest := base(words[0]), words[1:]
	if name == "uv" || name == "deno" || name == "bun" {
		if len(rest) == 0 || rest[0] != "run" {
			return scriptUse{}, false
		}
		rest = rest[1:]
	} else if !slices.Contains(shells, name) && !slices.Contains(interpreters, name) {
		return scriptUse{}, false
	}
	for _, w := range rest {
		switch {
		case w == "", w == "-c", w == "-m", w == "-e", w == "-p", w == "-":
			return scriptUse{}, false
		case strings.HasPrefix(w, "-"):
		default:
			return scriptUse{word: w}, scriptNames.MatchString(w)
		}
	}
	return scriptUse{}, false
}

// resolve finds the path of a word: below the project, the home directory or
// the plugin. ok is false where the place is known only at run time.
func (l *linter) resolve(h handler, word string, moves bool) (path string, ok bool) {
	roots := map[string]string{"PROJECT_DIR": l.cfg.Project.Main, "HOME": l.cfg.Project.Home}
	switch {
	case l.src.Plugin != nil:
		roots["PLUGIN_ROOT"] = l.src.Plugin.Root
	case l.src.Scope == precedence.Plugin && filepath.Base(l.src.Path) == "hooks.json":
		roots["PLUGIN_ROOT"] = filepath.Dir(filepath.Dir(l.src.Path))
	}
	if rest, found := strings.CutPrefix(word, "~/"); found {
		word = "${HOME}/" + rest
	}
	for name, root := range roots {
		for _, variable := range []string{name, "THEUS_" + name, l.cfg.Dialect.EnvPrefix + name} {
			if rest, found := strings.CutPrefix(word, "${"+variable+"}"); found && root != "" && (rest == "" || rest[0] == '/') {
				word = root + rest
			}
		}
	}
	switch {
	case strings.ContainsAny(word, "${*?["):
		return "", false
	case filepath.IsAbs(word):
		return filepath.Clean(word), true
	case moves || filepath.IsAbs(h.Cwd):
		return "", false
	}
	return filepath.Join(l.cfg.Project.Main, filepath.FromSlash(h.Cwd), filepath.FromSlash(word)), true
}

// maxScript is how much of a script is read.
const maxScript = 1 << 20

// script checks one script that a hook names.
func (l *linter) script(h handler, use scriptUse, path string, at settings.Place) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if !use.tested && l.expected(path) {
			l.report("script-missing", at, "write the script, or mend the path", "there is no file %s", l.cfg.Project.Rel(path))
		}
		return
	case err != nil || !info.Mode().IsRegular():
		return
	}
	if use.direct && runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
		l.report("script-not-executable", at, "chmod +x "+l.cfg.Project.Rel(path), "%s is not executable, so it cannot start", l.cfg.Project.Rel(path))
	}
	text := head(path)
	if text == nil || bytes.IndexByte(text, 0) >= 0 {
		return // a program
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	interpreted := bytes.HasPrefix(first, []byte("#!"))
	if bytes.HasSuffix(first, []byte("\r")) && (interpreted || isShell(path)) {
		l.report("script-crlf", at, "save it with LF line ends", "%s has Windows line ends, which become part of its commands", l.cfg.Project.Rel(path))
	}
	if use.direct && !interpreted {
		l.report("script-no-shebang", at, "begin it with a line such as #!/usr/bin/env bash", "%s does not say what runs it", l.cfg.Project.Rel(path))
	}
	l.scriptExits(h, path, text, at)
}

func isShell(path string) bool {
	return strings.HasSuffix(path, ".sh") || strings.HasSuffix(path, ".bash")
}

// head is the beginning of a file, nil when it cannot be read.
func head(path string) []byte {
	f, err := openRegular(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxScript))
	if err != nil {
		return nil
	}
	return text
}

// expected reports whether a script can be missed: its directory holds more
// than settings, or the project is a checkout. A settings file that stands alone
// was likely taken away from its scripts.
func (l *linter) expected(path string) bool {
	dir, root := filepath.Dir(path), l.cfg.Project.Root
	if _, err := os.Lstat(filepath.Join(root, ".git")); err == nil && inside(root, path) {
		return true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	return dir == root || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return filepath.Ext(e.Name()) != ".json" })
}

func inside(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// pythonExit finds how a Python script ends.
var pythonExit = regexp.MustCompile(`\bexit\(\s*([^)\s]*)\s*\)`)

// scriptExits reports a guard that fails with exit code 1 alone.
func (l *linter) scriptExits(h handler, path string, text []byte, at settings.Place) {
	if !l.mustBlock(h) || decides(string(text)) {
		return
	}
	fails := false
	switch {
	case strings.HasSuffix(path, ".py"):
		for _, m := range pythonExit.FindAllSubmatch(text, -1) {
			switch string(m[1]) {
			case "", "0":
			case "1":
				fails = true
			default:
				return
			}
		}
	case isShell(path) || bytes.HasPrefix(text, []byte("#!")) && bytes.Contains(text[:min(len(text), 64)], []byte("sh\n")):
		script, err := shell.Parse(string(text))
		if err != nil {
			return
		}
		c := readCommand(script)
		fails = c.exits["1"] && !c.blocks()
	}
	if fails {
		l.report("exit-1", at, "use exit code 2, with the reason on standard error", "%s fails with exit code 1 only, and on %s only exit code 2 blocks", l.cfg.Project.Rel(path), h.spec.Name)
	}
}

// onPath reports whether a program stands on a PATH.
func onPath(path, program string) bool {
	names := []string{program}
	if runtime.GOOS == "windows" {
		names = append(names, program+".exe")
	}
	for _, dir := range filepath.SplitList(path) {
		for _, name := range names {
			info, err := os.Stat(filepath.Join(dir, name))
			if err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
				return true
			}
		}
	}
	return false
}
