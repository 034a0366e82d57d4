//go:build unix

package background

import (
	"os"
	"strings"
	"testing"
)

// A hook that runs on its own is not found among the children of a hook around
// its caller, whose end would be its own.
func TestDetachedIsNobodysChild(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	j := job(t, "says", `printf '{"systemMessage":"tag %s"}' "$THEUS_HOOK_RUN"`)
	j.Command.Env = append(j.Command.Env, "THEUS_HOOK_RUN=outer")
	s := open(t)
	d := &Detached{Executable: self, Args: []string{"theus-hooks", Command}, Env: append(os.Environ(), "THEUS_HOOK_RUN=outer")}
	if err := d.Start(j, s); err != nil {
		t.Fatal(err)
	}
	lates := settle(t, s)
	if len(lates) != 1 || !strings.HasPrefix(lates[0].Message, "tag ") || strings.Contains(lates[0].Message, "outer") {
		t.Errorf("told %+v", lates)
	}
}
