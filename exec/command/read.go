package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// readNames reads the arguments of read; names is nil for a form that is not
// ours.
func readNames(args []string) (names []string, raw bool) {
	if len(args) > 0 && args[0] == "-r" {
		raw, args = true, args[1:]
	}
	for _, name := range args {
		if !syntax.ValidName(name) {
			return nil, raw
		}
	}
	if len(args) == 0 {
		return nil, raw
	}
	return args, raw
}

// read is bash's read [-r] NAME…. The interpreter's own takes a system call for
// every byte and changes what is not UTF-8.
func (in *interpreter) read(ctx context.Context, args []string) error {
	hc := interp.HandlerCtx(ctx)
	names, raw := readNames(args)
	line, err := in.readLine(ctx, hc, raw)
	if errors.Is(err, errLongLine) {
		return in.fail(err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	ifs := " \t\n"
	if v := hc.Env.Get("IFS"); v.IsSet() {
		ifs = v.String()
	}
	var set strings.Builder
	for i, value := range splitRead(line, ifs, len(names)) {
		fmt.Fprintf(&set, "%s=%s\n", names[i], quote(value))
	}
	if failed := hc.Builtin(ctx, []string{"eval", set.String()}); failed != nil {
		return failed
	}
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, io.EOF):
		fmt.Fprintf(hc.Stderr, "read: %v\n", cause(err))
	}
	return interp.ExitStatus(1)
}

// quote writes s as a word that an assignment takes as it is. The parser reads
// nothing but UTF-8, so other bytes are written as escapes, and as one word: it
// takes long over one of many parts.
func quote(s string) string {
	if utf8.ValidString(s) && !strings.ContainsRune(s, '\'') {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c == '\\' || c == '\'' {
			fmt.Fprintf(&b, `\x%02x`, c)
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String() + "'"
}

// A line is what read takes in. escaped marks the bytes that a backslash
// protects from being a separator; it is nil where there are none.
type line struct {
	text    []byte
	escaped []bool
}

func (l line) separates(i int, ifs string) bool {
	return strings.IndexByte(ifs, l.text[i]) >= 0 && (l.escaped == nil || !l.escaped[i])
}

func (l line) blank(i int, ifs string) bool {
	return l.separates(i, ifs) && strings.IndexByte(" \t\n", l.text[i]) >= 0
}

// splitRead splits a line for n names, as bash does: the last takes the rest,
// less the separator that only ends it.
func splitRead(l line, ifs string, n int) []string {
	values := make([]string, n)
	end := len(l.text)
	for end > 0 && l.blank(end-1, ifs) {
		end--
	}
	at := 0
	for at < end && l.blank(at, ifs) {
		at++
	}
	for i := range values {
		stop, next := l.field(at, end, ifs)
		if i == n-1 && next < end {
			stop = end
		}
		values[i], at = string(l.text[at:stop]), next
	}
	return values
}

// field is the field that begins at at: it stops before a separator, and the
// next one begins after it and the blanks around it.
func (l line) field(at, end int, ifs string) (stop, next int) {
	stop = at
	for stop < end && !l.separates(stop, ifs) {
		stop++
	}
	next = stop
	for next < end && l.blank(next, ifs) {
		next++
	}
	if next < end && l.separates(next, ifs) && !l.blank(next, ifs) {
		next++
		for next < end && l.blank(next, ifs) {
			next++
		}
	}
	return stop, next
}

// readLine reads one line and takes the backslashes out unless raw. io.EOF says
// that it had no end.
func (in *interpreter) readLine(ctx context.Context, hc interp.HandlerContext, raw bool) (line, error) {
	f, ok := hc.Stdin.(*os.File)
	if !ok {
		return line{}, io.EOF
	}
	var l line
	for {
		text, err := in.nextLine(ctx, f)
		if ctx.Err() != nil {
			return l, ctx.Err()
		}
		more := l.add(text, raw)
		if err != nil || !more {
			return l, err
		}
	}
}

// add appends a physical line, without NUL bytes; more says that its end was
// escaped.
func (l *line) add(text []byte, raw bool) (more bool) {
	text = bytes.ReplaceAll(text, []byte{0}, nil)
	if raw || bytes.IndexByte(text, '\\') < 0 {
		l.text = append(l.text, text...)
		if l.escaped != nil {
			l.escaped = append(l.escaped, make([]bool, len(text))...)
		}
		return false
	}
	if l.escaped == nil {
		l.escaped = make([]bool, len(l.text))
	}
	for i := 0; i < len(text); i++ {
		escaped := text[i] == '\\'
		if escaped {
			if i++; i == len(text) {
				return true
			}
		}
		l.text = append(l.text, text[i])
		l.escaped = append(l.escaped, escaped)
	}
	return false
}

// A source knows what stands on the hook's stdin, so that a line of it can be
// read at once. That holds until something else may have read from it.
type source struct {
	file *os.File
	mu   sync.Mutex
	data []byte // not yet read
	lost bool   // someone else may have read
}

// share notes that a program gets f as its stdin.
func (s *source) share(f *os.File) {
	if f == s.file {
		s.mu.Lock()
		s.lost = true
		s.mu.Unlock()
	}
}

// ahead is how many bytes of f make the next line; ok is false if that is not
// known.
func (s *source) ahead(f *os.File) (n int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f != s.file || s.lost {
		return 0, false
	}
	n = bytes.IndexByte(s.data, '\n') + 1
	if n == 0 {
		n = len(s.data)
	}
	s.data = s.data[n:]
	return n, true
}

// nextLine reads from f to the end of a line, which it leaves out, and not a
// byte further. io.EOF says that the line had no end.
func (in *interpreter) nextLine(ctx context.Context, f *os.File) ([]byte, error) {
	stop := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Now()) })
	defer stop()
	if n, ok := in.stdin.ahead(f); ok {
		text := make([]byte, n)
		got, err := io.ReadFull(f, text)
		return endLine(text[:got], err)
	}
	if at, err := f.Seek(0, io.SeekCurrent); err == nil {
		return lineAt(f, at)
	}
	return bytewise(f)
}

// endLine takes the newline off a line, if it has one.
func endLine(text []byte, err error) ([]byte, error) {
	if n := len(text); n > 0 && text[n-1] == '\n' {
		return text[:n-1], nil
	}
	if err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return text, err
}

// lineAt reads a line of a file in blocks and goes back to its end.
func lineAt(f *os.File, at int64) ([]byte, error) {
	var text []byte
	block := make([]byte, 4<<10)
	for {
		n, err := f.Read(block)
		text = append(text, block[:n]...)
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			_, err = f.Seek(at+int64(i)+1, io.SeekStart)
			return text[:i], err
		}
		if err != nil {
			return text, err
		}
		if len(text) > maxSubstitution {
			return nil, errLongLine
		}
	}
}

// bytewise reads a line of a pipe, whose rest is for whoever reads next.
func bytewise(f *os.File) ([]byte, error) {
	var text []byte
	for {
		var one [1]byte
		n, err := f.Read(one[:])
		if n == 1 {
			if one[0] == '\n' {
				return text, nil
			}
			text = append(text, one[0])
		}
		if err != nil {
			return text, err
		}
		if len(text) > maxSubstitution {
			return nil, errLongLine
		}
	}
}

var errLongLine = fmt.Errorf("read: a line of more than %d MiB", maxSubstitution>>20)
