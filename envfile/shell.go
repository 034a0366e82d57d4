package envfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/theus-hooks/theus-hooks/internal/environ"
)

// evaluateInShell sources text in a fresh shell and compares its exported
// variables before and after. What the shell complains about come as problems.
func evaluateInShell(ctx context.Context, shell string, text []byte, noted map[string]note, opts Options) ([]Change, []Problem, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, opts.TimeLimit, fmt.Errorf("%w within %v", ErrUnfinished, opts.TimeLimit))
	defer cancel()
	file, err := writeScript(text)
	if err != nil {
		return nil, nil, err
	}
	defer os.Remove(file)
	stdout, stderr, err := runShell(ctx, shellCommand(shell, file, opts))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", opts.Name, err)
	}
	before, rest, _ := strings.Cut(string(stdout), "\x00")
	after, finished := strings.CutSuffix(rest, "\x00")
	if !finished {
		return nil, complaints(stderr, file), fmt.Errorf("%s: %w", opts.Name, ErrUnfinished)
	}
	old, err := exported(before)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: the shell's list of variables: %w", opts.Name, err)
	}
	now, err := exported(after)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: the shell's list of variables: %w", opts.Name, err)
	}
	return difference(old, now, noted), complaints(stderr, file), nil
}

// driver sources $0 and prints the exported variables before and after, each
// list with a NUL behind it: also when the script exits.
const driver = `exec 3>&1 >/dev/null
_theus_list() { command export -p >&3; command printf '\0' >&3; }
_theus_list
trap _theus_list 0
set -a
. "$0"
set +a
trap - 0
_theus_list`

// shellCommand is the command that runs driver on file.
func shellCommand(shell, file string, opts Options) *exec.Cmd {
	args := []string{"-c", driver, file}
	if base := filepath.Base(shell); strings.HasPrefix(base, "bash") {
		args = append([]string{"--norc", "--noprofile"}, args...)
	}
	cmd := exec.Command(shell, args...)
	cmd.Dir = opts.Dir
	cmd.Env = environ.Filter(opts.Env, func(name string) bool {
		switch name {
		case "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS": // would change what the shell does
			return true
		}
		return strings.HasPrefix(name, "BASH_FUNC_")
	})
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	ownGroup(cmd)
	return cmd
}

// writeScript puts text where a shell can source it.
func writeScript(text []byte) (path string, err error) {
	f, err := os.CreateTemp("", "theus-env-*.sh")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// Bounds of what is read from a shell, in bytes.
const (
	maxReport = 32 << 20
	maxStderr = 64 << 10
)

// runShell runs cmd until it has printed its second list, ends, or ctx does,
// and then ends whatever is left of its group.
func runShell(ctx context.Context, cmd *exec.Cmd) (stdout, stderr []byte, err error) {
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	errR, errW, err := os.Pipe()
	if err != nil {
		outR.Close()
		outW.Close()
		return nil, nil, err
	}
	cmd.Stdout, cmd.Stderr = outW, errW
	err = cmd.Start()
	outW.Close()
	errW.Close()
	if err != nil {
		outR.Close()
		errR.Close()
		return nil, nil, err
	}
	said := make(chan []byte, 1)
	go func() { said <- readAll(errR, maxStderr) }()
	killed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		killGroup(cmd)
		outR.Close() // what left the group may hold the other end
		close(killed)
	})
	stdout = readReports(outR)
	if !stop() {
		<-killed
	}
	killGroup(cmd) // before Wait, while the group's number is still taken
	_ = cmd.Wait() // how it ended says nothing
	outR.Close()
	stderr = drain(said, errR)
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if len(stdout) > maxReport {
		return nil, nil, ErrTooLarge
	}
	return stdout, stderr, nil
}

// readReports reads r up to and with the second NUL, its end or the bound.
func readReports(r io.Reader) []byte {
	var out []byte
	buf := make([]byte, 32<<10)
	for nuls := 0; nuls < 2 && len(out) <= maxReport; {
		n, err := r.Read(buf)
		out = append(out, buf[:n]...)
		nuls += bytes.Count(buf[:n], []byte{0})
		if err != nil {
			break
		}
	}
	return out
}

// readAll reads r to its end and keeps the first limit bytes.
func readAll(r io.Reader, limit int64) []byte {
	kept, _ := io.ReadAll(io.LimitReader(r, limit))
	_, _ = io.Copy(io.Discard, r)
	return kept
}

// drain waits for what a reader of r still gets, but not for processes that
// hold the other end open.
func drain(said <-chan []byte, r *os.File) []byte {
	defer r.Close()
	select {
	case text := <-said:
		return text
	case <-time.After(100 * time.Millisecond):
		r.Close()
		return <-said
	}
}

// exported reads what export -p printed.
func exported(list string) (map[string]string, error) {
	vars := make(map[string]string)
	e := newEvaluator(nil)
	e.limit = maxReport // values too long are the caller's to report
	for stmt, err := range e.statements(context.Background(), []byte(list)) {
		if err != nil {
			return nil, err
		}
		d, ok := stmt.Cmd.(*syntax.DeclClause)
		if !ok {
			continue
		}
		for _, a := range d.Args {
			if a.Name == nil || a.Naked || a.Array != nil {
				continue
			}
			if vars[a.Name.Value], err = e.assigned(a); err != nil {
				return nil, err
			}
		}
	}
	return vars, nil
}

// difference returns the changes from before to after, with those that the
// file names even if they change nothing.
func difference(before, after map[string]string, noted map[string]note) []Change {
	var names []string
	for name, value := range after {
		old, was := before[name]
		if noted[name].sure || !was || old != value {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, is := after[name]; !is {
			names = append(names, name)
		}
	}
	sortByNote(names, noted)
	changes := make([]Change, 0, len(names))
	for _, name := range names {
		value, set := after[name]
		changes = append(changes, Change{Name: name, Value: value, Unset: !set})
	}
	return changes
}

// complaints are the lines in which the shell itself names a line of file.
func complaints(stderr []byte, file string) []Problem {
	var problems []Problem
	for line := range strings.Lines(string(stderr)) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), file+": ")
		if !ok {
			continue
		}
		place, message, ok := strings.Cut(rest, ": ")
		if _, number, spaced := strings.Cut(place, " "); spaced { // "line 3" in the shell's language
			place = number
		}
		n, err := strconv.Atoi(place)
		if !ok || err != nil {
			n, message = 0, rest
		}
		problems = append(problems, Problem{Line: n, Message: message})
	}
	return problems
}

// lookUp finds a program on the PATH of env, else where systems keep shells.
func lookUp(name string, env []string) string {
	dirs := filepath.SplitList(environ.Get(env, "PATH"))
	for _, dir := range append(dirs, "/bin", "/usr/bin") {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path
		}
	}
	return ""
}
