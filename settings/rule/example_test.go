package rule_test

import (
	"fmt"

	"github.com/theus-hooks/theus-hooks/settings/rule"
)

func Example() {
	r, err := rule.Parse("Bash(git push *)")
	if err != nil {
		fmt.Println(err)
		return
	}
	input := map[string]string{"command": `cd app && sudo git push origin "$BRANCH"`}
	call := rule.NewCall(rule.Input{
		Tool:  "Bash",
		Field: func(key string) (string, bool) { v, ok := input[key]; return v, ok },
		Cwd:   "/w",
	})
	m := r.Match(call, "/w")
	fmt.Println(m.Fires)
	fmt.Println(m.Detail())
	for _, c := range m.Commands() {
		fmt.Println("-", c)
	}
	// Output:
	// true
	// "git push *" could match "git push origin "$BRANCH" (by sudo)", which is not fully known before it runs
	// - cd app
	// - sudo git push origin "$BRANCH"
	// - git push origin "$BRANCH" (by sudo)
}

func ExampleParse() {
	_, err := rule.Parse("Edit, Write")
	fmt.Println(err)
	// Output:
	// rule "Edit, Write": ", Write" behind the tool name Edit; rules cannot be combined; alternatives are joined with a single "|"
}
