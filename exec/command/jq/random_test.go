package jq

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// sample draws one of several texts.
func sample(texts ...string) *rapid.Generator[string] { return rapid.SampledFrom(texts) }

// randomText draws what stands in a JSON string, between the quotes.
func randomText() *rapid.Generator[string] {
	piece := sample("a", "b", "ab", "x y", "/", ".", "-", "1", "12", "ñ", "ключ", "🎉", `\u00e9`, `\ud83c\udf89`, `\n`,
		`\t`, `\"`, `\\`, `\/`, `\u0001`, `\u001f`, `\u007f`, "\u2028", "'", "<&>", `\ud800`, `\u0000`, "git push --force", "\u200d", "É")
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 4).Draw(t, "text"), "")
	})
}

func randomNumber() *rapid.Generator[string] {
	return rapid.OneOf(
		sample("0", "1", "2", "-1", "3", "10", "12", "999999999999999", "1.5", "-0.25", "0.1", "3.14159", "100"),
		sample("0", "1", "2", "1.0", "-0", "1e3", "1E-2", "1.10", "0.00001", "123456789012345678", "1e400", "1e-400", "0.1e1", "9007199254740993"),
	)
}

// randomJSON draws a document: odd numbers, odd text, doubled keys.
func randomJSON(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		kind := rapid.IntRange(0, 9).Draw(t, "kind")
		if depth == 0 {
			kind %= 5
		}
		switch kind {
		case 0:
			return sample("null", "true", "false").Draw(t, "word")
		case 1, 2:
			return randomNumber().Draw(t, "number")
		case 3, 4:
			return `"` + randomText().Draw(t, "text") + `"`
		case 5, 6:
			return "[" + strings.Join(rapid.SliceOfN(randomJSON(depth-1), 0, 4).Draw(t, "list"), ", ") + "]"
		default:
			var members []string
			for range rapid.IntRange(0, 5).Draw(t, "members") {
				key := sample("a", "b", "c d", "b", "ñ", "z", "A", "key", "value", "").Draw(t, "key")
				members = append(members, `"`+key+`": `+randomJSON(depth-1).Draw(t, "value"))
			}
			return "{" + strings.Join(members, ",") + "}"
		}
	})
}

// randomFilter draws a filter, most of whose parts are on the list.
func randomFilter(depth int) *rapid.Generator[string] {
	leaf := sample(".", ".a", ".b", ".a.b", `.["c d"]`, ".[0]", ".[-1]", ".[]", ".[]?", ".a?", ".b[]?", ".[1:]", ".[:2]",
		"1", "0", `"a"`, `"x y"`, "null", "true", "false", "[]", "{}", "empty", "$v", "..", `"ñ"`, "-1", "0.5", ".z.a?")
	if depth == 0 {
		return leaf
	}
	return rapid.Custom(func(t *rapid.T) string {
		sub := func() string { return randomFilter(depth-1).Draw(t, "filter") }
		switch rapid.IntRange(0, 15).Draw(t, "shape") {
		case 0, 1, 2:
			return leaf.Draw(t, "leaf")
		case 3, 4, 5:
			return "(" + sub() + " | " + sub() + ")"
		case 6:
			op := sample("+", "-", "*", "/", "%", "==", "!=", "<", ">", "<=", ">=", "and", "or", "//", ",", "+").Draw(t, "operator")
			return "(" + sub() + " " + op + " " + sub() + ")"
		case 7:
			return "[" + sub() + "]"
		case 8:
			return "{a: (" + sub() + "), b, \"c d\": (" + sub() + ")}"
		case 9, 10, 11:
			return sub() + " | " + sample("length", "keys", "type", "not", "tostring", "tojson", "add", "first", "last", "sort", "unique",
				"min", "max", "reverse", "flatten", "any", "all", "to_entries", "keys_unsorted", "ascii_downcase", "ascii_upcase", "floor",
				"tonumber", "fromjson", "utf8bytelength", "@json", "@text", "@sh", "@csv", "@tsv", "@html", "@uri", "@base64",
				"from_entries", "values", "strings", "numbers", "scalars", "arrays", "objects", "iterables", "nulls", "booleans").Draw(t, "name")
		case 12:
			return sub() + " | " + sample("map", "select", "sort_by", "group_by", "unique_by", "any", "all", "with_entries", "first", "range").Draw(t, "name") + "(" + sub() + ")"
		case 13:
			text := sample("a", "x", "/", " ", "b", "ab", "ñ", "git", "[a-c]", "^a", "b$", ".", "\\\\s", "a+", "(a|x)", "x*").Draw(t, "text")
			return sub() + " | " + sample("split", "join", "startswith", "endswith", "ltrimstr", "rtrimstr", "index", "rindex", "has", "contains", "test").Draw(t, "name") + `("` + text + `")`
		case 14:
			form := sample(`"<\(%)>"`, "try (%)", "(%)?", "if % then 1 else . end", `@sh "x \(%)"`, ". as $w | (%) | [., $w]", ".a = (%)",
				".a |= (%)", ".z.y = (%)", "del(.a)", "del(.b, .a)", ".a += (%)", `gsub("a"; "z")`, `sub("[ab]+"; "-")`).Draw(t, "form")
			return strings.Replace(form, "%", sub(), 1)
		default:
			return "(" + sub() + ")"
		}
	})
}

// compare runs a call both ways, if it is proven.
func compare(t *rapid.T, tb testing.TB, args []string, input string) (proven bool) {
	got, err := prove(args, input)
	if err != nil {
		return false
	}
	want := machine(tb, args, input)
	if !bytes.Equal(got.Stdout, want.Stdout) || got.Status != want.Status || len(want.Stderr) > 0 {
		t.Fatalf("jq %q <<< %s\n got %d %q\nwant %d %q\n%s", args, input, got.Status, got.Stdout, want.Status, want.Stdout, want.Stderr)
	}
	return true
}

// TestMain gives the random tests the same cases every time. Others come with
// -rapid.seed: jq's own engine of regular expressions has faults that only luck
// finds, and a change elsewhere must not fail for one.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.seed" })
	if !given {
		_ = flag.Set("rapid.seed", "20261130")
	}
	os.Exit(m.Run())
}

// TestRandom: whatever is proven comes out as jq has it.
func TestRandom(t *testing.T) {
	proven := 0
	rapid.Check(t, func(rt *rapid.T) {
		input := strings.Join(rapid.SliceOfN(randomJSON(3), 1, 2).Draw(rt, "documents"), "\n")
		flags := sample("-c", "-r", "-rc", "-ce", "-cS", "-j", "-ca", "--tab").Draw(rt, "flags")
		if compare(rt, t, []string{flags, "--arg", "v", "a", randomFilter(3).Draw(rt, "filter")}, input) {
			proven++
		}
	})
	t.Logf("%d were proven", proven)
	if proven == 0 {
		t.Error("none was proven")
	}
}

// TestRandomTokens: what is taken for a known filter is one that jq reads, and
// reads alike.
func TestRandomTokens(t *testing.T) {
	token := sample(".", ".a", ".b", "[0]", "[]", "[", "]", "?", "|", ",", "(", ")", "{", "}", "a", "b", ":", `"a"`, "1", "-", "+",
		"*", "==", "and", "or", "not", "if", "then", "else", "end", "try", "catch", "as", "$x", "//", ".[", ".[1:]", "..", " ", "null",
		`"\(`, `)"`, "@json", ";", "map", "select", "=", "|=", "{a", "{a:", "length", "empty", "$v", "reduce", "def", "#", "\n", "}.a", "'", "<")
	rapid.Check(t, func(rt *rapid.T) {
		filter := strings.Join(rapid.SliceOfN(token, 1, 7).Draw(rt, "tokens"), sample("", " ").Draw(rt, "blank"))
		compare(rt, t, []string{"-c", "--arg", "v", "a", "--arg", "x", "b", filter}, `{"a":{"b":1,"a":[1,2]},"b":"x"}`)
	})
}

// TestRandomRegex: an expression that is taken for certain finds what jq finds.
// One jq answers for many of them.
func TestRandomRegex(t *testing.T) {
	piece := sample("a", "b", "git", " ", "-", ".", "x*", "a+", "b?", "a+?", ".*", ".*?", "(a|b)", "(?:git|rm)", "|", "^", "$", `\b`, `\B`, `\s`, `\S+`,
		`\d`, `\w+`, `\W`, "[abc]", "[^a]", "[a-z]+", `[\s;&|]`, `[^\s]`, "[-a]", "[a-]", "[.$]", `[\]]`, `[\\/]`, "a{2}", "b{1,}", "[ab]{1,2}", "a{2,3}?",
		`\.`, `\/`, `\-`, `\$`, `\(`, "(", ")", "*", "+", "?", "{", "}", "[", "]", `\n`, `\t`, "A", "é", "/", "(?i)", ":", "^(rm|git)", "$|^", "a?b", `\\`, "#")
	subject := sample("a", "b", "ab", "git", "rm", " ", "\n", "\t", "-", ".", "/", "$", "A", "GIT", "1", "_", ";", "&&", "é", "\\", "]", "(", "x", "\r", "\v", "k", "ß", "aa")
	rapid.Check(t, func(rt *rapid.T) {
		var cases []map[string]string
		var found []bool
		var replaced []any
		for range 40 {
			p := strings.Join(rapid.SliceOfN(piece, 1, 4).Draw(rt, "pattern"), "")
			s := strings.Join(rapid.SliceOfN(subject, 0, 6).Draw(rt, "subject"), "")
			flags := sample("", "", "i").Draw(rt, "flags")
			r := newRun(true)
			r.regexs = map[string]*regex{}
			is, ok := r.test(s, []any{p, flags}).(bool)
			if !ok {
				continue
			}
			r = newRun(true)
			r.regexs = map[string]*regex{}
			both := []any{r.replace(s, []any{p, "<>"}, 1), r.replace(s, []any{p, "<>"}, -1)}
			for i, v := range both {
				if v == errFilter {
					both[i] = nil
				}
			}
			cases, found, replaced = append(cases, map[string]string{"p": p, "s": s, "f": flags}), append(found, is), append(replaced, both)
		}
		input, err := jsontext.Marshal(map[string]any{"cases": cases, "replaced": replaced, "found": found})
		if err != nil {
			rt.Fatal(err)
		}
		out := machine(t, []string{"-c", `. as $in | range(.cases | length) as $i | $in.cases[$i] as $c | $in.replaced[$i] as $r
			| [(try ($c.s | test($c.p; $c.f)) catch .),
			   (if $r[0] then try ($c.s | sub($c.p; "<>")) catch . else null end),
			   (if $r[1] then try ($c.s | gsub($c.p; "<>")) catch . else null end)]
			| select(. != [$in.found[$i]] + $r) | [$c, ., $in.found[$i], $r]`}, string(input))
		if len(out.Stdout)+len(out.Stderr) > 0 {
			rt.Fatalf("%s%s", out.Stdout, out.Stderr)
		}
	})
}
