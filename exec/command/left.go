package command

import (
	"bytes"
	"context"
	"errors"
	"os"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/theus-hooks/theus-hooks/response"
)

// A Left is a command that was left while it ran, and all that is needed to take
// it over: by Resume, in this process or in one that inherits the files.
type Left struct {
	Pid int    // of the leader of its session
	Tag string // by which its children are known
	// Stdout and Stderr are what was read of them, Unfed is what is still to be
	// written to its stdin.
	Stdout, Stderr, Unfed []byte
	// Out, Err and In are our ends. In is nil when there is no more to write.
	Out, Err, In *os.File
	// Timeout is how long it may go on; 0 or less: no limit.
	Timeout time.Duration
}

// Files are the open files, In last.
func (l *Left) Files() []*os.File {
	files := []*os.File{l.Out, l.Err}
	if l.In != nil {
		files = append(files, l.In)
	}
	return files
}

// Close closes our copies of the files, once another process has them.
func (l *Left) Close() { closeAll(l.Files()) }

// RunOrLeave is Run for a command that may go on without its caller: leave is
// asked, once, with the first line of its standard output, as soon as that is
// whole and if the command still runs then. If it says yes, and the command can
// be left, the Left is not nil and the result's status is Background.
//
// What can be left is a process of ours: not a script of the builtin shell that
// is more than one program, not one with a terminal, and nothing on Windows.
func RunOrLeave(ctx context.Context, job Job, leave func(line []byte) bool) (response.Result, *Left) {
	if canLeave && !job.Pty {
		job.leaving = &leaving{ask: leave, begin: time.Now(), declared: make(chan struct{})}
	}
	result := Run(ctx, job)
	if job.leaving == nil {
		return result, nil
	}
	return result, job.leaving.left
}

// A leaving is the state of a job that may be left.
type leaving struct {
	ask      func(line []byte) bool
	begin    time.Time
	declared chan struct{} // closed when ask said yes
	left     *Left
}

// declaration is the channel to wait on; nil, which never comes, for a job that
// cannot be left.
func (l *leaving) declaration() <-chan struct{} {
	if l == nil {
		return nil
	}
	return l.declared
}

// maxFirstLine bounds the line that is asked about.
const maxFirstLine = 64 << 10

// firstLine returns the first line with something on it, if it is whole; over
// says that none is to be waited for.
func firstLine(text []byte) (line []byte, over bool) {
	text = bytes.TrimLeft(text, " \t\r\n")
	end := bytes.IndexByte(text, '\n')
	if end < 0 {
		return nil, len(text) > maxFirstLine
	}
	return text[:end], true
}

// watch asks about the first line of a stream when it has come. It returns the
// function to call with all that has been read.
func (l *leaving) watch() func(text []byte) (over bool) {
	if l == nil {
		return nil
	}
	return func(text []byte) bool {
		line, over := firstLine(text)
		if line != nil && l.ask(line) {
			close(l.declared)
		}
		return over || line != nil
	}
}

// leave gives the streams of a command away.
func (s *stdio) leave(job Job, proc *process, tag string) *Left {
	s.letGo()
	l := &Left{Pid: proc.proc.Pid, Tag: tag, Out: s.out.pipe, Err: s.err.pipe, In: s.in.pipe}
	l.Stdout, l.Stderr = s.out.leave(), s.err.leave()
	if l.Unfed = s.in.leave(job.Stdin); len(l.Unfed) == 0 {
		l.In.Close()
		l.In = nil
	}
	if job.Timeout > 0 {
		l.Timeout = max(job.Timeout-time.Since(job.leaving.begin), time.Millisecond)
	}
	go func() { // the leader is our child as long as this process lives
		<-proc.ended
		proc.reap()
	}()
	return l
}

// leave stops reading and returns what was read.
func (c *capture) leave() []byte {
	_ = c.pipe.SetReadDeadline(time.Now())
	<-c.done
	_ = c.pipe.SetReadDeadline(time.Time{})
	return c.buf
}

// leave stops writing and returns what was not written.
func (f *feed) leave(data []byte) []byte {
	_ = f.pipe.SetWriteDeadline(time.Now())
	<-f.done
	_ = f.pipe.SetWriteDeadline(time.Time{})
	return data[f.written:]
}

// errLeft ends a script of the interpreter whose program goes on without it.
var errLeft = errors.New("left")

// isOneProgram reports whether a script is nothing but one command.
func isOneProgram(file *syntax.File) bool {
	if len(file.Stmts) != 1 {
		return false
	}
	stmt := file.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	return ok && len(call.Args) > 0 && !stmt.Background && !stmt.Negated
}

// waitOrLeave is wait that also ends when the command is to be left: then it
// returns true.
func (p *process) waitOrLeave(ctx context.Context, tag string, l *leaving) (end ending, left bool) {
	select {
	case <-l.declaration():
		select {
		case <-p.ended:
		default:
			return ending{}, true
		}
	case <-p.ended:
	case <-ctx.Done():
	}
	return p.wait(ctx, tag), false
}
