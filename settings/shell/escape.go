package shell

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// unescapeQuoted removes the backslashes that mean something in double quotes
// and in the body of an unquoted here-document.
func unescapeQuoted(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch s[i+1] {
			case '\n':
				i++
				continue
			case '$', '`', '"', '\\':
				i++
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// The one-letter escapes of $'…' and what they stand for.
const (
	escapeLetters = `abeEfnrtv\'"?`
	escapeValues  = "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"
)

// unescapeANSI decodes the body of $'…'. As in bash, a NUL ends it.
func unescapeANSI(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		text, size := ansiEscape(s[i+1:])
		if text == "\x00" {
			break
		}
		b.WriteString(text)
		i += 1 + size
	}
	return b.String()
}

// ansiEscape decodes the escape whose text after the backslash s starts with,
// and says how much of s it takes.
func ansiEscape(s string) (string, int) {
	if i := strings.IndexByte(escapeLetters, s[0]); i >= 0 {
		return escapeValues[i : i+1], 1
	}
	switch s[0] {
	case '0', '1', '2', '3', '4', '5', '6', '7':
		v, n := number(s, 8, 3)
		return string([]byte{byte(v)}), n
	case 'x':
		if v, n := number(s[1:], 16, 2); n > 0 {
			return string([]byte{byte(v)}), 1 + n
		}
	case 'u', 'U':
		digits := 4
		if s[0] == 'U' {
			digits = 8
		}
		if v, n := number(s[1:], 16, digits); n > 0 {
			if v > utf8.MaxRune {
				v = utf8.RuneError
			}
			return string(rune(v)), 1 + n
		}
	case 'c':
		if len(s) > 1 {
			return string([]byte{s[1] & 0x1f}), 2
		}
	}
	return `\` + s[:1], 1
}

// number reads up to digits digits of the base at the start of s.
func number(s string, base, digits int) (value uint64, size int) {
	for size < len(s) && size < digits {
		if _, err := strconv.ParseUint(s[size:size+1], base, 8); err != nil {
			break
		}
		size++
	}
	value, _ = strconv.ParseUint(s[:size], base, 64)
	return value, size
}
