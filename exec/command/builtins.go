package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"

	"github.com/theus-hooks/theus-hooks/internal/environ"
)

// errUnsupported is how a script ends that asks the interpreter for something
// it cannot do. It would otherwise go on with status 2, which means a block.
var errUnsupported = errors.New("the builtin shell does not know this; set \"shell\": \"bash\"")

// errNoBlock is how a script ends whose status of 2 may be the interpreter's.
var errNoBlock = errors.New("the builtin shell ended with status 2, which is its own for what it cannot do, and no block")

// The builtins that we do ourselves have names, on their way through the
// runner, that no text can hold.
const (
	readName   = "read\x00"
	printName  = "print\x00"
	failName   = "fail\x00"
	matchName  = "match\x00"
	fileName   = "file\x00"
	statusCode = "status\x00"
)

// own runs one of our builtins; ok is false for everything else.
func (in *interpreter) own(ctx context.Context, args []string) (ok bool, err error) {
	switch args[0] {
	case readName:
		return true, in.read(ctx, args[1:])
	case printName:
		return true, write(ctx, args[1])
	case matchName:
		return true, match(args[1:])
	case statusCode:
		if status, _ := strconv.Atoi(args[1]); status != 0 {
			return true, interp.ExitStatus(status)
		}
		return true, nil
	case fileName:
		return true, testFile(ctx, args[1], args[2])
	case failName:
		fmt.Fprintln(interp.HandlerCtx(ctx).Stderr, args[2])
		status, _ := strconv.Atoi(args[1])
		return true, interp.ExitStatus(status)
	default:
		return false, nil
	}
}

// call takes the builtins that the interpreter does otherwise than bash.
func (in *interpreter) call(ctx context.Context, args []string) ([]string, error) {
	in.mu.Lock()
	in.last = args
	in.mu.Unlock()
	if holds(interp.HandlerCtx(ctx).Env) > maxHeld {
		return nil, in.fail(errHolds)
	}
	name, rest := args[0], args[1:]
	if in.functions[name] {
		return args, nil
	}
	switch name {
	case "echo":
		return prints(echo(rest, speaksUTF8(interp.HandlerCtx(ctx).Env))), nil
	case "printf":
		if text, ok := printf(rest); ok {
			return prints(text), nil
		}
	case "read":
		if names, _ := readNames(rest); names != nil {
			return append([]string{readName}, rest...), nil
		}
	case "cd":
		return in.changeDir(interp.HandlerCtx(ctx), args)
	case "command":
		if len(rest) == 2 && rest[0] == "-v" && !interp.IsBuiltin(rest[1]) && !in.functions[rest[1]] {
			return commandV(interp.HandlerCtx(ctx), rest[1]), nil
		}
	}
	if err := unsupported(name, rest); err != nil {
		return nil, in.fail(err)
	}
	return args, nil
}

// maxHeld bounds what the variables of a script hold together whenever a command
// begins.
const maxHeld = 16 << 20

var errHolds = fmt.Errorf("the variables hold more than %d MiB; set \"shell\": \"bash\"", maxHeld>>20)

// holds is how much the variables hold.
func holds(env expand.Environ) int {
	total := 0
	env.Each(func(_ string, v expand.Variable) bool {
		total += len(v.Str)
		return true
	})
	return total
}

// exits2 reports whether the script's last word was exit 2.
func (in *interpreter) exits2() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.last) != 2 || (in.last[0] != "exit" && in.last[0] != "return") {
		return false
	}
	n, err := strconv.Atoi(in.last[1])
	return err == nil && n&0xff == 2
}

// fails is a command that says something and ends with a status.
func fails(status int, message string) []string {
	return []string{failName, strconv.Itoa(status), message}
}

// knownOptions are the options that the interpreter has, of the builtins of
// which it has only some.
var knownOptions = map[string]string{
	"read": "-r -s -a -p -rs -ra -rp", "type": "-p -P -t", "shopt": "-s -u -o", "command": "-v",
	"mapfile": "-t -d -td", "readarray": "-t -d -td",
}

// unsupported reports builtins, and options of them, that the interpreter has
// only a name for.
func unsupported(name string, args []string) error {
	option := ""
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		option = args[0]
	}
	switch name {
	case "bg", "fc", "fg", "jobs", "kill", "newgrp", "umask", "bind", "caller", "compgen", "complete",
		"compopt", "disown", "enable", "history", "logout", "suspend", "ulimit", "times", "hash":
		return fmt.Errorf("%s: %w", name, errUnsupported)
	case "read", "wait", "type", "shopt", "mapfile", "readarray", "command":
		if option != "" && option != "--" && !slices.Contains(strings.Fields(knownOptions[name]), option) {
			return fmt.Errorf("%s %s: %w", name, option, errUnsupported)
		}
	case "set":
		if option == "-o" && len(args) > 1 && !slices.Contains([]string{"allexport", "errexit", "noexec", "noglob", "nounset", "xtrace", "pipefail"}, args[1]) {
			return fmt.Errorf("set -o %s: %w", args[1], errUnsupported)
		}
	case "trap":
		for _, signal := range args[min(1, len(args)):] {
			if signal != "EXIT" && signal != "ERR" {
				return fmt.Errorf("trap %s: %w", signal, errUnsupported)
			}
		}
	}
	return nil
}

// changeDir is cd to one directory. The interpreter takes "" for an error and
// a/../b for b even where there is no a.
func (in *interpreter) changeDir(hc interp.HandlerContext, args []string) ([]string, error) {
	if len(args) != 2 {
		return args, nil
	}
	dir := args[1]
	switch {
	case dir == "":
		return []string{"cd", "."}, nil
	case dir == "-" && hc.Env.Get("OLDPWD").IsSet():
		return args, nil
	case dir == "--":
		return []string{"cd"}, nil
	case dir == "-":
		return fails(1, "cd: OLDPWD is not set"), nil
	case strings.HasPrefix(dir, "-") && strings.Trim(dir[1:], "LPe@") != "":
		return fails(2, "cd: "+dir+": no such option"), nil
	case strings.HasPrefix(dir, "-"), strings.HasPrefix(dir, "//") && !strings.HasPrefix(dir, "///"):
		return nil, in.fail(fmt.Errorf("cd %s: %w", dir, errUnsupported))
	}
	elems := strings.Split(dir, "/")
	for i, elem := range elems {
		before := strings.Join(elems[:i], "/")
		if elem != ".." || before == "" {
			continue
		}
		if checkDir(absolute(before, hc.Dir)) != nil {
			return []string{"cd", before}, nil
		}
	}
	return args, nil
}

// commandV is command -v for what could only be a program. A file on the PATH
// that cannot be executed counts where there is no better one.
func commandV(hc interp.HandlerContext, name string) []string {
	env := withHome(exported(hc))
	if strings.ContainsRune(name, '/') {
		if file, _ := executable(absolute(name, hc.Dir), env); file != "" {
			return prints(name + "\n")
		}
		return []string{"false"}
	}
	answer := []string{"false"}
	list, _ := environ.Lookup(env, "PATH")
	for _, elem := range pathList(list) {
		if elem == "" {
			elem = "."
		}
		path := strings.TrimSuffix(elem, "/") + "/" + name
		file, found := executable(absolute(path, hc.Dir), env)
		if file != "" {
			return prints(path + "\n")
		}
		if found && len(answer) == 1 {
			answer = prints(path + "\n")
		}
	}
	return answer
}
