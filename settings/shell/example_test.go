package shell_test

import (
	"fmt"

	"github.com/theus-hooks/theus-hooks/settings/shell"
)

func ExampleScript_Commands() {
	script, err := shell.Parse(`test -f x || rm -rf "$DIR" && ls | xargs -n 1 echo 'a b'`)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range script.Commands() {
		fmt.Println(c.Text)
	}
	// Output:
	// test -f x
	// rm -rf …
	// ls
	// xargs -n 1 echo a b
	// echo a b …
}
