//go:build unix

package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/theus-hooks/theus-hooks/response"
)

// Run with boundedName as its first argument, the test binary runs the text that
// is its second in process, for as long as its third says, and prints how that ended and the most memory that
// it had, in MiB.
const boundedName = "theus-bounded"

func bounded(text, limit string) {
	timeout, _ := time.ParseDuration(limit)
	dir, _ := os.Getwd()
	r := Run(context.Background(), Job{Command: text, Dir: dir, Env: os.Environ(), Stdin: []byte(event), Timeout: timeout})
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Println(r.Shell, r.Status, m.HeapSys>>20)
	os.Exit(0)
}

// TestBounded: text that runs in process holds a bounded amount of memory, and
// ends at its time limit, whatever it takes in. $(B) is as much as a
// substitution may take, $(C) less.
func TestBounded(t *testing.T) {
	const much = "yes aaaaaaa | head -c 3000000"
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	tests := []struct {
		text string
		want response.Status
	}{
		{`x=$(B); echo "$x" | wc -c`, response.OK},
		{`x=$(B); echo "$x$x$x$x$x" > f`, response.OK},
		{"x=$(B); cat <<E >f\n$x$x$x$x$x\nE", response.OK},
		{repeat(60, "a%d=$(B); "), response.Failed},
		{`x=$(B); a=$x$x$x; b=$x$x; echo "$a"`, response.Failed},
		{`x=$(B); [ "$x" = "$x$x" ]; [[ $x != "$x$x" ]] && true`, response.OK},
		{`x=$(C); echo "${x%%a*a*a*b}${x#*a*a*a*b}" > f`, response.OK},
		{`x=$(C); case "$x" in *a*a*a*a*a*b*) echo yes;; esac`, response.OK},
		{`x=$(C); [[ $x =~ (a|aa)*b ]] || [[ $x =~ a.*a.*a.*b ]] || true`, response.OK},
		{`x=$(yes "'" | tr -d '\n' | head -c 100000); read -r y <<< "$x"; echo "$y" > f`, response.OK},
		{`x=$(yes aaaaaaaa | tr -d '\n' | head -c 100000); cd "$x" || true`, response.OK},
		{`x=$(yes); echo never`, response.Failed},
		{`yes | while read -r x; do :; done`, response.TimedOut},
		{`x=$(B); while read -r l; do y=$x; z=${y#a}; done <<< "$x$x"`, response.TimedOut},
		{`while read -r x; do echo "$x" >> g; done < g`, response.OK},
		{`echo a > g; while read -r x; do echo "$x" >> g; done < g`, response.TimedOut},
	}
	var wg sync.WaitGroup
	places := make(chan struct{}, 4)
	for _, test := range tests {
		dir := t.TempDir()
		if err := os.WriteFile(dir+"/g", nil, 0o644); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			limit := "1m"
			if test.want == response.TimedOut {
				limit = "1s"
			}
			cmd := exec.Command(os.Args[0], boundedName, strings.NewReplacer("B", much, "C", "yes aaaaaaa | head -c 200000").Replace(test.text), limit)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GOMEMLIMIT=64MiB") // what is had beyond it is in use, not only not collected yet
			out, err := cmd.Output()
			fields := strings.Fields(string(out))
			if err != nil || len(fields) != 3 {
				t.Errorf("%s: %v, %q", test.text, err, out)
				return
			}
			memory, _ := strconv.Atoi(fields[2])
			if fields[0] != "builtin" || fields[1] != string(test.want) || memory > 128 {
				t.Errorf("%.80s: by %s, %s with %d MiB, want builtin, %s", test.text, fields[0], fields[1], memory, test.want)
			}
		})
	}
	wg.Wait()
}
