package rule

import (
	"fmt"
	"strings"
	"testing"
)

// command200 is a usual command of 200 bytes.
var command200 = func() string {
	s := `cd "$(git rev-parse --show-toplevel)" && git fetch --all --prune && npm run build -- --mode production 2>&1 | tee build.log; git add -A && git commit -m "build: update" && git push origin HEAD`
	return s + " #" + strings.Repeat("x", 198-len(s))
}()

var sink bool

// BenchmarkCall is an event's command read once and compared with n rules of
// distinct text, none of which fires.
func BenchmarkCall(b *testing.B) {
	for _, n := range []int{1, 100, 10_000} {
		rules := make([]*Rule, n)
		for i := range rules {
			r, err := Parse(fmt.Sprintf("Bash(tool%d run *)", i))
			if err != nil {
				b.Fatal(err)
			}
			rules[i] = r
		}
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c := NewCall(bash(command200))
				for _, r := range rules {
					sink = r.Match(c, "").Fires
				}
			}
		})
	}
}

// BenchmarkRule is one further rule on a command that is already read.
func BenchmarkRule(b *testing.B) {
	for _, tt := range []struct{ name, rule, command string }{
		{"prefix", "Bash(tool run *)", command200},
		{"contains", "Bash(*terraform apply*)", command200},
		{"unknown", "Bash(cd *x*)", command200},
		{"fires", "Bash(git push *)", command200},
	} {
		b.Run(tt.name, func(b *testing.B) {
			r, err := Parse(tt.rule)
			if err != nil {
				b.Fatal(err)
			}
			c := NewCall(bash(tt.command))
			sink = r.Match(c, "").Fires
			b.ReportAllocs()
			for b.Loop() {
				sink = r.Match(c, "").Fires
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("Bash(git push *)"); err != nil {
			b.Fatal(err)
		}
	}
}
