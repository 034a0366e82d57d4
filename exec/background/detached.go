package background

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/theus-hooks/theus-hooks/exec/session"
	"github.com/theus-hooks/theus-hooks/internal/environ"
)

// Command is the argument by which a program of ours carries a hook on, as Main
// does.
const Command = "__background"

// handOver bounds how long the new process may take to read its job.
const handOver = 10 * time.Second

// A Detached starts a process for each hook. The process has a session of its
// own and none of the caller's streams, so it outlives the caller and holds
// nobody up who waits for the end of these.
type Detached struct {
	// Executable is the program, and Args its arguments, its name first; it is to
	// call Main.
	Executable string
	Args       []string
	// Env is the process's environment. The hook gets that of its job.
	Env []string
}

// Start starts a process for the job and hands the job over.
func (d *Detached) Start(job Job, sess *session.Session) error {
	run, err := announce(job, sess, false)
	if err != nil {
		return err
	}
	if err := d.start(job, sess, run); err != nil {
		if run != nil {
			run.Abandon()
		}
		return fmt.Errorf("no process to run it in the background: %w", err)
	}
	if run != nil {
		run.HandOver()
	}
	if job.Left != nil {
		job.Left.Close()
	}
	return nil
}

func (d *Detached) start(job Job, sess *session.Session, run *session.Run) error {
	state, id := "", ""
	if run != nil {
		state, id = sess.Dir(), run.ID
	}
	job.Command.Env = environ.Filter(job.Command.Env, isTag)
	text, err := job.encode(state, id)
	if err != nil {
		return err
	}
	in, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ours.Close()
	defer in.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	proc, err := os.StartProcess(d.Executable, d.Args, &os.ProcAttr{
		Dir: rootDir(), Env: environ.Filter(d.Env, isTag), Files: inherited(in, null, run, job.Left), Sys: apart(),
	})
	if err != nil {
		return err
	}
	go proc.Wait() //nolint:errcheck // so that a caller who lives on has no zombie
	if run != nil {
		giveUp(run)
	}
	_ = ours.SetWriteDeadline(time.Now().Add(handOver))
	if _, err = ours.Write(text); err != nil {
		_ = proc.Kill()
	}
	return err
}

// isTag names the variable by which a hook around us finds its children: what
// is to outlive that hook must not be one.
func isTag(name string) bool { return name == "THEUS_HOOK_RUN" }

// Main is the process that carries a hook on: it reads the job from in, runs it
// and records the result. It returns when all is done; ending ctx, as a SIGTERM
// must, ends the hook.
func Main(ctx context.Context, in io.Reader) error {
	var file *os.File
	job, state, id, err := decodeJob(in, func(n int) (files []*os.File) {
		file, files = takeInherited(n)
		return files
	})
	if err != nil {
		return err
	}
	if state == "" {
		keep(ctx, job, nil, nil)
		return nil
	}
	sess := session.At(state)
	run, err := adopt(sess, id, file)
	if err != nil {
		return err
	}
	info := run.Info()
	info.Owner = os.Getpid() // not before: until a TERM is heard it must not be sent
	if err := run.SetInfo(info); err != nil {
		return err
	}
	keep(ctx, job, sess, run)
	return nil
}
