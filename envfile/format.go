package envfile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/internal/statedir"
)

// The formats that Format writes.
const (
	FormatSh     = "sh"     // export and unset lines, safe to source in any POSIX shell
	FormatJSON   = "json"   // one object on one line; null removes; bytes that are not UTF-8 become U+FFFD
	FormatDotenv = "dotenv" // as joho/godotenv reads it; removed variables are comments
	FormatNul    = "nul"    // NAME=value entries, each with a NUL behind it; removed ones are left out
)

// Errors of Format.
var (
	ErrFormat     = errors.New("not one of the formats sh, json, dotenv, nul")
	ErrUnwritable = errors.New("cannot be written in this format")
)

// Format writes the changes in their order. The error is ErrFormat for an
// unknown format, or wraps ErrUnwritable and names the variables that the
// format cannot hold; then the text has all the others.
func Format(changes []Change, format string) ([]byte, error) {
	var write func(*bytes.Buffer, Change) bool
	switch format {
	case FormatSh:
		write = writeSh
	case FormatDotenv:
		write = writeDotenv
	case FormatNul:
		write = writeNul
	case FormatJSON:
		return formatJSON(changes), nil
	default:
		return nil, fmt.Errorf("%q is %w", format, ErrFormat)
	}
	var out bytes.Buffer
	var left []string
	for _, c := range changes {
		if !ValidName(c.Name) || strings.ContainsRune(c.Value, 0) || !write(&out, c) {
			left = append(left, c.Name)
		}
	}
	if left != nil {
		return out.Bytes(), fmt.Errorf("%s: %w", strings.Join(left, ", "), ErrUnwritable)
	}
	return out.Bytes(), nil
}

func writeSh(out *bytes.Buffer, c Change) bool {
	if c.Unset {
		fmt.Fprintf(out, "unset %s\n", c.Name)
		return true
	}
	fmt.Fprintf(out, "export %s='%s'\n", c.Name, strings.ReplaceAll(c.Value, `'`, `'\''`))
	return true
}

func writeNul(out *bytes.Buffer, c Change) bool {
	if !c.Unset {
		fmt.Fprintf(out, "%s=%s\x00", c.Name, c.Value)
	}
	return true
}

func formatJSON(changes []Change) []byte {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, c := range changes {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(jsontext.Quote(c.Name))
		out.WriteByte(':')
		if c.Unset {
			out.WriteString("null")
			continue
		}
		out.WriteString(jsontext.Quote(c.Value))
	}
	out.WriteString("}\n")
	return out.Bytes()
}

// writeDotenv picks the quoting under which godotenv gives the value back: it
// takes single quotes as they are, expands in double quotes, has no way to
// close either behind a backslash, and trims quotes at the ends of a value.
func writeDotenv(out *bytes.Buffer, c Change) bool {
	v := c.Value
	slashAtEnd := strings.HasSuffix(v, `\`)
	switch {
	case c.Unset:
		fmt.Fprintf(out, "# unset %s\n", c.Name)
	case !slashAtEnd && !strings.Contains(v, `'`) && !strings.Contains(v, "\r\n"):
		fmt.Fprintf(out, "%s='%s'\n", c.Name, v)
	case !slashAtEnd:
		if strings.HasSuffix(v, `"`) {
			v += "\x00" // keeps the last quote from being trimmed
		}
		v = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "\n", `\n`, "\r", `\r`, "\x00", "${_}").Replace(v)
		fmt.Fprintf(out, "%s=\"%s\"\n", c.Name, v)
	case isBareDotenv(v):
		fmt.Fprintf(out, "%s=%s\n", c.Name, v)
	default:
		return false
	}
	return true
}

// isBareDotenv reports whether godotenv reads v back without quotes.
func isBareDotenv(v string) bool {
	return !strings.ContainsAny(v, "\r\n$#") && utf8.ValidString(v) &&
		v[0] != '\'' && v[0] != '"' && strings.TrimSpace(v) == v
}

// Append adds the changes as shell lines to the environment file at path, in
// one write, with a line break before them: the file may end in a comment. The
// file is made, private, if it is not there.
func Append(path string, changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	text, err := Format(changes, FormatSh)
	if err != nil {
		return err
	}
	f, err := statedir.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append([]byte("\n"), text...))
	return errors.Join(err, f.Close())
}
