package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/environ"
	"github.com/theus-hooks/theus-hooks/settings/shell"
)

// An engine is what runs a job.
type engine struct {
	name    string // as Result.Shell
	why     string // the construct that decided, or ""
	warning string
	argv    []string      // the program and its arguments, or nil for the interpreter
	script  *shell.Script // for the interpreter
	bad     error         // why the text is not bash, where it was looked at
}

// choose decides what runs the job, before anything runs.
func choose(job Job) (engine, error) {
	if job.Exec {
		return engine{name: "exec", argv: append([]string{job.Command}, job.Args...)}, nil
	}
	switch job.Shell {
	case "":
		return chooseByText(job)
	case "builtin":
		return forceBuiltin(job)
	case "bash", "sh":
		return engine{name: job.Shell, argv: []string{job.Shell, "-c", job.Command}}, nil
	case "powershell":
		return powershell(job)
	default:
		return engine{}, fmt.Errorf("unknown shell %q: builtin, bash, sh or powershell", job.Shell)
	}
}

// chooseByText takes the interpreter where it is faithful, else the machine's
// bash, else its sh, and only without both the interpreter all the same.
func chooseByText(job Job) (engine, error) {
	script, bad := shell.Parse(job.Command)
	why := ""
	if job.Pty {
		why = "a terminal for its output"
	} else if bad != nil {
		why = bad.Error()
	} else if why = whyNotBuiltin(script, job); why == "" {
		return engine{name: "builtin", script: script}, nil
	}
	for _, name := range []string{"bash", "sh"} {
		if _, err := lookPath(name, job.Dir, job.Env); err == nil {
			return engine{name: name, why: why, argv: []string{name, "-c", job.Command}, bad: bad}, nil
		}
	}
	if job.Pty {
		return engine{name: "builtin", why: why}, errPty
	}
	if bad != nil {
		return engine{name: "builtin", why: why}, fmt.Errorf("there is no bash here, and the command is not shell text: %w", bad)
	}
	return engine{
		name: "builtin", why: why, script: script,
		warning: "neither bash nor sh is on the PATH; the builtin shell ran the command and may differ on " + why,
	}, nil
}

var errPty = errors.New("the builtin shell has no terminal to give; pty needs bash, sh or the exec form")

func forceBuiltin(job Job) (engine, error) {
	if job.Pty {
		return engine{name: "builtin"}, errPty
	}
	script, err := shell.Parse(job.Command)
	if err != nil {
		return engine{name: "builtin"}, fmt.Errorf("the command is not shell text: %w", err)
	}
	return engine{name: "builtin", script: script, why: whyNotBuiltin(script, job)}, nil
}

// maxTaken is how large stdin may be for a script that may take it into its
// memory in process: far enough below what such a script may hold.
const maxTaken = 1 << 20

// whyNotBuiltin names what only bash does right, or "".
func whyNotBuiltin(script *shell.Script, job Job) string {
	e, env := script.Engine(), job.Env
	switch {
	case !e.Builtin:
		return e.Why
	case strings.Contains(job.Command, "async") && !isOneProgram(script.File):
		return "async, by which it may go on in the background"
	case e.Takes && len(job.Stdin) > maxTaken:
		return "a large event that it may take into memory"
	}
	for _, name := range e.Unquoted {
		if value, _ := environ.Lookup(env, name); strings.ContainsAny(value, " \t\n*?[\\") {
			return "$" + name + " outside quotes, with something to split in it"
		}
	}
	for _, name := range e.Unset {
		if _, set := environ.Lookup(env, name); set {
			return "a loop over $" + name + ", which is in the environment"
		}
	}
	return needsBash(env)
}

// needsBash names the variable of the environment that changes how bash reads
// a script, or "".
func needsBash(env []string) string {
	for _, name := range []string{"HOME", "PATH"} {
		if value, _ := environ.Lookup(env, name); value == "" {
			return "no " + name + " in the environment"
		}
	}
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case "BASH_ENV", "BASHOPTS", "SHELLOPTS", "POSIXLY_CORRECT", "BASH_COMPAT", "CDPATH", "GLOBIGNORE":
			return name + " in the environment"
		}
		if strings.HasPrefix(name, "BASH_FUNC_") {
			return "the exported function " + strings.TrimSuffix(strings.TrimPrefix(name, "BASH_FUNC_"), "%%")
		}
	}
	return ""
}

// powershell prefers the portable pwsh to what Windows brings.
func powershell(job Job) (engine, error) {
	for _, name := range []string{"pwsh", "powershell"} {
		if path, err := lookPath(name, job.Dir, job.Env); err == nil {
			argv := []string{path, "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command", job.Command}
			return engine{name: "powershell", argv: argv}, nil
		}
	}
	return engine{name: "powershell"}, errors.New("neither pwsh nor powershell is on the PATH")
}

// run runs the job. The error says why nothing ran.
func (e engine) run(ctx context.Context, job Job, tag string, streams *stdio) (ending, error) {
	if e.argv == nil {
		return interpret(ctx, job, e, tag, streams)
	}
	path, err := lookPath(e.argv[0], job.Dir, job.Env)
	if err != nil {
		return ending{}, err
	}
	proc, err := start(program{path: path, argv: e.argv, dir: job.Dir, env: job.Env, files: streams.theirs, tty: streams.tty})
	if err != nil {
		return ending{}, startError(e.argv[0], err)
	}
	streams.letGo()
	end, left := proc.waitOrLeave(ctx, tag, job.leaving)
	if left {
		end.left = proc
	}
	return end, nil
}
