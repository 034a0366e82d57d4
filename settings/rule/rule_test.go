package rule

import (
	"strings"
	"testing"
)

// fields makes an Input.Field of pairs of key and value.
func fields(pairs ...string) func(string) (string, bool) {
	return func(key string) (string, bool) {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == key {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func bash(command string) Input {
	return Input{Tool: "Bash", Field: fields("command", command), Cwd: "/w/app", Home: "/home/u"}
}

func mustParse(t *testing.T, text string) *Rule {
	t.Helper()
	r, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBash(t *testing.T) {
	for _, tt := range []struct {
		rule, command string
		want          bool
	}{
		// the specifier
		{"Bash(npm run build)", "npm run build", true},
		{"Bash(npm run build)", "npm run build --watch", false},
		{"Bash(npm run build)", "npm run builds", false},
		{"Bash(* --help)", "git push --help", true},
		{"Bash(git * main)", "git push origin main", true},
		{"Bash(git * main)", "git push origin dev", false},
		{"Bash(git * main)", "git checkout main -f", false},
		{"Bash(*install)", "npm install", true},
		{"Bash(ls *)", "ls", true},
		{"Bash(ls *)", "ls -la", true},
		{"Bash(ls *)", "lsof", false},
		{"Bash(ls*)", "lsof", true},
		{"Bash(ls:*)", "ls", true},
		{"Bash(ls:*)", "ls -la", true},
		{"Bash(ls:*)", "lsof", false},
		{"Bash(npm run test:*)", "npm run test", true},
		{"Bash(npm run test:*)", "npm run test unit", true},
		{"Bash(npm run test:*)", "npm run test:unit", false},
		{"Bash(npm run test:unit)", "npm run test:unit", true},
		{"Bash(npm run a:* b)", "npm run a:x b", true},
		{"Bash(curl http)", "curl  http", false},
		{"Bash(curl http *)", "curl  http x", false},
		{"Bash(rm *)", "/bin/rm x", false},
		{"Bash(rm *)", "rm\tx", true},
		{"Bash(git *)", "git", true},
		{"Bash(*)", "anything", true},
		{"Bash", "anything", true},
		{`Bash(find . -name \*.go)`, "find . -name '*.go'", true},
		{`Bash(find . -name \*.go)`, "find . -name 'x.go'", false},
		{`Bash(echo "a b")`, `echo "a b"`, true},
		{`Bash(echo a b)`, `echo "a b"`, true},

		// assignments and separators
		{"Bash(git *)", "FOO=bar git push", true},
		{"Bash(git push *)", "GIT_SSH=x git push origin", true},
		{"Bash(FOO=bar git *)", "FOO=bar git push", true},
		{"Bash(FOO=baz git *)", "FOO=bar git push", false},
		{"Bash(git *)", "npm test && git push", true},
		{"Bash(git push *)", "ls && git push origin main", true},
		{"Bash(git push *)", "ls ; git push origin main", true},
		{"Bash(git push *)", "ls || git push origin main", true},
		{"Bash(git push *)", "ls | git push origin main", true},
		{"Bash(git push *)", "ls |& git push origin main", true},
		{"Bash(git push *)", "ls & git push origin main", true},
		{"Bash(git push *)", "ls\ngit push origin main", true},
		{"Bash(git push*)", "git push;echo done", true},
		{"Bash(git push*)", "(git push)", true},
		{"Bash(git push*)", "true&&git push", true},
		{"Bash(git push *)", "{ git push; }", true},
		{"Bash(git push *)", "if x; then git push; fi", true},
		{"Bash(git push *)", "for i in 1; do git push; done", true},
		{"Bash(git push *)", "while git push; do :; done", true},
		{"Bash(git push *)", "case x in a) git push ;; esac", true},
		{"Bash(git push *)", "f() { git push; }", true},
		{"Bash(git push *)", "git push > log 2>&1", true},
		{"Bash(git push)", "git push > log 2>&1", true},
		{"Bash(git push *)", "! git push", true},
		{"Bash(git push *)", "git push # a comment", true},
		{"Bash(git push *)", "ls # git push", false},
		{"Bash(git push *)", "git \\\n   push origin", true},

		// substitutions
		{"Bash(rm *)", "echo $(rm -rf /)", true},
		{"Bash(rm *)", "echo `rm -rf /`", true},
		{"Bash(rm *)", "cat <(rm -rf /)", true},
		{"Bash(rm *)", "tee >(rm -rf /)", true},
		{"Bash(rm *)", "echo $(( $(rm x) + 1 ))", true},
		{"Bash(rm *)", `echo "a $(rm x) b"`, true},
		{"Bash(rm *)", "x=$(rm y)", true},
		{"Bash(rm *)", "export x=$(rm y)", true},
		{"Bash(rm *)", "echo ${x:-$(rm y)}", true},
		{"Bash(rm *)", "[[ -n $(rm y) ]]", true},
		{"Bash(rm *)", "(( x[$(rm y)] ))", true},
		{"Bash(rm *)", "a=(1 $(rm y))", true},
		{"Bash(rm *)", "ls > $(rm y)", true},
		{"Bash(rm *)", "for i in $(rm y); do :; done", true},
		{"Bash(rm *)", "echo $(date)", false},
		{"Bash(rm *)", "echo '$(rm x)'", false},
		{"Bash(git commit*)", "echo $(date)", false},
		{"Bash(git commit*)", "echo $(git commit -m x)", true},

		// three-valued: only what could match fires
		{"Bash(git push *)", "echo $(date)", false},
		{"Bash(rm -rf *)", "echo $HOME", false},
		{"Bash(rm -rf *)", "rm $FLAGS /", true},
		{"Bash(rm -rf *)", "$CMD -rf /", true},
		{"Bash(rm -rf *)", `"$CMD" -rf /`, true},
		{"Bash(rm -rf *)", `"$CMD" -r /`, false},
		{"Bash(rm -rf *)", "rm -$X /", true},
		{"Bash(rm -rf *)", "rm * ", true},
		{"Bash(rm -rf *)", "rm x $Y", false},
		{"Bash(git push *)", "git $X push origin", true},
		{"Bash(git push *)", "git $X", true},
		{"Bash(git push)", "git $X", true},
		{"Bash(git push *)", "git $X pull", true},
		{"Bash(git push)", "git $X pull", false},
		{"Bash(gitk *)", "git $X", false},
		{"Bash(git push *)", "git 'push' \"origin\"", true},
		{"Bash(git push *)", `g\it pu""sh`, true},
		{"Bash(git push *)", `$'g\x69t' push`, true},
		{"Bash(git push *)", "git {push,origin}", true},
		{"Bash(git push *)", "{git,push,origin}", true},
		{"Bash(git push *)", "git-$X", false},
		{"Bash(rm *)", "~/bin/deploy x", false},
		{"Bash(rm *)", "$DIR/rm x", true},
		{"Bash(deploy *)", "cp ~/a b", false},
		{"Bash(git push)", `"$SUDO" git push`, true},
		{"Bash(git push)", "$SUDO git push", true},

		// data
		{"Bash(gh pr merge*)", `echo "later: gh pr merge 9"`, false},
		{"Bash(git commit *)", "git status", false},
		{"Bash(git commit *)", "gh issue list", false},
		{"Bash(git push*)", "cat > notes.md <<'E'\nrun git push later\nE", false},
		{"Bash(git push*)", "cat > notes.md <<'E'\ngit push\nE", false},
		{"Bash(git push*)", "cat <<E\ngit push\nE", false},
		{"Bash(git push*)", "cat <<E\n$(git push)\nE", true},
		{"Bash(git push*)", "cat <<'E'\n$(git push)\nE", false},
		{"Bash(git push*)", "cat <<-\"E\"\n\t$(git push)\n\tE", false},
		{"Bash(git push*)", "bash <<'E'\ngit push --force\nE", true},
		{"Bash(git push*)", "bash <<'E'\nls\nE", false},
		{"Bash(git push*)", "bash <<E\ngit $X\nE", true},
		{"Bash(git push*)", "sudo bash -s <<'E'\ngit push\nE", true},
		{"Bash(git push*)", "bash <<< 'git push'", true},
		{"Bash(git push*)", "cat <<'E' | bash\ngit push\nE", true},
		{"Bash(git push*)", "echo git push", false},
		{"Bash(git push*)", "echo git push | cat", false},
		{"Bash(git push*)", "echo git push | sh", true},

		// wrappers
		{"Bash(git push *)", "timeout 30 git push", true},
		{"Bash(git push *)", "timeout -k 5 -s KILL 30 git push", true},
		{"Bash(git push *)", "timeout --signal=KILL --kill-after 5 30 git push", true},
		{"Bash(git push *)", "time git push", true},
		{"Bash(git push *)", "time -p git push", true},
		{"Bash(git push *)", "nice git push", true},
		{"Bash(git push *)", "nice -n 5 git push", true},
		{"Bash(git push *)", "nice -5 git push", true},
		{"Bash(git push *)", "nohup git push &", true},
		{"Bash(git push *)", "stdbuf -oL -e 0 git push", true},
		{"Bash(git push *)", "command git push", true},
		{"Bash(git push *)", "command -p git push", true},
		{"Bash(git push *)", "command -v git push", false},
		{"Bash(git push *)", "command -V git push", false},
		{"Bash(cd *)", "builtin cd x", true},
		{"Bash(git push *)", "noglob git push", true},
		{"Bash(git push *)", "nocorrect git push", false},
		{"Bash(git push *)", "xargs git push", true},
		{"Bash(timeout *)", "timeout 30 git push", true},
		{"Bash(git push *)", "npx git push", false},
		{"Bash(git push *)", "docker exec c git push", false},
		{"Bash(git push *)", "direnv exec . git push", false},
		{"Bash(git push *)", "devbox run git push", false},
		{"Bash(git push *)", "mise exec -- git push", false},

		// commands that run their arguments
		{"Bash(git push *)", "sudo git push", true},
		{"Bash(git push *)", "sudo -u bob -n A=1 git push", true},
		{"Bash(git push *)", "sudo echo git push", false},
		{"Bash(sudo *)", "sudo git push", true},
		{"Bash(git push *)", "doas -u bob git push", true},
		{"Bash(git push *)", "env -i -u X A=1 git push", true},
		{"Bash(git push *)", "env -S 'git push'", true},
		{"Bash(git push *)", "env FOO=git push", false},
		{"Bash(git push *)", "setsid -w git push", true},
		{"Bash(git push *)", "ionice -c 3 git push", true},
		{"Bash(git push *)", "flock -w 5 /tmp/l git push", true},
		{"Bash(git push *)", "flock /tmp/l -c 'git push'", true},
		{"Bash(git push *)", "watch -n 5 git push", true},
		{"Bash(git push *)", "watch 'ls; git push'", true},
		{"Bash(git push *)", "ls | xargs -n 1 -P 4 git push", true},
		{"Bash(rm *)", "ls | xargs -I{} rm {}", true},
		{"Bash(rm *)", "ls | xargs -0", false},
		{"Bash(rm *)", "find . -name x -exec rm {} \\;", true},
		{"Bash(rm *)", "find . -execdir sudo rm {} +", true},
		{"Bash(rm *)", "find . -name rm", false},
		{"Bash(git push *)", "bash -c 'git push'", true},
		{"Bash(git push *)", "bash -lc 'cd x && git push'", true},
		{"Bash(git push *)", "bash -euo pipefail -c 'git push'", true},
		{"Bash(git push *)", "/bin/sh -c \"git push\"", true},
		{"Bash(git push *)", "bash -c 'git pull'", false},
		{"Bash(git push *)", "bash -c \"$X\"", true},
		{"Bash(git push *)", "bash script.sh", false},
		{"Bash(git push *)", "eval 'git push'", true},
		{"Bash(git push *)", "eval git push", true},
		{"Bash(git push *)", "eval \"$(x)\"", true},
		{"Bash(git push *)", "eval 'git pull'", false},
		{"Bash(git push *)", "trap 'git push' EXIT", true},
		{"Bash(git push *)", "exec git push", true},
		{"Bash(git push *)", "sudo env A=1 timeout 5 bash -c 'nice git push'", true},

		// rules with operators of their own look at the text as written
		{"Bash(curl * | sh)", "curl -s x | sh", true},
		{"Bash(curl * | tee *)", "cd y && curl -s x | tee z", true},
		{"Bash(curl * | tee *)", "curl -s x > z", false},
		{"Bash(cd x && make)", "cd x && make", true},
		{"Bash(* > /etc/*)", "echo x > /etc/passwd", true},
		{"Bash(* > /etc/*)", "echo x > /tmp/y", false},
		{"Bash(echo $HOME)", "echo $HOME", true},

		// what cannot be read runs the hook
		{"Bash(git *)", "echo 'unclosed", true},
		{"Bash(git *)", "if true", true},
		{"Bash(git *)", strings.Repeat("x", 10_000), false},
		{"Bash(git *)", strings.Repeat("é", 10_000), false},
		{"Bash(git *)", strings.Repeat("x", 10_001), true},
		{"Bash(git *)", strings.Repeat("(", 200_000) + "x" + strings.Repeat(")", 200_000), true},
		{"Bash(git *)", strings.Repeat("(", 201) + "x" + strings.Repeat(")", 201), true},
		{"Bash(git *)", "a\x00b", true},
		{"Bash(git *)", "", false},
	} {
		got := mustParse(t, tt.rule).Match(NewCall(bash(tt.command)), "")
		if got.Fires != tt.want {
			t.Errorf("%s on %.200q: fires %v, want %v (%.300s)", tt.rule, tt.command, got.Fires, tt.want, got.Detail())
		}
	}
}
