package response

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// worktree applies the path that a WorktreeCreate hook names; none is no fault
// of its own. A relative path is one below the directory the hook ran in. With
// one that could mean another place, the creation has failed.
func (d *decoder) worktree(p string) say {
	if p == "" {
		return say{}
	}
	full, fault := resolvePath(d.ev.Cwd(), p)
	if fault != "" {
		fault = fmt.Sprintf("the path %q holds %s", clip(p, 200), fault)
		d.bad("%s; print it without", fault)
		return say{decision: denial(d.spec), reason: d.hookText(fault)}
	}
	return say{fields: []field{{d.spec.OutputField("worktreePath"), jsontext.Quote(full)}}}
}

// resolvePath makes a path absolute where the directory is known, or says what
// makes it unusable.
func resolvePath(dir, p string) (full, fault string) {
	slashed := strings.ReplaceAll(p, `\`, "/")
	absolute := strings.HasPrefix(slashed, "/") || isDrive(slashed)
	switch {
	case strings.ContainsFunc(p, unicode.IsControl):
		return "", "a control character"
	case absolute && dotted(slashed):
		return "", `"." or ".."`
	case absolute || !strings.HasPrefix(dir, "/"):
		return p, ""
	}
	return path.Join(dir, p), ""
}

func dotted(p string) bool {
	return slices.ContainsFunc(strings.Split(p, "/"), func(s string) bool { return s == "." || s == ".." })
}

func isDrive(p string) bool { return len(p) >= 3 && p[1] == ':' && p[2] == '/' }

// ansi matches the escape sequences that programs colour their output with.
var ansi = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\a\x1b]*(?:\a|\x1b\\\\)|[@-Z\\\\^_])")
})

// lastLine is the last line with something on it, without colours.
func lastLine(text string) string {
	list := strings.Split(ansi().ReplaceAllString(text, ""), "\n")
	for _, line := range slices.Backward(list) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}
