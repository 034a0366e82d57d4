package envfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMerge(t *testing.T) {
	first := []Change{{Name: "A", Value: "1"}, {Name: "B", Value: "1"}, {Name: "A", Value: "2"}}
	second := []Change{{Name: "C", Value: "1"}, {Name: "B", Unset: true}}
	if diff := cmp.Diff([]string{"A=2", "C=1", "-B"}, show(Merge(first, second))); diff != "" {
		t.Error(diff)
	}
	if got := Merge(); len(got) != 0 {
		t.Errorf("merge of nothing: %v", got)
	}
}

func TestApply(t *testing.T) {
	env := []string{"A=1", "B=1", "A=2", "C=", "=weird", "D=x=y"}
	changes := []Change{{Name: "N", Value: "0"}, {Name: "A", Value: "3"}, {Name: "B", Unset: true}, {Name: "M", Unset: true}, {Name: "N", Value: "a=b"}}
	want := []string{"A=3", "C=", "=weird", "D=x=y", "N=a=b"}
	if diff := cmp.Diff(want, Apply(env, changes)); diff != "" {
		t.Error(diff)
	}
	if env[0] != "A=1" || len(env) != 6 {
		t.Errorf("the given environment changed: %v", env)
	}
}

// No export may make the environment one that the system refuses.
func TestApplyFits(t *testing.T) {
	big := strings.Repeat("x", 100<<10)
	changes := []Change{{Name: "HUGE", Value: strings.Repeat("x", 200<<10)}, {Name: "a b", Value: "1"}, {Name: "NUL", Value: "\x00"}}
	for i := range 8 {
		changes = append(changes, Change{Name: fmt.Sprintf("BIG%d", i), Value: big})
	}
	changes = append(changes, Change{Name: "LAST", Value: "1"})
	fitting, problems := Fit(changes)
	var names []string
	for _, c := range fitting {
		names = append(names, c.Name)
	}
	if diff := cmp.Diff([]string{"BIG0", "BIG1", "BIG2", "BIG3", "BIG4", "LAST"}, names); diff != "" {
		t.Error(diff)
	}
	if len(problems) != 6 {
		t.Errorf("problems %v", problems)
	}
	if got := Apply([]string{"HUGE=old"}, changes); len(got) != 7 || got[0] != "HUGE=old" {
		t.Errorf("%d entries, the first %.20q", len(got), got[0])
	}
}

func TestRunsCode(t *testing.T) {
	for _, name := range []string{
		"LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "NODE_OPTIONS", "PYTHONSTARTUP", "PS4", "IFS", "PERL5OPT",
		"GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "Node_Options", "THEUS_HOOKS_TRUST", "BASH_FUNC_x",
	} {
		if !RunsCode(name) {
			t.Errorf("%s is let through", name)
		}
	}
	for _, name := range []string{"PATH", "HOME", "A", "ENVIRONMENT", "NODE_ENV", "PYTHONPATH", "PYTHONUNBUFFERED", "GIT_AUTHOR_NAME", "LDFLAGS", "THEUS_PROJECT_DIR", ""} {
		if RunsCode(name) {
			t.Errorf("%s is refused", name)
		}
	}
}
