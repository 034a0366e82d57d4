package response

import (
	"strings"
	"unicode/utf8"
)

// clean is output of a hook as text: valid UTF-8, without the white space around it.
func clean(b []byte) string {
	return strings.TrimSpace(strings.ToValidUTF8(string(b), string(utf8.RuneError)))
}

// firstLine is the first line with something on it, within 200 characters.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return clip(strings.TrimSpace(line), 200)
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
