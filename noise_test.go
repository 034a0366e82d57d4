package hooks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/theus-hooks/theus-hooks/response"
)

// noise are hooks that run beside a guard and must not change what it says. All
// but a few run in process, so that there can be many.
var noise = []string{
	"echo noise", "true", "exit 1", "cat", "x=$(cat); echo \"$x$x\"", "echo {", "echo '{\"decision\": 7}'",
	"read -r x; [[ $x == *push* ]] && echo no", "no-such-program", "echo '{\"continue\": true}'", "echo noise >&2; exit 3",
	"echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"allow\"}}'",
	"while read -r x; do echo \"$x\"; done", "cat | cat > /dev/null", "exec 2>&1; echo a >&2", "printf '%s\\n' a b c",
}

// TestDenyAmongNoise: a denial is there every time, with its own words, and
// results stand in the order of the settings.
func TestDenyAmongNoise(t *testing.T) {
	const hooks, place = 32, 17
	var list []string
	for i := range hooks {
		command := noise[i%len(noise)]
		if i == place {
			command = `read -r x; case "$x" in *"make clean"*) echo "not clean" >&2; exit 2;; esac`
		} else if i == place+1 {
			command = "sh -c 'kill -9 $$'"
		}
		command += fmt.Sprintf(" # %d", i) // equal ones would run once
		list = append(list, fmt.Sprintf(`{"type":"command","name":"h%d","command":%q}`, i, command))
	}
	engine := open(t, options(t, `{"hooks":{"PreToolUse":[{"hooks":[`+strings.Join(list, ",")+`]}]}}`))
	event := []byte(bashCall)
	rounds := 1000
	if testing.Short() {
		rounds = 50
	}
	for round := range rounds {
		out, err := engine.Fire(t.Context(), "PreToolUse", event)
		if err != nil {
			t.Fatal(err)
		}
		if !out.Blocked || out.Decision != response.DecisionDeny || out.Reason != "not clean" {
			t.Fatalf("round %d: blocked %v, decision %s, reason %q", round, out.Blocked, out.Decision, out.Reason)
		}
		if len(out.Hooks) != hooks {
			t.Fatalf("round %d: %d results", round, len(out.Hooks))
		}
		for i, h := range out.Hooks {
			if h.Hook.Name != fmt.Sprintf("h%d", i) {
				t.Fatalf("round %d: %s at place %d", round, h.Hook.Name, i)
			}
		}
	}
}
