package testscripts_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/theus-hooks/theus-hooks/cmd/theus-hooks/cli"
	"github.com/theus-hooks/theus-hooks/settings/check"
	"github.com/theus-hooks/theus-hooks/settings/event"
	"github.com/theus-hooks/theus-hooks/testscripts"
)

// TestMain puts this program on the PATH as theus-hooks. testscript.Main would
// do the same and take the word theus-hooks away from the harness.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "theus-hooks" {
		theusHooks()
	}
	os.Exit(withCommand(m.Run))
}

func withCommand(run func() int) int {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	bin, err := os.MkdirTemp("", "theus-hooks-bin")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(bin)
	if err := os.Symlink(self, filepath.Join(bin, "theus-hooks")); err != nil {
		panic(err)
	}
	os.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return run()
}

// theusHooks is the command as scripts run it: the real main, but for the place
// of the managed settings.
func theusHooks() {
	dir, _ := os.Getwd()
	self, _ := os.Executable()
	host := cli.Host{Env: os.Environ(), Dir: dir, Executable: self, ManagedDir: testscripts.ManagedDir(os.Getenv("WORK")), Check: checkSettings}
	os.Exit(cli.Main(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, host))
}

// checkSettings is what the companion does for the command.
func checkSettings(call cli.CheckCall) (report []byte, failed bool, err error) {
	return check.Run(check.Call(call))
}

func TestScripts(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	params := testscripts.Params(testscripts.Options{
		Command:   func(string) []string { return []string{"theus-hooks"} },
		ScriptDir: dir,
		Update:    os.Getenv("UPDATE_SCRIPTS") == "1",
	})
	params.Dir = "."
	setup := params.Setup
	params.Setup = func(env *testscript.Env) error {
		env.Setenv("GORACE", "atexit_sleep_ms=0") // else each call of a -race build ends with a second of sleep
		return setup(env)
	}
	testscript.Run(t, params)
}

// Each event has a script of its own that fires it and says what it does.
func TestEveryEventHasItsScript(t *testing.T) {
	for _, name := range event.Names() {
		file := "event_" + strings.ToLower(name) + ".txtar"
		data, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		script, _, _ := strings.Cut(string(data), "\n-- ")
		if !regexp.MustCompile(`(?m)^(! )?hook ` + name + ` `).MatchString(script) {
			t.Errorf("%s never fires %s", file, name)
		}
		if !regexp.MustCompile(`(?m)^(! )?(decision|reason|context|message|updated|status|stdout|cmp) `).MatchString(script) {
			t.Errorf("%s fires %s and looks at nothing that came of it", file, name)
		}
	}
	scripts, err := filepath.Glob("event_*.txtar")
	if err != nil || len(scripts) != len(event.Names()) {
		t.Errorf("%d scripts named event_*.txtar for %d events (%v)", len(scripts), len(event.Names()), err)
	}
}
