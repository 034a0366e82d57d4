package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCheck(t *testing.T) {
	tests := []struct {
		name, text, want string // want "" means valid
	}{
		{"object", `{"a":[1,-2.5e+3,true,false,null,"x\u00e9\n"]}`, ""},
		{"scalar", ` "x" `, ""},
		{"empty containers", `[{},[]]`, ""},
		{"empty text", ``, "line 1, column 1: found the end of the text, want a value"},
		{"trailing comma", `{"a":1,}`, `line 1, column 8: found '}', want a key in double quotes`},
		{"missing comma", "{\"a\":1\n \"b\":2}", `line 2, column 2: found '"', want "," or "}"`},
		{"second value", `{"a":1}}`, `line 1, column 8: found '}', want the end of the text`},
		{"gjson reads this", `{"decision"&& "block"}`, `line 1, column 12: found '&', want ":"`},
		{"word", `I.X`, `line 1, column 1: found 'I', want a value`},
		{"leading zero", `01`, `line 1, column 2: found '1', want the end of the text`},
		{"bare minus", `-`, `line 1, column 2: found the end of the text, want a digit`},
		{"bad escape", `"C:\xtools"`, `line 1, column 5: found 'x', want an escape (write a backslash as "\\")`},
		{"short unicode", `"\u12"`, `line 1, column 6: found '"', want four hex digits`},
		{"line break in string", "\"a\nb\"", `line 1, column 3: found '\n', want the string to go on (a line break or control character is written as an escape)`},
		{"column counts characters", `["é日",x]`, `line 1, column 7: found 'x', want a value`},
		{"not utf-8", "\xff", `line 1, column 1: found byte 0xff, want a value`},
		{"truncated", "{\"hooks\": \n\n", `line 1, column 10: found the end of the text, want a value`},
		{"truncated array", `[1`, `line 1, column 3: found the end of the text, want "," or "]"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := Check([]byte(tt.text), Limits{}); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("Check(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	var limit *LimitError
	if err := Check([]byte(strings.Repeat("[", 8_000_000)), Limits{Depth: 1000}); !errors.As(err, &limit) || limit.Offset != 1000 {
		t.Errorf("8 MB of [ with a depth limit of 1000: %v", err)
	}
	if err := Check([]byte(`[[1]]`), Limits{Depth: 2}); err != nil {
		t.Errorf("depth 2 within 2: %v", err)
	}
	if err := Check([]byte(`[[{}]]`), Limits{Depth: 2}); !errors.As(err, &limit) {
		t.Errorf("depth 3 within 2: %v, want a limit error", err)
	}
	if err := Check([]byte(`[1]`), Limits{Bytes: 2}); !errors.As(err, &limit) || err.Error() != "more than 2 bytes" {
		t.Errorf("3 bytes within 2: %v", err)
	}
}

// A stack-free validator must still take what a recursive one cannot.
func TestCheckDeep(t *testing.T) {
	text := strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000)
	if err := Check([]byte(text), Limits{}); err != nil {
		t.Fatal(err)
	}
}

func TestParseRelaxed(t *testing.T) {
	tests := []struct {
		name, text, want string // want: the compact JSON, or "" for an error
		notes            []Forgiveness
	}{
		{"strict", `{"a":1}`, `{"a":1}`, nil},
		{"bom", "\xef\xbb\xbf{\"a\":1}", `{"a":1}`, []Forgiveness{{0, "byte order mark"}}},
		{"trailing commas", `{"a":[1,2,],}`, `{"a":[1,2]}`, []Forgiveness{{9, "trailing comma"}, {11, "trailing comma"}}},
		{"line comment", "{\"a\":1 // b\n}", `{"a":1}`, []Forgiveness{{7, "comment"}}},
		{"comment at the end", `{} // x`, `{}`, []Forgiveness{{3, "comment"}}},
		{"block comment after comma", `[1, /* , */ ]`, `[1]`, []Forgiveness{{4, "comment"}, {2, "trailing comma"}}},
		{"slashes in a string", `{"u":"https://x//y"}`, `{"u":"https://x//y"}`, nil},
		{"quote escaped in a string", `{"u":"a\"// b"}`, `{"u":"a\"// b"}`, nil},
		{"comma alone", `[,]`, "", nil},
		{"two commas", `[1,,]`, "", nil},
		{"comma after colon", `{"a":,}`, "", nil},
		{"comment never closed", `{} /* x`, "", nil},
		{"only a slash", `{} /`, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, notes, err := ParseRelaxed([]byte(tt.text), Limits{})
			if err != nil {
				if tt.want != "" {
					t.Fatalf("error %v", err)
				}
				return
			}
			if got := string(Compact([]byte(v.Raw()))); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if diff := cmp.Diff(tt.notes, notes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRelaxedOffsetsStayTrue(t *testing.T) {
	text := "\xef\xbb\xbf{ /* é */\n  \"a\": [1,], // x\n  \"b\" 2}"
	_, _, err := ParseRelaxed([]byte(text), Limits{})
	var syntax *SyntaxError
	if !errors.As(err, &syntax) || syntax.Line != 3 || syntax.Column != 7 {
		t.Fatalf("error %v, want it at line 3, column 7", err)
	}
}

func TestPosition(t *testing.T) {
	text := []byte("\xef\xbb\xbfab\né日x\n")
	index := NewIndex(text)
	for _, tt := range []struct{ offset, line, column int }{
		{3, 1, 1}, {5, 1, 3}, {6, 2, 1}, {8, 2, 2}, {11, 2, 3}, {13, 3, 1}, {99, 3, 1}, {8, 2, 2}, {4, 1, 2}, {5, 1, 3}, {11, 2, 3},
	} {
		if line, column := index.Position(tt.offset); line != tt.line || column != tt.column {
			t.Errorf("one index, offset %d: %d:%d, want %d:%d", tt.offset, line, column, tt.line, tt.column)
		}
		if line, column := Position(text, tt.offset); line != tt.line || column != tt.column {
			t.Errorf("Position(%d) = %d:%d, want %d:%d", tt.offset, line, column, tt.line, tt.column)
		}
	}
}

func parse(t *testing.T, text string) Value {
	t.Helper()
	v, err := Parse([]byte(text), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestMembersKeepPlaceAndDoubles(t *testing.T) {
	text := ` { "a" : 1 , "b.c": {"a": "x"}, "\u0061": [true, null] } `
	v := parse(t, text)
	type place struct{ Key, AtKey, AtValue string }
	var got []place
	for m := range v.Members() {
		got = append(got, place{m.Key, text[m.KeyOffset : m.KeyOffset+3], text[m.Value.Offset() : m.Value.Offset()+len(m.Value.Raw())]})
	}
	want := []place{{"a", `"a"`, "1"}, {"b.c", `"b.`, `{"a": "x"}`}, {"a", `"\u`, "[true, null]"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a"}, v.Doubled()); diff != "" {
		t.Error(diff)
	}
	if got := v.Get("a").Kind(); got != Array {
		t.Errorf("of a doubled key Get gives the %v, want the last, an array", got)
	}
	if got := v.Path("b.c", "a").Text(); got != "x" {
		t.Errorf("a key with a dot: %q", got)
	}
	for i, e := range v.Get("a").Elements() {
		if at := text[e.Offset() : e.Offset()+4]; at != [...]string{"true", "null"}[i] {
			t.Errorf("element %d at %q", i, at)
		}
	}
}

func TestGetIsNeverAPath(t *testing.T) {
	v := parse(t, `{"a":{"b":1},"*":2,"@pretty":3,"a.b":4,"#":5}`)
	for key, want := range map[string]string{"*": "2", "@pretty": "3", "a.b": "4", "#": "5", "a|b": "", "?": "", "@this": ""} {
		if got := v.Get(key).Raw(); got != want {
			t.Errorf("Get(%q) = %q, want %q", key, got, want)
		}
	}
}

func TestText(t *testing.T) {
	tests := []struct{ raw, want string }{
		{`"plain é日"`, "plain é日"},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{`"\u0041\u00e9\ud83d\ude42"`, "Aé🙂"},
		{`"\ud83d oops"`, "\ufffd oops"},
		{`"\ud83d\u003b rm"`, "\ufffd; rm"}, // the escape after a lone surrogate is not part of it
		{`"\ud83d\ud83d\ude42"`, "\ufffd🙂"},
		{`"\ude42\ud83d"`, "\ufffd\ufffd"},
		{"\"a\xffb\"", "a\ufffdb"},
		{`12`, ""},
	}
	for _, tt := range tests {
		if got := parse(t, tt.raw).Text(); got != tt.want {
			t.Errorf("Text(%s) = %q, want %q", tt.raw, got, tt.want)
		}
	}
}

func TestCompactKeepsBytes(t *testing.T) {
	text := "{ \"n\" : 1.50e+03 ,\n\t\"s\": \"a \\u00e9 <&> \\\" b\" , \"z\":[ ] }"
	want := `{"n":1.50e+03,"s":"a \u00e9 <&> \" b","z":[]}`
	if got := string(Compact([]byte(text))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSetKeepsTheRest(t *testing.T) {
	doc := []byte("{ \"a\": 1.0,\n  \"b\": {\"c\": \"<\"} }")
	got, err := Set(doc, `"PreToolUse"`, "hook_event_name")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(got, doc[:len(doc)-2]) || parse(t, string(got)).Get("hook_event_name").Text() != "PreToolUse" {
		t.Errorf("got %s", got)
	}
	for _, path := range [][]string{nil, {""}, {"a", ""}} {
		if _, err := Set(doc, `1`, path...); !errors.Is(err, ErrPath) {
			t.Errorf("Set with path %q: %v, want ErrPath", path, err)
		}
	}
}

// Whatever a key holds, setting it sets that key and no other.
func TestSetOddKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[a1.:*?|@#\\{}\[\]" =!<>%é-]{1,6}`)
		first, second := key.Draw(t, "first"), key.Draw(t, "second")
		doc, err := Set([]byte(`{"keep":1}`), `"v"`, first, second)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]any{"keep": 1.0, first: map[string]any{second: "v"}}
		var got map[string]any
		if err := json.Unmarshal(doc, &got); err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: %s", doc, diff)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"\ud83d\u0041",{}]}`, `{"a":1,"a":2}`, `[[[]]]`, `-0.1e-5`, `"\u12`, "\xef\xbb\xbf{}", `{"a":1,}`, `{/**/}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		lim := Limits{Depth: 500}
		v, err := Parse(data, lim)
		if strict := json.Valid(data); err == nil != strict {
			var limit *LimitError
			if !errors.As(err, &limit) {
				t.Fatalf("Parse(%q): %v, encoding/json says valid = %v", data, err, strict)
			}
		}
		if err == nil {
			if !json.Valid(Compact(data)) {
				t.Fatalf("Compact broke %q", data)
			}
			for m := range v.Members() {
				if string(data[m.Value.Offset():m.Value.Offset()+len(m.Value.Raw())]) != m.Value.Raw() {
					t.Fatalf("offset of %q in %q", m.Key, data)
				}
			}
		}
		if _, notes, rerr := ParseRelaxed(data, lim); rerr != nil && err == nil {
			t.Fatalf("relaxed refuses %q, which is JSON: %v %v", data, rerr, notes)
		}
	})
}

// Positions in long lines are counted on from the last one; they must be those that counting
// from the start of the line gives, in text that is no UTF-8 too.
func TestPositionInLongLines(t *testing.T) {
	for _, unit := range []string{"a", "é", "世", "😀", "a😀é", "\x80", "\xf0\x9f", "\xf0\x9f\x98x", "\n", "a\xe4\xb8"} {
		data := []byte("x\n" + strings.Repeat(unit, 3*2048/len(unit)+5) + "\nlast")
		ix := NewIndex(data)
		start, line := 0, 1
		for i := range data {
			if i%61 == 0 || data[i] == '\n' {
				l, c := ix.Position(i)
				if wantC := utf8.RuneCount(data[start:i]) + 1; l != line || c != wantC {
					t.Fatalf("%q: offset %d is %d:%d, want %d:%d", unit, i, l, c, line, wantC)
				}
			}
			if data[i] == '\n' {
				start, line = i+1, line+1
			}
		}
	}
}
