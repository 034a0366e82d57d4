package envfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever a file holds, evaluating it without a shell ends, says the same
// twice, and gives changes that every format can write.
func FuzzEvaluate(f *testing.F) {
	for _, r := range rows {
		f.Add([]byte(r.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		opts := Options{Env: surroundings, NoShell: true, Restricted: true}
		changes, problems, err := Evaluate(t.Context(), text, opts)
		again, problemsAgain, errAgain := Evaluate(t.Context(), text, opts)
		if !slices.Equal(changes, again) || !slices.Equal(problems, problemsAgain) || (err == nil) != (errAgain == nil) {
			t.Fatal("two evaluations differ")
		}
		for _, c := range changes {
			if RunsCode(c.Name) || len(c.Value) > MaxValue {
				t.Errorf("%s must not be exported", c.Name)
			}
		}
		for _, format := range []string{FormatSh, FormatJSON, FormatNul} {
			if _, err := Format(changes, format); err != nil {
				t.Error(err)
			}
		}
	})
}

// What is evaluated without a shell is what bash makes of the same bytes.
// Texts that could start a program are left out: bash runs the others.
func FuzzEvaluateIsBash(f *testing.F) {
	env := slices.Concat(propertyEnv, []string{"PATH=/nonexistent"})
	for _, r := range rows {
		f.Add([]byte(r.text))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 200 || strings.ContainsAny(string(text), "|&<>()`\r\x00") || strings.HasPrefix(string(text), "\ufeff") {
			return
		}
		e := newEvaluator(env)
		if err := e.run(t.Context(), text); err != nil || e.needsShell {
			return
		}
		file := filepath.Join(dir, "env.sh")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sourced(t, file, env), ourResult(env, e.changes())); diff != "" {
			t.Fatalf("%q (-bash +ours):\n%s", text, diff)
		}
	})
}

func BenchmarkEvaluate(b *testing.B) {
	env := os.Environ()
	cases := map[string]string{
		"here":     "export PATH=\"$PATH:/opt/x\"\nexport A='it'\\''s'\nB=${A:-x}\n",
		"by shell": "export PATH=\"$PATH:/opt/x\"\nexport A='it'\\''s'\nB=$(echo x)\n",
	}
	for name, text := range cases {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := Evaluate(b.Context(), []byte(text), Options{Env: env}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
