//go:build unix

package command

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A handle is nothing here: a process group is known by its leader's number.
type handle struct{}

func (handle) release() {}

func startOnce(p program) (*os.Process, handle, error) {
	attr := &syscall.SysProcAttr{Setsid: true}
	if p.tty {
		attr.Setctty, attr.Ctty = true, 1 // as the child numbers it: its stdin is a pipe
	}
	proc, err := os.StartProcess(p.named(), p.argv, &os.ProcAttr{
		Dir: p.dir, Env: p.env, Files: p.files[:], Sys: attr,
	})
	return proc, handle{}, err
}

func isNotExecutableFormat(err error) bool { return errors.Is(err, syscall.ENOEXEC) }

func isFileBusy(err error) bool { return errors.Is(err, syscall.ETXTBSY) }

// endingOf reads an exit status. A signal counts as 128 + its number, as in
// every shell.
func endingOf(state *os.ProcessState) ending {
	status, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return ending{code: state.ExitCode()}
	}
	name := strings.TrimPrefix(unix.SignalName(status.Signal()), "SIG")
	return ending{code: 128 + int(status.Signal()), signal: name}
}

// stop ends the process and everything that belongs to it: TERM, then KILL
// for what is left. CONT lets a stopped process hear the TERM.
func (p *process) stop(tag string) {
	group := p.proc.Pid
	_ = unix.Kill(-group, unix.SIGTERM)
	_ = unix.Kill(-group, unix.SIGCONT)
	graceOver := time.Now().Add(killGrace)
	if within(killGrace, p.ended) {
		// Its children have the rest of the grace, no longer than they need.
		for time.Now().Before(graceOver) && hasOthers(group) {
			time.Sleep(5 * time.Millisecond)
		}
	}
	_ = unix.Kill(-group, unix.SIGKILL)
	sweep(group, tag)
}
