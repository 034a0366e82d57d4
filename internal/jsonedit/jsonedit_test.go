package jsonedit

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

var limits = jsontext.Limits{Bytes: 1 << 20, Depth: 100}

func parse(t testing.TB, data string) *Text {
	t.Helper()
	text, _, err := Parse([]byte(data), limits)
	if err != nil {
		t.Fatalf("%q: %v", data, err)
	}
	return text
}

// Each case adds to the container at path, and taking it out again must give the
// text back.
func TestAppend(t *testing.T) {
	member := Item{Key: "n", Raw: `{"x":[{"y":1}]}`, Lines: 2}
	element := Item{Raw: `{"y":[1,2]}`}
	tests := []struct {
		name, text, path, want string
		item                   Item
	}{
		{"own line", "{\n  \"a\": 1\n}\n", "", "{\n  \"a\": 1,\n  \"n\": {\n    \"x\": [\n      {\"y\": 1}\n    ]\n  }\n}\n", member},
		{"tabs", "{\n\t\"a\": 1\n}", "", "{\n\t\"a\": 1,\n\t\"n\": {\n\t\t\"x\": [\n\t\t\t{\"y\": 1}\n\t\t]\n\t}\n}", member},
		{"crlf", "{\r\n  \"a\": 1\r\n}\r\n", "", "{\r\n  \"a\": 1,\r\n  \"n\": {\r\n    \"x\": [\r\n      {\"y\": 1}\r\n    ]\r\n  }\r\n}\r\n", member},
		{"one line", `{ "a": 1 }`, "", `{ "a": 1, "n": { "x": [ {"y": 1} ] } }`, member},
		{"minified", `{"a":1}`, "", `{"a":1,"n":{ "x":[ {"y":1}]}}`, member},
		{"empty object", `{}`, "", "{\"n\": {\n    \"x\": [\n      {\"y\": 1}\n    ]\n  }}", member},
		{"empty object over lines", "{\n}\n", "", "{\"n\": {\n    \"x\": [\n      {\"y\": 1}\n    ]\n  }\n}\n", member},
		{"byte order mark", "\xef\xbb\xbf{\n \"a\": 1}", "", "\xef\xbb\xbf{\n \"a\": 1,\n \"n\": {\n  \"x\": [\n   {\"y\": 1}\n  ]\n }}", member},
		{"element", `{"a": [{"b": 1}]}`, "a", `{"a": [{"b": 1}, {"y": [1, 2]}]}`, element},
		{"element on its line", "{\n  \"a\": [\n    1\n  ]\n}", "a", "{\n  \"a\": [\n    1,\n    {\"y\": [1, 2]}\n  ]\n}", element},
		{"only element", "{\n  \"a\": []\n}", "a", "{\n  \"a\": [{\"y\": [1, 2]}]\n}", element},
		{"only element before a comment", "{\n  \"a\": [ // none\n  ]\n}", "a", "{\n  \"a\": [{\"y\": [1, 2]} // none\n  ]\n}", element},
		{"behind a comment", "{\n  \"a\": 1 // one\n}", "", "{\n  \"a\": 1, // one\n  \"n\": {\n    \"x\": [\n      {\"y\": 1}\n    ]\n  }\n}", member},
		{"behind a comment with blanks", "[\n  1 /* a */ // one  \r\n]", "", "[\n  1, /* a */ // one  \r\n  {\"y\": [1, 2]}\r\n]", element},
		{"before the next comment", "[\n  1\n  // none\n]", "", "[\n  1,\n  {\"y\": [1, 2]}\n  // none\n]", element},
		{"trailing comma", "[\n  1, // one\n]", "", "[\n  1, // one\n  {\"y\": [1, 2]},\n]", element},
		{"trailing comma on the line", "[1,]", "", "[1,{\"y\":[1,2]},]", element},
		{"a comment on the line", "{\"a\": [1 // one\n]}", "a", "{\"a\": [1, // one\n  {\"y\": [1, 2]}\n]}", element},
		{"no value over lines", "{\n  \"a\": [{\n    \"b\": 1\n  }]\n}", "a", "{\n  \"a\": [{\n    \"b\": 1\n  }, {\"y\": [1, 2]}]\n}", element},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := parse(t, tt.text)
			got := string(text.Append(at(text, tt.path), tt.item))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Fatalf("%s\n%q", diff, got)
			}
			changed := parse(t, got)
			container := at(changed, tt.path)
			if back := string(changed.Remove(container, len(spans(container))-1)); back != tt.text {
				t.Errorf("removed again: %q, want %q", back, tt.text)
			}
		})
	}
}

func at(text *Text, path string) jsontext.Value {
	if path == "" {
		return text.Root()
	}
	return text.Root().Path(strings.Split(path, ".")...)
}

func TestRemove(t *testing.T) {
	tests := []struct {
		name, text string
		index      int
		want       string
	}{
		{"first", `[1, 2]`, 0, `[2]`},
		{"first, minified", `[1,2]`, 0, `[2]`},
		{"first of lines", "[\n  1,\n  2\n]", 0, "[\n  2\n]"},
		{"between", `[1, 2, 3]`, 1, `[1, 3]`},
		{"between lines", "[\n  1, // a\n  2, // b\n  3\n]", 1, "[\n  1, // a\n   // b\n  3\n]"},
		{"last", `[1, 2]`, 1, `[1]`},
		{"last with a comma", "[\n  1,\n  2,\n]", 1, "[\n  1,\n]"},
		{"only", `[ 1 ]`, 0, `[ ]`},
		{"only with a comma", `[1,]`, 0, `[]`},
		{"nothing becomes part of a comment", "[1, // a\n  2, 3]", 1, "[1, // a\n   3]"},
		{"nor the bracket", "[1, // a\n  2]", 1, "[1 // a\n  ]"},
		{"a comment before the comma", "[1, 2 /* b */, 3]", 1, "[1, /* b */ 3]"},
		{"a member", `{"a": 1, "b": 2}`, 0, `{"b": 2}`},
	}
	for _, tt := range tests {
		text := parse(t, tt.text)
		got := string(text.Remove(text.Root(), tt.index))
		if got != tt.want {
			t.Errorf("%s: %q without item %d is %q, want %q", tt.name, tt.text, tt.index, got, tt.want)
		}
		parse(t, got)
	}
}

func TestLoose(t *testing.T) {
	for text, want := range map[string]bool{`{}`: false, `{ }`: false, `{"a":1}`: false, `{ "a":1}`: true, "[\n1]": true, "[\t1]": true, `[/**/1]`: false, `1`: false} {
		parsed := parse(t, text)
		if got := parsed.Loose(parsed.Root()); got != want {
			t.Errorf("Loose(%q) = %v", text, got)
		}
	}
	made := parse(t, string(Object(Item{Key: "a", Raw: `[1,{}]`, Lines: 1})))
	if !made.Loose(made.Root()) || !made.Loose(made.Root().Get("a")) {
		t.Errorf("not loose: %q", made.data)
	}
}

func TestReplace(t *testing.T) {
	text := parse(t, "{\"a\": /* x */ 1, \"b\": 2} // end")
	if got := string(text.Replace(text.Root().Get("a"), `[3]`)); got != "{\"a\": /* x */ [3], \"b\": 2} // end" {
		t.Error(got)
	}
}

// containers lists every object and array of a text, with a way to find it again.
func containers(v jsontext.Value, path []int) (list [][]int) {
	if v.Kind() != jsontext.Object && v.Kind() != jsontext.Array {
		return nil
	}
	list = append(list, path)
	for i, child := range children(v) {
		list = append(list, containers(child, append(slices.Clone(path), i))...)
	}
	return list
}

func children(v jsontext.Value) (list []jsontext.Value) {
	for m := range v.Members() {
		list = append(list, m.Value)
	}
	for _, e := range v.Elements() {
		list = append(list, e)
	}
	return list
}

func descend(v jsontext.Value, path []int) jsontext.Value {
	for _, i := range path {
		v = children(v)[i]
	}
	return v
}

// FuzzAppendRemove adds to one container of any text and takes it out again: the
// text with it must be JSON with one value more, and the text after it the same
// as before. It removes one item of any text: the others must stay.
func FuzzAppendRemove(f *testing.F) {
	for _, seed := range []string{
		`{}`, "[1, // a \r\n 2]", "\xef\xbb\xbf{\"a\":[],}", "[[1,/**/],\n{\"b\" :2 , // x\r\r\n}]", "{ /* a */ }", "[// x\n]", "[\n\r1\n//\r\n]", "[1 /* a\n */ ,\n /* b */ 2 // c\n , ]",
	} {
		f.Add([]byte(seed), uint8(1), uint8(0), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, which, index uint8, lines bool) {
		text, _, err := Parse(data, jsontext.Limits{Bytes: 4096, Depth: 20})
		if err != nil {
			return
		}
		all := containers(text.Root(), nil)
		if len(all) == 0 {
			return
		}
		path := all[int(which)%len(all)]
		container := descend(text.Root(), path)
		item := Item{Raw: `{"x":[{"y":"z"}]}`}
		if container.Kind() == jsontext.Object {
			item.Key = "new"
		}
		if lines {
			item.Lines = 2
		}
		appendRemove(t, text, path, item)
		if n := len(children(container)); n > 0 {
			removeOne(t, text, path, int(index)%n)
		}
	})
}

func appendRemove(t *testing.T, text *Text, path []int, item Item) {
	for n := 1; n <= 2; n++ {
		items := slices.Repeat([]Item{item}, n)
		got := text.Append(descend(text.Root(), path), items...)
		changed := parse(t, string(got))
		container := descend(changed.Root(), path)
		before, after := children(descend(text.Root(), path)), children(container)
		if len(after) != len(before)+n || string(jsontext.Compact([]byte(after[len(before)].Raw()))) != item.Raw {
			t.Fatalf("%q\nwith %d more: %q", text.data, n, got)
		}
		same(t, before, after[:len(before)])
		if len(before) == 0 && changed.Loose(container) || item.Lines > 0 && !changed.Loose(after[len(before)]) {
			t.Fatalf("%q\nwith %d more: %q: wrongly loose or not", text.data, n, got)
		}
		for i := range n {
			changed = parse(t, string(changed.Remove(descend(changed.Root(), path), len(after)-1-i)))
		}
		if string(changed.data) != string(text.data) {
			t.Fatalf("%q\nwith %d more: %q\nand without: %q", text.data, n, got, changed.data)
		}
	}
}

func removeOne(t *testing.T, text *Text, path []int, index int) {
	container := descend(text.Root(), path)
	got := text.Remove(container, index)
	changed, _, err := Parse(got, limits)
	if err != nil {
		t.Fatalf("%q\nwithout %d of %v: %q: %v", text.data, index, path, got, err)
	}
	same(t, slices.Delete(children(container), index, index+1), children(descend(changed.Root(), path)))
}

func same(t *testing.T, want, got []jsontext.Value) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%d values, want %d", len(got), len(want))
	}
	for i := range want {
		if want[i].Raw() != got[i].Raw() {
			t.Fatalf("value %d: %q, want %q", i, got[i].Raw(), want[i].Raw())
		}
	}
}
