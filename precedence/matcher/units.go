package matcher

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// JavaScript compares UTF-16: a character beyond U+FFFF is two code units, the
// halves of which patterns can see. regexp2 takes a unit per rune, but loses
// halves in some of its searches, so they are moved to where runes are valid.
const (
	surrogateMin = 0xd800
	surrogateMax = 0xdfff
	moved        = 0x100000
)

func isHalf(r rune) bool { return r >= surrogateMin && r <= surrogateMax }

// flat reports whether every character of s is one code unit.
func flat(s string) bool {
	for i := range len(s) {
		if s[i] >= 0xf0 { // the first byte of four
			return false
		}
	}
	return utf8.ValidString(s)
}

// units is s as JavaScript sees it, one code unit per rune.
func units(s string) []rune {
	out := make([]rune, 0, len(s))
	for _, r := range s {
		if r > 0xffff {
			out = append(out, moved+first(r), moved+last(r))
		} else {
			out = append(out, r)
		}
	}
	return out
}

// unit is one code unit in the syntax of regexp2.
func unit(r rune) string {
	if isHalf(r) {
		return string(moved + r)
	}
	return fmt.Sprintf(`\u%04X`, r)
}

// first and last are the code units of a character, the same for most.
func first(r rune) rune {
	if r <= 0xffff {
		return r
	}
	hi, _ := utf16.EncodeRune(r)
	return hi
}

func last(r rune) rune {
	if r <= 0xffff {
		return r
	}
	_, lo := utf16.EncodeRune(r)
	return lo
}
