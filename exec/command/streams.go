package command

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"time"
)

// MaxOutput is how many bytes of stdout, and of stderr, are kept.
const MaxOutput = 1 << 20

// A capture keeps the beginning of what is written to a pipe or a terminal and
// counts the rest.
//
// Ownership: newCapture starts one goroutine, which alone reads the pipe and
// appends to the buffer, under mu. finish is called once, by the goroutine
// that ran the command; it seals the buffer, after which the reader may still
// read but keeps nothing, and closes the pipe, which ends the reader. What
// finish returns is no longer written to by anyone.
type capture struct {
	pipe *os.File
	done chan struct{} // closed when the reader has returned

	mu        sync.Mutex
	buf       []byte
	discarded int64
	sealed    bool
	// watch is called with what was read so far until it says that it is enough.
	watch func(text []byte) (enough bool)
}

func newCapture(pipe *os.File) *capture { return watchedCapture(pipe, nil, nil) }

// resumeCapture goes on with a stream of which something was read.
func resumeCapture(pipe *os.File, read []byte) *capture { return watchedCapture(pipe, read, nil) }

func watchedCapture(pipe *os.File, read []byte, watch func([]byte) bool) *capture {
	c := &capture{pipe: pipe, done: make(chan struct{}), buf: read, watch: watch}
	go c.read()
	return c
}

func (c *capture) read() {
	defer close(c.done)
	chunk := make([]byte, 2<<10)
	for {
		n, err := c.pipe.Read(chunk)
		if !c.keep(chunk[:n]) || err != nil {
			return // at the end, which Linux's terminals call EIO
		}
		if n == len(chunk) && n < 64<<10 {
			chunk = make([]byte, 64<<10) // much is coming
		}
	}
}

// keep takes in what was read, and reports whether anyone still cares.
func (c *capture) keep(p []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sealed {
		return false
	}
	room := min(MaxOutput-len(c.buf), len(p))
	c.buf = append(c.buf, p[:room]...)
	c.discarded += int64(len(p) - room)
	if c.watch != nil && c.watch(c.buf) {
		c.watch = nil
	}
	return true
}

// finish waits for the end of the stream, at most for patience, and returns
// what was kept and how many bytes were not.
func (c *capture) finish(patience time.Duration) ([]byte, int64) {
	if c.pipe.SetReadDeadline(time.Now().Add(patience)) == nil {
		<-c.done
	} else {
		c.waitDone(patience) // a system whose pipes know no deadline
	}
	c.mu.Lock()
	c.sealed = true
	kept, discarded := c.buf, c.discarded
	c.mu.Unlock()
	c.pipe.Close()
	return kept, discarded
}

func (c *capture) waitDone(patience time.Duration) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-c.done:
	case <-timer.C:
	}
}

// A feed writes the command's stdin.
//
// Ownership: newFeed starts one goroutine, which alone writes to the pipe and
// closes it after the last byte; a reader that is gone is no error. stop is
// called once, by the goroutine that ran the command: closing the pipe
// releases a writer that nobody reads from, and stop returns when it is gone.
// The data is shared with other commands and only ever read. What surely fits
// into an empty pipe is written before newFeed returns, and needs no goroutine.
type feed struct {
	pipe    *os.File
	done    chan struct{}
	written int // set before done is closed
}

func newFeed(pipe *os.File, data []byte) *feed {
	f := &feed{pipe: pipe, done: make(chan struct{})}
	if len(data) <= leastPipe && runtime.GOOS != "windows" {
		f.write(data)
	} else {
		go f.write(data)
	}
	return f
}

// leastPipe is what an empty pipe takes without a reader, however little memory
// the system has for pipes.
const leastPipe = 4 << 10

func (f *feed) write(data []byte) {
	defer close(f.done)
	var err error
	f.written, err = f.pipe.Write(data)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return // somebody else writes the rest
	}
	f.written = len(data) // EPIPE: the command did not want it all
	f.pipe.Close()
}

func (f *feed) stop() {
	f.pipe.Close()
	<-f.done
}

// A stdio is what one command reads and writes: a pipe for each stream, or a
// terminal for stdout and stderr together. theirs is what the command gets, the
// far ends are read and written here.
//
// Ownership: newStdio starts one feed and one capture, or two; supervise, which
// made the stdio, calls letGo when the command needs its ends no more, any
// number of times, and then finish, once. From then on nothing of it is left:
// no goroutine, no file, and what finish returned belongs to the caller.
type stdio struct {
	theirs [3]*os.File
	tty    bool  // stdout and stderr are one terminal
	in     *feed // nil: there is nothing to write
	out    *capture
	err    *capture // nil: what goes to stderr is in out
}

// newStdio makes the streams of a job and starts feeding and capturing.
func newStdio(job Job) (*stdio, error) {
	s := &stdio{tty: job.Pty}
	var in, out, err *os.File // ours
	var fault error
	if s.theirs[0], in, fault = os.Pipe(); fault != nil {
		return nil, fault
	}
	if job.Pty {
		out, s.theirs[1], fault = openPty(job)
		s.theirs[2] = s.theirs[1]
	} else if out, s.theirs[1], fault = os.Pipe(); fault == nil {
		err, s.theirs[2], fault = os.Pipe()
	}
	if fault != nil {
		closeAll(append(s.theirs[:], in, out))
		return nil, fault
	}
	s.in, s.out = newFeed(in, job.Stdin), watchedCapture(out, nil, job.leaving.watch())
	if err != nil {
		s.err = newCapture(err)
	}
	return s, nil
}

// give hands the command's ends over to the caller, who closes them.
func (s *stdio) give() [3]*os.File {
	theirs := s.theirs
	s.theirs = [3]*os.File{}
	return theirs
}

// letGo closes our copies of the command's ends, so that the streams end when
// the command and its children close theirs.
func (s *stdio) letGo() { closeAll(s.theirs[:]) }

// finish reads what the command wrote to its end, or for patience, and releases
// all that is ours. dropped is how many bytes were too many.
func (s *stdio) finish(patience time.Duration) (out, err []byte, dropped int64) {
	until := time.Now().Add(patience)
	out, dropped = s.out.finish(patience)
	if s.tty {
		out = plain(out)
	}
	if s.err != nil {
		var more int64
		err, more = s.err.finish(max(0, time.Until(until)))
		dropped += more
	}
	if s.in != nil {
		s.in.stop()
	}
	return out, err, dropped
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close() // none, or closed before: no matter
	}
}
