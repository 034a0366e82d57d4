package envfile

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/joho/godotenv"
	"pgregory.net/rapid"
)

func TestFormat(t *testing.T) {
	changes := []Change{{Name: "B", Value: "it's $HOME\n`x` \"q\""}, {Name: "A", Unset: true}, {Name: "C", Value: "<&é>"}}
	cases := map[string]string{
		FormatSh:     "export B='it'\\''s $HOME\n`x` \"q\"'\nunset A\nexport C='<&é>'\n",
		FormatJSON:   `{"B":"it's $HOME\n` + "`x` " + `\"q\"","A":null,"C":"<&é>"}` + "\n",
		FormatDotenv: "B=\"it's \\$HOME\\n`x` \\\"q\\\"${_}\"\n# unset A\nC='<&é>'\n",
		FormatNul:    "B=it's $HOME\n`x` \"q\"\x00C=<&é>\x00",
	}
	for format, want := range cases {
		got, err := Format(changes, format)
		if err != nil || string(got) != want {
			t.Errorf("%s: error %v\n got %q\nwant %q", format, err, got, want)
		}
	}
	empty := map[string]string{FormatSh: "", FormatJSON: "{}\n", FormatDotenv: "", FormatNul: ""}
	for format, want := range empty {
		if got, err := Format(nil, format); err != nil || string(got) != want {
			t.Errorf("%s of nothing: %q, error %v", format, got, err)
		}
	}
}

func TestFormatErrors(t *testing.T) {
	if _, err := Format(nil, "yaml"); !errors.Is(err, ErrFormat) {
		t.Errorf("error %v", err)
	}
	text, err := Format([]Change{{Name: "A", Value: "1"}, {Name: "a b", Value: "x"}, {Name: "B", Value: "a\n\\"}, {Name: "C", Value: "2"}}, FormatDotenv)
	if !errors.Is(err, ErrUnwritable) || err.Error() != "a b, B: cannot be written in this format" {
		t.Errorf("error %v", err)
	}
	if string(text) != "A='1'\nC='2'\n" {
		t.Errorf("text %q", text)
	}
}

var awkward = rapid.StringOfN(rapid.SampledFrom([]rune("aB_ 1'\"\\$`{}()#=!;&|\n\r\t~*?é\u00a0\u0085\ufeff<>-%")), 0, 12, -1)

func genChanges(t *rapid.T) []Change {
	var changes []Change
	for _, name := range []string{"A", "B", "export", "C_1"} {
		changes = append(changes, Change{Name: name, Value: awkward.Draw(t, name)})
	}
	return changes
}

func TestDotenvReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		changes := genChanges(t)
		text, err := Format(changes, FormatDotenv)
		got, parseErr := godotenv.UnmarshalBytes(text)
		if parseErr != nil {
			t.Fatalf("%q: %v", text, parseErr)
		}
		for _, c := range changes {
			if value, ok := got[c.Name]; ok && value != c.Value {
				t.Fatalf("%q: %s is %q, want %q", text, c.Name, value, c.Value)
			} else if !ok && (err == nil || !strings.HasSuffix(c.Value, `\`)) {
				t.Fatalf("%q: %s is lost (%v)", text, c.Name, err)
			}
		}
	})
}

func TestShReadsBack(t *testing.T) {
	for _, shell := range []string{"sh", "bash"} {
		file := filepath.Join(t.TempDir(), "out.sh")
		rapid.Check(t, func(t *rapid.T) {
			changes := append(genChanges(t), Change{Name: "OLD", Unset: true}, Change{Name: "NONE", Unset: true})
			text, err := Format(changes, FormatSh)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(shell, "-c", `set -eu; eval "$(cat "$0")"; /usr/bin/env -0`, file)
			cmd.Env = surroundings
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			got := map[string]string{}
			for entry := range strings.SplitSeq(string(out), "\x00") {
				if name, value, ok := strings.Cut(entry, "="); ok && isKept(name) {
					got[name] = value
				}
			}
			if diff := cmp.Diff(ourResult(surroundings, changes), got); diff != "" {
				t.Fatalf("%q (-want +got):\n%s", text, diff)
			}
		})
	}
}

// What we write for a shell we read ourselves, without one.
func TestShIsOurOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		changes := genChanges(t)
		text, _ := Format(changes, FormatSh)
		if strings.Contains(string(text), "\r\n") || strings.Contains(string(text), "\\\n") {
			return // dropped from files by rule; may be for a shell
		}
		got, problems, err := Evaluate(t.Context(), text, Options{NoShell: true})
		if err != nil || len(problems) > 0 {
			t.Fatalf("%q: %v %v", text, problems, err)
		}
		if diff := cmp.Diff(changes, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "env.sh")
	if err := os.WriteFile(path, []byte("X=1 # last"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, changes := range [][]Change{{{Name: "A", Value: "1"}}, nil, {{Name: "X", Unset: true}}} {
		if err := Append(path, changes); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := os.ReadFile(path)
	if want := "X=1 # last\nexport A='1'\n\nunset X\n"; string(got) != want {
		t.Errorf("file %q, want %q", got, want)
	}
	fresh := filepath.Join(t.TempDir(), "new.sh")
	if err := Append(fresh, []Change{{Name: "A"}}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(fresh); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
}
