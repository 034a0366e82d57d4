package command

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/theus-hooks/theus-hooks/response"
)

// A Job is one command to run and everything it gets.
type Job struct {
	// Command is shell text or, in exec form, the program.
	Command string
	// Args are the program's arguments in exec form.
	Args []string
	// Exec: no shell reads Command.
	Exec bool
	// Shell forces what reads Command: "builtin", "bash", "sh" or
	// "powershell"; "" leaves the choice to the text.
	Shell string
	// Dir is the absolute working directory. It must exist.
	Dir string
	// Env is the complete environment, NAME=value; the last of two equal
	// names counts.
	Env []string
	// Stdin is what the command may read. It is shared and never written to.
	Stdin []byte
	// Timeout is how long the command may run; 0 or less: no limit.
	Timeout time.Duration
	// NoTools keeps the interpreter from doing in process what cat and jq do,
	// as THEUS_HOOKS_BUILTIN_TOOLS=0 in Env does.
	NoTools bool
	// Pty gives the command a terminal as its stdout and stderr, which is also
	// its controlling terminal; stdin stays what it is. What is written there
	// is the result's Stdout, and Stderr is empty. The interpreter cannot run
	// such a job, nor can Windows.
	Pty bool
	// Window is the size of that terminal. Where it has none, the environment's
	// LINES and COLUMNS count, else it is 24 by 80.
	Window Window

	leaving *leaving // nil: it is not left
}

// A Window is the size of a terminal in characters.
type Window struct{ Rows, Columns uint16 }

// After a command has ended, its streams are read on for drainTime at most,
// after a KILL for drainStopped: a child that still holds them open is not
// waited for.
const (
	drainTime    = time.Second
	drainStopped = 300 * time.Millisecond
)

// Run runs the job and says how it ended. It never fails otherwise: what kept
// the command from running is in the result. It returns by the timeout, or
// the end of ctx, plus two seconds at the latest.
func Run(ctx context.Context, job Job) response.Result {
	start := time.Now()
	result := run(ctx, job)
	result.Duration = time.Since(start)
	return result
}

// Engine says what would run the job, and why not the builtin shell, as
// Result.Shell and Result.ShellWhy do, without running it. The error says why
// nothing could.
func Engine(job Job) (shell, why string, err error) {
	job.Env = cleanEnv(job.Env)
	eng, err := choose(job)
	return eng.name, eng.why, err
}

func run(ctx context.Context, job Job) response.Result {
	tag := newTag()
	job.Env = setEnv(tagged(cleanEnv(job.Env), tag), "PWD", job.Dir)
	eng, err := choose(job)
	result := response.Result{Shell: eng.name, ShellWhy: eng.why}
	if err == nil {
		err = checkDir(job.Dir)
	}
	switch {
	case ctx.Err() != nil:
		result.Status, result.Error = response.Cancelled, "not started: "+ctx.Err().Error()
	case err != nil:
		result.Status, result.Error = response.CouldNotStart, err.Error()
	default:
		supervise(ctx, job, eng, tag, &result)
	}
	return result
}

// checkDir reports why a process cannot stand in dir.
func checkDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("working directory: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("working directory %s is not a directory", dir)
	}
	return nil
}

// supervise runs the job by its engine and fills the result.
//
// Ownership: the pipes belong to this function. The engine lends their far
// ends to the processes it starts, and is done with them when it returns; they
// are closed by the engine or here, whoever comes first, then the captures are
// finished, and then the feed is stopped. When this function returns, no
// goroutine and no file of the run is left, except for an interpreter that
// could not be stopped in time, which the error names.
func supervise(ctx context.Context, job Job, eng engine, tag string, result *response.Result) {
	streams, err := newStdio(job)
	if err != nil {
		result.Status, result.Error = response.CouldNotStart, err.Error()
		return
	}
	limited, cancel := withTimeout(ctx, job.Timeout)
	defer cancel()
	end, err := eng.run(limited, job, tag, streams)
	if end.left != nil {
		job.leaving.left = streams.leave(job, end.left, tag)
		result.Status = response.Background
		return
	}
	patience := drainTime
	if end.stopped || end.broke != nil {
		sweep(0, tag)
		patience = drainStopped
	}
	streams.letGo()
	result.Stdout, result.Stderr, result.DiscardedBytes = streams.finish(patience)
	result.Truncated = result.DiscardedBytes > 0
	classify(ctx, job, eng, end, err, result)
}

func withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}
