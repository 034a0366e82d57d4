package shell

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustParse(t *testing.T, text string) *Script {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return s
}

// texts are the commands of a script, each as its text and what runs it.
func texts(s *Script) []string {
	var out []string
	for _, c := range s.Commands() {
		text := c.Text.String()
		if c.Via != "" {
			text += " <" + c.Via + ">"
		}
		out = append(out, text)
	}
	return out
}

func TestCommands(t *testing.T) {
	for _, tt := range []struct {
		line string
		want string // separated by line breaks
	}{
		{``, ``},
		{"# p", ``},
		{`p  a	b`, "p  a\tb"},
		{`p "a  b"`, `p a  b`},
		{`X=1`, `X=1`},
		{`X=$Y Z=2`, `X=… Z=2`},
		{`X=1 p`, `p`},
		{`export A=1 B=$C`, `export A=1 B=…`},
		{`declare -x A`, `declare -x A`},
		{`a=(1 2)`, `a…`},
		{`local "$x"`, `local …`},
		{`let x=1`, `let …`},
		{`time p a`, "time p a\np a"},

		// words that are known only at run time
		{`p $X`, `p …`},
		{`p "$X"`, `p …`},
		{`p a$X`, `p a…`},
		{`$X`, `…`},
		{`$X $Y`, "… …\n… <…>"},
		{`"$X" a`, "… a\na <…>"},
		{`~/bin/p a`, `…/bin/p a`},
		{`$D/sudo p`, "…/sudo p\np <sudo>"},
		{`p @(a|b) $((1))`, `p … …`},
		{`p a[`, `p a[`},
		{`p a[b`, `p a[b`},
		{`p a["b"] c["d"`, `p a… c…`},
		{`p {1..9}`, `p …`},
		{`p {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}`, "p " + strings.Join(product("ab", 6), " ")},
		{`p {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}`, `p …`},

		// what runs what
		{`sudo p`, "sudo p\np <sudo>"},
		{`sudo -u bob p a`, "sudo -u bob p a\np a <sudo>"},
		{`sudo -ubob p`, "sudo -ubob p\np <sudo>"},
		{`sudo --user bob p`, "sudo --user bob p\np <sudo>"},
		{`sudo --us bob p`, "sudo --us bob p\np <sudo>\nbob p <sudo>"},
		{`sudo --user=bob p`, "sudo --user=bob p\np <sudo>"},
		{`sudo -nEu bob p`, "sudo -nEu bob p\np <sudo>"},
		{`sudo -l`, `sudo -l`},
		{`sudo -Q p q`, "sudo -Q p q\nq <sudo>\np q <sudo>"},
		{`sudo $X p`, "sudo … p\n… p <sudo>\np <…>"},
		{`sudo -s <<< p`, "sudo -s\np <sudo reading its input>"},
		{`sudo -s 'p | q'`, "sudo -s p | q\np | q <sudo>\np <sudo>\nq <sudo>"},
		{`/usr/bin/sudo p`, "/usr/bin/sudo p\np <sudo>"},
		{`doas -u bob p`, "doas -u bob p\np <doas>"},
		{`env`, `env`},
		{`env -i A=1 p`, "env -i A=1 p\np <env>"},
		{`env - A=1 p`, "env - A=1 p\np <env>"},
		{`env -S 'p a' b`, "env -S p a b\np a b <env>"},
		{`env '-Sp a' b`, "env -Sp a b\np a b <env>"},
		{`env --split-string='p a'`, "env --split-string=p a\np a <env>"},
		{`env -S "$X"`, "env -S …\n… <env>"},
		{`timeout 5 p`, "timeout 5 p\np <timeout>"},
		{`timeout $T p`, "timeout … p\n… p <timeout>\np <…>"},
		{`timeout "$T" p`, "timeout … p\n… p <timeout>\np <…>"},
		{`timeout -- $T p`, "timeout -- … p\n… p <timeout>\np <…>"},
		{`timeout 5$T p`, "timeout 5… p\np <timeout>"},
		{`timeout`, `timeout`},
		{`nice --adjustment=5 p`, "nice --adjustment=5 p\np <nice>"},
		{`ionice -c2 -n 7 p`, "ionice -c2 -n 7 p\np <ionice>"},
		{`setsid --wait p`, "setsid --wait p\np <setsid>"},
		{`stdbuf -i0 -oL -e L p`, "stdbuf -i0 -oL -e L p\np <stdbuf>"},
		{`flock -n 9`, `flock -n 9`},
		{`flock -x l p a`, "flock -x l p a\np a <flock>"},
		{`flock l -c 'p; q'`, "flock l -c p; q\np <flock>\nq <flock>"},
		{`watch -n 2 -d p a`, "watch -n 2 -d p a\np a <watch>"},
		{`watch 'p | q'`, "watch p | q\np <watch>\nq <watch>"},
		{`watch p $X`, "watch p …\np … <watch>\n… <watch>"},
		{`chroot /x p`, "chroot /x p\np <chroot>"},
		{`taskset -c 0,1 p`, "taskset -c 0,1 p\np <taskset>"},
		{`strace -f -e trace=file -o out p`, "strace -f -e trace=file -o out p\np <strace>"},
		{`systemd-run --user -p A=1 p`, "systemd-run --user -p A=1 p\nA=1 p <systemd-run>\np <systemd-run>"},
		{`busybox sh -c p`, "busybox sh -c p\nsh -c p <busybox>\np <sh -c>"},
		{`su -c 'p a' bob`, "su -c p a bob\np a <su>"},
		{`su bob --command='p a'`, "su bob --command=p a\np a <su>"},
		{`su - bob <<< p`, "su - bob\np <su reading its input>"},
		{`su bob`, `su bob`},
		{`runuser -u bob -- p a`, "runuser -u bob -- p a\np a <runuser>"},
		{`script -qc 'p a' /dev/null`, "script -qc p a /dev/null\np a <script>"},
		{`script -q out p a`, "script -q out p a\np a <script>"},
		{`xargs`, `xargs`},
		{`xargs p`, "xargs p\np … <xargs>"},
		{`xargs -0 -n 1 p a`, "xargs -0 -n 1 p a\np a … <xargs>"},
		{`xargs -I % p a%b %`, "xargs -I % p a%b %\np a…b … <xargs>"},
		{`xargs -I% sh -c p%`, "xargs -I% sh -c p%\nsh -c p… <xargs>\n… <sh -c>"},
		{`xargs --replace=% p %`, "xargs --replace=% p %\np … <xargs>"},
		{`xargs sh`, "xargs sh\nsh … <xargs>\n… <sh>"},
		{`xargs bash -c`, "xargs bash -c\nbash -c … <xargs>\n… <bash>"},
		{`find . -exec p {} \; -ok q a{}b \;`, "find . -exec p {} ; -ok q a{}b ;\np … <find -exec>\nq a…b <find -ok>"},
		{`find . -exec p {} + -name x`, "find . -exec p {} + -name x\np … <find -exec>"},
		{`find . -exec p a + b \; -name x`, "find . -exec p a + b ; -name x\np a + b <find -exec>"},
		{`fd -e c -x p {}`, "fd -e c -x p {}\np … … <fd -x>"},
		{`parallel p {} ::: a b`, "parallel p {} ::: a b\np {} <parallel>\np … … <parallel>"},
		{`parallel`, "parallel\n… <parallel>"},

		// code in arguments and input
		{`bash -c 'p; q'`, "bash -c p; q\np <bash -c>\nq <bash -c>"},
		{`bash -c "p $X"`, "bash -c p …\n… <bash -c>"},
		{`bash -c 'p ('`, "bash -c p (\n… <bash -c>"},
		{`bash -o posix -O extglob -c p`, "bash -o posix -O extglob -c p\np <bash -c>"},
		{`bash --rcfile x -c p`, "bash --rcfile x -c p\np <bash -c>"},
		{`bash $X`, "bash …\n… <bash>"},
		{`bash "$X"`, `bash …`},
		{`bash x.sh -c p`, `bash x.sh -c p`},
		{`bash -s a <<< p`, "bash -s a\np <bash reading its input>"},
		{`bash < x.sh`, `bash`},
		{`bash < <(p)`, "bash\n… <bash reading its input>\np"},
		{`p | sh`, "p\nsh\n… <sh reading its input>"},
		{`p > >(sh)`, "p\nsh\n… <sh reading its input>"},
		{"bash <<'E'\np \\$X\nE", "bash\np $X <bash reading its input>"},
		{"bash <<E\np \\$X\nE", "bash\np … <bash reading its input>"},
		{`bash -- <(p)`, "bash -- …\n… <bash>\np"},
		{`at now <<< p`, "at now\np <at reading its input>"},
		{`eval`, `eval`},
		{`eval "$X"`, "eval …\n… <eval>"},
		{`trap p EXIT`, "trap p EXIT\np <trap>"},
		{`trap -- 'p a' EXIT`, "trap -- p a EXIT\np a <trap>"},
		{`trap - EXIT`, `trap - EXIT`},
		{`trap -p`, `trap -p`},
		{`alias x='p a' y`, "alias x=p a y\np a <alias>"},
		{`source x.sh`, `source x.sh`},
		{`. <(p)`, ". …\n… <.>\np"},
		{`exec -a x p`, "exec -a x p\np <exec>"},
		{`command -v p`, `command -v p`},
		{`command -pv p`, `command -pv p`},
		{`command p`, "command p\np <command>"},
		{`coproc sh`, "sh\n… <sh reading its input>"},
		{`nocorrect p`, `nocorrect p`},
		{`npx p`, `npx p`},
		{`docker exec c p`, `docker exec c p`},
		{`sudo --login p`, "sudo --login p\np <sudo>"},
		{`su root -- -c 'p a'`, "su root -- -c p a\np a <su>"},
		{`env -S 'p\_a   b'`, "env -S p\\_a   b\np a b <env>"},
		{`perf stat p`, "perf stat p\nstat p <perf>\np <perf>"},
		{"alias g=p\ng a", "alias g=p\np <alias>\ng a\np a <g>"},
		{"alias p='p -x'\np a", "alias p=p -x\np -x <alias>\np a\np -x a <p>"},
		{`f() { sh; }; p | f`, "sh\n… <sh reading its input>\np\nf"},
		{`f() { sh; }; p; f`, "sh\np\nf"},
	} {
		got := strings.Join(texts(mustParse(t, tt.line)), "\n")
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.line, diff)
		}
	}
}

// product lists the words of n of the letters.
func product(letters string, n int) []string {
	if n == 0 {
		return []string{""}
	}
	var out []string
	for _, c := range letters {
		for _, rest := range product(letters, n-1) {
			out = append(out, string(c)+rest)
		}
	}
	return out
}

func TestCommandSource(t *testing.T) {
	for _, tt := range []struct{ line, source, full string }{
		{`p a`, `p a`, `p a`},
		{`  p  "a" ; q`, `p  "a"`, `p  "a"`},
		{`X=1 p 'a' > out b 2>&1`, `p 'a' > out b`, `X=1 p 'a' > out b 2>&1`},
		{`> out p a`, `p a`, `> out p a`},
		{"p a <<E >out\nx\nE", `p a`, `p a <<E >out`},
		{"p \\\n  a", "p \\\n  a", "p \\\n  a"},
		{`X=$(q)`, `X=$(q)`, `X=$(q)`},
	} {
		c := mustParse(t, tt.line).Commands()[0]
		if c.Source != tt.source || c.Full != tt.full {
			t.Errorf("%q: source %q, full %q; want %q and %q", tt.line, c.Source, c.Full, tt.source, tt.full)
		}
	}
}

func TestCommandString(t *testing.T) {
	for _, tt := range []struct {
		line string
		i    int
		want string
	}{
		{`rm $X "a b"`, 0, `rm $X "a b"`},
		{`sudo rm $X`, 1, `rm $X (by sudo)`},
		{`xargs rm`, 1, `rm … (by xargs)`},
		{`eval "$X"`, 1, `… (by eval)`},
	} {
		if got := mustParse(t, tt.line).Commands()[tt.i].String(); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.line, got, tt.want)
		}
	}
}

func TestLists(t *testing.T) {
	got := mustParse(t, " p | q && (r | s) \n").Lists()
	want := []string{"p | q && (r | s)", "p | q", "r | s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestBounds holds commands that would cost much, or hide others, by their
// number: each ends in a command of which nothing is known.
func TestBounds(t *testing.T) {
	for _, line := range []string{
		strings.Repeat("sudo ", 20) + "p",
		strings.Repeat("watch -z ", 1000) + "p",
		strings.Repeat("xargs -y ", 1000) + "p",
		strings.Repeat("eval ", 20) + "p",
		strings.Repeat("sudo -Q ", 100) + strings.Repeat("x", 9000),
		strings.Repeat("watch -Q ", 100) + strings.Repeat("x", 9000),
	} {
		commands := mustParse(t, line).Commands()
		if len(commands) > maxCommands {
			t.Errorf("%.40q…: %d commands", line, len(commands))
		}
		size := 0
		for _, c := range commands {
			size += len(c.Text.String())
		}
		if size > maxRendered+MaxChars {
			t.Errorf("%.40q…: %d bytes of commands", line, size)
		}
		last := commands[len(commands)-1].Text
		if len(last) != 1 || last[0].Kind != Any {
			t.Errorf("%.40q…: the last command is %q, want anything", line, last)
		}
	}
}

func TestParse(t *testing.T) {
	var perr *ParseError
	for _, tt := range []struct {
		text string
		want error // nil: a *ParseError
	}{
		{strings.Repeat("x", MaxChars+1), ErrTooLong},
		{strings.Repeat("é", MaxChars+1), ErrTooLong},
		{strings.Repeat("(", MaxDepth+1) + "x" + strings.Repeat(")", MaxDepth+1), ErrTooDeep},
		{strings.Repeat("(", 200_000), ErrTooLong},
		{strings.Repeat("$(", MaxDepth+1), ErrTooDeep},
		{"if true", nil},
		{"a 'b", nil},
		{"a )", nil},
	} {
		_, err := Parse(tt.text)
		if tt.want != nil && !errors.Is(err, tt.want) || tt.want == nil && !errors.As(err, &perr) {
			t.Errorf("%.20q: error %v, want %v", tt.text, err, tt.want)
		}
	}
	_, err := Parse("p\nq )")
	if !errors.As(err, &perr) || perr.Line != 2 || perr.Column != 3 {
		t.Errorf("place of the error: %+v", perr)
	}
	for _, text := range []string{strings.Repeat("é", MaxChars), strings.Repeat("( ", MaxDepth) + "x" + strings.Repeat(")", MaxDepth), ""} {
		if _, err := Parse(text); err != nil {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

func FuzzCommands(f *testing.F) {
	for _, tt := range bashLines {
		f.Add(tt.line)
	}
	f.Add(strings.Repeat("watch -z ", 1000) + "p")
	f.Add("sudo ${x} -u\xff")
	f.Fuzz(func(t *testing.T, line string) {
		s, err := Parse(line)
		if err != nil {
			return
		}
		commands := s.Commands()
		if len(commands) > maxCommands {
			t.Errorf("%d commands", len(commands))
		}
		for _, c := range commands {
			if c.Full != "" && !strings.Contains(c.Full, c.Source) {
				t.Errorf("%q is no part of %q", c.Source, c.Full)
			}
			_ = c.String()
		}
		_ = s.Lists()
	})
}
