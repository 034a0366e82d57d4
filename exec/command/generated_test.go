//go:build unix

package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/theus-hooks/theus-hooks/settings/shell"
)

// A writer of scripts draws from the constructs that the interpreter may run.
type scriptWriter struct {
	*rapid.T
	depth int
	piped bool
}

func (w *scriptWriter) pick(of ...string) string {
	return rapid.SampledFrom(of).Draw(w.T, "pick")
}

func (w *scriptWriter) below(n int) int { return rapid.IntRange(0, n-1).Draw(w.T, "n") }

func (w *scriptWriter) name() string { return w.pick("a", "b", "c") }

// value is text with something in it that a shell might trip over.
func (w *scriptWriter) value() string {
	return w.pick("", "a", "x y", " lead", "trail ", "-n", "-e", "-ne", "-f", "!", "(", ")", "=", "*", "a*", "?", "[a]",
		`\`, `a\b`, `\n`, `a\\`, "'", `"`, "$x", "`", "~", "~/x", "{a,b}", "é", "東京", "a:b:c", "a.b.c", "x=y", "#", ";", "&",
		"one\ntwo", "\t", "a  b", "%s", "%d", "a/b/c.d", "-", "--", "[", "]", "|", "<", "\nx", "x\n", "a/b\nc/d.e", "a.b\n.c", "b\nb", "x: y\nz: b",
		"@(a|b)", "+(x)", "a.txt", "a.txt/", "sub/", "none/../a.txt", "link/../a.txt", "%1")
}

func (w *scriptWriter) single(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func (w *scriptWriter) double(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s) + `"`
}

// escaped writes s with a backslash before everything that is no letter.
func (w *scriptWriter) escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString("'\n'")
		case r >= 'a' && r <= 'z' || r > 0x7f:
			b.WriteRune(r)
		default:
			b.WriteString(`\` + string(r))
		}
	}
	if b.Len() == 0 {
		return "''"
	}
	return b.String()
}

// word is one argument, whatever it holds.
func (w *scriptWriter) word() string {
	switch w.below(9) {
	case 0:
		return w.pick("a", "word", "a.b", "x=y", "-x", "a/b")
	case 1, 2:
		return w.single(w.value())
	case 3:
		return w.double(w.value())
	case 4:
		return w.escaped(w.value())
	case 5:
		return `"$` + w.name() + `"`
	case 6:
		return `"<${` + w.name() + w.pick("", ":-d", "-d", ":+s", "+s", "%%.*", "%%/*", "#*:", "##*/", "##*.", "#*/", "%b", "#a", "%%*", "##* ") + `}>"`
	case 7:
		return w.pick("$a", "$b", "\"`echo a  b`\"", "\"`cat < a.txt`\"x", `"$a$b"`, `"$PWD/"`) + w.pick("", "x") + w.single(w.value())
	default:
		if w.depth > 2 {
			return "z"
		}
		return `"$(` + w.list() + "\n" + `)"`
	}
}

// here is the word of a here-string. bash 5.2 itself fails on some with a
// backslash inside a substitution.
func (w *scriptWriter) here() string {
	if w.below(3) == 0 {
		return `"$` + w.name() + `"`
	}
	return w.single(w.value())
}

func (w *scriptWriter) hereDoc() string {
	body := w.pick("$a", "${b%%.*}x", `\$a \\ \n`, "'q' \"r\"", "`echo c`", "$(echo d)", "~ * {a,b}", "", "\t\ttab", "a\\\nb", "é")
	return w.pick("cat", "read -r a b", "./args.sh x") + " " + w.pick("<<", "<<-") + w.pick("E", "'E'", `"E"`) + "\n" + body + "\n" + body + "\nE"
}

func (w *scriptWriter) words() string {
	var all []string
	for range w.below(3) + 1 {
		all = append(all, w.word())
	}
	return strings.Join(all, " ")
}

func (w *scriptWriter) pattern() string {
	p := w.pick("*", "a*", "'@(a|b)'", "~/*", "\"$b\"*", "*b", "*.*", "x*y", "", "a", "'*'", `"a"*`, "*' '*", "-*", "*=*", "~", "'~'*", `"$a"`, `*"$b"`)
	if p == "" {
		return "''"
	}
	return p
}

func (w *scriptWriter) condition() string {
	switch w.below(8) {
	case 0:
		return w.word()
	case 1:
		return w.pick("-z ", "-n ", "-f ", "-d ", "-e ", "-x ", "-L ", "-s ", "-r ") + w.word()
	case 2, 3:
		return `"$` + w.name() + `" ` + w.pick("==", "=", "!=") + " " + w.pattern()
	case 4:
		return `"$` + w.name() + `" =~ ` + w.pick("a", "^a", "b$", `a.*b`, `\.`, "(a|b)", "^(x|a)+", `a\ b`, "x*y", "^$")
	case 5:
		return "! " + w.condition()
	case 6:
		return w.condition() + w.pick(" && ", " || ") + w.condition()
	default:
		return "( " + w.condition() + " )"
	}
}

func (w *scriptWriter) test() string {
	not := w.pick("", "", "! ")
	operand := w.pick(`"$a"`, `"$b"`, "word", w.single(w.value()), w.double(w.value()))
	switch w.below(4) {
	case 0:
		return "[ " + not + operand + " ]"
	case 1:
		return "[ " + not + w.pick("-z ", "-n ", "-f ", "-d ", "-e ", "-s ") + operand + " ]"
	case 2:
		return "[ " + not + operand + w.pick(" = ", " != ", " == ") + w.pick(`"$c"`, w.single(w.value())) + " ]"
	default:
		return "[ $? " + w.pick("-eq", "-ne", "-gt", "-le") + w.pick(" 0", " 1", " 2") + " ]"
	}
}

func (w *scriptWriter) simple() string {
	switch w.below(18) {
	case 0, 1, 2:
		return "echo " + w.pick("", "", "-n ", "-e ", "-E ", "-ne ") + w.words()
	case 3:
		return "printf " + w.pick(`'%s\n' `, `'<%s>' `, `"%s-%s\n" `, `'x%%\t' `) + w.words()
	case 4, 5, 6:
		return w.name() + "=" + w.word()
	case 7:
		return w.test()
	case 8:
		return "[[ " + w.condition() + " ]]"
	case 9:
		return w.pick("", "IFS= ", "IFS=: ", "IFS=' .' ") + "read " + w.pick("-r ", "-r ", "") + w.pick("a", "a b", "c b a") + " <<< " + w.here()
	case 10:
		return "./args.sh " + w.words()
	case 11:
		return w.pick("cat", "cat < a.txt", "head -n 1", `cat < "$a"`, `cat "$b"`, "cat < none", "wc -c < b.txt | tr -d ' '")
	case 12:
		return "sh -c 'exit " + w.pick("0", "1", "2", "7") + "'"
	case 13:
		return w.pick("true", "false", ":")
	case 14:
		return w.pick("cd sub", "cd none", "cd sub && cd ..", `cd "$a"`, "pwd", "cd link")
	case 15:
		return w.pick("unset a", "export a="+w.word(), "echo $?", `echo "$?"`)
	case 16:
		return w.pick("exit", "exit 3", "exit $?", "exec 2>/dev/null", "exec >> out.txt", "exec < a.txt", "exec ./args.sh x", "exec > /dev/stderr",
			"command -v sh", "command -v none", `echo "$PWD"`)
	default:
		return w.name() + "=" + w.word() + " sh -c 'echo \"$a$b\"'"
	}
}

func (w *scriptWriter) redirect() string {
	if w.piped { // both sides write at once
		return w.pick("", " 2>/dev/null", " >&2")
	}
	return w.pick("", "", "", "", " > out.txt", " >> out.txt", " 2>/dev/null", " >&2", " < a.txt", " > /dev/stderr", " <<< "+w.here())
}

func (w *scriptWriter) statement() string {
	if w.depth > 3 {
		return w.simple()
	}
	w.depth++
	defer func() { w.depth-- }()
	switch w.below(16) {
	case 0:
		return "if " + w.list() + "\nthen " + w.list() + "\nelse " + w.list() + "\nfi" + w.redirect()
	case 1:
		return "case " + w.pick(w.word(), "$?", "$a") + " in " + w.pattern() + "|" + w.pattern() + ") " + w.list() + "\n;; *) " + w.list() + "\n;; esac" + w.redirect()
	case 2:
		return "for " + w.name() + " in " + w.words() + "; do " + w.list() + "\n" + w.pick(":", "break", "continue", "false", "[ \"$a\" = x ] || continue", "if [ \"$b\" ]; then echo l; break; fi\necho m", "{ false || continue; echo n; }") + "\ndone" + w.redirect()
	case 3:
		return "{ " + w.list() + "\n}" + w.redirect()
	case 4:
		return "( " + w.list() + "\n)" + w.redirect()
	case 5:
		outer := w.piped
		w.piped = true
		defer func() { w.piped = outer }()
		// What comes after the pipe reads all of it: what an early end does to
		// the other side is a race.
		return w.statement() + " | " + w.pick("cat", "sed s/^/:/", "wc -c | tr -d ' '", "sort",
			"{ cat; "+w.list()+"\n}", "( cat; "+w.list()+"\n)",
			"while read -r "+w.name()+"; do "+w.name()+"="+w.word()+"; [ \"$a\" = x ]; done")
	case 6:
		return w.statement() + w.pick(" && ", " || ") + w.statement()
	case 7:
		return "! " + w.simple()
	case 8:
		return "while read -r " + w.name() + "; do " + w.list() + "\ndone" + w.pick(" < a.txt", " <<< "+w.here(), " < none")
	default:
		return w.simple() + w.redirect()
	}
}

func (w *scriptWriter) list() string {
	all := []string{w.statement()}
	for range w.below(3) {
		if w.below(10) == 0 {
			all = append(all, w.hereDoc())
			continue
		}
		all = append(all, w.statement())
	}
	return strings.Join(all, w.pick("\n", "\n", " \n # ;\n  "))
}

// TestGeneratedAsBash compares scripts that nobody wrote.
func TestGeneratedAsBash(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := &scriptWriter{T: rt}
		text := w.list() + "\n" + w.list() + "\n" + `echo "[$a|$b|$c|$?]"`
		script, err := shell.Parse(text)
		if err != nil || !script.Engine().Builtin {
			return
		}
		dir := tempDir(t)
		got, engine, _ := runOurs(t, dir, text)
		if engine != "builtin" {
			return
		}
		want := runBash(t, dir, text)
		if strings.Contains(text, "|") { // whether a side of a pipe comes to say something is a race
			got.Stderr = want.Stderr
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Errorf("(-bash +builtin)\n%s\n%s", strings.ReplaceAll(diff, "\u00a0", " "), text)
		}
	})
}
