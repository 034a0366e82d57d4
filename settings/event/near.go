package event

import "strings"

// Suggest returns the event whose name is likely meant by a misspelt one, or "".
func Suggest(name string) string {
	best, distance := "", len(name)
	for _, s := range table {
		if d := editDistance(strings.ToLower(name), strings.ToLower(s.Name)); Near(name, s.Name) && d < distance {
			best, distance = s.Name, d
		}
	}
	return best
}

// Near reports whether word is likely a misspelling of want: equal but for
// case, separators and one slip (two in a word of eight letters or more), or
// want with a unit behind it.
func Near(word, want string) bool {
	a, b := fold(word), fold(want)
	slips := 1
	if len(b) >= 8 {
		slips = 2
	}
	return a == b || len(b) >= 4 && editDistance(a, b) <= slips || len(b) >= 4 && (a == b+"ms" || a == b+"sec" || a == b+"seconds")
}

func fold(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(s))
}

// editDistance counts insertions, deletions, substitutions and swaps of
// neighbours that turn a into b. Words beyond 40 bytes are not compared.
func editDistance(a, b string) int {
	if len(a) > 40 || len(b) > 40 {
		return 40
	}
	before, last, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(last[j]+1, next[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, last, next = last, next, before
	}
	return last[len(b)]
}
