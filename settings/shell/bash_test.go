package shell

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The commands of these lines are names of no program: p, q and r stand for
// any command, and run as stand-ins that note their arguments. A line must not
// name a program by its path, nor lose or reset PATH (command -p, env -i,
// exec -c, a login shell). A line with branches may run less than is found.
var bashLines = []struct {
	line     string
	branches bool
	unread   bool // our parser gives up, so that rules fire on it
}{
	// lists and pipelines
	{line: `p`},
	{line: `p a b`},
	{line: `p; q`},
	{line: `p;q`},
	{line: "p\nq"},
	{line: "p\n\n\nq a\n"},
	{line: `p && q`},
	{line: `p&&q`},
	{line: `p || q`, branches: true},
	{line: `p | q`},
	{line: `p|q|r`},
	{line: `p |& q`},
	{line: `p & q`},
	{line: `p & wait; q`},
	{line: `p & q & r & wait`},
	{line: `! p`},
	{line: `! p | q`},
	{line: `p && q || r`, branches: true},
	{line: `p; q & r`},
	{line: `time p`},
	{line: `time -p p a`},
	{line: `time p | q`},
	{line: `coproc p; wait`},
	{line: `coproc N { p; q; }; wait`},

	// compound commands
	{line: `(p)`},
	{line: `(p; q)`},
	{line: `( (p); q)`},
	{line: `((p) ; q)`, unread: true},
	{line: `{ p; }`},
	{line: `{ p; q; } > out`},
	{line: `{ { p; }; (q); }`},
	{line: `if p; then q; fi`},
	{line: `if p; then q; else r; fi`, branches: true},
	{line: `if ! p; then q; elif q a; then r; fi`, branches: true},
	{line: `while p; do q; break; done`},
	{line: `until p; do q; done`, branches: true},
	{line: `for i in 1 2; do p $i; done`},
	{line: `for i in; do p; done; q`, branches: true},
	{line: `for ((i=0; i<2; i++)); do p $i; done`},
	{line: `for i in a b; do p; done | q`},
	{line: `case a in a) p;; b) q;; esac`, branches: true},
	{line: `case a in (a) p;& b) q;; esac`},
	{line: `case a in a|b) p;;& *) q; esac`},
	{line: `select x in a; do p; break; done < /dev/null`, branches: true},
	{line: `[[ -n a ]] && p`},
	{line: `[ -n a ] && p`},
	{line: `(( 1 + 1 )) && p`},
	{line: `[[ a == b ]] || p`},
	{line: `let x=1 && p`},

	// functions
	{line: `f() { p; }; f`},
	{line: `f() { p; }`, branches: true},
	{line: `function f { p a; }; f; q`},
	{line: `f() (p; q); f`},
	{line: `f() { p "$@"; }; f a b`},
	{line: `f() if p; then q; fi; f`},
	{line: `p() { q; }; p`, branches: true},

	// words
	{line: `"p" a`},
	{line: `'p' 'a b'`},
	{line: `\p a\ b`},
	{line: `p""`},
	{line: `p ''`},
	{line: `$'p' $'a\tb' $'\x41\u0042\103'`},
	{line: `$'\160' $'it\'s' $'a\\b'`},
	{line: `p $'\cA' $'\e' $'\q'`},
	{line: `p "a\"b" "a\$b" "a\b" "a\\b"`},
	{line: `p 'a\b'`},
	{line: "p \"a\\\nb\""},
	{line: "p a\\\nb"},
	{line: "p \\\n  a"},
	{line: `p "a b"'c d'e`},
	{line: `p {a,b}`},
	{line: `{p,a,b}`},
	{line: `p x{a,b}y{1,2}`},
	{line: `p {a,{b,c}}`},
	{line: `p {1..3}`},
	{line: `p {a} {} {a,b \{a,b}`},
	{line: `p a{b,"c d"}`},
	{line: `p "{a,b}"`},
	{line: `p *.none [ab].none ?.none`},
	{line: `p '*' "?" \*`},
	{line: `p ~/x a~b x=~/y`},
	{line: `HOME=/h; p ~`},
	{line: `p a#b # a comment q`},
	{line: "# p\nq"},
	{line: `p # q`},
	{line: `p --flag=a -- -x`},
	{line: `p a=b c=d`},
	{line: `p > out a`},
	{line: `> out p a`},
	{line: `p a >out b 2>&1`},
	{line: `p < /dev/null`},
	{line: `p 2>/dev/null >&2`},
	{line: `p &> out`},
	{line: `p <&-`},
	{line: `p {fd}> out`},
	{line: `p [ ]`},
	{line: `p $`},
	{line: `p a$ "$"`},
	{line: `p if then fi`},
	{line: `p é 日本`},
	{line: `p !`},

	// variables
	{line: `X=1 p`},
	{line: `X=1 Y=2 p a`},
	{line: `X=p; $X a`},
	{line: `X=p; "$X" a`},
	{line: `X='p a'; $X b`},
	{line: `X=; $X p a`},
	{line: `X=; p $X a`},
	{line: `X=; p "$X" a`},
	{line: `X='a b'; p $X c`},
	{line: `X='a b'; p "$X" c`},
	{line: `X=a; p x$X"y"$X`},
	{line: `X=a; p ${X} ${X:-b} ${Y:-b} ${#X} ${X/a/b}`},
	{line: `a=(1 2 3); p "${a[@]}" ${a[1]}`},
	{line: `a=(); p "${a[@]}" b`},
	{line: `set -- a b; p "$@" "$*" $1`},
	{line: `set --; "$@" p a`},
	{line: `X=1 Y=2; p $X$Y`},
	{line: `export X=1; p "$X"`},
	{line: `declare -a a=(1 2); p ${a[0]}`},
	{line: `X+=1 p`},
	{line: `p $((1+2)) $[3]`},
	{line: `p $((X=3))`},
	{line: `IFS=,; X=a,b; p $X`},

	// substitutions
	{line: `p $(q)`},
	{line: "p `q`"},
	{line: "p `q \\`r\\``"},
	{line: `p "$(q a)"`},
	{line: `p "$(q "$(r)")"`},
	{line: `$(q)`},
	{line: `$(echo p) a`},
	{line: `X=$(p)`},
	{line: `X=$(p) q`},
	{line: `export X=$(p) Y="$(q)"`},
	{line: `a=($(p) x)`},
	{line: `a[$(p; echo 1)]=x`},
	{line: `p ${X:-$(q)}`},
	{line: `p ${X:-"$(q)"}`},
	{line: `X=a; p ${X:-$(q)}`, branches: true},
	{line: `p $(( $(q; echo 1) + 1 ))`},
	{line: `(( $(p; echo 1) ))`},
	{line: `[[ -n $(p) ]]`, branches: true},
	{line: `[[ x == $(p) ]]`},
	{line: `case $(p) in *) q;; esac`},
	{line: `for i in $(p; echo 1); do q; done`},
	{line: `while [ -n "$(p)" ]; do q; done`, branches: true},
	{line: `p < <(q)`},
	{line: `p <(q)`},
	{line: `p <(q) <(r)`},
	{line: `echo x > >(p)`},
	{line: `echo "$(p)" > $(q; echo out)`},
	{line: `p "$(echo "a b")"`},
	{line: `p '$(q)' "\$(q)"`},
	{line: `echo '$(q)'`},
	{line: `$(p; echo q)`},
	{line: `(p $(q) | r)`},
	{line: `p "${X:-` + "`q`" + `}"`},

	// here-documents
	{line: "p <<E\na\nE"},
	{line: "p <<E\n$(q)\nE"},
	{line: "p <<E\n`q`\nE"},
	{line: "p <<'E'\n$(q)\nq\nE"},
	{line: "p <<\"E\"\n$(q)\nE"},
	{line: "p <<\\E\n$(q)\nE"},
	{line: "p <<-E\n\t$(q)\n\tE"},
	{line: "p <<E\n\\$(q)\nE"},
	{line: "p <<E; q\na\nE"},
	{line: "p <<E && q\na\nE\nr"},
	{line: "p <<A <<B\n$(q)\nA\n$(r)\nB"},
	{line: "p <<E | q\na\nE"},
	{line: "sh <<'E'\np a\nE"},
	{line: "sh <<E\np a\nE"},
	{line: "sh <<E\np \\$HOME\nE"},
	{line: "X=a; sh <<E\np $X\nE"},
	{line: "bash -s x <<'E'\np \"$1\"\nE"},
	{line: "bash <<'E'\nif p; then q; fi\nE"},
	{line: "{ sh; } <<'E'\np\nE"},
	{line: "(sh) <<'E'\np\nE"},
	{line: "p <<< 'q'"},
	{line: "p <<< \"$(q)\""},
	{line: "sh <<< 'p a; q'"},
	{line: "sh - <<< 'p'"},
	{line: "sh /dev/stdin <<< 'p'"},
	{line: "source /dev/stdin <<< 'p a'"},
	{line: "echo 'p a' | sh"},
	{line: "printf 'p\\nq' | bash -s"},
	{line: "bash <(echo p)"},
	{line: "source <(echo p)"},

	// code in arguments
	{line: `bash -c 'p a; q'`},
	{line: `sh -c "p a"`},
	{line: `sh -c 'p "$1"' x a`},
	{line: `bash -ec 'p'`},
	{line: `bash -eu -o pipefail -c 'p | q'`},
	{line: `bash --norc -c 'p'`},
	{line: `bash -c -e 'p'`},
	{line: `bash +e -c 'p'`},
	{line: `X=p; bash -c "$X a"`},
	{line: `bash -c 'bash -c "p a"'`},
	{line: `bash -c "bash -c 'p'; q"`},
	{line: `bash -c ''; p`},
	{line: `eval p a`},
	{line: `eval 'p a; q'`},
	{line: `eval "p 'a b'"`},
	{line: `X='p a'; eval "$X"`},
	{line: `eval eval p`},
	{line: `eval -- p`},
	{line: `trap 'p a' EXIT`},
	{line: `trap - EXIT; p`},
	{line: `command p a`},
	{line: `command -v p`},
	{line: `command -- p`},
	{line: `builtin echo x; p`},
	{line: `builtin eval p`},
	{line: `exec p a`},
	{line: `exec -a name p`},
	{line: `(exec p); q`},
	{line: `exec > out; p`},

	// programs that run others
	{line: `env p a`},
	{line: `env X=1 p a`},
	{line: `env -u Y X=1 p`},
	{line: `env -- p`},
	{line: `env -S 'p a'`},
	{line: `nice p`},
	{line: `nice -n 5 p a`},
	{line: `nice -5 p`},
	{line: `nohup p a`},
	{line: `timeout 9 p a`},
	{line: `timeout -s KILL -k 1 9 p`},
	{line: `timeout --signal=KILL 9s p`},
	{line: `stdbuf -oL p`},
	{line: `stdbuf -o 0 -e L p a`},
	{line: `setsid -w p a`},
	{line: `flock lock p a`},
	{line: `flock -w 5 lock p`},
	{line: `flock lock -c 'p a'`},
	{line: `sudo p a`},
	{line: `sudo -n -u bob X=1 p a`},
	{line: `sudo -- p`},
	{line: `sudo env X=1 nice p`},
	{line: `sudo sh -c 'p a'`},
	{line: `doas -u bob p`},
	{line: `echo a | xargs p`},
	{line: `echo a b | xargs -n 1 p x`},
	{line: `echo a | xargs -I{} p x{}y`},
	{line: `echo a | xargs -I X sh -c 'p X'`},
	{line: `echo a | xargs -0 p`},
	{line: `echo a | xargs env p`},
	{line: `find . -maxdepth 0 -exec p {} \;`},
	{line: `find . -maxdepth 0 -exec p {} + -exec q \;`},
	{line: `find . -maxdepth 0 -name none -exec p {} \;`, branches: true},
	{line: `find . -maxdepth 0 -exec sh -c 'p "$1"' _ {} \;`},
	{line: `timeout 9 nice env X=1 sh -c 'sudo p a'`},
	{line: `env $NONE p a`},
	{line: `X='-n 5'; nice $X p a`},
	{line: `X=env; $X p a`},
	{line: `X=sh; $X -c 'p a'`},
}

// standIns run the programs they are named for, after noting that they did.
var standIns = []string{"env", "nice", "nohup", "timeout", "stdbuf", "setsid", "flock", "xargs", "find", "sh", "bash"}

// note writes the arguments to a file of its own, also when several stand-ins
// run one after the other in one process.
const note = `#!/bin/sh
n=0
while [ -e "$TRACE_DIR/$$.$n" ]; do n=$((n + 1)); done
printf '%s\036' "${0##*/}" "$@" > "$TRACE_DIR/$$.$n"
`

// privatePath makes a directory with the stand-ins as the only programs. The
// names of the tools that this machine lacks are returned too.
func privatePath(t *testing.T) (dir string, missing []string) {
	t.Helper()
	dir = t.TempDir()
	write := func(name, script string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"p", "q", "r"} {
		write(name, note)
	}
	for _, name := range standIns {
		real, err := exec.LookPath(name)
		if err != nil {
			missing = append(missing, name)
			continue
		}
		write(name, note+"exec '"+real+"' \"$@\"\n")
	}
	for _, name := range []string{"sudo", "doas"} {
		write(name, note+`
while :; do
	case $1 in
	-n) shift ;;
	-u) shift 2 ;;
	--) shift; break ;;
	*=*) export "$1"; shift ;;
	*) break ;;
	esac
done
exec "$@"
`)
	}
	return dir, missing
}

// runTraced runs a line in bash and returns the commands that ran.
func runTraced(t *testing.T, bash, path, line string) []string {
	t.Helper()
	work, notes := t.TempDir(), t.TempDir()
	cmd := exec.CommandContext(t.Context(), bash, "--noprofile", "--norc", "-c", line)
	cmd.Dir = work
	cmd.Env = []string{"PATH=" + path, "HOME=" + work, "TRACE_DIR=" + notes, "LC_ALL=C.UTF-8"}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // the status of a line is its own affair
	files, err := os.ReadDir(notes)
	if err != nil {
		t.Fatal(err)
	}
	var ran []string
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(notes, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		args := strings.Split(strings.TrimSuffix(string(data), "\036"), "\036")
		ran = append(ran, strings.Join(args, " "))
	}
	return ran
}

// asRegexp is the set of texts that a Text may turn out to be.
func asRegexp(t Text) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for _, p := range t {
		text := regexp.QuoteMeta(p.Text)
		switch p.Kind {
		case Literal:
			b.WriteString(text)
		case Any:
			b.WriteString(`.*`)
		case Solid:
			b.WriteString(`[^ \t\n]*`)
		case Words:
			b.WriteString(`(?:` + text + `.*)?`)
		case Lead:
			b.WriteString(`(?:.*` + text + `)?`)
		}
	}
	b.WriteString(`\z`)
	return regexp.MustCompile(b.String())
}

// traced reports whether a command would be noted if it ran.
func traced(c Command) bool {
	if len(c.Text) == 0 || c.Text[0].Kind != Literal || strings.HasPrefix(c.Full, "time ") {
		return false
	}
	name, _, found := strings.Cut(c.Text[0].Text, " ")
	if !found && len(c.Text) > 1 && c.Text[1].Kind != Words {
		return false // the name goes on
	}
	return slices.Contains(append([]string{"p", "q", "r", "sudo", "doas"}, standIns...), name)
}

func TestAgainstBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatalf("this test compares with bash and needs it: %v", err)
	}
	path, missing := privatePath(t)
	compared := 0
	for _, tt := range bashLines {
		if words := strings.Fields(tt.line); slices.ContainsFunc(missing, func(name string) bool { return slices.Contains(words, name) }) {
			continue
		}
		compared++
		script, err := Parse(tt.line)
		if (err != nil) != tt.unread {
			t.Errorf("%q: error %v", tt.line, err)
		}
		if err != nil {
			continue
		}
		found := script.Commands()
		ran := runTraced(t, bash, path, tt.line)
		used := make([]bool, len(found))
		for _, text := range ran {
			known := false
			for i, c := range found {
				if asRegexp(c.Text).MatchString(text) {
					used[i], known = true, true
				}
			}
			if !known {
				t.Errorf("%q ran %q, which is not found in %s", tt.line, text, show(found))
			}
		}
		for i, c := range found {
			if !used[i] && !tt.branches && traced(c) {
				t.Errorf("%q did not run %s; it ran %q", tt.line, c, ran)
			}
		}
	}
	t.Logf("%d lines compared", compared)
	if compared < 150 {
		t.Errorf("only %d lines compared", compared)
	}
}

func show(found []Command) string {
	var texts []string
	for _, c := range found {
		texts = append(texts, fmt.Sprintf("%q", c.Text))
	}
	return strings.Join(texts, ", ")
}
