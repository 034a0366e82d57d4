package command

import (
	"strconv"
	"strings"
)

// echo is what bash's echo prints for its arguments. The interpreter's own does
// not know flags in one word, as in "echo -ne", which may also be data.
func echo(args []string) string {
	newline, escapes := true, false
	for len(args) > 0 && isEchoFlag(args[0]) {
		for _, flag := range args[0][1:] {
			switch flag {
			case 'n':
				newline = false
			case 'e':
				escapes = true
			case 'E':
				escapes = false
			}
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes {
		var cut bool
		if text, cut = unescapeEcho(text); cut {
			return text
		}
	}
	if newline {
		text += "\n"
	}
	return text
}

func isEchoFlag(s string) bool {
	return len(s) > 1 && s[0] == '-' && strings.Trim(s[1:], "neE") == ""
}

// unescapeEcho does what echo -e does; cut says that a \c ended the output.
func unescapeEcho(s string) (text string, cut bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if plain := strings.IndexByte(`abeEfnrtv\`, s[i]); plain >= 0 {
			b.WriteByte("\a\b\x1b\x1b\f\n\r\t\v\\"[plain])
			continue
		}
		switch s[i] {
		case 'c':
			return b.String(), true
		case '0':
			n := digits(s[i+1:], 3, 8)
			b.WriteByte(byte(number(s[i+1:i+1+n], 8)))
			i += n
		case 'x', 'u', 'U':
			most := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i]]
			n := digits(s[i+1:], most, 16)
			switch {
			case n == 0:
				b.WriteString(s[i-1 : i+1])
			case s[i] == 'x':
				b.WriteByte(byte(number(s[i+1:i+1+n], 16)))
			default:
				b.WriteRune(rune(number(s[i+1:i+1+n], 16)))
			}
			i += n
		default:
			b.WriteString(s[i-1 : i+1])
		}
	}
	return b.String(), false
}

// digits counts the digits of a base that s begins with, at most most.
func digits(s string, most, base int) int {
	n := 0
	for n < len(s) && n < most {
		if _, err := strconv.ParseUint(s[n:n+1], base, 8); err != nil {
			break
		}
		n++
	}
	return n
}

func number(s string, base int) uint64 {
	n, _ := strconv.ParseUint(s, base, 32)
	return n
}
