package command

import (
	"os"
	"sync"
	"time"
)

// MaxOutput is how many bytes of stdout, and of stderr, are kept.
const MaxOutput = 1 << 20

// A capture keeps the beginning of what is written to a pipe and counts the
// rest.
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
}

func newCapture(pipe *os.File) *capture {
	c := &capture{pipe: pipe, done: make(chan struct{})}
	go c.read()
	return c
}

func (c *capture) read() {
	defer close(c.done)
	chunk := make([]byte, 8<<10)
	for {
		n, err := c.pipe.Read(chunk)
		if !c.keep(chunk[:n]) || err != nil {
			return
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
// The data is shared with other commands and only ever read.
type feed struct {
	pipe *os.File
	done chan struct{}
}

func newFeed(pipe *os.File, data []byte) *feed {
	f := &feed{pipe: pipe, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		_, _ = f.pipe.Write(data) // EPIPE: the command did not want it all
		f.pipe.Close()
	}()
	return f
}

func (f *feed) stop() {
	f.pipe.Close()
	<-f.done
}

// stdio is the three streams of one command, pipes or, for stdout, a terminal:
// theirs is what the command gets, the other ends are ours.
type stdio struct {
	theirs [3]*os.File
	tty    bool
	in     *feed
	out    *capture
	err    *capture
}

// newStdio makes the streams of a job and starts feeding and capturing.
func newStdio(job Job) (*stdio, error) {
	var ours [3]*os.File
	s := &stdio{tty: job.Pty}
	for i := range ours {
		var err error
		switch {
		case i == 0:
			s.theirs[i], ours[i], err = os.Pipe()
		case i == 1 && job.Pty:
			ours[i], s.theirs[i], err = openPty(job.Env)
		default:
			ours[i], s.theirs[i], err = os.Pipe()
		}
		if err != nil {
			closeAll(ours[:i])
			closeAll(s.theirs[:i])
			return nil, err
		}
	}
	s.in = newFeed(ours[0], job.Stdin)
	s.out = newCapture(ours[1])
	s.err = newCapture(ours[2])
	return s, nil
}

// letGo closes our copies of the command's ends, so that the streams end when
// the command and its children close theirs.
func (s *stdio) letGo() { closeAll(s.theirs[:]) }

// finish reads both streams to their ends, or for patience, and releases all
// that is ours.
func (s *stdio) finish(patience time.Duration) (out, err []byte, dropped [2]int64) {
	until := time.Now().Add(patience)
	out, dropped[0] = s.out.finish(patience)
	err, dropped[1] = s.err.finish(max(0, time.Until(until)))
	s.in.stop()
	return out, err, dropped
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
