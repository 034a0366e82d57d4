package jq

import (
	"context"
	"errors"
	"testing"
)

// FuzzProve: no filter and no input breaks a call, whatever runs it, and what
// is proven is what is emulated.
func FuzzProve(f *testing.F) {
	for _, c := range corpus(f) {
		if len(c.args) == 2 {
			f.Add(c.args[0], c.args[1], c.input)
		}
	}
	f.Fuzz(func(t *testing.T, flag, filter, input string) {
		call, err := Parse([]string{flag, filter})
		if err != nil {
			return
		}
		out, err := call.Prove(context.Background(), [][]byte{[]byte(input)}, environment)
		if err != nil && !errors.Is(err, ErrUnproven) {
			t.Fatal(err)
		}
		again, loose := call.Emulate(context.Background(), [][]byte{[]byte(input)}, environment)
		if err == nil && (loose != nil || string(out.Stdout) != string(again.Stdout) || out.Status != again.Status) {
			t.Fatalf("%q, then %q %v", out.Stdout, again.Stdout, loose)
		}
	})
}

// FuzzRegex: what is taken for certain compiles, and answers.
func FuzzRegex(f *testing.F) {
	for _, pattern := range []string{"a", "^a+$", "[a-z]{2,3}", "(?i)x|y", `\bgit\s`, "(a|b)*", "[^/]+", "a{,2}", "[]a]", "[a-", `\`, "(?:x)?"} {
		f.Add(pattern, "i", "git push\n")
	}
	f.Fuzz(func(t *testing.T, pattern, flags, text string) {
		x := newRegex(pattern, flags)
		if x.why == "" && x.Regexp == nil {
			t.Fatal("neither a doubt nor an expression")
		}
		if x.fits(text) == "" {
			x.MatchString(text)
		}
	})
}
