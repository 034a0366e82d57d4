package testscripts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/theus-hooks/theus-hooks/exec/background"
	"github.com/theus-hooks/theus-hooks/exec/session"
	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// Options say how scripts run.
type Options struct {
	// Command is the theus-hooks command as a program with its first arguments,
	// for a script whose work directory is work. It must take managed settings
	// from work/managed.
	Command func(work string) []string
	// Update rewrites the archive's file where a cmp fails.
	Update bool
	// ScriptDir is where the scripts stand, absolute: their $SCRIPT_DIR. Run
	// sets it.
	ScriptDir string
}

// ManagedDir is where a script whose work directory is work has its managed
// settings.
func ManagedDir(work string) string { return filepath.Join(work, "managed") }

// Params are testscript parameters with the words of this package. The caller
// adds Dir or Files.
func Params(opts Options) testscript.Params {
	cmds := map[string]func(*testscript.TestScript, bool, []string){}
	for name, word := range words {
		cmds[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			w := ts.Value(worldKey{}).(*world)
			word(w, ts, neg, args)
		}
	}
	return testscript.Params{
		Cmds:          cmds,
		UpdateScripts: opts.Update,
		Setup:         func(env *testscript.Env) error { return setup(env, opts) },
	}
}

type worldKey struct{}

// A world is the state of one running script.
type world struct {
	opts    Options
	work    string
	state   string // XDG_STATE_HOME
	trusted bool
	fired   bool
	code    int            // exit code of the last hook or theus-hooks
	outcome jsontext.Value // of the last hook
}

func setup(env *testscript.Env, opts Options) error {
	env.Setenv("SCRIPT_DIR", opts.ScriptDir)
	home := filepath.Join(env.WorkDir, "home")
	state := filepath.Join(home, "state")
	env.Values[worldKey{}] = &world{opts: opts, work: env.WorkDir, state: state, trusted: true}
	// The project is marked as one, so that no directory above is taken for it.
	for _, dir := range []string{home, filepath.Join(env.WorkDir, ".theus"), ManagedDir(env.WorkDir)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	env.Setenv("HOME", home)
	env.Setenv("USERPROFILE", home)
	env.Setenv("XDG_STATE_HOME", state)
	env.Defer(func() {
		w := env.Values[worldKey{}].(*world)
		_ = background.CancelAll(context.Background(), w.sessions()) // what cannot be seen cannot be ended
	})
	return nil
}

// settleTime bounds how long a script waits for hooks in the background to end:
// longer than any should take on a busy machine.
const settleTime = time.Minute

// settle waits for the hooks in the background, so that the next line finds what
// they say. word is who waits.
func (w *world) settle(ts *testscript.TestScript, word string) {
	ctx, cancel := context.WithTimeout(context.Background(), settleTime)
	defer cancel()
	err := background.Settle(ctx, w.sessions())
	if errors.Is(err, context.DeadlineExceeded) { // where the state cannot be read, there is nothing to wait for
		ts.Fatalf("%s: hooks in the background still run after %s; theus-hooks run does not wait for them", word, settleTime)
	}
}

// sessions is where the script's calls keep state.
func (w *world) sessions() string {
	root, _ := session.DefaultRoot([]string{"XDG_STATE_HOME=" + w.state}, runtime.GOOS) // none on Windows: nothing to wait for
	return root
}

// words is the vocabulary beside testscript's own.
var words = map[string]func(w *world, ts *testscript.TestScript, neg bool, args []string){
	"hook":        (*world).hook,
	"theus-hooks": (*world).theusHooks,
	"decision":    (*world).decision,
	"reason": func(w *world, ts *testscript.TestScript, neg bool, args []string) {
		w.text(ts, neg, args, "reason", "reason")
	},
	"context": func(w *world, ts *testscript.TestScript, neg bool, args []string) {
		w.text(ts, neg, args, "context", "additionalContext")
	},
	"message": func(w *world, ts *testscript.TestScript, neg bool, args []string) {
		w.text(ts, neg, args, "message", "systemMessages")
	},
	"updated":  (*world).updated,
	"ran":      (*world).ran,
	"skipped":  (*world).skipped,
	"status":   (*world).status,
	"exported": (*world).exported,
	"outcome":  (*world).printOutcome,
	"code":     (*world).exitCode,
	"untrust":  (*world).untrust,
	"settle":   (*world).settled,
}

func (w *world) hook(ts *testscript.TestScript, neg bool, args []string) {
	var flags, plain []string
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			flags = append(flags, arg)
		} else {
			plain = append(plain, arg)
		}
	}
	switch len(plain) {
	case 2:
		flags = append(flags, "--event="+ts.MkAbs(plain[1]))
	case 1:
	default:
		ts.Fatalf("usage: hook EVENT [FILE] [FLAG…]")
	}
	if w.trusted {
		flags = append(flags, "--trust")
	}
	code := w.command(ts, append([]string{"run", plain[0], "--format=outcome"}, flags...))
	w.settle(ts, "hook "+plain[0])
	w.keep(ts)
	switch {
	case code != 0 && code != 2:
		ts.Fatalf("hook %s: exit code %d, want 0 or 2", plain[0], code)
	case neg && code != 2:
		ts.Fatalf("hook %s: got exit code %d, want it blocked (2)%s", plain[0], code, w.happened())
	case !neg && code != 0:
		ts.Fatalf("hook %s: got it blocked (exit code 2), want exit code 0%s", plain[0], w.happened())
	}
}

// settled is the word settle, for hooks that theus-hooks run has started.
func (w *world) settled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: settle")
	}
	w.settle(ts, "settle")
}

// theusHooks runs the command itself, for what the other words do not show.
func (w *world) theusHooks(ts *testscript.TestScript, neg bool, args []string) {
	code := w.command(ts, args)
	if (code != 0) != neg {
		ts.Fatalf("theus-hooks %s: exit code %d", strings.Join(args, " "), code)
	}
}

// command runs theus-hooks with the script's environment and standard input,
// and leaves what it prints to the words stdout and stderr.
func (w *world) command(ts *testscript.TestScript, args []string) int {
	argv := append(w.opts.Command(w.work), args...)
	err := ts.Exec(argv[0], argv[1:]...)
	w.code = 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		w.code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	return w.code
}

// exitCode compares the exit code of the last call exactly.
func (w *world) exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: code N")
	}
	if got := strconv.Itoa(w.code); got == args[0] == neg {
		ts.Fatalf("code: got %s, want %s%s", got, not(neg), args[0])
	}
}

// keep remembers the outcome that a hook printed.
func (w *world) keep(ts *testscript.TestScript) {
	w.fired, w.outcome = true, jsontext.Value{}
	stdout := ts.ReadFile("stdout")
	if strings.TrimSpace(stdout) == "" {
		return
	}
	v, err := jsontext.Parse([]byte(stdout), jsontext.Limits{})
	if err != nil {
		ts.Fatalf("hook: the outcome is no JSON: %v", err)
	}
	w.outcome = v
}

func (w *world) need(ts *testscript.TestScript) {
	if !w.fired {
		ts.Fatalf("no event was fired before this line; use hook EVENT FILE")
	}
}

func (w *world) decision(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: decision WANT")
	}
	w.need(ts)
	if got := w.outcome.Get("decision").Text(); got == args[0] == neg {
		ts.Fatalf("decision: got %q, want %s%q%s", got, not(neg), args[0], w.happened())
	}
}

func not(neg bool) string {
	if neg {
		return "anything but "
	}
	return ""
}

// text matches a string of the outcome, or one of a list of strings.
func (w *world) text(ts *testscript.TestScript, neg bool, args []string, word, key string) {
	if len(args) != 1 {
		ts.Fatalf("usage: %s REGEX", word)
	}
	w.need(ts)
	re, err := regexp.Compile(`(?m)` + args[0])
	ts.Check(err)
	var got []string
	if v := w.outcome.Get(key); v.Kind() == jsontext.String {
		got = append(got, v.Text())
	}
	for _, e := range w.outcome.Get(key).Elements() {
		got = append(got, e.Text())
	}
	found := false
	for _, s := range got {
		found = found || re.MatchString(s)
	}
	if found == neg {
		ts.Fatalf("%s: got %q, want %sa match for %q%s", word, got, not(neg), args[0], w.happened())
	}
}

func (w *world) updated(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: updated GJSONPATH VALUE")
	}
	w.need(ts)
	input := w.outcome.Get("updatedInput")
	got, ok := jsontext.Query(input.Raw(), args[0])
	if (ok && got == args[1]) == neg {
		ts.Fatalf("updated %s: got %q, want %s%q; the rewritten input is %s%s", args[0], got, not(neg), args[1], orNone(input.Raw()), w.happened())
	}
}

// find returns the hook of a name in a list of the outcome.
func (w *world) find(list, name string) (jsontext.Value, bool) {
	for _, e := range w.outcome.Get(list).Elements() {
		if named(e, name) {
			return e, true
		}
	}
	return jsontext.Value{}, false
}

func named(hook jsontext.Value, name string) bool {
	path := hook.Path("source", "path").Text()
	return hook.Get("name").Text() == name || path == name || strings.TrimPrefix(path, "hooks.") == name
}

func (w *world) ran(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: ran NAME…")
	}
	w.need(ts)
	for _, name := range args {
		if _, ok := w.find("hooks", name); ok == neg {
			ts.Fatalf("ran: want %s%q among the hooks that ran%s", not(neg), name, w.happened())
		}
	}
}

func (w *world) skipped(ts *testscript.TestScript, neg bool, args []string) {
	w.pair(ts, neg, args, "skipped NAME REASON", "skipped", "reason")
}

func (w *world) status(ts *testscript.TestScript, neg bool, args []string) {
	w.pair(ts, neg, args, "status NAME STATUS", "hooks", "status")
}

// pair compares one field of one hook.
func (w *world) pair(ts *testscript.TestScript, neg bool, args []string, usage, list, field string) {
	if len(args) != 2 {
		ts.Fatalf("usage: %s", usage)
	}
	w.need(ts)
	word, _, _ := strings.Cut(usage, " ")
	hook, ok := w.find(list, args[0])
	got := hook.Get(field).Text()
	if (ok && got == args[1]) == neg {
		if !ok {
			got = "no such hook there"
		}
		ts.Fatalf("%s %s: got %q, want %s%q%s", word, args[0], got, not(neg), args[1], w.happened())
	}
}

func (w *world) exported(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 && !(neg && len(args) == 1) {
		ts.Fatalf("usage: exported NAME VALUE, or: ! exported NAME")
	}
	w.need(ts)
	v := w.outcome.Get("env").Get(args[0])
	ok := v.Kind() == jsontext.String
	if len(args) == 2 {
		ok = ok && v.Text() == args[1]
	}
	if ok == neg {
		ts.Fatalf("exported: got %s for %s, want %s%q; all exports: %s", orNone(v.Raw()), args[0], not(neg), args[1:], w.outcome.Get("env").Raw())
	}
}

func (w *world) printOutcome(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: outcome")
	}
	w.need(ts)
	text, err := jsontext.Indent([]byte(w.outcome.Raw()))
	ts.Check(err)
	ts.Stdout().Write(duration.ReplaceAll(text, []byte(`"durationMs": 0`)))
}

// duration is the one field of an outcome that is never twice the same.
var duration = regexp.MustCompile(`"durationMs": [0-9.e+-]+`)

func (w *world) untrust(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: untrust")
	}
	w.trusted = false
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// happened is what came of the last event, for the message of a failed line.
func (w *world) happened() string {
	if !w.outcome.Exists() {
		return "\nnothing came of the event"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nwhat happened: decision %s, blocked %s", w.outcome.Get("decision").Text(), w.outcome.Get("blocked").Raw())
	if r := w.outcome.Get("reason").Text(); r != "" {
		fmt.Fprintf(&b, ", reason %q", r)
	}
	for _, h := range w.outcome.Get("hooks").Elements() {
		fmt.Fprintf(&b, "\n  ran %s: %s, exit code %s, stdout %s, stderr %s", label(h), h.Get("status").Text(), h.Get("exitCode").Raw(), h.Get("stdout").Raw(), h.Get("stderr").Raw())
		if e := h.Get("error").Text(); e != "" {
			fmt.Fprintf(&b, ", error %q", e)
		}
	}
	for _, s := range w.outcome.Get("skipped").Elements() {
		fmt.Fprintf(&b, "\n  skipped %s: %s: %s", label(s), s.Get("reason").Text(), s.Get("detail").Text())
	}
	for _, p := range w.outcome.Get("problems").Elements() {
		fmt.Fprintf(&b, "\n  %s: %s:%s: %s", p.Get("severity").Text(), p.Get("file").Text(), p.Get("line").Raw(), p.Get("message").Text())
	}
	return b.String()
}

func label(hook jsontext.Value) string {
	if name := hook.Get("name").Text(); name != "" {
		return name
	}
	return strings.TrimPrefix(hook.Path("source", "path").Text(), "hooks.")
}
