package envfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The generators below write files of the subset that is evaluated here, odd
// corners included; what turns out to be for a shell is bash's anyway.

func oneOf(parts ...string) *rapid.Generator[string] { return rapid.SampledFrom(parts) }

func genName() *rapid.Generator[string] {
	return oneOf("A", "B", "C", "OLD", "EMPTY", "PATH", "HOME", "NOPE", "GLOB")
}

// genLiteral is text as it stands in a file outside quotes.
func genLiteral() *rapid.Generator[string] {
	return oneOf("a", "b.c", "old", "/", ":", "~", "~/", ":~", "\\ ", "\\\\", "\\$", "\\'", "\\\"", "\\n", "#", "*", "?", "{", "}", ",",
		"=", "!", "%", "@", "^", "+", "-", "$", ".", "é", "\\~", "]", "\\é", "\\\n")
}

func genExpansion(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		name := genName().Draw(t, "name")
		switch rapid.IntRange(0, 9).Draw(t, "form") {
		case 0:
			return "$" + name
		case 1:
			return "${" + name + "}"
		case 2:
			return "${#" + name + "}"
		case 3, 4, 5:
			op := oneOf("-", ":-", "+", ":+").Draw(t, "op")
			return "${" + name + op + genWord(depth-1).Draw(t, "word") + "}"
		case 6, 7:
			op := oneOf("#", "##", "%", "%%").Draw(t, "op")
			return "${" + name + op + genPattern(depth-1).Draw(t, "pattern") + "}"
		default:
			op := oneOf("/", "//").Draw(t, "op")
			return "${" + name + op + genPattern(depth-1).Draw(t, "pattern") + oneOf("", "/", "/x", "/&", "/a b", "/$OLD", "/'q'").Draw(t, "with") + "}"
		}
	})
}

func genPattern(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var out strings.Builder
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			if depth > 0 && rapid.IntRange(0, 5).Draw(t, "nested") == 0 {
				out.WriteString(oneOf("$OLD", "$GLOB", "\"$GLOB\"", "${EMPTY:-o}", "'*'", "\"?\"", "$'o'").Draw(t, "part"))
				continue
			}
			out.WriteString(oneOf("*", "?", "o", "l", "d", "/", ".", "old", "\\*", "\\o", "~", "[", "#", "%", "bin", ":", "\\/").Draw(t, "part"))
		}
		return out.String()
	})
}

func genQuoted(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 3).Draw(t, "quotes") {
		case 0:
			return "'" + oneOf("", "a b", "$OLD", "\\", "\"", "é", "l1\nl2", "~").Draw(t, "text") + "'"
		case 1:
			return "$'" + oneOf("", "a b", "\\n", "\\'", "\\x41", "\\101", "\\e[", "\\q", "\\\\", "\\u41", "$OLD", "\\x", "\\18", "\"").Draw(t, "text") + "'"
		}
		var out strings.Builder
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			if depth > 0 && rapid.Bool().Draw(t, "nested") {
				out.WriteString(genExpansion(depth-1).Draw(t, "part"))
				continue
			}
			out.WriteString(oneOf("a", " ", "'", "\\\"", "\\$", "\\\\", "\\a", "\\`", "~", "*", "$", "é", "\n", "\\\n", "}", "$'x'").Draw(t, "part"))
		}
		return `"` + out.String() + `"`
	})
}

func genWord(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var out strings.Builder
		for range rapid.IntRange(0, 4).Draw(t, "parts") {
			switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
			case depth > 0 && kind == 0:
				out.WriteString(genExpansion(depth-1).Draw(t, "part"))
			case depth > 0 && kind == 1:
				out.WriteString(genQuoted(depth-1).Draw(t, "part"))
			default:
				out.WriteString(genLiteral().Draw(t, "part"))
			}
		}
		return out.String()
	})
}

func genStatement() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		assignment := func() string {
			return genName().Draw(t, "name") + oneOf("=", "=", "=", "+=").Draw(t, "op") + genWord(3).Draw(t, "value")
		}
		switch rapid.IntRange(0, 11).Draw(t, "kind") {
		case 0, 1, 2, 3:
			return assignment()
		case 4, 5:
			return "export " + assignment()
		case 6:
			return oneOf("export ", "export -n ", "declare -x ", "readonly ", "declare ").Draw(t, "how") + assignment()
		case 7:
			return "export " + assignment() + " " + assignment()
		case 8:
			return assignment() + " " + assignment()
		case 9:
			return oneOf("export ", "export -n ", "unset ", "unset -v ", "declare -x ", "readonly ", "declare ").Draw(t, "how") + genName().Draw(t, "name")
		case 10:
			return "# " + genLiteral().Draw(t, "comment")
		default:
			return assignment() + " # it's"
		}
	})
}

var propertyEnv = []string{"PATH=/usr/bin:/bin", "HOME=/h", "OLD=old", "EMPTY=", "GLOB=?l*", "LC_ALL=C.UTF-8"}

// What is evaluated here comes out as bash has it.
func TestEvaluateIsBash(t *testing.T) {
	dir := t.TempDir()
	files, here := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		lines := rapid.SliceOfN(genStatement(), 1, 6).Draw(rt, "lines")
		text := strings.Join(lines, oneOf("\n", "\n", "; ").Draw(rt, "joint")) + "\n"
		e := newEvaluator(propertyEnv)
		if err := e.run(t.Context(), []byte(text)); err != nil {
			rt.Fatal(err)
		}
		files++
		if e.needsShell {
			return
		}
		here++
		file := filepath.Join(dir, fmt.Sprintf("%d.sh", files))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			rt.Fatal(err)
		}
		want := sourced(t, file, propertyEnv)
		if diff := cmp.Diff(want, ourResult(propertyEnv, e.changes())); diff != "" {
			rt.Fatalf("%q (-bash +ours):\n%s", text, diff)
		}
	})
	if here*4 < files {
		t.Errorf("only %d of %d files were evaluated here", here, files)
	}
}
