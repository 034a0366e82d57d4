package rule

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"Bash(git push *)", "Edit(*.po)|Write(*.po)", "mcp__srv__get_*", "Read(~/.ssh/**)", "Edit(src/{a,b}/[!x]?.ts)", `Edit(\[a\])`,
		"WebFetch(domain:*.example.com:80)", "Agent(x)|Skill(y *)", "Bash(a) && Bash(b)", "Bash((a)|b)", "PowerShell(ls:*)", "*(a:b)", "", "|", "((", "Read(../../a/**/..)", "Edit(//c/{x,{y,z}})",
	} {
		f.Add(s, "git push; $X", "/w/app/src/a.ts")
	}
	f.Fuzz(func(t *testing.T, text, command, path string) {
		r, err := Parse(text)
		if r == nil || len(r.parts) == 0 {
			t.Fatal("no rule")
		}
		if r.String() != text {
			t.Errorf("text %q became %q", text, r.String())
		}
		for _, tool := range []string{"Bash", "PowerShell", "Edit", "Grep", "Glob", "WebFetch", "Agent", "Skill", "mcp__a__b", "Other"} {
			c := NewCall(Input{Tool: tool, Cwd: "/w/app", Home: "/home/u", Field: fields("command", command, "file_path", path, "path", path, "pattern", path, "url", path, "skill", path, "subagent_type", path, "a", path)})
			m := r.Match(c, "/w")
			if again := r.Match(c, "/w"); again.Fires != m.Fires {
				t.Errorf("%q for %s answers differently each time", text, tool)
			}
			if m.Detail() == "" {
				t.Errorf("%q for %s has no detail", text, tool)
			}
			if err == nil && text == tool && !m.Fires {
				t.Errorf("%q does not fire for its tool", text)
			}
			_ = m.Commands()
		}
	})
}

func FuzzPowerShell(f *testing.F) {
	for _, s := range []string{
		"git push; ls | x && y", "if ($a) { b } else { c }", "$x = @'\na\n'@", "$x = @\"\n$(a)\n\"@", "echo \"a $(b 'c') `\" ${d e}\" # f", "iex 'pwsh -c \"a; b\"'", "<# #> & 'a b' c", "@{a=1}; @(b)", "`\n", "a `", "‘a’",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := readPowerShell(text)
		if s.err == nil && strings.Contains(text, "\x00") && !utf8.ValidString(text) {
			return
		}
		if s.err == nil && s.wholes == nil {
			t.Error("nothing was read and nothing is wrong")
		}
	})
}
