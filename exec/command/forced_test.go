//go:build unix

package command

import (
	"strings"
	"testing"

	"github.com/theus-hooks/theus-hooks/response"
)

// Text that is forced to run in process is bounded, too.
func TestForcedSubstitution(t *testing.T) {
	for text, want := range map[string]response.Status{
		`x=$(< a.txt); echo "$x"`:     response.OK,
		`x=$(< /dev/zero); echo "$x"`: response.Failed,
		"cat <<E\n$(< /dev/zero)\nE":  response.Failed,
	} {
		r := runHere(t, Job{Command: text, Shell: "builtin"})
		if r.Status != want || want == response.OK && string(r.Stdout) != "one\ntwo\nthree\n" || want != response.OK && !strings.Contains(r.Error, "more than 3 MiB") {
			t.Errorf("%q: %s, %q, stdout %.80q", text, r.Status, r.Error, r.Stdout)
		}
	}
}
