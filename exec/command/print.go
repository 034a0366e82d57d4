package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
)

// prints is a command that prints text as it is.
func prints(text string) []string { return []string{printName, text} }

// write prints text. Where nobody reads it any more, it ends the part of the
// pipe that it is in, as SIGPIPE would.
func write(ctx context.Context, text string) error {
	hc := interp.HandlerCtx(ctx)
	_, err := io.WriteString(hc.Stdout, text)
	switch {
	case errors.Is(err, syscall.EPIPE):
		return hc.Builtin(ctx, []string{"exit", "141"})
	case err != nil:
		fmt.Fprintf(hc.Stderr, "write: %v\n", cause(err))
		return interp.ExitStatus(1)
	default:
		return nil
	}
}

// echo is what bash's echo prints for its arguments. The interpreter's own does
// not know flags in one word, as in "echo -ne", which may also be data.
func echo(args []string, utf8 bool) string {
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
		if text, cut = unescapeEcho(text, utf8); cut {
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
func unescapeEcho(s string, utf8 bool) (text string, cut bool) {
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
				b.WriteString(codePoint(uint32(number(s[i+1:i+1+n], 16)), utf8))
			}
			i += n
		default:
			b.WriteString(s[i-1 : i+1])
		}
	}
	return b.String(), false
}

// codePoint is what \u makes of a number: bash writes UTF-8 of any length, and
// the escape itself where the locale has another encoding.
func codePoint(c uint32, utf8 bool) string {
	switch {
	case c < 0x80:
		return string(rune(c))
	case c > 0x7fffffff:
		return ""
	case !utf8 && c <= 0xffff:
		return fmt.Sprintf(`\u%04X`, c)
	case !utf8:
		return fmt.Sprintf(`\U%08X`, c)
	}
	var tail []byte
	for room := uint32(0x20); ; room >>= 1 {
		tail = append(tail, byte(0x80|c&0x3f))
		if c >>= 6; c < room {
			tail = append(tail, byte(^(room<<1-1)|c))
			break
		}
	}
	slices.Reverse(tail)
	return string(tail)
}

// speaksUTF8 reports whether the locale that an environment names writes UTF-8.
func speaksUTF8(env expand.Environ) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := env.Get(name).String(); value != "" {
			value = strings.ToUpper(value)
			return strings.HasSuffix(value, "UTF-8") || strings.HasSuffix(value, "UTF8")
		}
	}
	return false
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

// printf is what printf prints for a format of %s, %% and the common escapes;
// ok is false for any other.
func printf(args []string) (text string, ok bool) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return "", false
	}
	format, rest := args[0], args[1:]
	var b strings.Builder
	for {
		used, ok := printfOnce(&b, format, &rest)
		if !ok {
			return "", false
		}
		if !used || len(rest) == 0 {
			return b.String(), true
		}
	}
}

// printfOnce goes through the format once, taking its arguments off args.
func printfOnce(b *strings.Builder, format string, args *[]string) (used, ok bool) {
	for i := 0; i < len(format); i++ {
		c := format[i]
		if c != '%' && c != '\\' {
			b.WriteByte(c)
			continue
		}
		if i++; i == len(format) {
			return used, false
		}
		switch verb := string(format[i-1 : i+1]); verb {
		case "%s":
			used = true
			if len(*args) > 0 {
				b.WriteString((*args)[0])
				*args = (*args)[1:]
			}
		case "%%", `\\`, `\"`:
			b.WriteByte(format[i])
		case `\n`, `\t`, `\r`:
			b.WriteByte(map[byte]byte{'n': '\n', 't': '\t', 'r': '\r'}[format[i]])
		default:
			return used, false
		}
	}
	return used, true
}
