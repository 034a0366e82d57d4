package command

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// fileTests are the tests of a file that are ours, by their operators.
var fileTests = map[syntax.UnTestOperator]string{
	syntax.TsExists: "-e", syntax.TsRegFile: "-f", syntax.TsDirect: "-d", syntax.TsNoEmpty: "-s", syntax.TsNmPipe: "-p",
	syntax.TsSmbLink: "-L", syntax.TsRead: "-r", syntax.TsWrite: "-w", syntax.TsExec: "-x",
}

// fileTest makes of -f FILE and its like a command of ours, or returns nil. The
// interpreter would shorten the name first: link/../x to x, which is another
// file where link leads elsewhere, and x/ to x.
func fileTest(x syntax.TestExpr) *syntax.Stmt {
	u, ok := x.(*syntax.UnaryTest)
	if !ok || fileTests[u.Op] == "" {
		return nil
	}
	name, ok := u.X.(*syntax.Word)
	if !ok {
		return nil
	}
	if name = oneArgument(name); name == nil {
		return nil
	}
	return &syntax.Stmt{Cmd: &syntax.CallExpr{Args: []*syntax.Word{literal(fileName), literal(fileTests[u.Op]), name}}}
}

// testFile does such a test.
func testFile(ctx context.Context, op, name string) error {
	hc := interp.HandlerCtx(ctx)
	if holdsFile(ctx, op, absolute(name, hc.Dir)) {
		return nil
	}
	return interp.ExitStatus(1)
}

func holdsFile(ctx context.Context, op, path string) bool {
	if strings.HasPrefix(filepath.Clean(path), "/dev/fd/") {
		if _, ok := ownStream(filepath.Clean(path)); !ok {
			return false // a file of ours
		}
	}
	switch op {
	case "-r", "-w", "-x":
		return accessible(path, op)
	}
	info, err := stat(ctx, path, op != "-L")
	if err != nil {
		return false
	}
	switch op {
	case "-f":
		return info.Mode().IsRegular()
	case "-d":
		return info.IsDir()
	case "-s":
		return info.Size() > 0
	case "-p":
		return info.Mode()&os.ModeNamedPipe != 0
	case "-L":
		return info.Mode()&fs.ModeSymlink != 0
	default:
		return true
	}
}
