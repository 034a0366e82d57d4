package matcher_test

import (
	"fmt"

	"github.com/theus-hooks/theus-hooks/precedence/matcher"
)

func Example() {
	for _, text := range []string{"Edit|Write", "Edit.*", "^(?!mcp__)", "*.ts"} {
		m, err := matcher.Compile(text, matcher.Options{Tool: true})
		if err != nil {
			fmt.Println(err)
			continue
		}
		ok, err := m.Match("NotebookEdit")
		fmt.Println(m.Text(), m.Kind(), m.Engine(), ok, err)
	}
	// Output:
	// Edit|Write list exact false <nil>
	// Edit.* regex re2 true <nil>
	// ^(?!mcp__) regex ecmascript true <nil>
	// matcher "*.ts": nothing to repeat at character 1; a matcher is no file glob; write ".*" for anything, or "*" alone for every event
}
