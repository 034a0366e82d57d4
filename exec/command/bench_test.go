//go:build unix

package command

import (
	"context"
	"os"
	"sync"
	"syscall"
	"testing"

	"github.com/theus-hooks/theus-hooks/response"
)

// guard is a hook of builtins alone: it reads the event and denies.
const guard = `read -r event
case "$event" in
*"--force"*)
  echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no force"}}'
  ;;
esac`

func benchmark(b *testing.B, job Job) {
	job.Dir, job.Env, job.Stdin = b.TempDir(), os.Environ(), []byte(event)
	defer reportCPU(b)()
	for b.Loop() {
		if r := Run(context.Background(), job); r.Status != response.OK || r.Shell != job.Shell && job.Shell != "" {
			b.Fatalf("%s by %s: %s", r.Status, r.Shell, r.Error)
		}
	}
}

// reportCPU reports what a pass costs the processors, in us, children included: on
// a busy machine the time says more about the others.
func reportCPU(b *testing.B) func() {
	spent := func() (total int64) {
		for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
			var use syscall.Rusage
			if syscall.Getrusage(who, &use) == nil {
				total += use.Utime.Nano() + use.Stime.Nano()
			}
		}
		return total
	}
	before := spent()
	return func() { b.ReportMetric(float64(spent()-before)/1e3/float64(b.N), "cpu-us/op") }
}

func BenchmarkGuardBuiltin(b *testing.B) { benchmark(b, Job{Command: guard}) }

func BenchmarkGuardBash(b *testing.B) { benchmark(b, Job{Command: guard, Shell: "bash"}) }

func BenchmarkGuardSh(b *testing.B) { benchmark(b, Job{Command: guard, Shell: "sh"}) }

func BenchmarkProgramBuiltin(b *testing.B) {
	benchmark(b, Job{Command: "true > /dev/null; /bin/true a b"})
}

func BenchmarkProgramBash(b *testing.B) { benchmark(b, Job{Command: "/bin/true a b", Shell: "bash"}) }

func BenchmarkProgramExec(b *testing.B) { benchmark(b, Job{Command: "/bin/true", Exec: true}) }

func BenchmarkJqBuiltin(b *testing.B) {
	benchmark(b, Job{Command: `x=$(jq -r .tool_name); echo "$x"`})
}

func BenchmarkJqBash(b *testing.B) {
	benchmark(b, Job{Command: `x=$(jq -r .tool_name); echo "$x"`, Shell: "bash"})
}

// BenchmarkFiftyGuards runs fifty hooks at once, all in process.
func BenchmarkFiftyGuards(b *testing.B) {
	job := Job{Command: guard, Dir: b.TempDir(), Env: os.Environ(), Stdin: []byte(event)}
	defer reportCPU(b)()
	for b.Loop() {
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() { Run(context.Background(), job) })
		}
		wg.Wait()
	}
}
