package testscripts

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// A Result is what came of one script.
type Result struct {
	Name string // path of the script as found
	Pass bool
	Log  string // the transcript of a failed script, of every one when Verbose
}

// RunOptions select and show scripts.
type RunOptions struct {
	Options
	// Paths are scripts and directories searched for *.txtar files; none: the
	// working directory.
	Paths []string
	// Match limits the run to scripts whose path it matches. Nil: all.
	Match *regexp.Regexp
	// Verbose keeps the transcript of scripts that pass, too.
	Verbose bool
	// Report, if not nil, is called with each result as it comes.
	Report func(Result)
}

// ErrNoScripts is returned by Run when the paths hold no script to run.
var ErrNoScripts = errors.New("no .txtar script found")

// Run runs scripts one after the other and returns their results in the order
// of their paths. The error is ErrNoScripts or one of reading a path.
func Run(opts RunOptions) ([]Result, error) {
	files, err := find(opts.Paths, opts.Match)
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, file := range files {
		r := runOne(file, opts)
		results = append(results, r)
		if opts.Report != nil {
			opts.Report(r)
		}
	}
	return results, nil
}

// find lists the scripts at paths, each once, sorted within a path.
func find(paths []string, match *regexp.Regexp) ([]string, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var files []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, path)
			continue
		}
		err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && filepath.Ext(p) == ".txtar" {
				files = append(files, p)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	files = slices.DeleteFunc(files, func(f string) bool { return match != nil && !match.MatchString(f) })
	if len(files) == 0 {
		return nil, fmt.Errorf("%w in %s", ErrNoScripts, strings.Join(paths, " "))
	}
	return files, nil
}

func runOne(file string, opts RunOptions) Result {
	t := &scriptT{verbose: opts.Verbose}
	opts.ScriptDir, _ = filepath.Abs(filepath.Dir(file)) // fails only without a working directory
	params := Params(opts.Options)
	params.Files = []string{file}
	func() {
		defer t.catch()
		testscript.RunT(t, params)
	}()
	r := Result{Name: file, Pass: !t.failed}
	if t.failed || opts.Verbose {
		r.Log = t.log.String()
	}
	return r
}

// scriptT is the testing.T of one script outside `go test`.
type scriptT struct {
	verbose bool
	failed  bool
	log     strings.Builder
}

// stopped unwinds a script that is over.
type stopped struct{}

func (t *scriptT) catch() {
	if p := recover(); p != nil {
		if _, ok := p.(stopped); !ok {
			panic(p)
		}
	}
}

func (t *scriptT) Skip(args ...any) {
	t.Log(args...)
	panic(stopped{})
}

func (t *scriptT) Fatal(args ...any) {
	t.Log(args...)
	t.FailNow()
}

func (t *scriptT) FailNow() {
	t.failed = true
	panic(stopped{})
}

func (t *scriptT) Log(args ...any) { fmt.Fprintln(&t.log, args...) }

func (t *scriptT) Parallel() {}

func (t *scriptT) Verbose() bool { return t.verbose }

func (t *scriptT) Run(_ string, f func(testscript.T)) {
	defer t.catch()
	f(t)
}

// Print writes a result as a line, with the transcript where there is one.
func (r Result) Print(w io.Writer) {
	word := "ok  "
	if !r.Pass {
		word = "FAIL"
	}
	fmt.Fprintf(w, "%s %s\n", word, r.Name)
	if r.Log != "" {
		fmt.Fprintf(w, "     %s\n", strings.ReplaceAll(strings.TrimSpace(r.Log), "\n", "\n     "))
	}
}
