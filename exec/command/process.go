package command

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// How a command is ended: TERM to its whole session, then KILL to whatever is
// left after killGrace. sweepTime bounds the hunt for processes that multiply
// while they are hunted, and deathWait the wait for the system to carry out a
// KILL. With two hunts and drainStopped they keep within two seconds.
const (
	killGrace = time.Second
	sweepTime = 200 * time.Millisecond
	deathWait = 100 * time.Millisecond
)

// A program is what the operating system needs to start a process.
type program struct {
	path  string // absolute
	name  string // the same as a script named it, which a script sees as $0; or ""
	argv  []string
	dir   string
	env   []string
	files [3]*os.File
	tty   bool // its stdout and stderr are a terminal, to be the controlling one
}

// An ending is how a process, or a script in the interpreter, ended.
type ending struct {
	code    int
	signal  string // "KILL": ended by a signal, and code is 128 + its number
	stopped bool   // by us, because the context ended
	broke   error  // what kept a script from going on, after it had begun
	note    string // on how a script ran

	left *process // still running, and left to others
}

// A process is a running program, the leader of its own session and process
// group, without a controlling terminal but one that was made for it.
//
// Ownership: start gives one goroutine the task of closing ended once the
// leader has ended. On Linux the leader is not reaped then, so that its number,
// which is also that of the group, cannot pass to a stranger while wait may
// still signal it. wait is called once; it alone signals and reaps.
type process struct {
	proc  *os.Process
	ended chan struct{}
	state *os.ProcessState // set before ended is closed, where that reaps
	owned handle           // what the system needs to end all of it
}

// start starts p. A script file without a shebang is given to sh, as shells
// do.
func start(p program) (*process, error) {
	proc, owned, err := startRetrying(p)
	if isNotExecutableFormat(err) {
		if p, err = viaSh(p); err == nil {
			proc, owned, err = startRetrying(p)
		}
	}
	if err != nil {
		return nil, err
	}
	run := &process{proc: proc, ended: make(chan struct{}), owned: owned}
	go func() {
		run.awaitEnd()
		close(run.ended)
	}()
	return run, nil
}

// startRetrying starts p, again and again for a moment while the file is busy:
// another thread of ours may have forked while it had the file open for
// writing, and its child closes it only at its exec. A shortage may pass, too.
func startRetrying(p program) (proc *os.Process, owned handle, err error) {
	for delay := time.Millisecond; ; delay *= 2 {
		proc, owned, err = startOnce(p)
		if !isFileBusy(err) && !isShortage(err) || delay > 256*time.Millisecond {
			return proc, owned, err
		}
		time.Sleep(delay)
	}
}

// isShortage reports whether a program did not start for want of files, processes
// or memory, which says nothing about the program.
func isShortage(err error) bool {
	for _, want := range []error{syscall.EMFILE, syscall.ENFILE, syscall.EAGAIN, syscall.ENOMEM} {
		if errors.Is(err, want) {
			return true
		}
	}
	return false
}

func (p program) named() string {
	if p.name != "" {
		return p.name
	}
	return p.path
}

// viaSh gives a text file that the kernel does not know how to run to sh.
func viaSh(p program) (program, error) {
	if isBinary(p.path) {
		return p, errBinaryFile
	}
	sh, err := lookPath("sh", p.dir, p.env)
	if err != nil {
		return p, err
	}
	p.argv = append([]string{"sh", p.named()}, p.argv[1:]...)
	p.path, p.name = sh, ""
	return p, nil
}

var errBinaryFile = errors.New("cannot execute binary file")

// isBinary reports whether the first line of the file holds a NUL.
func isBinary(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [256]byte
	n, _ := f.Read(head[:])
	for _, b := range head[:n] {
		if b == 0 || b == '\n' {
			return b == 0
		}
	}
	return false
}

// wait returns how the process ended. When ctx ends first, the process and
// everything in its session and with its tag is ended.
func (p *process) wait(ctx context.Context, tag string) ending {
	stopped := false
	select {
	case <-p.ended:
	case <-ctx.Done():
		select {
		case <-p.ended: // by itself after all
		default:
			stopped = true
			p.stop(tag)
		}
	}
	end := p.reap()
	end.stopped = stopped
	return end
}

// reap collects the ended leader. One that a KILL has not ended yet is left to a
// goroutine, which does it when the system is done with it.
func (p *process) reap() ending {
	if !within(deathWait, p.ended) {
		go func() {
			<-p.ended
			p.collect()
		}()
		return ending{broke: errNotEnded}
	}
	return p.collect()
}

var errNotEnded = errors.New("the system has not ended it since")

// errStatusLost is a failure, as the exit code that nobody knows may have been a
// block.
var errStatusLost = errors.New("its exit code is lost: something else in this process waits for children that are not its own")

// collect reaps the leader, which has ended.
func (p *process) collect() ending {
	defer p.owned.release()
	if p.state == nil {
		p.state, _ = p.proc.Wait()
	}
	if p.state == nil {
		return ending{broke: errStatusLost}
	}
	return endingOf(p.state)
}

// within reports whether ch was closed before d was over.
func within(d time.Duration, ch <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ch:
		return true
	case <-timer.C:
		return false
	}
}
