package command

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// A handle is the Job Object that holds the process and its descendants. It
// is 0 where the system gave none; then only the process itself is ended.
type handle windows.Handle

func (h handle) release() {
	if h != 0 {
		windows.CloseHandle(windows.Handle(h))
	}
}

func startOnce(p program) (*os.Process, handle, error) {
	proc, err := os.StartProcess(p.path, p.argv, &os.ProcAttr{
		Dir: p.dir, Env: p.env, Files: p.files[:],
		// No window, and no console of ours on which it could ask anyone.
		Sys: &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW},
	})
	if err != nil {
		return nil, 0, err
	}
	return proc, jobWith(proc), nil
}

// jobWith puts the process into a job of its own. A child that it starts
// before that stays outside.
func jobWith(proc *os.Process) handle {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0
	}
	const access = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE
	p, err := windows.OpenProcess(access, false, uint32(proc.Pid))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, p)
		windows.CloseHandle(p)
	}
	if err != nil {
		windows.CloseHandle(job)
		return 0
	}
	return handle(job)
}

// stop ends the process and its descendants at once: the system knows no
// polite request.
func (p *process) stop(string) {
	if p.owned != 0 {
		_ = windows.TerminateJobObject(windows.Handle(p.owned), 1)
	}
	_ = p.proc.Kill()
}

func isNotExecutableFormat(error) bool { return false }

func isFileBusy(error) bool { return false }

func endingOf(state *os.ProcessState) ending { return ending{code: state.ExitCode()} }
