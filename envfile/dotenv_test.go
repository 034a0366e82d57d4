package envfile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/envfile"
)

func TestDotenv(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []envfile.Change
		problems   int
	}{
		{"nothing", "", nil, 0},
		{"plain, sorted", "B=2\nA=1\n", []envfile.Change{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}}, 0},
		{"export and comment", "# x\nexport A=1 # y\n", []envfile.Change{{Name: "A", Value: "1"}}, 0},
		{"quotes", "A='a b'\nB=\"c\\nd\"\n", []envfile.Change{{Name: "A", Value: "a b"}, {Name: "B", Value: "c\nd"}}, 0},
		{"number sign in a word", "A=b#c\nB=b #c\nC=#x\n", []envfile.Change{{Name: "A", Value: "b#c"}, {Name: "B", Value: "b"}, {Name: "C", Value: "#x"}}, 0},
		{"empty value", "A=\nB=2", []envfile.Change{{Name: "A"}, {Name: "B", Value: "2"}}, 0},
		{"byte order mark and carriage returns", "\xef\xbb\xbfA=1\r\nB=2\r\n", []envfile.Change{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}}, 2},
		{"no name of a variable", "A.B=1\nC=2\n", []envfile.Change{{Name: "C", Value: "2"}}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			changes, problems, err := envfile.Dotenv([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, changes); diff != "" {
				t.Error(diff)
			}
			if len(problems) != c.problems {
				t.Errorf("problems: %v", problems)
			}
		})
	}
}

// An error names no part of the text, which may be a secret.
func TestDotenvRefused(t *testing.T) {
	_, _, err := envfile.Dotenv([]byte("A=1\n'hunter2"))
	if !errors.Is(err, envfile.ErrNoDotenv) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
	_, _, err = envfile.Dotenv([]byte(strings.Repeat("A=1\n", 1<<17)))
	if !errors.Is(err, envfile.ErrLongDotenv) {
		t.Errorf("got %v", err)
	}
}

func FuzzDotenv(f *testing.F) {
	for _, text := range []string{"A=1", "export A=#x", "A='a\nb'", "A=\"${B}\"", "=", "A", "export", "A=\"", "A:\n", "\xef\xbb\xbfA=1\r\n", "A=$B\\$"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		changes, _, err := envfile.Dotenv(text)
		if err != nil {
			return
		}
		for _, c := range changes {
			if !envfile.ValidName(c.Name) || strings.ContainsRune(c.Value, 0) {
				t.Errorf("%+v is no change of a variable", c)
			}
		}
	})
}
