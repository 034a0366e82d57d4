package response

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean is output of a hook as text: valid UTF-8, without the white space around it.
func clean(b []byte) string {
	return trim(strings.ToValidUTF8(string(b), string(utf8.RuneError)))
}

// trim takes from the ends of a text what cannot be seen there: white space as
// the languages of the agents know it, byte order marks, spaces without a
// width. An agent that trims a reason down to nothing takes it for none, and
// lets the tool run.
func trim(s string) string { return strings.TrimFunc(s, unseen) }

func unseen(r rune) bool {
	switch {
	case r >= 0x1c && r <= 0x1f, r >= 0x200b && r <= 0x200d, r == 0x2060, r == 0xfeff:
		return true
	}
	return unicode.IsSpace(r)
}

// firstLine is the first line with something on it, within 200 characters.
func firstLine(s string) string {
	line, _, _ := strings.Cut(trim(s), "\n")
	return clip(trim(line), 200)
}

// clip cuts text behind n characters and shows that it did.
func clip(s string, n int) string {
	if head, cut := head(s, n); cut {
		return head + "…"
	}
	return s
}

// head is the first n characters of s, and whether that is less than s.
func head(s string, n int) (string, bool) {
	if len(s) <= n {
		return s, false
	}
	for i := range s {
		if n == 0 {
			return s[:i], true
		}
		n--
	}
	return s, false
}

// lines joins texts one below the other, without the empty ones.
func lines(texts []string) string {
	var kept []string
	for _, t := range texts {
		if t != "" {
			kept = append(kept, t)
		}
	}
	return strings.Join(kept, "\n")
}
