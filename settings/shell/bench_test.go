package shell

import "testing"

const command200 = `cd "$(git rev-parse --show-toplevel)" && git fetch --all --prune && npm run build -- --mode production 2>&1 | tee build.log; git add -A && git commit -m "build: update" && git push origin HEAD`

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(command200); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCommands(b *testing.B) {
	s, err := Parse(command200)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if len(s.Commands()) != 8 {
			b.Fatal(len(s.Commands()))
		}
	}
}
