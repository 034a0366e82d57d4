// Command theus-hooks-host is the companion of theus-hooks: it holds the parts
// whose packages would make every hook call slower if they were linked into the
// program that agents start at every tool call. theus-hooks starts it when it is
// needed; people type theus-hooks.
//
// Its commands: `test` runs test scripts (package testscripts), `check` looks for
// mistakes in settings (package settings/check).
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/theus-hooks/theus-hooks/cmd/theus-hooks/cli"
	"github.com/theus-hooks/theus-hooks/exec/background"
	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/check"
	"github.com/theus-hooks/theus-hooks/testscripts"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

const usage = `theus-hooks-host is started by theus-hooks; use that instead

  theus-hooks test [PATH…]
  theus-hooks check [FILE…]`

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		switch args[0] {
		case "test":
			return test(args[1:], stdout, stderr)
		case "check", background.Command:
			return command(args, "", stdin, stdout, stderr)
		case inScript:
			return runInScript(args[1:], stdin, stdout, stderr)
		case "version":
			fmt.Fprintln(stdout, "theus-hooks-host", cli.Version())
			return 0
		}
	}
	fmt.Fprintln(stderr, usage)
	return 64
}

// inScript is how test scripts call theus-hooks: in this program, since the one
// that agents start has no way to move its managed settings.
const inScript = "in-script"

func runInScript(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprintln(stderr, usage)
		return 64
	}
	return command(args[1:], args[0], stdin, stdout, stderr)
}

// command is theus-hooks with everything in this program.
func command(args []string, managedDir string, stdin io.Reader, stdout, stderr io.Writer) int {
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	self, _ := os.Executable() // not known: hooks in the background end with the call
	host := cli.Host{Env: os.Environ(), Dir: dir, Executable: self, ManagedDir: managedDir, Check: checkSettings}
	return cli.Main(args, cli.Streams{In: stdin, Out: stdout, Err: stderr}, host)
}

func checkSettings(call cli.CheckCall) (report []byte, failed bool, err error) {
	return check.Run(check.Call(call))
}

func test(args []string, stdout, stderr io.Writer) int {
	opts, asJSON, err := testFlags(args)
	if err != nil {
		fmt.Fprintln(stderr, "theus-hooks:", err)
		return 64
	}
	if !asJSON {
		opts.Report = func(r testscripts.Result) { r.Print(stdout) }
	}
	results, err := testscripts.Run(opts)
	if err != nil {
		fmt.Fprintln(stderr, "theus-hooks:", err)
		return 1
	}
	failed := 0
	for _, r := range results {
		if !r.Pass {
			failed++
		}
	}
	if asJSON {
		err = printJSON(stdout, results)
	} else {
		_, err = fmt.Fprintf(stdout, "%d passed, %d failed\n", len(results)-failed, failed)
	}
	if err != nil || failed > 0 {
		return 1
	}
	return 0
}

func testFlags(args []string) (opts testscripts.RunOptions, asJSON bool, err error) {
	flags := flag.NewFlagSet("theus-hooks test", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	run := flags.String("run", "", "run only scripts whose path matches `REGEX`")
	flags.BoolVar(&opts.Verbose, "v", false, "print the transcript of every script")
	flags.BoolVar(&opts.Update, "update", false, "rewrite the expected files where a cmp fails")
	flags.BoolVar(&asJSON, "json", false, "print the results as JSON")
	if err := parseMixed(flags, args, &opts.Paths); err != nil {
		return opts, false, fmt.Errorf("%w; `theus-hooks test --help` shows the flags", err)
	}
	if *run != "" {
		if opts.Match, err = regexp.Compile(*run); err != nil {
			return opts, false, fmt.Errorf("--run: %w", err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		return opts, false, fmt.Errorf("this program cannot find itself: %w", err)
	}
	opts.Command = func(work string) []string { return []string{self, inScript, testscripts.ManagedDir(work)} }
	return opts, asJSON, nil
}

// parseMixed reads flags that may stand before, between and behind the paths.
func parseMixed(flags *flag.FlagSet, args []string, paths *[]string) error {
	for {
		if err := flags.Parse(args); err != nil {
			return err
		}
		args = flags.Args()
		for len(args) > 0 && (args[0] == "-" || !strings.HasPrefix(args[0], "-")) {
			*paths, args = append(*paths, args[0]), args[1:]
		}
		if len(args) == 0 {
			return nil
		}
	}
}

func printJSON(w io.Writer, results []testscripts.Result) error {
	type result struct {
		Name string `json:"name"`
		Pass bool   `json:"pass"`
		Log  string `json:"log"`
	}
	list := make([]result, len(results))
	for i, r := range results {
		list[i] = result(r)
	}
	text, err := jsontext.Marshal(map[string]any{"scripts": list})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}
