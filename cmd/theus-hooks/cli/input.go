package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	hooks "github.com/theus-hooks/theus-hooks"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// readEvent reads the event's JSON within its bound. Who holds the stream, or the
// other end of a pipe, open does not hold us up when ctx ends; the reading
// goroutine then ends with the process.
func (a *app) readEvent(ctx context.Context, file string) ([]byte, error) {
	if file == "" && isTerminal(a.streams.In) {
		return nil, usagef("the event is read from standard input, which is a terminal; pipe it in, or use --event FILE")
	}
	type read struct {
		data []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		data, err := a.readAll(file)
		done <- read{data, err}
	}()
	select {
	case r := <-done:
		a.event = r.data
		return r.data, r.err
	case <-ctx.Done():
		a.event = []byte{}
		if a.ctx.Err() != nil {
			return nil, hooks.ErrCancelled
		}
		return nil, context.Cause(ctx)
	}
}

// readAll reads one byte over the bound of an event, which tells too much from
// just enough.
func (a *app) readAll(file string) ([]byte, error) {
	in := a.streams.In
	if file != "" {
		f, err := os.Open(a.abs(file))
		if err != nil {
			return nil, usagef("--event: %v", err)
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, event.MaxBytes+1))
	if err != nil {
		return data, fmt.Errorf("reading the event: %w", err)
	}
	return data, nil
}

func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice != 0 && !isNull(r)
}

// isNull reports whether a stream is the null device, as which a closed one
// appears too.
func isNull(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}

var errNobodyReads = errors.New("standard output is closed or the null device")
