package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mvdan.cc/sh/v3/interp"

	"github.com/theus-hooks/theus-hooks/exec/command/jq"
	"github.com/theus-hooks/theus-hooks/internal/environ"
)

// noJq is the remark on a run whose jq was the built-in one for want of another.
const noJq = "there is no jq on the PATH; the built-in one ran and may differ from it"

// magics are how programs begin that are no scripts: of Linux, of macOS (two
// sizes and those for several machines) and of Windows.
var magics = []string{"\x7fELF", "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xca\xfe\xba\xbe", "MZ"}

// isJq reports whether a file is jq itself: not a script of that name, nor a
// program of another name that goes by this one.
func isJq(path string) bool {
	if base := filepath.Base(path); base != "jq" && base != "jq.exe" {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil || strings.TrimSuffix(filepath.Base(real), ".exe") != "jq" {
		return false
	}
	f, err := os.Open(real)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4)
	n, _ := io.ReadFull(f, head)
	return slices.ContainsFunc(magics, func(magic string) bool { return strings.HasPrefix(string(head[:n]), magic) })
}

// hasOwnDefinitions reports whether jq would read definitions of the user's.
func hasOwnDefinitions(env []string) bool {
	home, _ := environ.Lookup(env, "HOME")
	_, err := os.Lstat(filepath.Join(home, ".jq"))
	return home == "" || !errors.Is(err, os.ErrNotExist)
}

// jq does what a call of jq does, if that is proven. Else served is false, and
// what it has read of stdin by then is in rest, for the real one.
func (in *interpreter) jq(ctx context.Context, hc interp.HandlerContext, env, args []string) (served bool, rest *refill, err error) {
	call, err := jq.Parse(args[1:])
	if err != nil || !call.Known() || hasOwnDefinitions(env) {
		return false, nil, nil
	}
	back := rewinder(hc, call)
	inputs, rest, err := in.jqInputs(ctx, hc, call)
	if err != nil {
		return false, rest, nil
	}
	out, err := call.Prove(ctx, inputs, env)
	switch {
	case ctx.Err() != nil:
		return true, nil, ctx.Err()
	case err != nil && back != nil && back() == nil:
		return false, nil, nil // after an error it leaves what it has not read to the next
	case err != nil && call.ReadsStdin():
		rest, err = newRefill(inputs[0], nil)
		if err != nil {
			return true, nil, in.fail(err)
		}
		return false, rest, nil
	case err != nil:
		return false, nil, nil
	}
	return true, nil, in.emit(ctx, hc, out)
}

// rewinder returns what takes a call's stdin back to where it is now, or nil
// where that cannot be.
func rewinder(hc interp.HandlerContext, call *jq.Call) func() error {
	f, ok := hc.Stdin.(*os.File)
	if !ok || f == nil || !call.ReadsStdin() {
		return nil
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil
	}
	return func() error {
		_, err := f.Seek(at, io.SeekStart)
		return err
	}
}

// withoutJq does what a call of jq asks for where there is none.
func (in *interpreter) withoutJq(ctx context.Context, hc interp.HandlerContext, env, args []string) error {
	in.remark(noJq)
	call, err := jq.Parse(args[1:])
	var usage *jq.UsageError
	if errors.As(err, &usage) {
		return in.fail(fmt.Errorf("there is no jq on the PATH, and the built-in one does not know %w", err))
	}
	if err != nil {
		fmt.Fprintf(hc.Stderr, "jq: error: %v\n", err)
		return exitError{end: ending{code: 3}}
	}
	inputs, rest, err := in.jqInputs(ctx, hc, call)
	if rest != nil {
		rest.stop()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return in.fail(fmt.Errorf("there is no jq on the PATH, and the built-in one cannot read its input: %w", err))
	}
	out, err := call.Emulate(ctx, inputs, env)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return in.fail(err)
	}
	return in.emit(ctx, hc, out)
}

// jqInputs reads what a call of jq reads. The error says why not; rest is then
// what was read of stdin and what is still to come, if it is much.
func (in *interpreter) jqInputs(ctx context.Context, hc interp.HandlerContext, call *jq.Call) (inputs [][]byte, rest *refill, err error) {
	if !call.ReadsStdin() {
		inputs, err = jqFiles(hc, call.Files)
		return inputs, nil, err
	}
	f, isFile := hc.Stdin.(*os.File)
	if !isFile || f == nil || isOutput(hc, f.Stat) {
		return nil, nil, errJqInput
	}
	in.stdin.share(f)
	stop := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Now()) })
	defer stop()
	data, err := io.ReadAll(io.LimitReader(f, jq.MaxInput+1))
	if len(data) <= jq.MaxInput || err != nil {
		return [][]byte{data}, nil, err
	}
	if rest, err = newRefill(data, f); err == nil {
		err = errLongInput
	}
	return nil, rest, err
}

var (
	errJqInput   = errors.New("not regular files, nor a stdin other than its stdout")
	errLongInput = fmt.Errorf("more than %d MiB", jq.MaxInput>>20)
)

// jqFiles reads the files that a call of jq names.
func jqFiles(hc interp.HandlerContext, names []string) (inputs [][]byte, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	sources, ok := catSources(hc, names)
	if !ok {
		return nil, errJqInput
	}
	for _, source := range sources {
		f, err := os.Open(source.path)
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(io.LimitReader(f, jq.MaxInput+1))
		f.Close()
		if err == nil && len(data) > jq.MaxInput {
			err = errLongInput
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", source.name, err)
		}
		inputs = append(inputs, data)
	}
	return inputs, nil
}

// emit prints what a call of jq printed.
func (in *interpreter) emit(ctx context.Context, hc interp.HandlerContext, out jq.Output) error {
	if len(out.Stdout) > 0 {
		if f, ok := hc.Stdout.(*os.File); ok {
			stop := context.AfterFunc(ctx, func() { _ = f.SetWriteDeadline(time.Now()) })
			defer stop()
		}
		w := &boundedWriter{w: hc.Stdout}
		_, err := w.Write(out.Stdout)
		if end := in.endedBy(ctx, err); end != nil {
			return end
		}
		if err != nil {
			fmt.Fprintf(hc.Stderr, "jq: error: writing output failed: %v\n", cause(err))
			return exitError{end: ending{code: 2}}
		}
		if w.nul {
			fmt.Fprintln(hc.Stderr, nulWarning)
		}
	}
	if len(out.Stderr) > 0 {
		_, _ = hc.Stderr.Write(out.Stderr)
	}
	if out.Status != 0 {
		return exitError{end: ending{code: out.Status}}
	}
	return nil
}

// A refill is a pipe that holds what was read of a program's stdin, and what is
// still to come.
//
// Ownership: newRefill starts one goroutine, which alone writes to the pipe and
// closes that end. stop is called once, when the program has ended: closing
// the other end releases a writer, the deadline a reader, and stop returns when
// the goroutine is gone.
type refill struct {
	file   *os.File // the program's stdin
	source *os.File // or nil
	done   chan struct{}
}

func newRefill(data []byte, source *os.File) (*refill, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	f := &refill{file: r, source: source, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		defer w.Close()
		if _, err := w.Write(data); err == nil && source != nil {
			_, _ = io.Copy(w, source)
		}
	}()
	return f, nil
}

func (f *refill) stop() {
	f.file.Close()
	if f.source != nil {
		_ = f.source.SetReadDeadline(time.Now())
		defer f.source.SetReadDeadline(time.Time{})
	}
	<-f.done
}
