package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/theus-hooks/theus-hooks/internal/environ"
	"github.com/theus-hooks/theus-hooks/response"
)

// classify gives the ending its status and its words. err says why nothing
// ran.
func classify(ctx context.Context, job Job, eng engine, end ending, err error, result *response.Result) {
	result.Error, result.Warning = end.note, eng.warning
	if end.stopped && end.broke != nil {
		defer func() { result.Error += "; " + end.broke.Error() }()
	}
	switch {
	case end.stopped && ctx.Err() != nil:
		result.Status, result.Error = response.Cancelled, "ended: "+ctx.Err().Error()
	case end.stopped:
		result.Status, result.Error = response.TimedOut, fmt.Sprintf("timed out after %s", job.Timeout)
	case err != nil:
		result.Status, result.Error = response.CouldNotStart, err.Error()+quoteHint(err.Error(), job.Env)
		if end.code != 0 {
			result.ExitCode = &end.code
		}
	case end.broke != nil:
		result.Status, result.Error = response.Failed, end.broke.Error()
	case end.signal != "":
		result.Status, result.Signal = response.Killed, end.signal
		result.Error = "killed by signal " + end.signal
	default:
		exited(ctx, job, eng, end.code, result)
	}
}

// exited gives an exit code its meaning.
func exited(ctx context.Context, job Job, eng engine, code int, result *response.Result) {
	result.ExitCode = &code
	switch code {
	case 0:
		result.Status = response.OK
		return
	case 2:
		result.Status = response.Blocked
		if fault := syntaxFault(ctx, job, eng, said(job, result)); fault != "" {
			result.Status, result.Error = response.CouldNotStart, fault
		}
		return
	case 126, 127:
		if complaint := complaintOf(eng, said(job, result)); complaint != "" {
			path, _ := environ.Lookup(job.Env, "PATH")
			result.Status = response.CouldNotStart
			result.Error = complaint + quoteHint(complaint, job.Env) + " (PATH is " + path + ")"
			return
		}
	}
	result.Status = response.Failed
}

// said is where a shell complains: on stderr, which a terminal has with stdout.
func said(job Job, result *response.Result) []byte {
	if job.Pty {
		return result.Stdout
	}
	return result.Stderr
}

// complaintOf is the last line that the shell itself wrote to stderr: it begins
// with the shell's name, in every language.
func complaintOf(eng engine, stderr []byte) string {
	if eng.name != "bash" && eng.name != "sh" {
		return ""
	}
	name, last := []byte(filepath.Base(eng.argv[0])+": "), ""
	for line := range bytes.Lines(stderr) {
		if bytes.HasPrefix(line, name) {
			last = string(bytes.TrimSpace(line))
		}
	}
	return last
}

// quoteHint is advice for where a path was cut at a blank: words of the
// message are what a variable's value begins with.
func quoteHint(message string, env []string) string {
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasSuffix(name, "_PROJECT_DIR") && !strings.HasSuffix(name, "_PLUGIN_ROOT") && !strings.HasSuffix(name, "_PLUGIN_DATA") {
			continue
		}
		first, _, blank := strings.Cut(value, " ")
		if blank && (strings.Contains(message, " "+first+":") || strings.HasSuffix(message, " "+first) || strings.HasPrefix(message, first+" ")) {
			return fmt.Sprintf("; write \"$%s\" with quotes, the path has a space in it", name)
		}
	}
	return ""
}

// syntaxTime bounds the second look at a text that may not be shell.
const syntaxTime = 500 * time.Millisecond

// syntaxFault tells an exit code of 2 that the shell gave because it could not
// read the text from one that the text gave: read without running it, the shell
// says the same again.
func syntaxFault(ctx context.Context, job Job, eng engine, stderr []byte) string {
	if (eng.name != "bash" && eng.name != "sh") || complaintOf(eng, stderr) == "" {
		return ""
	}
	again := Run(ctx, Job{
		Command: eng.argv[0], Args: []string{"-n", "-c", job.Command}, Exec: true,
		Dir: job.Dir, Env: setEnv(job.Env, "BASH_ENV", ""), Timeout: syntaxTime,
	})
	first, _, _ := bytes.Cut(again.Stderr, []byte("\n"))
	if again.ExitCode == nil || *again.ExitCode == 0 || len(first) == 0 || !bytes.Contains(stderr, first) {
		return ""
	}
	return "the command is not shell text: " + string(first)
}

// startError says why the system refused to start a program.
func startError(name string, err error) error {
	var already *lookupError
	if errors.As(err, &already) {
		return already
	}
	missing := errors.Is(err, fs.ErrNotExist)
	if missing { // of a file that is there
		err = errNoInterpreter
	}
	return &lookupError{Name: name, Found: !missing, Cause: cause(err)}
}

// errNoInterpreter is how a program did not start whose file is there.
var errNoInterpreter = errors.New("its first line names a program that is not there (one that ends in CRLF does), or the working directory is gone")

// cause is what the system said, without our own words around it.
func cause(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return err
}
