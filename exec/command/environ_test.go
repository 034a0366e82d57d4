//go:build unix

package command

import "testing"

// TestAsBashInEnvironment runs texts in environments other than that of the
// snippets, in process and by bash.
func TestAsBashInEnvironment(t *testing.T) {
	tests := []struct{ name, text, env string }{
		{"an OLDPWD that is no directory", `sh -c 'echo "[$OLDPWD]"'`, "OLDPWD=/no/such/directory"},
		{"an OLDPWD", `sh -c 'echo "[$OLDPWD]"'; cd sub; sh -c 'echo "${OLDPWD##*/}"'`, "OLDPWD=/usr"},
		{"a home in the PATH", `args.sh a; inner.txt; command -v args.sh >/dev/null; echo $?`, "PATH=~:~/sub:/usr/bin:/bin"},
		{"nothing in the PATH is here", `args.sh a; echo $?; sub; echo $?; ..; echo $?`, "PATH=:/usr/bin:/bin"},
		{"a program on the PATH that cannot run", `inner.txt; echo $?; command -v inner.txt; command -v none; echo $?`, "PATH=sub:/usr/bin:/bin"},
		{"a slash at the end of the PATH's", `cat a.txt; command -v sh`, "PATH=/usr/bin/:/bin/"},
		{"a link and up in the PATH", `args.sh a`, "PATH=link/..:/usr/bin:/bin"},
		{"a locale with UTF-8", `echo -e '\u00e9 \ud83d \U1F600 \U7fffffff'`, "LC_ALL=C.UTF-8"},
		{"a home that is a pattern", `case "$HOME" in ~) echo 1;; esac; [[ $HOME == ~ && ~/x == ~/x ]]; echo $?; [ "$HOME" = ~ ]; echo $?; ./args.sh ~ ~/x`, "HOME=/[a]*"},
		{"a home with a blank", `case "$HOME/x" in ~/x) echo 1;; esac; [ -d ~ ]; echo $?; ./args.sh ~ ~/x`, "HOME=/a b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := fixture(t)
			job := Job{Command: tt.text, Dir: dir, Env: append(fixtureEnv(dir), tt.env)}
			got := runHere(t, job)
			job.Shell = "bash"
			want := runHere(t, job)
			if got.Shell != "builtin" || string(got.Stdout) != string(want.Stdout) || got.ExitCode == nil || want.ExitCode == nil || *got.ExitCode != *want.ExitCode {
				t.Errorf("%s\nby %s (%s): %q\nby bash: %q", tt.text, got.Shell, got.ShellWhy, got.Stdout, want.Stdout)
			}
		})
	}
}
