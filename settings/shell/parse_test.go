package shell

import (
	"errors"
	"strings"
	"testing"
)

func TestParseErrors(t *testing.T) {
	tests := []struct {
		name, text string
		want       error
	}{
		{"a comment that seems to go on", "ls # note \\\nrm -rf /tmp/x", ErrJoint},
		{"the same in a group", "{ ls; # note\\\n}\nrm x", ErrJoint},
		{"the same in a substitution", "echo $(ls # x \\\nrm x)", ErrJoint},
		{"behind an ordinary joint", "ls a \\\n  b # x \\\nrm x", ErrJoint},
		{"a dollar before the joint", "echo $\\\nX", ErrJoint},
		{"a backslash before the joint", "echo \"a\\\\\\\nb\"", ErrJoint},
		{"a number sign after an expansion", "(A=$B# ; rm x\n)", ErrHash},
		{"a number sign after quotes", "echo \"\"# ; rm x\n(\"\"# ; rm y\n)", ErrHash},
		{"a number sign after a substitution", "(A=$(b)# ; rm x\n)", ErrHash},
		{"a number sign after a joint", "(A=$B\\\n# ; rm x\n)", ErrHash},
		{"a comment after an operator", "a;# x\n(# y\nb) # z\n# end", nil},
		{"an ordinary joint", "ls a \\\n  b", nil},
		{"a number sign in quotes", "git commit -m 'fix #12' \\\n  --amend", nil},
		{"a number sign in a word", "echo a#b \\\n  c", nil},
		{"a comment without one", "ls # note\nls a \\\n  b", nil},
		{"a here-document", "cat <<'E'\n# x \\\ny\nE", nil},
		{"too long", "echo " + strings.Repeat("x", MaxChars), ErrTooLong},
		{"characters are counted, not bytes", "echo " + strings.Repeat("é", MaxChars-5), nil},
		{"too deep", strings.Repeat("(", MaxDepth+1), ErrTooDeep},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Parse(tt.text); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	var syntax *ParseError
	if _, err := Parse("echo 'open"); !errors.As(err, &syntax) || syntax.Line != 1 {
		t.Errorf("an open quote: %v", err)
	}
}
