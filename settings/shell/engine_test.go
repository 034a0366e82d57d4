package shell

import (
	"slices"
	"strings"
	"testing"
)

func TestEngine(t *testing.T) {
	tests := []struct {
		text string
		why  string // "" is the interpreter
	}{
		{`prettier --write .`, ""},
		{`"$THEUS_PROJECT_DIR"/.theus/hooks/guard.sh --strict`, ""},
		{`jq -e '.tool_input.command | test("rm -rf") | not' >/dev/null || { echo no >&2; exit 2; }`, ""},
		{`f=$(jq -r .tool_input.file_path); case "$f" in *.ts) prettier "$f";; esac`, ""},
		{`if [[ ! -f x && -n "$Y" ]]; then echo a; fi`, ""},
		{`while IFS= read -r l; do echo "$l"; done`, ""},
		{`echo a &`, "& at 1:1"},
		{"echo a\n  wait", "the builtin wait at 2:3"},
		{`set -e; false`, "the builtin set at 1:1"},
		{`f() { f; }; f`, "a function at 1:1"},
		{`while :; do :; done`, "a while loop without read at 1:1"},
		{`echo *.txt`, "a file pattern at 1:6"},
		{`echo {a,b}`, "a brace at 1:6"},
		{`echo $$`, "$$ at 1:6"},
		{`echo "${x//a/b}"`, "that form of ${x} at 1:7"},
		{`[[ $x =~ [0-9] ]]`, "=~ with that expression at 1:4"},
		{`[ "$x" -gt 3 ]`, "-gt with that operand at 1:1"},
		{`exec 3>&1`, "a redirection of 3 at 1:6"},
		{`echo a > /dev/tcp/localhost/80`, "the file /dev/tcp/localhost/80 at 1:8"},
		{`$CMD -x`, "a command name known only when it runs at 1:1"},
		{`PATH=x:$PATH`, "setting PATH at 1:1"},
		{`x=a; for i in 1 2 3; do x=$x$x; done`, "a value that grows in a loop at 1:6"},
		{`x=$(cat); y=$x$x$x; z=$y$y$y$y`, "a command that expands too much at 1:21"},
		{`x=$(cat); a=$x$x$x; b=$x$x$x; c=$x$x$x`, "values made of too many others at 1:31"},
		{`x=$(cat); case $x$x$x$x$x$x$x$x$x in a) ;; esac`, "a command that expands too much at 1:11"},
		{`x=$(cat); echo $WORD "$x$x$x$x" | echo "$x$x$x$x$x"`, "a command that expands too much at 1:11"},
		{`x=$(for i in 1 2; do cat; done); y=$x`, "a command that expands too much at 1:1"},
		{"echo a\r\necho b", `the character '\r' at 1:7`},
		{"echo a\n\x00", "the character '\\x00' at 2:1"},
	}
	for _, test := range tests {
		script, err := Parse(test.text)
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		e := script.Engine()
		if e.Why != test.why || e.Builtin != (test.why == "") {
			t.Errorf("%s\n builtin %v, why %q\n want why %q", test.text, e.Builtin, e.Why, test.why)
		}
	}
}

func TestEngineUnquoted(t *testing.T) {
	script, err := Parse(`$B/run $A "$C" '$D' > $E`)
	if err != nil {
		t.Fatal(err)
	}
	if got := script.Engine().Unquoted; !slices.Equal(got, []string{"A", "B", "E"}) {
		t.Errorf("unquoted %q", got)
	}
}

// FuzzEngine looks for text that the judge cannot stand, and for answers that
// contradict themselves.
func FuzzEngine(f *testing.F) {
	for _, seed := range []string{
		`echo a`, `x=$(cat); [[ ! $x && $y || $z =~ a.* ]]`, `for i in a; do case $i in *) read -r x;; esac; done`,
		`cat <<EOF`, "a=(1 2); ${a[@]:1}", `$((x+1))`, `"${x:-$(y)}"`, `! [ a = b ]`, `printf '%s' "$@"`, `>x`, `${!a*}`, `IFS= read`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		script, err := Parse(text)
		if err != nil {
			return
		}
		e, guards := script.Engine(), script.Guards()
		if e.Builtin != (len(guards) == 0) || !e.Builtin && e.Why != guards[0].String() {
			t.Errorf("builtin %v, why %q, guards %v", e.Builtin, e.Why, guards)
		}
		if e.Builtin != (e.Why == "") {
			t.Errorf("builtin %v with why %q", e.Builtin, e.Why)
		}
		if !e.Builtin && !strings.Contains(e.Why, " at ") {
			t.Errorf("why %q has no place", e.Why)
		}
	})
}
