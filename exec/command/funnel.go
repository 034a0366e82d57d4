package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"mvdan.cc/sh/v3/interp"
)

// childFiles are the streams of a program that the runner starts now. Where one
// is no file but a buffer of the runner's, a funnel leads into it.
func childFiles(hc interp.HandlerContext) (files [3]*os.File, funnels []*funnel, err error) {
	files[0], _ = hc.Stdin.(*os.File)
	if files[1], _ = hc.Stdout.(*os.File); files[1] == nil {
		f, err := newFunnel(hc.Stdout)
		if err != nil {
			return files, funnels, err
		}
		files[1], funnels = f.in, append(funnels, f)
	}
	if files[2], _ = hc.Stderr.(*os.File); files[2] == nil {
		if hc.Stderr == hc.Stdout {
			files[2] = files[1]
			return files, funnels, nil
		}
		f, err := newFunnel(hc.Stderr)
		if err != nil {
			return files, funnels, err
		}
		files[2], funnels = f.in, append(funnels, f)
	}
	return files, funnels, nil
}

// maxSubstitution bounds what a command substitution may take in, as it is
// held in memory.
const maxSubstitution = 3 << 20

// A funnel copies what a program writes into a writer of the runner's. One
// goroutine reads; finish waits for it, so that the writer is used by one
// goroutine at a time.
type funnel struct {
	in, out *os.File
	done    chan struct{}
	// Set before done is closed.
	err error
	nul bool // something in it was a NUL, which bash takes out and says so
}

func newFunnel(w io.Writer) (*funnel, error) {
	r, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	f := &funnel{in: in, out: r, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		defer r.Close()
		bounded := &boundedWriter{w: w}
		if _, err := io.Copy(bounded, r); errors.Is(err, errLongOutput) {
			f.err = err
		}
		f.nul = bounded.nul
	}()
	return f, nil
}

func (f *funnel) letGo() { f.in.Close() }

// finish waits for the end of the stream, as bash does, or for the end of ctx.
func (f *funnel) finish(ctx context.Context) error {
	f.letGo()
	select {
	case <-f.done:
	case <-ctx.Done():
		_ = f.out.SetReadDeadline(time.Now())
		<-f.done
	}
	return f.err
}

func finishFunnels(ctx context.Context, funnels []*funnel) (err error) {
	for _, f := range funnels {
		err = errors.Join(err, f.finish(ctx))
		if f.nul {
			fmt.Fprintln(interp.HandlerCtx(ctx).Stderr, nulWarning)
		}
	}
	return err
}

// errLongOutput ends a script that takes more into a substitution than it may.
var errLongOutput = fmt.Errorf("a command substitution takes more than %d MiB", maxSubstitution>>20)

const nulWarning = "command substitution: a NUL byte was taken out"

// A boundedWriter bounds what goes into a buffer of the runner's, and looks for
// NUL bytes in it. A file it leaves alone.
type boundedWriter struct {
	w   io.Writer
	n   int
	nul bool
}

func (b *boundedWriter) Write(p []byte) (int, error) {
	if _, ok := b.w.(*os.File); ok {
		return b.w.Write(p)
	}
	if b.n += len(p); b.n > maxSubstitution {
		return 0, errLongOutput
	}
	b.nul = b.nul || slices.Contains(p, 0)
	return b.w.Write(p)
}
