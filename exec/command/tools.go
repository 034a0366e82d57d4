package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"mvdan.cc/sh/v3/interp"

	"github.com/theus-hooks/theus-hooks/internal/environ"
)

// toolsName is the variable that, set to 0, keeps programs from being served in
// process.
const toolsName = "THEUS_HOOKS_BUILTIN_TOOLS"

// serve does the work of a program in process where its result is known to be
// the same, which saves a process; ok is false where it is not, and rest then
// what the program has to get as its stdin, if that was read. path is where the
// program was found, as another of the same name is not ours to imitate, or ""
// if there is none.
func (in *interpreter) serve(ctx context.Context, path string, env, args []string) (ok bool, rest *refill, err error) {
	if off, _ := environ.Lookup(env, toolsName); off == "0" || in.noTools {
		return false, nil, nil
	}
	hc := interp.HandlerCtx(ctx)
	switch {
	case tooLong(env) || tooLong(args):
		return false, nil, nil // the system would not start it
	case path == "/bin/cat" || path == "/usr/bin/cat":
		sources, ok := catSources(hc, args[1:])
		if !ok {
			return false, nil, nil
		}
		return true, nil, in.cat(ctx, hc, sources)
	case path == "" && args[0] == "jq":
		return true, nil, in.withoutJq(ctx, hc, env, args)
	case isJq(path):
		return in.jq(ctx, hc, env, args)
	default:
		return false, nil, nil
	}
}

// maxArg is the longest argument that any system can give to a program.
const maxArg = 128 << 10

func tooLong(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return len(arg) >= maxArg })
}

// A catSource is what cat reads next: a file by its name, or stdin for "".
type catSource struct{ name, path string }

// catSources reads the arguments of cat: none, or regular files.
func catSources(hc interp.HandlerContext, args []string) ([]catSource, bool) {
	if len(args) == 0 {
		f, ok := hc.Stdin.(*os.File)
		return []catSource{{}}, ok && !isOutput(hc, f.Stat)
	}
	var sources []catSource
	for _, name := range args {
		path := absolute(name, hc.Dir)
		info, err := os.Stat(path)
		if strings.HasPrefix(name, "-") || name == "" || err == nil && !info.Mode().IsRegular() || err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, false
		}
		if err == nil && isOutput(hc, func() (os.FileInfo, error) { return info, nil }) {
			return nil, false
		}
		if clean := filepath.Clean(path); strings.HasPrefix(clean, "/proc/") || strings.HasPrefix(clean, "/dev/") || strings.HasPrefix(clean, "/sys/") {
			return nil, false
		}
		sources = append(sources, catSource{name: name, path: path})
	}
	return sources, true
}

// isOutput reports whether a file to be read is the one to be written.
func isOutput(hc interp.HandlerContext, stat func() (os.FileInfo, error)) bool {
	out, ok := hc.Stdout.(*os.File)
	if !ok {
		return false
	}
	to, err := out.Stat()
	from, err2 := stat()
	return err == nil && err2 == nil && to.Mode().IsRegular() && os.SameFile(from, to)
}

// endedBy is how a tool ends whose output failed with err; nil: it can say so
// and go on.
func (in *interpreter) endedBy(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errLongOutput):
		return in.fail(err)
	case errors.Is(err, syscall.EPIPE):
		return exitError{end: ending{code: 128 + 13, signal: "PIPE"}}
	}
	return nil
}

// cat copies the sources to stdout. Its status is 1 if one is not there, and
// that of SIGPIPE if nobody reads any more.
func (in *interpreter) cat(ctx context.Context, hc interp.HandlerContext, sources []catSource) error {
	status := 0
	out := &boundedWriter{w: hc.Stdout}
	for _, source := range sources {
		err := in.catOne(ctx, hc, out, source)
		if end := in.endedBy(ctx, err); end != nil {
			return end
		}
		if err != nil {
			fmt.Fprintf(hc.Stderr, "cat: %s: %v\n", source.name, cause(err))
			status = 1
		}
	}
	if out.nul {
		fmt.Fprintln(hc.Stderr, nulWarning)
	}
	if status != 0 {
		return exitError{end: ending{code: status}}
	}
	return nil
}

func (in *interpreter) catOne(ctx context.Context, hc interp.HandlerContext, out io.Writer, source catSource) error {
	f, ok := hc.Stdin.(*os.File)
	if source.path != "" {
		opened, err := os.Open(source.path)
		if err != nil {
			return err
		}
		defer opened.Close()
		f = opened
	} else if ok {
		in.stdin.share(f)
		stop := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Now()) })
		defer stop()
	}
	_, err := io.Copy(out, struct{ io.Reader }{f})
	return err
}
