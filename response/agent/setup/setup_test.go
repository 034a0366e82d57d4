package setup

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/response/agent"
)

var update = flag.Bool("update", false, "write the golden files anew")

func setupOf(t testing.TB, name string) *Setup {
	t.Helper()
	a, ok := agent.Lookup(name)
	if !ok {
		t.Fatalf("no agent %s", name)
	}
	return New(a, Name)
}

// configurations are those of testdata/configs by their file names, which begin
// with the name of an agent, and one that does not exist.
func configurations(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/configs/*.json")
	if err != nil || len(files) != 19 {
		t.Fatalf("%d configurations, %v", len(files), err)
	}
	all := map[string][]byte{"codex_missing.json": nil}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(file)] = append([]byte{}, text...)
	}
	return all
}

// What Install makes of each configuration was read by eye and stands in
// testdata/golden.
func TestGolden(t *testing.T) {
	for file, text := range configurations(t) {
		name, _, _ := strings.Cut(file, "_")
		change, err := setupOf(t, name).Install(text, text != nil)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		golden := filepath.Join("testdata", "golden", file)
		if *update {
			if err := os.WriteFile(golden, change.Text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(change.Text)); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
}

// Every configuration for every agent: nothing foreign changes, twice is once, and
// Remove gives the bytes back.
func TestRoundTrip(t *testing.T) {
	for file, text := range configurations(t) {
		for _, name := range agent.Names()[1:] {
			t.Run(file+" for "+name, func(t *testing.T) {
				checkRoundTrip(t, setupOf(t, name), text, text != nil)
			})
		}
	}
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func checkRoundTrip(t failer, s *Setup, text []byte, exists bool) {
	t.Helper()
	change, err := s.Install(text, exists)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	checkInstalled(t, s, change.Text)
	checkForeign(t, s, text, change.Text)
	again, err := s.Install(change.Text, true)
	if err != nil || string(again.Text) != string(change.Text) {
		t.Fatalf("%q\ninstalled: %q\nand again: %q, %v", text, change.Text, again.Text, err)
	}
	removed, err := s.Remove(change.Text)
	if err != nil || removed.Gone == exists || exists && string(removed.Text) != string(text) {
		t.Fatalf("%q\ninstalled: %q\nand removed: %q, gone %v, %v", text, change.Text, removed.Text, removed.Gone, err)
	}
	if none, err := s.Remove(text); err != nil || string(none.Text) != string(text) || none.Gone {
		t.Fatalf("%q\nwith nothing to remove: %q, gone %v, %v", text, none.Text, none.Gone, err)
	}
}

// decode reads a configuration as agents do.
func decode(t failer, text []byte) map[string]any {
	t.Helper()
	if isBlank(text) {
		return map[string]any{}
	}
	v, _, err := jsontext.ParseRelaxed(text, limits)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	var m map[string]any
	dec := json.NewDecoder(strings.NewReader(v.Raw()))
	dec.UseNumber()
	if err := dec.Decode(&m); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return m
}

// checkInstalled looks for exactly one entry of ours for each event, for all
// there is to match, with the agent's unit.
func checkInstalled(t failer, s *Setup, text []byte) {
	t.Helper()
	hooks, _ := decode(t, text)["hooks"].(map[string]any)
	for _, c := range s.events {
		found := 0
		groups, _ := hooks[c.own].([]any)
		for _, g := range groups {
			group, _ := g.(map[string]any)
			list, _ := group["hooks"].([]any)
			for _, h := range list {
				hook, _ := h.(map[string]any)
				if hook["command"] == "theus-hooks run "+c.name+" --agent "+s.agent {
					found++
					matcher, has := group["matcher"]
					if hook["type"] != "command" || hook["timeout"] != json.Number(s.config.Number(s.config.Wait(c.own))) || has && matcher != "*" || has != (c.matcher != "") {
						t.Fatalf("%s: %v", c.own, group)
					}
				}
			}
		}
		if found != 1 {
			t.Fatalf("%d entries for %s in %q", found, c.own, text)
		}
	}
}

// checkForeign takes our entries out of the decoded text and compares the rest.
func checkForeign(t failer, s *Setup, before, after []byte) {
	t.Helper()
	want, got := decode(t, before), decode(t, after)
	had, _ := want["hooks"].(map[string]any)
	hooks, _ := got["hooks"].(map[string]any)
	for _, c := range s.events {
		groups, _ := hooks[c.own].([]any)
		if len(groups) == 0 {
			continue
		}
		groups = groups[:len(groups)-1] // ours is the last
		if _, was := had[c.own]; !was && len(groups) == 0 {
			delete(hooks, c.own)
			continue
		}
		hooks[c.own] = groups
	}
	if had == nil {
		delete(got, "hooks")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%q\nbecame %q: %s", before, after, diff)
	}
}

// The same for texts that are made up.
func TestRoundTripOfAnyText(t *testing.T) {
	var setups []*Setup
	for _, name := range agent.Names()[1:] {
		s := setupOf(t, name)
		s.events = s.events[:6]
		setups = append(setups, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(setups).Draw(t, "agent")
		g := &writer{t: t, setup: s, newline: rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")}
		text := rapid.SampledFrom([]string{"", "\xef\xbb\xbf"}).Draw(t, "mark") + g.gap() + g.object(0) + g.gap()
		checkRoundTrip(t, s, []byte(text), true)
	})
}

// writer draws configurations with odd layout.
type writer struct {
	t       *rapid.T
	setup   *Setup
	newline string
}

func (w *writer) pick(label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(w.t, label)
}

func (w *writer) gap() string {
	n := w.newline
	return w.pick("gap", "", "", " ", "\t", n, n+"  ", n+"\t", n+n+"    ", " // c"+n, "/* c */", " /* "+n+" */ ", " //  "+n+"  ")
}

// object is a configuration (0), its hooks (1), or any other (2 and up).
func (w *writer) object(level int) string {
	keys := []string{"a", "model", "x.y", "é", `\u0061b`, "A", "B", "C"}
	want := rapid.IntRange(0, 4).Draw(w.t, "members")
	var keep []string
	switch level {
	case 0:
		keys = append([]string{"hooks"}, keys...)
	case 1:
		keys = []string{"Foreign", "enabled"}
		for _, c := range w.setup.events[:4] {
			keys = append(keys, c.own)
		}
	}
	keep = rapid.Permutation(keys).Draw(w.t, "keys")[:want]
	var items []string
	for _, key := range keep {
		items = append(items, w.gap()+`"`+key+`"`+w.gap()+":"+w.gap()+w.member(level, key)+w.gap())
	}
	return w.wrap("{", items, "}")
}

func (w *writer) member(level int, key string) string {
	switch {
	case level == 0 && key == "hooks":
		return w.object(1)
	case level == 1 && key != "Foreign" && key != "enabled":
		return w.array(3)
	}
	return w.value(level + 1)
}

func (w *writer) array(level int) string {
	var items []string
	for range rapid.IntRange(0, 3).Draw(w.t, "elements") {
		items = append(items, w.gap()+w.value(level)+w.gap())
	}
	return w.wrap("[", items, "]")
}

func (w *writer) wrap(open string, items []string, closing string) string {
	if len(items) == 0 {
		return open + w.gap() + closing
	}
	text := open + strings.Join(items, ",")
	if rapid.IntRange(0, 4).Draw(w.t, "trailing") == 0 {
		text += "," + w.gap()
	}
	return text + closing
}

func (w *writer) value(level int) string {
	if level < 5 {
		switch w.pick("kind", "object", "array", "scalar", "group") {
		case "object":
			return w.object(level + 2)
		case "array":
			return w.array(level + 1)
		case "group":
			return `{"matcher":"Bash",` + w.gap() + `"hooks":[` + w.gap() + `{"type":"command","command":"guard"}]}`
		}
	}
	return w.pick("scalar", "1", "-0.50e3", "true", "null", `"text // no comment"`, `"\ud83d\""`)
}
