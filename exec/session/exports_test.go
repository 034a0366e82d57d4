package session

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/theus-hooks/theus-hooks/envfile"
)

func TestExports(t *testing.T) {
	type step struct{ event, hook, changes string }
	cases := []struct {
		name  string
		steps []step
		want  string
	}{
		{"other events add up", []step{{"PreToolUse", "", "A=1 B=1"}, {"PostToolUse", "", "B=2 -C"}}, "A=1 B=2 -C"},
		{"SessionStart replaces its own", []step{{"SessionStart", "", "A=1 B=1"}, {"SessionStart", "", "A=2"}}, "A=2"},
		{"also with nothing", []step{{"SessionStart", "", "A=1"}, {"SessionStart", "", ""}}, ""},
		{"but of the same hook only", []step{{"SessionStart", "h1", "A=1"}, {"SessionStart", "h2", "B=1"}, {"SessionStart", "h2", "C=1"}}, "A=1 C=1"},
		{"CwdChanged replaces its own", []step{{"SessionStart", "", "A=1"}, {"CwdChanged", "", "B=1"}, {"CwdChanged", "", "C=1"}}, "A=1 C=1"},
		{"FileChanged replaces its own", []step{{"CwdChanged", "", "A=1"}, {"FileChanged", "", "B=1"}, {"FileChanged", "", "C=1"}}, "A=1 C=1"},
		{"the directory wins over the start", []step{{"CwdChanged", "", "A=dir"}, {"SessionStart", "", "B=1"}}, "B=1 A=dir"},
		{"a new value hides an older one", []step{{"CwdChanged", "", "A=dir"}, {"SessionStart", "", "A=new"}}, "A=new"},
		{"a repeated one does not", []step{{"SessionStart", "", "A=1"}, {"CwdChanged", "", "A=dir"}, {"SessionStart", "", "A=1"}}, "A=dir"},
		{"nor beside a new one", []step{{"SessionStart", "", "A=1 B=1"}, {"CwdChanged", "", "A=dir"}, {"SessionStart", "", "A=1 B=2"}}, "B=2 A=dir"},
		{"later events win", []step{{"SessionStart", "", "A=1"}, {"PostToolUse", "", "A=2"}}, "A=2"},
		{"until an earlier one changes", []step{{"SessionStart", "", "A=1"}, {"PostToolUse", "", "A=2"}, {"CwdChanged", "", "A=3"}}, "A=3"},
		{"removal", []step{{"SessionStart", "", "A=1"}, {"PreToolUse", "", "-A"}}, "-A"},
		{"an uncovered value shows again", []step{{"SessionStart", "", "A=1"}, {"CwdChanged", "", "-A"}, {"CwdChanged", "", ""}}, "A=1"},
		{"a name no shell takes", []step{{"PreToolUse", "", "A.B=1 C=1"}}, "C=1"},
		{"the last of one name", []step{{"PreToolUse", "", "A=1 B=1 A=2"}}, "B=1 A=2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := open(t)
			for _, st := range c.steps {
				if err := s.Update(t.Context(), st.event, exporting(st.hook, st.changes)); err != nil {
					t.Fatal(err)
				}
			}
			if got := exports(t, s); got != c.want {
				t.Errorf("exports %q, want %q", got, c.want)
			}
		})
	}
}

func TestBase(t *testing.T) {
	s := open(t)
	record := func(event, hook, changes string) {
		if err := s.Update(t.Context(), event, exporting(hook, changes)); err != nil {
			t.Fatal(err)
		}
	}
	record("SessionStart", "h1", "S1=1")
	record("SessionStart", "h2", "S2=1")
	record("CwdChanged", "h3", "C=1")
	record("PreToolUse", "h4", "P=1")
	record("Setup", "h5", "U=1")
	cases := []struct{ event, hook, want string }{
		{"Setup", "", ""},
		{"SessionStart", "", "U=1"},
		{"SessionStart", "h1", "U=1"},
		{"SessionStart", "h2", "U=1 S1=1"},
		{"SessionStart", "new", "U=1 S1=1 S2=1"},
		{"CwdChanged", "h3", "U=1 S1=1 S2=1"},
		{"FileChanged", "h6", "U=1 S1=1 S2=1 C=1"},
		{"PreToolUse", "h4", "U=1 S1=1 S2=1 C=1 P=1"},
		{"Stop", "", "U=1 S1=1 S2=1 C=1 P=1"},
	}
	for _, c := range cases {
		got, err := s.Base(t.Context(), c.event, c.hook)
		if err != nil || show(got) != c.want {
			t.Errorf("%s %s: %q, error %v, want %q", c.event, c.hook, show(got), err, c.want)
		}
		err = s.Update(t.Context(), c.event, Export{c.hook, func(base []envfile.Change) ([]envfile.Change, error) {
			if show(base) != c.want {
				t.Errorf("%s %s: update builds on %q, want %q", c.event, c.hook, show(base), c.want)
			}
			return nil, errors.New("no")
		}})
		if err != nil {
			t.Error(err)
		}
	}
}

// A PATH that is added to does not grow over resumes, whatever happens between.
func TestNoGrowth(t *testing.T) {
	s := open(t)
	env := []string{"PATH=/bin"}
	writes := func(hook, text string) Export {
		return Export{hook, func(base []envfile.Change) ([]envfile.Change, error) {
			changes, _, err := envfile.Evaluate(t.Context(), []byte(text), envfile.Options{Env: envfile.Apply(env, base)})
			if err != nil {
				t.Error(err)
			}
			return changes, err
		}}
	}
	for range 13 {
		err := errors.Join(
			s.Update(t.Context(), "SessionStart", writes("h1", `export PATH="$PATH:/start"`), writes("h2", `export PATH="$PATH:/more"`)),
			s.Update(t.Context(), "CwdChanged", writes("h3", `PATH=/old:$PATH`)),
			s.Update(t.Context(), "CwdChanged", writes("h3", `PATH=/dir:$PATH`)),
		)
		if err != nil {
			t.Fatal(err)
		}
	}
	if got, want := exports(t, s), "PATH=/dir:/bin:/start:/more"; got != want {
		t.Errorf("exports %q, want %q", got, want)
	}
}

// A hook whose file cannot be evaluated costs the others nothing.
func TestUpdateInPart(t *testing.T) {
	s := open(t)
	if err := s.Update(t.Context(), "SessionStart", exporting("h1", "A=1"), exporting("h2", "B=1")); err != nil {
		t.Fatal(err)
	}
	failing := Export{"h1", func([]envfile.Change) ([]envfile.Change, error) { return parse("A=2"), errors.New("bad file") }}
	large := Export{"h3", func([]envfile.Change) ([]envfile.Change, error) {
		return []envfile.Change{{Name: "L", Value: strings.Repeat("x", maxExports)}}, nil
	}}
	err := s.Update(t.Context(), "SessionStart", failing, large, exporting("h2", "B=2"))
	if !errors.Is(err, ErrFull) || strings.Contains(err.Error(), "bad file") {
		t.Errorf("error %v", err)
	}
	if got := exports(t, s); got != "A=1 B=2" {
		t.Errorf("exports %.40q", got)
	}
}

func TestRecord(t *testing.T) {
	s := open(t)
	for _, changes := range []string{"A=1", "B=1"} {
		if err := s.Record(t.Context(), "SessionStart", parse(changes)); err != nil {
			t.Fatal(err)
		}
	}
	if got := exports(t, s); got != "B=1" {
		t.Errorf("exports %q", got)
	}
}

// Any value comes back to the byte, and the same state is the same file.
func TestExportsRoundTrip(t *testing.T) {
	root := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		values := rapid.SliceOfN(rapid.OneOf(rapid.String(), rapid.StringOf(rapid.Rune()),
			rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 20), func(b []byte) string { return string(b) })), 1, 5).Draw(rt, "values")
		var want []envfile.Change
		for i, v := range values {
			want = append(want, envfile.Change{Name: "V" + string(rune('a'+i)), Value: v})
		}
		var texts []string
		for _, id := range []string{"x", "y"} {
			s, _ := Open(filepath.Join(root, string(rune('0'+n%10))), id)
			if err := s.Record(t.Context(), "SessionStart", want); err != nil {
				rt.Fatal(err)
			}
			got, err := s.Exports(t.Context())
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatal(diff)
			}
			text, _ := os.ReadFile(filepath.Join(s.Dir(), exportsFile))
			texts = append(texts, string(text))
		}
		if texts[0] != texts[1] {
			rt.Fatal("two files for one state")
		}
	})
}

// Evaluating holds nobody up: while one export is worked out, others are
// stored, and it is worked out anew for what they have changed.
func TestUpdateDuringEvaluation(t *testing.T) {
	root := t.TempDir()
	open := func() *Session {
		s, err := Open(root, "s")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	runs := 0
	err := open().Update(t.Context(), "PostToolUse", Export{Hook: "slow", Evaluate: func(base []envfile.Change) ([]envfile.Change, error) {
		if runs++; runs == 1 {
			other := []envfile.Change{{Name: "OTHER", Value: "1"}}
			if err := open().Record(t.Context(), "PreToolUse", other); err != nil {
				t.Errorf("another call had to wait: %v", err)
			}
		}
		return []envfile.Change{{Name: "SEEN", Value: strconv.Itoa(len(base))}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := open().Exports(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []envfile.Change{{Name: "OTHER", Value: "1"}, {Name: "SEEN", Value: "1"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if runs != 2 {
		t.Errorf("evaluated %d times, want 2", runs)
	}
}
