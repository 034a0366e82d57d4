//go:build unix

package command

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/theus-hooks/theus-hooks/response"
)

// The test binary is also the program that misbehaves: run with tortureName as
// its first argument it does what the second one says. The third is a marker,
// by which it and its children are found in the process list.
const tortureName = "theus-torture"

func torture(mode, marker string) {
	again := func(mode string, attr *syscall.SysProcAttr, streams ...*os.File) {
		child := exec.Command(os.Args[0], tortureName, mode, marker)
		child.SysProcAttr = attr
		if len(streams) > 0 {
			child.Stdout = streams[0]
		}
		if mode == "sleep-naked" {
			child.Env = []string{"NOTHING=1"}
		}
		if err := child.Start(); err != nil {
			os.Exit(70)
		}
	}
	apart := &syscall.SysProcAttr{Setsid: true}
	switch mode {
	case "sleep", "sleep-naked":
		os.WriteFile(marker, nil, 0o600) // says that it runs
	case "ignore-term":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	case "child":
		again("sleep", nil)
	case "stubborn-child": // the leader obeys, its child does not
		again("ignore-term", nil)
	case "own-session":
		again("sleep", apart)
	case "double-fork":
		again("fork-and-go", apart)
	case "fork-and-go":
		again("sleep", apart)
		os.Exit(0)
	case "leave-behind":
		again("sleep", apart)
		os.Exit(0)
	case "hold-stdout":
		again("sleep", nil, os.Stdout)
		fmt.Println("{}")
		os.Exit(0)
	case "holder": // ends, and a child in another session has its streams
		again("sleep", apart, os.Stdout)
		for i := 0; i < 1000; i++ {
			if _, err := os.Stat(marker); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		fmt.Println("{}")
		os.Exit(0)
	case "own-group-naked": // another group of the same session, no environment
		again("sleep-naked", &syscall.SysProcAttr{Setpgid: true})
	case "own-session-naked":
		again("sleep-naked", apart)
	case "close-streams":
		for fd := range 3 {
			syscall.Close(fd)
		}
	case "read-one":
		os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	case "flood":
		for {
			fmt.Println("noise noise noise noise noise noise noise noise noise")
		}
	case "flood-and-deny":
		os.Stdout.Write(make([]byte, 3<<20))
		os.Stderr.Write(make([]byte, 3<<20))
		os.Exit(2)
	case "kill-group":
		syscall.Kill(0, syscall.SIGKILL)
	case "stop":
		syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	case "terminate-parent":
		syscall.Kill(os.Getppid(), syscall.SIGTERM)
	default:
		os.Exit(71)
	}
	time.Sleep(time.Hour)
}

// tortureJob is a job that runs text with $D/T the misbehaving program and $M
// its marker.
func tortureJob(t testing.TB, text string) (Job, string) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	marker := "mark" + newTag()
	dir := t.TempDir()
	if err := os.Symlink(self, filepath.Join(dir, "T")); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "D="+dir, "M="+marker)
	return Job{Command: text, Dir: t.TempDir(), Env: env, Timeout: time.Second}, marker
}

// survivors are the processes with marker in their arguments.
func survivors(t testing.TB, marker string) (pids []int) {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-o", "pid=,stat=,args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) > 2 && strings.Contains(line, marker) && !strings.HasPrefix(fields[1], "Z") {
			pid, _ := strconv.Atoi(fields[0])
			pids = append(pids, pid)
		}
	}
	return pids
}

// remaining are the survivors once there are no more than want: the system takes
// its time for who was sent a KILL.
func remaining(t testing.TB, marker string, want int) (pids []int) {
	t.Helper()
	until(func() bool {
		pids = survivors(t, marker)
		return len(pids) <= want
	})
	return pids
}

// A tortureCase is a hook that misbehaves.
type tortureCase struct {
	name, text string
	stdin      []byte
	want       response.Status
	live       int    // processes left on purpose
	linux      bool   // elsewhere they are out of reach
	shell      string // "" is both the interpreter, if it may, and bash
}

func TestTorture(t *testing.T) {
	large := bytes.Repeat([]byte("0123456789abcde\n"), 10<<20/16)
	tests := []tortureCase{
		{name: "sleeps", text: `"$D"/T theus-torture sleep "$M"`, want: response.TimedOut},
		{name: "ignores TERM", text: `"$D"/T theus-torture ignore-term "$M"`, want: response.TimedOut},
		{name: "ignores TERM, bash", text: `trap '' TERM; while :; do "$D"/T theus-torture ignore-term "$M"; done`, want: response.TimedOut},
		{name: "has a child", text: `"$D"/T theus-torture child "$M"`, want: response.TimedOut},
		{name: "has a child that ignores TERM", text: `"$D"/T theus-torture stubborn-child "$M"`, want: response.TimedOut},
		{name: "background and wait", text: `"$D"/T theus-torture sleep "$M" & "$D"/T theus-torture sleep "$M"`, want: response.TimedOut},
		{name: "child in its own session", text: `"$D"/T theus-torture own-session "$M"`, want: response.TimedOut, linux: true},
		{name: "double fork", text: `"$D"/T theus-torture double-fork "$M"`, want: response.TimedOut, linux: true},
		{name: "setsid", text: `setsid "$D"/T theus-torture sleep "$M" & sleep 1000`, want: response.TimedOut, linux: true},
		{name: "own group, no environment", text: `"$D"/T theus-torture own-group-naked "$M"`, want: response.TimedOut, linux: true},
		{name: "in a substitution", text: `x=$("$D"/T theus-torture child "$M"); echo "$x"`, want: response.TimedOut},
		{name: "in a pipe", text: `"$D"/T theus-torture sleep "$M" | "$D"/T theus-torture ignore-term "$M"`, want: response.TimedOut},
		{name: "after another", text: `true; "$D"/T theus-torture own-session "$M"; echo never`, want: response.TimedOut, linux: true},
		{name: "holds a substitution open", text: `x=$("$D"/T theus-torture hold-stdout "$M"); echo "$x"`, want: response.TimedOut},
		{name: "never reads", text: `"$D"/T theus-torture sleep "$M"`, stdin: large, want: response.TimedOut},
		{name: "never reads and ends", text: `true`, stdin: large, want: response.OK},
		{name: "reads one byte", text: `"$D"/T theus-torture read-one "$M"`, stdin: large, want: response.OK},
		{name: "reads a line of many, builtin", text: `read -r x; echo "$x"`, stdin: large, want: response.OK},
		{name: "writes for ever", text: `"$D"/T theus-torture flood "$M"`, want: response.TimedOut},
		{name: "writes for ever into a pipe", text: `"$D"/T theus-torture flood "$M" | head -n 1`, want: response.OK},
		{name: "writes for ever into a substitution", text: `x=$("$D"/T theus-torture flood "$M"); echo never`, want: response.Failed, shell: "builtin"},
		{name: "writes much and denies", text: `"$D"/T theus-torture flood-and-deny "$M"`, want: response.Blocked},
		{name: "kills its group", text: `"$D"/T theus-torture kill-group "$M"`, want: response.Killed},
		{name: "kills its group, bash", text: `kill -9 0; "$D"/T theus-torture sleep "$M"`, want: response.Killed},
		{name: "exec", text: `exec "$D"/T theus-torture ignore-term "$M"`, want: response.TimedOut},
		{name: "closes its streams", text: `"$D"/T theus-torture close-streams "$M"`, want: response.TimedOut},
		{name: "closes its streams, bash", text: `exec <&- >&- 2>&-; "$D"/T theus-torture sleep "$M"`, want: response.TimedOut},
		{name: "deletes its directory", text: `rm -r "$PWD"; exit 2`, want: response.Blocked},
		{name: "stops itself", text: `"$D"/T theus-torture stop "$M"`, want: response.TimedOut},
		{name: "stops itself, bash", text: `kill -STOP $$; "$D"/T theus-torture sleep "$M"`, want: response.TimedOut},
		{name: "fork burst", text: `for ((i=0;i<150;i++)); do (exec -a "$M" sleep 1000) & done; wait`, want: response.TimedOut},
		{name: "spins in bash", text: `while :; do :; done`, want: response.TimedOut},
		{name: "many jobs", text: strings.Repeat("true &\n", 5000), want: response.OK},
		{name: "leaves a daemon", text: `"$D"/T theus-torture leave-behind "$M"`, want: response.OK, live: 1},
		{name: "leaves a holder of stdout", text: `"$D"/T theus-torture hold-stdout "$M"`, want: response.OK, live: 1},
		{name: "leaves a job", text: `nohup "$D"/T theus-torture sleep "$M" >/dev/null 2>&1 & until [ -e "$M" ]; do :; done; echo '{}'`, want: response.OK, live: 1},
	}
	var wg sync.WaitGroup
	places := make(chan struct{}, 12) // at a time: most of them only wait
	for _, test := range tests {
		shells := []string{"", "bash"}
		if test.shell != "" {
			shells = []string{test.shell}
		}
		for _, shell := range shells {
			wg.Go(func() {
				places <- struct{}{}
				test.run(t, shell)
				<-places
			})
		}
	}
	wg.Wait()
}

func (test tortureCase) run(t *testing.T, shell string) {
	job, marker := tortureJob(t, test.text)
	job.Stdin, job.Shell = test.stdin, shell
	if test.want != response.TimedOut {
		job.Timeout = time.Minute
	}
	r := Run(context.Background(), job)
	if r.Status != test.want {
		t.Errorf("%s, by %s: %s, want %s (%s) %q", test.name, r.Shell, r.Status, test.want, r.Error, r.Stderr)
	}
	reached := !test.linux || runtime.GOOS == "linux"
	var left []int
	if reached {
		left = remaining(t, marker, test.live)
	} else {
		left = survivors(t, marker)
	}
	if reached && len(left) != test.live {
		t.Errorf("%s, by %s: %d processes left, want %d", test.name, r.Shell, len(left), test.live)
	}
	for _, pid := range left {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// TestOutOfReach is the limit that doc.go names: nothing tells a process that
// left the session and cleared its environment from a stranger.
func TestOutOfReach(t *testing.T) {
	for _, limit := range []time.Duration{time.Second, 5 * time.Second, 30 * time.Second} { // to start two programs in
		job, marker := tortureJob(t, `"$D"/T theus-torture own-session-naked "$M"`)
		job.Timeout = limit
		if r := Run(t.Context(), job); r.Status != response.TimedOut {
			t.Errorf("%s (%s), want timed out", r.Status, r.Error)
		}
		left := remaining(t, marker, 1)
		for _, pid := range left {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(left) == 1 {
			return
		}
	}
	t.Error("it was found, or never started")
}

// TestTerminatedByHook: a hook that ends its parent ends us; the host's
// handler turns that into an ended context.
func TestTerminatedByHook(t *testing.T) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	job, marker := tortureJob(t, `"$D"/T theus-torture terminate-parent "$M"`)
	job.Timeout = time.Minute
	result := Run(ctx, job)
	if result.Status != response.Cancelled {
		t.Errorf("%s (%s), want cancelled", result.Status, result.Error)
	}
	if left := remaining(t, marker, 0); len(left) > 0 {
		t.Errorf("%d processes left", len(left))
	}
}

// leakTexts misbehave in every way that costs little enough to do it hundreds
// of times. $N is a number that marks their programs.
var leakTexts = []string{
	`cat >/dev/null; echo no >&2; exit 2`,
	`echo a | cat | read -r x; (exit 3)`,
	`x=$(cat); echo "$x" | head -c 1`,
	`head -c 1`,
	`read -r x < a-file-that-is-not-there`,
	`no-such-program`,
	`exec 3>&1; echo a >&3`,
	`sleep "$N"`,
	`exec sleep "$N"`,
	`sh -c 'sleep "$N" & sleep "$N"'`,
	`setsid sleep "$N" & sleep "$N"`,
	`(setsid sleep "$N" &) ; sleep "$N"`,
	`sleep "$N" & sleep "$N" & sleep "$N" & wait`,
	`cat <<< "$(sleep "$N")"`,
	`sleep "$N" | sleep "$N"`,
	`trap '' TERM; sleep "$N"`,
	`exec <&- >&- 2>&-; sleep "$N"`,
	`kill -STOP $$`,
	`kill -KILL 0`,
	`rm -r "$PWD"; exit 2`,
	`yes`,
	`mkfifo f; read -r x < f`,
	"true &\ntrue &\ntrue &\ntrue &",
	`pty echo a; sleep "$N"`,
	`pty echo a; exit 2`,
}

// TestNothingLeft goes 200 rounds, in each of which a quarter of the texts takes
// its turn, and counts what is left.
func TestNothingLeft(t *testing.T) {
	number := strconv.FormatInt(1_000_000_000+time.Now().UnixNano()%1_000_000_000, 10)
	env := append(os.Environ(), "N="+number)
	large := bytes.Repeat([]byte("0123456789abcde\n"), 16<<10) // more than a pipe takes
	dirs := t.TempDir()
	run := func(text string) {
		dir, err := os.MkdirTemp(dirs, "")
		if err != nil {
			t.Error(err)
			return
		}
		text, isPty := strings.CutPrefix(text, "pty ")
		Run(context.Background(), Job{Command: text, Pty: isPty, Dir: dir, Env: env, Stdin: large, Timeout: 25 * time.Millisecond})
		os.RemoveAll(dir)
	}
	run("true") // what is made once is made now
	run("pty true")
	ignore := goleak.IgnoreCurrent()
	before := openFiles(t)
	texts := make(chan string)
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for text := range texts {
				run(text)
			}
		})
	}
	for round := range 200 {
		for i, text := range leakTexts {
			if (i+round)%4 == 0 {
				texts <- text
			}
		}
	}
	close(texts)
	wg.Wait()
	var leak error
	if !until(func() bool { leak = goleak.Find(ignore); return leak == nil }) {
		t.Error(leak)
	}
	if !until(func() bool { return openFiles(t) == before }) {
		t.Errorf("%d open files, %d before", openFiles(t), before)
	}
	if left := remaining(t, number, 0); len(left) > 0 {
		t.Errorf("%d processes left", len(left))
	}
}

func openFiles(t *testing.T) int {
	files, err := filepath.Glob("/dev/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// TestDenyAmongNoise: a denial is there every time, whatever runs beside it.
func TestDenyAmongNoise(t *testing.T) {
	noise := []string{
		`echo noise; cat >/dev/null`, `yes | head -n 2000`, `sh -c 'exit 3'`, `echo {1..50} >&2`, `true`,
		`x=$(cat); echo "$x$x"`, `kill -9 $$`, `read -r x; [[ $x == *push* ]] && echo '{}'`, `no-such-program`,
	}
	dir, env := t.TempDir(), os.Environ()
	for range 12 {
		var wg sync.WaitGroup
		for i := range 31 {
			wg.Go(func() {
				Run(t.Context(), Job{Command: noise[i%len(noise)], Dir: dir, Env: env, Stdin: []byte(event), Timeout: time.Minute})
			})
		}
		deny := Job{Command: `read -r x; case "$x" in *--force*) echo "no force" >&2; exit 2;; esac`, Dir: dir, Env: env, Stdin: []byte(event), Timeout: time.Minute}
		r := Run(t.Context(), deny)
		if r.Status != response.Blocked || string(r.Stderr) != "no force\n" {
			t.Errorf("%s by %s, stderr %q (%s)", r.Status, r.Shell, r.Stderr, r.Error)
		}
		wg.Wait()
	}
}

// An interpreter that does not stop keeps its ends of the streams until it does: what
// it is just starting would get another file for one that was closed.
func TestAbandonedKeepsItsStreams(t *testing.T) {
	before := openFiles(t)
	streams, err := newStdio(Job{Stdin: []byte("event")})
	if err != nil {
		t.Fatal(err)
	}
	in := &interpreter{cancel: func() {}}
	again, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	in.keep(again)
	stdout, done := streams.theirs[1], make(chan error, 1)
	ended := make(chan struct{})
	theirs := streams.give()
	go func() {
		in.abandon(theirs, done)
		close(ended)
	}()
	streams.letGo()
	streams.finish(0)
	if stdout.Fd() == ^uintptr(0) {
		t.Error("stdout is closed")
	}
	done <- nil
	<-ended
	if !until(func() bool { return openFiles(t) <= before }) {
		t.Errorf("%d open files, %d before", openFiles(t), before)
	}
}

// What fails of a script's background once the script has ended changes nothing.
func TestFailureAfterTheEnd(t *testing.T) {
	in := &interpreter{cancel: func() {}}
	in.finish()
	_ = in.fail(errNotEnded)
	if end, err := in.ending(nil); err != nil || end != (ending{}) {
		t.Errorf("%+v, %v", end, err)
	}
}
