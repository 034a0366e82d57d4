package envfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/theus-hooks/theus-hooks/internal/statedir"
)

// Bounds of one evaluation, in bytes but for the last: the text of a file, one
// value, all values it sets, and the problems reported.
const (
	MaxText     = 4 << 20
	MaxValue    = 1 << 20
	MaxTotal    = 4 << 20
	MaxProblems = 50
)

// DefaultTimeLimit is how long a shell may work on one file.
const DefaultTimeLimit = 5 * time.Second

// Errors that cost a whole file. Everything smaller is a Problem.
var (
	ErrTooLarge   = errors.New("environment file longer than 4 MiB")
	ErrNotRegular = errors.New("environment file is not a regular file")
	ErrUnfinished = errors.New("environment file was not evaluated to its end")
)

// Options say in what surroundings a file is evaluated.
type Options struct {
	Env        []string      // NAME=value; what the file's expansions see and its changes refer to
	Dir        string        // working directory of a shell; empty: that of the process
	Bash       string        // the shell for what is not evaluated here; empty: looked up on Env's PATH
	NoShell    bool          // never start a shell: report what would need one
	Restricted bool          // refuse names that run code (RunsCode): the hook comes from a repository
	TimeLimit  time.Duration // of a shell; 0: DefaultTimeLimit
	Name       string        // stands for the file in messages; empty: "env file"
}

// A Problem is something in a file that did not apply, or not as written.
type Problem struct {
	Line    int // from 1; 0: the whole file
	Message string
}

// Read returns the text of the file at path, nothing when it is not there. The
// error is ErrTooLarge, ErrNotRegular or that of the file system.
func Read(path string) ([]byte, error) {
	f, err := statedir.OpenFile(path, os.O_RDONLY, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, statedir.ErrNotRegular):
		return nil, ErrNotRegular
	case err != nil:
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxText+1))
	if err == nil && len(text) > MaxText {
		return nil, ErrTooLarge
	}
	return text, err
}

// Evaluate returns what the shell script text changes in the environment of
// opts, one change per name, in the order in which the file makes them; what a
// shell changed without the file naming it follows by name. The error is
// ErrTooLarge, ErrUnfinished, that of ctx or that of starting a shell; then
// nothing applies.
func Evaluate(ctx context.Context, text []byte, opts Options) ([]Change, []Problem, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if len(text) > MaxText {
		return nil, nil, ErrTooLarge
	}
	if opts.Name == "" {
		opts.Name = "env file"
	}
	if opts.TimeLimit <= 0 {
		opts.TimeLimit = DefaultTimeLimit
	}
	text, problems := normalise(text)
	e := newEvaluator(opts.Env)
	if err := e.run(ctx, text); err != nil {
		return nil, nil, err
	}
	changes, found := e.changes(), e.problems
	if e.needsShell {
		if shell := findShell(opts, e.bashOnly); shell != "" {
			var err error
			if changes, found, err = evaluateInShell(ctx, shell, text, e.noted, opts); err != nil {
				return nil, problems, err
			}
		}
	}
	problems = append(problems, found...)
	changes, found = filter(changes, e.noted, opts.Restricted)
	problems = append(problems, found...)
	slices.SortStableFunc(problems, func(a, b Problem) int { return a.Line - b.Line })
	return changes, cut(problems), nil
}

// normalise drops what editors and other systems leave in a file and a shell
// would choke on; line numbers stay.
func normalise(text []byte) ([]byte, []Problem) {
	var problems []Problem
	if rest, ok := bytes.CutPrefix(text, []byte("\xef\xbb\xbf")); ok {
		text = rest
		problems = append(problems, Problem{Line: 1, Message: "byte order mark ignored"})
	}
	if at := bytes.Index(text, []byte("\r\n")); at >= 0 {
		line := 1 + bytes.Count(text[:at], []byte("\n"))
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
		problems = append(problems, Problem{Line: line, Message: "carriage returns at line ends ignored"})
	}
	if at := bytes.IndexByte(text, 0); at >= 0 {
		line := 1 + bytes.Count(text[:at], []byte("\n"))
		text = bytes.ReplaceAll(text, []byte{0}, nil)
		problems = append(problems, Problem{Line: line, Message: "NUL bytes ignored"})
	}
	return text, problems
}

// filter takes out what may not leave the file.
func filter(changes []Change, noted map[string]note, restricted bool) ([]Change, []Problem) {
	var problems []Problem
	kept := make([]Change, 0, len(changes))
	total := 0
	for _, c := range changes {
		message := ""
		switch {
		case !isKept(c.Name):
			continue
		case restricted && RunsCode(c.Name):
			message = c.Name + " can run code by itself and is not taken from the hooks of a repository"
		case len(c.Value) > MaxValue:
			message = fmt.Sprintf("%s: %v", c.Name, errLongValue)
		case total+len(c.Value) > MaxTotal:
			message = fmt.Sprintf("%s: %v", c.Name, errLongTotal)
		}
		if message != "" {
			problems = append(problems, Problem{Line: noted[c.Name].line, Message: message})
			continue
		}
		total += len(c.Value)
		kept = append(kept, c)
	}
	return kept, problems
}

// cut keeps a flood of problems readable.
func cut(problems []Problem) []Problem {
	if len(problems) <= MaxProblems {
		return problems
	}
	more := fmt.Sprintf("%d more problems", len(problems)-MaxProblems)
	return append(problems[:MaxProblems:MaxProblems], Problem{Message: more})
}

// findShell returns the shell that reads what is not evaluated here, or
// nothing. A sh takes a file only if nothing in it is known to be bash's.
func findShell(opts Options, bashOnly bool) string {
	switch {
	case opts.NoShell:
		return ""
	case opts.Bash != "":
		return opts.Bash
	}
	if bash := lookUp("bash", opts.Env); bash != "" || bashOnly {
		return bash
	}
	return lookUp("sh", opts.Env)
}
