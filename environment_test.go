package hooks_test

import (
	"fmt"
	"strings"
	"testing"
)

// A variable that no program can be given must not keep a guard from starting.
func TestLongVariables(t *testing.T) {
	long := strings.Repeat("x", 140_000)
	const guard = `"hooks":{"PreToolUse":[{"hooks":[{"type":"command","shell":"bash","command":"exit 2"%s}]}]}`
	many := make([]string, 40)
	for i := range many {
		many[i] = fmt.Sprintf(`"V%d":%q`, i, long[:100_000])
	}
	for name, test := range map[string]struct{ settings, event, warned string }{
		"session":   {fmt.Sprintf(`{`+guard+`}`, ""), `"session_id":"` + long + `"`, "the event sets THEUS_SESSION_ID to 140000 bytes"},
		"effort":    {fmt.Sprintf(`{`+guard+`}`, ""), `"session_id":"s","effort":{"level":"` + long + `"}`, "the event sets THEUS_EFFORT"},
		"settings":  {fmt.Sprintf(`{"env":{"LONG":"`+long+`"},`+guard+`}`, ""), `"session_id":"s"`, "sets LONG to 140000 bytes"},
		"in all":    {fmt.Sprintf(`{"env":{`+strings.Join(many, ",")+`},`+guard+`}`, ""), `"session_id":"s"`, "sets V9 to 100000 bytes"},
		"hook":      {fmt.Sprintf(`{`+guard+`}`, `,"env":{"LONG":"`+long+`"}`), `"session_id":"s"`, "sets LONG to 140000 bytes"},
		"of itself": {fmt.Sprintf(`{`+guard+`}`, `,"env":{`+strings.Join(many, ",")+`}`), `"session_id":"s"`, "sets V9 to 100000 bytes"},
	} {
		out, err := open(t, options(t, test.settings)).Fire(t.Context(), "PreToolUse", []byte(`{`+test.event+`,"tool_name":"Bash","tool_input":{"command":"ls"}}`))
		if err != nil {
			t.Fatal(err)
		}
		warned := false
		for _, p := range out.Problems {
			warned = warned || p.Code == "long-variable" && strings.Contains(p.Message, test.warned)
		}
		if !out.Blocked || !warned {
			t.Errorf("%s: blocked %v, problems %.300v", name, out.Blocked, out.Problems)
		}
	}
}
