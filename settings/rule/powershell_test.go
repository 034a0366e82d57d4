package rule

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func pwshCall(command string) Input {
	return Input{Tool: "PowerShell", Field: fields("command", command)}
}

func TestPowerShell(t *testing.T) {
	for _, tt := range []struct {
		rule, command string
		want          bool
	}{
		{"PowerShell(git push*)", "git push", true},
		{"PowerShell(git push *)", "git push origin", true},
		{"PowerShell(git push *)", "git pushx", false},
		{"PowerShell(GIT Push *)", "Git pUSH", true},
		{"PowerShell(git:*)", "git status", true},
		{"PowerShell", "x", true},
		{"PowerShell(*)", "x", true},
		{"PowerShell(git *)", "git.exe push", true},
		{"Bash(git *)", "git push", false},

		// aliases
		{"PowerShell(Get-ChildItem *)", "gci -Recurse", true},
		{"PowerShell(Get-ChildItem *)", "ls", true},
		{"PowerShell(Get-ChildItem *)", "DIR C:\\", true},
		{"PowerShell(ls *)", "Get-ChildItem", true},
		{"PowerShell(gci *)", "dir", true},
		{"PowerShell(rm *)", "Remove-Item x", true},
		{"PowerShell(ls*)", "lsof", true},
		{"PowerShell(ls *)", "echo ls", false},

		// separators
		{"PowerShell(git push *)", "ls | git push", true},
		{"PowerShell(git push *)", "ls; git push", true},
		{"PowerShell(git push *)", "ls && git push", true},
		{"PowerShell(git push *)", "ls || git push", true},
		{"PowerShell(git push *)", "ls\r\ngit push", true},
		{"PowerShell(git push *)", "ls;git push;", true},
		{"PowerShell(git push *)", "ls & git push", true},
		{"PowerShell(git push *)", "if ($x) { git push } else { ls }", true},
		{"PowerShell(git push *)", "foreach ($i in 1..3) { git push }", true},
		{"PowerShell(git push *)", "1..3 | % { git push $_ }", true},
		{"PowerShell(git push *)", "(git push).Length", true},
		{"PowerShell(git push *)", "$x = git push", true},
		{"PowerShell(git push *)", "$x = Get-Date", false},
		{"PowerShell(git push *)", "& git push", true},
		{"PowerShell(git push *)", "& 'git' push", true},
		{"PowerShell(git push *)", ". git push", true},
		{"PowerShell(git push *)", "echo $(git push)", true},
		{"PowerShell(git push *)", "echo \"a $(git push) b\"", true},
		{"PowerShell(git push *)", "echo @(git push)", true},
		{"PowerShell(git push *)", "try { git push } catch { }", true},
		{"PowerShell(git push *)", "git `\n  push", true},
		{"PowerShell(a; b)", "a; b", true},
		{"PowerShell(* > x)", "git push > x", true},

		// data
		{"PowerShell(git push *)", "echo 'git push; git push'", false},
		{"PowerShell(git push *)", "echo 'it''s; git push'", false},
		{"PowerShell(git push *)", "echo \"a`\"; git push\"", false},
		{"PowerShell(git push *)", "echo '$(git push)'", false},
		{"PowerShell(git push *)", "ls # git push", false},
		{"PowerShell(git push *)", "ls <# ; git push #> x", false},
		{"PowerShell(git push *)", "ls <# #>; git push", true},
		{"PowerShell(git push *)", "$x = @'\ngit push\n'@\nls", false},
		{"PowerShell(git push *)", "$x = @'\n$(git push)\n'@\nls", false},
		{"PowerShell(git push *)", "$x = @\"\n$(git push)\n\"@\nls", true},
		{"PowerShell(git push *)", "$x = @'\na\n'@; git push", true},
		{"PowerShell(git push *)", "$x = @''; git push", true},
		{"PowerShell(git push *)", "'git push'", false},
		{"PowerShell(git push *)", "$x = 'git push'", false},
		{"PowerShell(git push *)", "echo “a’; git push”", false},
		{"PowerShell(git push *)", "echo ‘a’; git push", true},
		{"PowerShell(git push *)", "git pull", false},
		{"PowerShell(git push *)", "git-push", false},

		// unknown
		{"PowerShell(rm -Force *)", "$x", false},
		{"PowerShell(rm -Force *)", "$x = 1; $x.Length", false},
		{"PowerShell(rm -Force *)", "(a).Length", false},
		{"PowerShell(rm -Force *)", "& (a) -Force y", true},
		{"PowerShell(rm -Force *)", "rm $x y", true},
		{"PowerShell(rm -Force *)", "& $cmd -Force y", true},
		{"PowerShell(rm -Force *)", "rm x $y", false},
		{"PowerShell(rm -Force *)", "rm ${x y} z", true},
		{"PowerShell(rm -Force *)", "rm -$", false},

		// code
		{"PowerShell(git push *)", "iex 'git push'", true},
		{"PowerShell(git push *)", "Invoke-Expression 'git pull'", false},
		{"PowerShell(git push *)", "iex $x", true},
		{"PowerShell(git push *)", "'x' | iex", true},
		{"PowerShell(git push *)", "pwsh -Command git push", true},
		{"PowerShell(git push *)", "powershell.exe -NoProfile -c 'ls; git push'", true},
		{"PowerShell(git push *)", "pwsh -enc AAAA", true},
		{"PowerShell(git push *)", "pwsh x.ps1", false},
		{"PowerShell(git push *)", "pwsh $x", true},
		{"PowerShell(git push *)", "cmd /c git push", true},
		{"PowerShell(git push *)", "cmd x", false},
		{"PowerShell(git push *)", "bash -c 'ls && git push'", true},
		{"PowerShell(git push *)", "bash -c 'ls'", false},
		{"PowerShell(git push *)", "bash -c $x", true},

		// not readable
		{"PowerShell(git *)", "echo 'x", true},
		{"PowerShell(git *)", "echo \"x", true},
		{"PowerShell(git *)", "echo (x", true},
		{"PowerShell(git *)", "echo x)", true},
		{"PowerShell(git *)", "{", true},
		{"PowerShell(git *)", "ls <# x", true},
		{"PowerShell(git *)", "x ${y", true},
		{"PowerShell(git *)", "@'\nx", true},
		{"PowerShell(git *)", "x " + strings.Repeat("(", 200) + strings.Repeat(")", 200), true},
		{"PowerShell(git *)", "x " + strings.Repeat("(", 199) + strings.Repeat(")", 199), false},
		{"PowerShell(git *)", strings.Repeat("x", 10_001), true},
		{"PowerShell(git *)", strings.Repeat("x", 10_000), false},
		{"PowerShell(git *)", strings.Repeat("iex ", 20) + "x", true},
		{"PowerShell(git *)", "", false},
		{"PowerShell(git *)", "$", false},
		{"PowerShell(git *)", "`", false},
	} {
		got := mustParse(t, tt.rule).Match(NewCall(pwshCall(tt.command)), "")
		if got.Fires != tt.want {
			t.Errorf("%s on %.200q: fires %v, want %v (%.300s)", tt.rule, tt.command, got.Fires, tt.want, got.Detail())
		}
	}
}

func TestPowerShellCommands(t *testing.T) {
	for _, tt := range []struct {
		command string
		want    []string
	}{
		{"ls; git  push | x", []string{"get-childitem", "git  push", "x"}},
		{"if ($a) { b } ", []string{"b", "if … …"}},
		{"echo \"a $b c\" 'd e'", []string{"write-output a … c d e"}},
		{"iex 'a b'", []string{"invoke-expression a b", "a b"}},
	} {
		var got []string
		for _, c := range readPowerShell(tt.command).candidates {
			got = append(got, c.command.Text.String())
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.command, diff)
		}
	}
}
