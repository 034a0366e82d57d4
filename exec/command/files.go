package command

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"mvdan.cc/sh/v3/interp"
)

// The interpreter opens files in our own process. There a name such as
// /dev/stdin means our stdin, not the hook's, and /dev/tty the terminal that
// the hook has none of.

// open opens the target of a redirection. Its error names the file as the script
// does.
func (in *interpreter) open(ctx context.Context, path string, flag int, _ os.FileMode) (io.ReadWriteCloser, error) {
	if !in.begin() {
		return nil, context.Canceled
	}
	defer in.uses.Done()
	f, err := in.openTarget(ctx, path, flag)
	if perr, ok := err.(*os.PathError); ok {
		perr.Path = path
	}
	return f, err
}

func (in *interpreter) openTarget(ctx context.Context, path string, flag int) (io.ReadWriteCloser, error) {
	hc := interp.HandlerCtx(ctx)
	file := absolute(path, hc.Dir)
	name := filepath.Clean(file)
	if fd, ok := ownStream(name); ok {
		return in.reopen(hc, fd, path, flag)
	}
	switch {
	case name == "/dev/tty":
		return nil, &os.PathError{Op: "open", Path: path, Err: syscall.ENXIO}
	case meansTheProcess(name):
		return nil, in.fail(fmt.Errorf("%s as a redirection: %w", path, errUnsupported))
	}
	if info, err := os.Stat(file); err == nil && info.Mode().Type() == fs.ModeNamedPipe {
		return openFifo(ctx, file, flag)
	}
	return os.OpenFile(file, flag, 0o666) // the umask takes from it what bash lets it take
}

// ownStream reports whether a cleaned path names one of the three streams.
func ownStream(path string) (fd int, ok bool) {
	switch path {
	case "/dev/stdin":
		return 0, true
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return 2, true
	}
	for _, dir := range []string{"/dev/fd/", "/proc/self/fd/"} {
		if rest, found := strings.CutPrefix(path, dir); found && len(rest) == 1 && rest[0] <= '2' {
			return int(rest[0] - '0'), true
		}
	}
	return 0, false
}

// meansTheProcess reports whether a cleaned path means something of the process
// that opens it, or to bash no file at all.
func meansTheProcess(path string) bool {
	for _, dir := range []string{"/dev/fd/", "/dev/tcp/", "/dev/udp/", "/proc/self", "/proc/thread-self"} {
		if strings.HasPrefix(path, dir) {
			return true
		}
	}
	return strings.HasPrefix(path, "/proc/"+strconv.Itoa(os.Getpid()))
}

// stream is one of the streams that the script has at the moment.
func stream(hc interp.HandlerContext, fd int) any {
	switch fd {
	case 0:
		return hc.Stdin
	case 1:
		return hc.Stdout
	default:
		return hc.Stderr
	}
}

// reopen opens one of the script's own streams again.
func (in *interpreter) reopen(hc interp.HandlerContext, fd int, path string, flag int) (io.ReadWriteCloser, error) {
	switch s := stream(hc, fd).(type) {
	case *os.File:
		in.stdin.share(s)
		f, err := os.OpenFile("/dev/fd/"+strconv.Itoa(int(s.Fd())), flag, 0)
		if err != nil {
			return nil, err
		}
		in.keep(f)
		return f, nil
	case io.Writer:
		return buffer{s}, nil
	default:
		return nil, &os.PathError{Op: "open", Path: path, Err: syscall.ENXIO}
	}
}

// A buffer is a stream that is no file: the output of a substitution.
type buffer struct{ io.Writer }

func (buffer) Read([]byte) (int, error) { return 0, io.EOF }

func (buffer) Close() error { return nil }

// stat is what tests of files see.
func stat(ctx context.Context, name string, follow bool) (fs.FileInfo, error) {
	if fd, ok := ownStream(filepath.Clean(name)); ok && follow {
		if f, isFile := stream(interp.HandlerCtx(ctx), fd).(*os.File); isFile {
			return f.Stat()
		}
	}
	if follow {
		return os.Stat(name)
	}
	return os.Lstat(name)
}
