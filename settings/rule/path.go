package rule

import (
	"fmt"
	"path"
	"strings"
)

// pathSpec is a gitignore-style pattern below one of four directories.
type pathSpec struct {
	anchor   anchor
	up       int // how many directories above the anchor, from leading ".."
	branches []segments
	folded   []segments // in lower case, for systems that do not tell cases apart
}

// anchor is the directory that a pattern starts at.
type anchor uint8

const (
	atCwd    anchor = iota // p, ./p
	atRoot                 // //p
	atHome                 // ~/p
	atSource               // /p: where the rule's settings belong
)

// segments is one pattern, split at its slashes.
type segments struct {
	parts   []string
	anyDir  bool // no slash: at any depth
	dirOnly bool // trailing slash: what is inside a directory
}

// maxBranches bounds what braces in a pattern expand to.
const maxBranches = 64

// compilePath reads a path pattern, or says what is wrong with it.
func compilePath(spec string) (matcher, string) {
	p := pathSpec{}
	rest, anchored := spec, true
	if len(spec) > 2 && spec[1] == ':' && letter(spec[0]) && (spec[2] == '\\' || spec[2] == '/') {
		rest = "//" + strings.ToLower(spec[:1]) + strings.ReplaceAll(spec[2:], `\`, "/")
	}
	switch {
	case strings.HasPrefix(rest, "//"):
		p.anchor, rest = atRoot, rest[2:]
	case rest == "~", strings.HasPrefix(rest, "~/"):
		p.anchor, rest = atHome, strings.TrimPrefix(rest[1:], "/")
	case strings.HasPrefix(rest, "/"):
		p.anchor, rest = atSource, rest[1:]
	case strings.HasPrefix(rest, "!"):
		return nil, "a pattern cannot be negated"
	default:
		anchored = false
	}
	branches := expandBraces(rest)
	if len(branches) > maxBranches {
		return nil, fmt.Sprintf("more than %d alternatives in braces", maxBranches)
	}
	for _, text := range branches {
		seg, up, problem := splitPattern(text, anchored)
		if problem != "" {
			return nil, problem
		}
		p.up = up
		p.branches = append(p.branches, seg)
		p.folded = append(p.folded, seg.lower())
	}
	return p, ""
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func (s segments) lower() segments {
	parts := make([]string, len(s.parts))
	for i, part := range s.parts {
		parts[i] = strings.ToLower(part)
	}
	s.parts = parts
	return s
}

// splitPattern cleans one pattern and splits it at its slashes.
func splitPattern(text string, anchored bool) (seg segments, up int, problem string) {
	seg.dirOnly = strings.HasSuffix(text, "/")
	for part := range strings.SplitSeq(text, "/") {
		switch part {
		case "", ".":
			continue
		case "..":
			if len(seg.parts) > 0 {
				seg.parts = seg.parts[:len(seg.parts)-1]
			} else {
				up++
			}
			anchored = true
			continue
		}
		part = strings.ReplaceAll(part, "[!", "[^")
		if _, err := path.Match(part, ""); err != nil {
			return seg, up, fmt.Sprintf("%s is no pattern", quote(part))
		}
		seg.parts = append(seg.parts, part)
	}
	seg.anyDir = !anchored && len(seg.parts) == 1
	return seg, up, ""
}

// expandBraces multiplies out {a,b}; braces without a comma are plain text. It
// stops past maxBranches.
func expandBraces(s string) []string {
	open := -1
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			open = i
		case '}':
			if open < 0 || !strings.Contains(s[open:i], ",") {
				continue
			}
			var out []string
			for elem := range strings.SplitSeq(s[open+1:i], ",") {
				out = append(out, expandBraces(s[:open]+elem+s[i+1:])...)
				if len(out) > maxBranches {
					break
				}
			}
			return out
		}
	}
	return []string{s}
}

func (p pathSpec) match(c *Call, source string) finding {
	t := c.path()
	if t.problem != "" {
		return finding{fires: true, why: whyUnreadable, note: t.problem}
	}
	bases := c.bases(p.anchor, source)
	if len(bases) == 0 {
		return finding{fires: true, why: whyUnreadable, note: fmt.Sprintf("the directory that the pattern %s is not known", p.anchor)}
	}
	branches := p.branches
	if c.os.fold {
		branches = p.folded
	}
	for _, form := range t.forms {
		for _, base := range bases {
			rel, ok := below(form, climb(base, p.up))
			if ok && fits(branches, rel, t.search) {
				return finding{fires: true, why: whyMatch, value: t.shown}
			}
		}
	}
	return finding{why: whyNo, value: t.shown}
}

// String says what a pattern with the anchor is relative to.
func (a anchor) String() string {
	return [...]string{"is relative to", "starts at", "takes for home", "takes for its settings"}[a]
}

func climb(dir string, up int) string {
	for range up {
		dir = path.Dir(dir)
	}
	return dir
}

// below is the path relative to a directory, if it lies in it.
func below(name, dir string) (string, bool) {
	if name == dir {
		return "", true
	}
	if dir != "/" {
		dir += "/"
	}
	return strings.CutPrefix(name, dir)
}

// fits compares a relative path with the branches of a pattern. search: the
// path is a directory whose contents are meant.
func fits(branches []segments, rel string, search bool) bool {
	var names []string
	if rel != "" {
		names = strings.Split(rel, "/")
	}
	for _, seg := range branches {
		if seg.fits(names, search) {
			return true
		}
	}
	return false
}

// fits compares names with the pattern; as in gitignore, a pattern that fits a
// directory fits everything in it.
func (s segments) fits(names []string, search bool) bool {
	if s.anyDir && s.parts[0] != "**" {
		for i, name := range names {
			if fitsName(s.parts[0], name) && s.ends(i+1, len(names), search) {
				return true
			}
		}
		return false
	}
	// at holds whether the parts read so far fit the first i names.
	at := make([]bool, len(names)+1)
	at[0] = true
	for k, part := range s.parts {
		if part == "**" {
			at = spread(at, k+1 == len(s.parts) && !search)
			continue
		}
		next := make([]bool, len(names)+1)
		for i, name := range names {
			next[i+1] = at[i] && fitsName(part, name)
		}
		at = next
	}
	for i := range at {
		if at[i] && (i > 0 || search || len(s.parts) == 0) && s.ends(i, len(names), search) {
			return true
		}
	}
	return false
}

// spread passes a "**": any number of names, at least one if it is the last
// part.
func spread(at []bool, last bool) []bool {
	next := make([]bool, len(at))
	seen := false
	for i := range at {
		if last {
			next[i] = seen
			seen = seen || at[i]
			continue
		}
		seen = seen || at[i]
		next[i] = seen
	}
	return next
}

// ends reports whether a fit of the first i of n names will do: a pattern for
// directories needs something in it.
func (s segments) ends(i, n int, search bool) bool {
	return !s.dirOnly || i < n || search
}

func fitsName(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}
