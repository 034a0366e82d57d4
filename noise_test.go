package hooks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/theus-hooks/theus-hooks/response"
)

// noises are what hooks around a guard do: print, fail, answer otherwise, read
// half of the event, end at another time.
var noises = []string{
	`echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'; : %d`,
	`echo '{"systemMessage":"%d"}'`,
	`echo chatter %d`,
	`echo '{"hookSpecificOutput":' %d`,
	`read -r line; echo "${line#%d}" >&2; exit 1`,
	`for i in 1 2 3 4 5 6 7 8; do echo "$i of %d"; done; exit 3`,
	`cat >/dev/null; exit %d0`,
}

// A denial among 31 noisy hooks is there every time, whatever ends when, and the
// results stand in the order of the settings.
func TestDenialAmongNoise(t *testing.T) {
	const hooks, runs, guard = 32, 1000, 19
	var list []string
	for i := range hooks {
		command := fmt.Sprintf(noises[i%len(noises)], i)
		switch {
		case i == guard:
			command = "echo no >&2; exit 2"
		case i == 3 || i == 28:
			command = fmt.Sprintf("/bin/echo '%d'", i) // a process of its own
		}
		list = append(list, fmt.Sprintf(`{"type":"command","name":"hook %d","command":%q}`, i, command))
	}
	engine := open(t, options(t, `{"hooks":{"PreToolUse":[{"hooks":[`+strings.Join(list, ",")+`]}]}}`))
	for run := range runs {
		out, err := engine.Fire(t.Context(), "PreToolUse", []byte(bashCall))
		if err != nil {
			t.Fatal(err)
		}
		if out.Decision != response.DecisionDeny || !out.Blocked || out.Reason != "no" || len(out.Hooks) != hooks {
			t.Fatalf("run %d: decision %q, blocked %v, reason %q, %d hooks ran", run, out.Decision, out.Blocked, out.Reason, len(out.Hooks))
		}
		for i, h := range out.Hooks {
			if h.Hook.Name != fmt.Sprintf("hook %d", i) {
				t.Fatalf("run %d: %q stands at %d", run, h.Hook.Name, i)
			}
		}
	}
}
