package shell

import (
	"slices"
	"strings"
)

// xargs follows xargs: words from its input replace a marker or are appended.
func (f *finder) xargs(ws []word, l launch, o options) {
	for _, i := range o.starts(ws) {
		if i >= len(ws) {
			continue
		}
		if marker, ok := xargsMarker(ws[:i]); ok {
			f.run(fill(ws[i:], marker), l)
			continue
		}
		f.run(append(slices.Clone(ws[i:]), manyWords()), l)
	}
}

// xargsMarker is the text that -I, -i, -J or --replace make xargs replace.
func xargsMarker(ws []word) (string, bool) {
	for i := 1; i < len(ws); i++ {
		p := ws[i].prefix()
		switch {
		case p == "--replace" || p == "-i":
			return "{}", true
		case strings.HasPrefix(p, "--replace="):
			return p[len("--replace="):], true
		case strings.HasPrefix(p, "-i"):
			return p[2:], true
		case strings.HasPrefix(p, "--"), !strings.HasPrefix(p, "-"):
			continue
		}
		if at := strings.IndexAny(p, "IJ"); at >= 0 {
			if at+1 < len(p) {
				return p[at+1:], true
			}
			if i+1 < len(ws) {
				return ws[i+1].prefix(), true
			}
		}
	}
	return "", false
}

// fill returns ws with every occurrence of marker unknown.
func fill(ws []word, marker string) []word {
	if marker == "" {
		return append(slices.Clone(ws), manyWords())
	}
	out := slices.Clone(ws)
	for i := range out {
		if !strings.Contains(out[i].text().String(), marker) {
			continue
		}
		var t Text
		for _, p := range out[i].text() {
			if p.Kind != Literal {
				t = t.add(p)
				continue
			}
			for j, s := range strings.Split(p.Text, marker) {
				if j > 0 {
					t = t.add(Piece{Kind: Any})
				}
				t = t.add(Piece{Literal, s})
			}
		}
		out[i].parts, out[i].lit = t, ""
	}
	return out
}

// findExec follows the -exec actions of find.
func (f *finder) findExec(ws []word, l launch, _ options) {
	for i := 1; i < len(ws); i++ {
		lit, _ := ws[i].literal()
		switch lit {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := execEnd(ws, i+1)
			f.run(fill(ws[i+1:end], "{}"), launch{in: l.in, via: l.via + " " + lit, layers: l.layers})
			i = end
		}
	}
}

// execEnd is where the command that starts at from ends: at ";", or at "+"
// behind "{}".
func execEnd(ws []word, from int) int {
	for i := from; i < len(ws); i++ {
		lit, ok := ws[i].literal()
		if !ok {
			continue
		}
		if lit == ";" {
			return i
		}
		if before, _ := ws[i-1].literal(); lit == "+" && before == "{}" {
			return i
		}
	}
	return len(ws)
}

// fdExec follows the --exec actions of fd, whose placeholders stand in braces.
func (f *finder) fdExec(ws []word, l launch, _ options) {
	for i := 1; i < len(ws); i++ {
		lit, _ := ws[i].literal()
		switch lit {
		case "-x", "-X", "--exec", "--exec-batch":
			end := execEnd(ws, i+1)
			inner := slices.Clone(ws[i+1 : end])
			for j := range inner {
				if strings.Contains(inner[j].text().String(), "{") {
					inner[j] = anyWord()
				}
			}
			f.run(append(inner, manyWords()), launch{in: l.in, via: l.via + " " + lit, layers: l.layers})
			i = end
		}
	}
}

// parallel follows GNU parallel, which hands its words and its input to a
// shell.
func (f *finder) parallel(ws []word, l launch, o options) {
	starts := o.starts(ws)
	for _, i := range starts {
		end := i
		for end < len(ws) && !strings.HasPrefix(ws[end].prefix(), ":::") {
			end++
		}
		if i >= end {
			if len(starts) == 1 {
				f.unknown(l.via)
			}
			continue
		}
		inner := ws[i:end]
		f.code(render(inner), l)
		f.run(append(fill(inner, "{}"), manyWords()), l)
	}
}
