package rule

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/theus-hooks/theus-hooks/settings/shell"
)

// textOver draws short texts of few letters, so that they often meet.
func textOver(letters string, most int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return string(rapid.SliceOfN(rapid.SampledFrom([]byte(letters)), 0, most).Draw(t, "text"))
	})
}

// slowMatch is what a pattern means, written as plainly as possible.
func slowMatch(spec, s string) bool {
	for _, tail := range []string{" *", ":*"} {
		if core, ok := strings.CutSuffix(spec, tail); ok {
			for end := range len(s) + 1 {
				if (end == len(s) || blank(s[end])) && slowGlob(core, s[:end]) {
					return true
				}
			}
			return false
		}
	}
	return slowGlob(spec, s)
}

func slowGlob(glob, s string) bool {
	if glob == "" {
		return s == ""
	}
	if glob[0] != '*' {
		return s != "" && s[0] == glob[0] && slowGlob(glob[1:], s[1:])
	}
	for i := range len(s) + 1 {
		if slowGlob(glob[1:], s[i:]) {
			return true
		}
	}
	return false
}

func TestPatternMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := textOver("ab *:", 8).Draw(t, "spec")
		s := textOver("ab :", 10).Draw(t, "s")
		p := compilePattern(spec, false)
		want := slowMatch(spec, s)
		if got := p.matches(s); got != want {
			t.Errorf("%q on %q: %v, want %v", spec, s, got, want)
		}
		if got := p.couldMatch(shell.Text{{Kind: shell.Literal, Text: s}}); got != want {
			t.Errorf("machine of %q on %q: %v, want %v", spec, s, got, want)
		}
	})
}

// TestPatternCould: a pattern could match a text exactly when it matches one
// that the text may turn out to be.
func TestPatternCould(t *testing.T) {
	fillings := []string{""}
	for from := 0; len(fillings[from]) < 3; from++ {
		for _, c := range "ab " {
			fillings = append(fillings, fillings[from]+string(c))
		}
	}
	kinds := []shell.Kind{shell.Literal, shell.Any, shell.Solid, shell.Words, shell.Lead}
	rapid.Check(t, func(t *rapid.T) {
		spec := textOver("ab *", 3).Draw(t, "spec")
		var text shell.Text
		open := 0
		for range rapid.IntRange(0, 3).Draw(t, "pieces") {
			p := shell.Piece{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
			if p.Kind != shell.Literal {
				if open++; open > 2 {
					continue // too many texts to try
				}
			}
			switch p.Kind {
			case shell.Literal:
				p.Text = textOver("ab ", 3).Draw(t, "literal")
			case shell.Words, shell.Lead:
				p.Text = " "
			}
			text = append(text, p)
		}
		texts := []string{""}
		for _, p := range text {
			var next []string
			for _, s := range texts {
				for _, f := range fillings {
					switch {
					case p.Kind == shell.Literal:
						f = p.Text
					case p.Kind == shell.Solid && strings.Contains(f, " "):
						continue
					case p.Kind == shell.Words:
						next = append(next, s)
						f = p.Text + f
					case p.Kind == shell.Lead:
						next = append(next, s)
						f += p.Text
					}
					next = append(next, s+f)
					if p.Kind == shell.Literal {
						break
					}
				}
			}
			texts = next
		}
		p := compilePattern(spec, false)
		want := ""
		found := false
		for _, s := range texts {
			if p.matches(s) {
				want, found = s, true
				break
			}
		}
		if got := p.couldMatch(text); got != found {
			t.Errorf("%q could match %q: %v, want %v (%q)", spec, text.String(), got, found, want)
		}
	})
}

// TestPatternLong crosses the words of the bit sets.
func TestPatternLong(t *testing.T) {
	for n := 50; n < 140; n++ {
		long := strings.Repeat("a", n)
		for _, tt := range []struct {
			spec string
			text shell.Text
			want bool
		}{
			{long + "*b *", shell.Text{{Kind: shell.Literal, Text: long}, {Kind: shell.Any}}, true},
			{long + "*b *", shell.Text{{Kind: shell.Any}, {Kind: shell.Literal, Text: "b x"}}, true},
			{long + "*b", shell.Text{{Kind: shell.Any}, {Kind: shell.Literal, Text: "bx"}}, false},
			{long + " *", shell.Text{{Kind: shell.Solid}, {Kind: shell.Literal, Text: " x"}}, true},
			{long + " b", shell.Text{{Kind: shell.Solid}}, false},
			{long + " b", shell.Text{{Kind: shell.Solid}, {Kind: shell.Literal, Text: " b"}}, true},
			{long + " b", shell.Text{{Kind: shell.Literal, Text: long}, {Kind: shell.Words, Text: " "}}, true},
			{long + "b", shell.Text{{Kind: shell.Literal, Text: long}, {Kind: shell.Words, Text: " "}}, false},
			{"b " + long, shell.Text{{Kind: shell.Lead, Text: " "}, {Kind: shell.Literal, Text: long}}, true},
			{long, shell.Text{{Kind: shell.Literal, Text: long}}, true},
		} {
			if got := compilePattern(tt.spec, false).couldMatch(tt.text); got != tt.want {
				t.Errorf("%d: %.3s…%s on %v: %v, want %v", n, tt.spec, tt.spec[n:], tt.text.String(), got, tt.want)
			}
		}
	}
}
