package session

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/theus-hooks/theus-hooks/envfile"
)

// The test binary runs itself as another process of a session: childEnv then
// holds the task, the session's root and a number.
const childEnv = "THEUS_SESSION_CHILD"

func TestMain(m *testing.M) {
	if task := os.Getenv(childEnv); task != "" {
		child(task)
		return
	}
	goleak.VerifyTestMain(m)
}

// child works on the session "one" and prints a line for what is recorded.
func child(task string) {
	kind, rest, _ := strings.Cut(task, " ")
	number, root, _ := strings.Cut(rest, " ")
	s, err := Open(root, "one")
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	switch kind {
	case "work":
		work(ctx, s, number)
	case "record":
		for i := 0; ; i++ {
			record(ctx, s, fmt.Sprintf("N%s_%d", number, i))
		}
	case "hold":
		c, err := s.Claim("h")
		if c == nil || err != nil {
			panic("no claim")
		}
		if _, err := s.lock(ctx); err != nil {
			panic(err)
		}
		fmt.Println("held")
		select {}
	}
}

// record writes every kind of state under a name, and says so of each.
func record(ctx context.Context, s *Session, name string) {
	if err := s.Record(ctx, "PostToolUse", []envfile.Change{{Name: name, Value: strings.Repeat("x", 300)}}); err != nil {
		panic(err)
	}
	fmt.Println("export", name)
	if _, err := s.StopBlocked(ctx, name); err != nil {
		panic(err)
	}
	fmt.Println("count", name)
	if err := s.Spend(name); err != nil {
		panic(err)
	}
	fmt.Println("spent", name)
	run, err := s.StartRun(RunInfo{Hook: name})
	if err == nil {
		err = run.Finish([]byte(name), false)
	}
	if err != nil {
		panic(err)
	}
	fmt.Println("late", name)
}

// recorded lists what record has written.
func recorded(t *testing.T, s *Session) map[string]bool {
	t.Helper()
	there := map[string]bool{}
	changes, err := s.Exports(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	counts, err := s.counts()
	if err != nil {
		t.Fatal(err)
	}
	lates, err := s.Late()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		there["export "+c.Name] = true
		if s.Spent(c.Name) {
			there["spent "+c.Name] = true
		}
	}
	for name := range counts {
		there["count "+name] = true
	}
	for _, l := range lates {
		if text, ok := l.Read(); ok && !l.Lost {
			there["late "+string(text)] = true
		}
	}
	return there
}

// rounds is how often each process of the race does everything.
const rounds = 8

func work(ctx context.Context, s *Session, number string) {
	for i := range rounds {
		err := s.Update(ctx, "PreToolUse", Export{"", func(base []envfile.Change) ([]envfile.Change, error) {
			total := ""
			for _, c := range base {
				if c.Name == "TOTAL" {
					total = c.Value
				}
			}
			return []envfile.Change{{Name: "TOTAL", Value: total + "."}, {Name: fmt.Sprintf("N%s_%d", number, i), Value: "1"}}, nil
		}})
		if err != nil {
			panic(err)
		}
		if _, err := s.StopBlocked(ctx, "Stop"); err != nil {
			panic(err)
		}
		c, err := s.Claim("h")
		if err != nil {
			panic(err)
		}
		if c != nil {
			if i >= rounds/2 { // the runs before failed
				fmt.Println("ran")
				if err := c.Spend(); err != nil {
					panic(err)
				}
			}
			if err := c.Release(); err != nil {
				panic(err)
			}
		}
	}
}

func command(t *testing.T, task string, number int, root string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+task+" "+strconv.Itoa(number)+" "+root)
	cmd.Stderr = os.Stderr
	return cmd
}

// Several processes of one session lose nothing and double nothing.
func TestProcesses(t *testing.T) {
	const processes = 6
	root := filepath.Join(t.TempDir(), "sessions")
	ran := make([]string, processes)
	var all sync.WaitGroup
	for i := range processes {
		cmd := command(t, "work", i, root)
		all.Go(func() {
			out, err := cmd.Output()
			if err != nil {
				t.Error(err)
			}
			ran[i] = string(out)
		})
	}
	all.Wait()
	s, _ := Open(root, "one")
	changes, err := s.Exports(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for _, c := range changes {
		values[c.Name] = c.Value
	}
	if got := len(values["TOTAL"]); got != processes*rounds || len(values) != processes*rounds+1 {
		t.Errorf("%d updates counted, %d names, want %d", got, len(values), processes*rounds)
	}
	if n, err := s.StopBlocked(t.Context(), "Stop"); n != processes*rounds+1 || err != nil {
		t.Errorf("count %d, error %v", n, err)
	}
	if got := strings.Count(strings.Join(ran, ""), "ran"); got != 1 || !s.Spent("h") {
		t.Errorf("the once hook ran %d times", got)
	}
}

// A process that is killed while it writes loses nothing that it had recorded,
// and keeps no other from writing.
func TestKilledWriter(t *testing.T) {
	const kills = 200
	root := filepath.Join(t.TempDir(), "sessions")
	s, _ := Open(root, "one")
	said := map[string]bool{}
	for i := range kills {
		cmd := command(t, "record", i, root)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for left := 1 + rand.IntN(6); lines.Scan(); {
			said[lines.Text()] = true
			if left--; left == 0 {
				for range rand.IntN(200_000) { // somewhere in the next write
				}
				_ = cmd.Process.Kill()
			}
		}
		_ = cmd.Wait()
		if i%20 == 19 {
			checkRecorded(t, s, said)
		}
	}
	if err := s.Record(t.Context(), "Stop", parse("LAST=1")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.StopBlocked(t.Context(), "last"); err != nil {
		t.Fatal(err)
	}
	halves, _ := filepath.Glob(filepath.Join(s.Dir(), ".*"))
	if len(halves) > 0 {
		t.Errorf("left: %v", halves)
	}
}

// checkRecorded looks for everything that was said to be recorded, as the next
// call would.
func checkRecorded(t *testing.T, s *Session, said map[string]bool) {
	t.Helper()
	there := recorded(t, s)
	for what := range said {
		if !there[what] {
			t.Fatalf("%s was recorded and is lost", what)
		}
	}
	if w := s.Warnings(); len(w) > 0 {
		t.Fatalf("warnings %q", w)
	}
}

// Locks and claims of a process that was killed are free.
func TestKilledHolder(t *testing.T) {
	root := filepath.Join(t.TempDir(), "sessions")
	s, _ := Open(root, "one")
	cmd := command(t, "hold", 0, root)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !bufio.NewScanner(out).Scan() {
		t.Fatal("nothing held")
	}
	if c, err := s.Claim("h"); c != nil || err != nil {
		t.Errorf("claimed what another process holds, error %v", err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	c, err := s.Claim("h")
	if c == nil || err != nil {
		t.Fatalf("claim %v, error %v", c, err)
	}
	if err := c.Release(); err != nil {
		t.Error(err)
	}
	if err := s.Record(t.Context(), "Stop", parse("A=1")); err != nil {
		t.Error(err)
	}
}
