package shell

import "strings"

// runnerOf describes the commands that run other commands. Some are not
// looked into on purpose, as they run them elsewhere or through their own
// resolution: npx, docker exec, direnv exec, devbox run, mise exec, ssh.
func runnerOf(name string) (runner, bool) {
	if r, ok := builtinRunner(name); ok {
		return r, true
	}
	return programRunner(name)
}

func builtinRunner(name string) (runner, bool) {
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh", "ksh93", "mksh", "pdksh", "oksh", "loksh", "ash", "yash", "posh",
		"rbash", "rzsh", "hush", "fish", "csh", "tcsh":
		return runner{find: (*finder).shell}, true
	case "at", "batch":
		return runner{find: func(f *finder, _ []word, l launch, _ options) { f.input(l) }}, true
	case "eval":
		return runner{find: (*finder).eval}, true
	case "source", ".":
		return runner{find: (*finder).sourced}, true
	case "trap":
		return runner{find: (*finder).trap}, true
	case "alias":
		return runner{find: (*finder).alias}, true
	case "command":
		return runner{options: options{flags: "pvV"}, find: (*finder).command}, true
	case "exec":
		return runner{options: options{flags: "cl", args: "a"}}, true
	case "builtin", "noglob", "coproc":
		return runner{}, true
	case "--", "!": // what the keyword time leaves in front
		return runner{options: options{assigns: true}}, true
	}
	return runner{}, false
}

func programRunner(name string) (runner, bool) {
	switch name {
	case "timeout", "gtimeout":
		return runner{options: options{flags: "vfp", args: "ks", long: "kill-after signal", operands: 1}}, true
	case "time", "gtime":
		return runner{options: options{flags: "apqvVlhr", args: "fo", long: "format output"}}, true
	case "nice":
		return runner{options: options{args: "n", long: "adjustment"}}, true
	case "nohup", "eatmydata", "fakeroot", "unbuffer", "catchsegv", "dbus-run-session", "torsocks", "winpty", "busybox", "toybox":
		return runner{}, true
	case "stdbuf":
		return runner{options: options{args: "ioe", long: "input output error"}}, true
	case "sudo":
		return runner{options: options{
			flags: "AbBEeHiKklnNPSsVv", args: "ugCDhpRTUrtac", assigns: true,
			long: "user group close-from chdir host prompt chroot command-timeout other-user role type auth-type login-class",
		}, find: (*finder).sudo}, true
	case "doas":
		return runner{options: options{flags: "Lns", args: "uCa"}, find: (*finder).sudo}, true
	case "env", "genv":
		return runner{options: options{flags: "i0v", args: "uCSP", long: "unset chdir split-string", assigns: true}, find: (*finder).env}, true
	case "setsid":
		return runner{options: options{flags: "cfwhV"}}, true
	case "ionice":
		return runner{options: options{flags: "thV", args: "cnpPu", long: "class classdata pid pgid uid"}}, true
	case "flock":
		return runner{options: options{flags: "sxeunoFhV", args: "wE", long: "wait timeout conflict-exit-code", operands: 1}, find: (*finder).flock}, true
	case "watch":
		return runner{options: options{flags: "bcCdegptrwxhv", args: "nqs", long: "interval equexit shotsdir"}, find: (*finder).joined}, true
	case "xargs", "gxargs":
		return runner{options: options{
			flags: "0oprtxeil", args: "adEILnPsJRS",
			long: "arg-file delimiter max-args max-procs max-chars process-slot-var",
		}, find: (*finder).xargs}, true
	case "find", "gfind":
		return runner{find: (*finder).findExec}, true
	case "fd", "fdfind":
		return runner{find: (*finder).fdExec}, true
	case "parallel":
		return runner{options: options{
			flags: "0kmXuqtv", args: "jnNaSLIIcCdEPs", long: "jobs arg-file delay timeout colsep joblog results sshlogin wd tmpdir retries load",
		}, find: (*finder).parallel}, true
	case "su", "runuser":
		return runner{options: options{flags: "lmpfPh", args: "ucgGsTw", long: "user command session-command group supp-group shell whitelist-environment"}, find: (*finder).su}, true
	case "script":
		return runner{options: options{flags: "aefqkdrp", args: "cEIOBTmot", long: "command echo log-in log-out log-io log-timing logging-format output-limit", operands: 1}, find: (*finder).script}, true
	}
	switch name {
	case "sg":
		return runner{find: (*finder).sg}, true
	case "newgrp":
		return runner{find: func(f *finder, _ []word, l launch, _ options) { f.input(l) }}, true
	case "setarch", "prlimit", "perf", "valgrind", "choom", "faketime", "gosu", "su-exec", "setuidgid", "envdir", "chronic", "ifne":
		return runner{find: (*finder).anywhere}, true
	}
	return rareRunner(name)
}

func rareRunner(name string) (runner, bool) {
	o, ok := options{}, true
	switch name {
	case "chroot":
		o = options{operands: 1}
	case "taskset":
		o = options{flags: "acpV", operands: 1}
	case "chrt":
		o = options{flags: "abdfiormvp", args: "TPD", long: "sched-runtime sched-period sched-deadline", operands: 1}
	case "strace", "ltrace":
		o = options{flags: "cCdDfFhiknqrtTvVwxyYzZ", args: "abeEIoOpPsSuUX", long: "trace attach output string-limit user env"}
	case "unshare":
		o = options{flags: "imnpuUCTfrc", args: "RwSG", long: "root wd setuid setgid propagation setgroups map-user map-group map-users map-groups monotonic boottime"}
	case "nsenter":
		o = options{flags: "amnpuiUCTrFZe", args: "tSGW", long: "target setuid setgid wdns"}
	case "systemd-run":
		o = options{flags: "dGPqrStV", args: "EHMpuC", long: "unit property slice description uid gid nice working-directory setenv on-active on-calendar machine host"}
	case "systemd-inhibit":
		o = options{long: "what who why mode"}
	case "pkexec":
		o = options{long: "user"}
	case "setpriv":
		o = options{long: "ruid euid reuid rgid egid regid groups inh-caps ambient-caps bounding-set securebits pdeathsig selinux-label apparmor-profile"}
	case "caffeinate":
		o = options{flags: "disum", args: "tw"}
	case "proxychains", "proxychains4":
		o = options{flags: "q", args: "f"}
	case "rlwrap":
		o = options{flags: "acinNoprRuvw", args: "bCDfFHlPqsStT"}
	case "xvfb-run":
		o = options{flags: "al", args: "efnsp", long: "error-file auth-file server-num server-args xauth-protocol"}
	case "ssh-agent":
		o = options{flags: "cDdks", args: "aEtPO"}
	case "numactl":
		o = options{flags: "sHl", args: "imNCp", long: "interleave membind cpunodebind physcpubind preferred"}
	case "firejail", "linux32", "linux64", "i386", "x86_64", "uname26", "entr", "cgexec", "chpst":
		o = options{flags: "acdnprsz", args: "gumo"}
	default:
		ok = false
	}
	return runner{options: o}, ok
}

// sudo follows sudo and doas: a command, or with -s or -i alone a shell.
func (f *finder) sudo(ws []word, l launch, o options) {
	for _, i := range o.starts(ws) {
		if i < len(ws) {
			f.run(ws[i:], l)
			continue
		}
		f.input(l)
	}
	if i, ok := hasShort(ws, "si"); ok {
		// -s hands the words to a shell, joined
		for _, at := range o.starts(ws) {
			if at > i && at < len(ws) {
				if lit, ok := render(ws[at:]).Literal(); ok && at+1 == len(ws) {
					f.code(Text{}.add(Piece{Literal, lit}), l)
				}
			}
		}
	}
}

// hasShort finds a word of short options that holds one of the letters.
func hasShort(ws []word, letters string) (int, bool) {
	for i := 1; i < len(ws); i++ {
		p := ws[i].prefix()
		if !strings.HasPrefix(p, "-") {
			break
		}
		if !strings.HasPrefix(p, "--") && strings.ContainsAny(p, letters) {
			return i, true
		}
	}
	return 0, false
}

// env follows env, whose -S takes a command line in one word.
func (f *finder) env(ws []word, l launch, o options) {
	for i := 1; i < len(ws) && strings.HasPrefix(ws[i].prefix(), "-"); i++ {
		lit, known := ws[i].literal()
		switch p := ws[i].prefix(); {
		case p == "--split-string" || splits(p) && strings.HasSuffix(p, "S"):
			f.split(render(ws[i+1:]), l)
			return
		case !known && (splits(p) || strings.HasPrefix(p, "--s")):
			f.unknown(l.via)
			return
		case strings.HasPrefix(p, "--split-string="), splits(p):
			_, code, _ := strings.Cut(lit, "S")
			if strings.HasPrefix(p, "--") {
				_, code, _ = strings.Cut(lit, "=")
			}
			f.split(render(append([]word{literalWord(code, "")}, ws[i+1:]...)), l)
			return
		case p == "-u" || p == "-C" || p == "-P":
			i++
		}
	}
	f.arguments(ws, l, o)
}

// split follows the words that env -S makes of text: its blanks do not count,
// and the escapes and comments are its own.
func (f *finder) split(t Text, l launch) {
	lit, ok := t.Literal()
	if !ok {
		f.unknown(l.via)
		return
	}
	lit = strings.ReplaceAll(lit, `\_`, " ")
	if strings.ContainsAny(lit, `\#`) {
		f.unknown(l.via)
		return
	}
	if !strings.ContainsAny(lit, `"'`) {
		lit = strings.Join(strings.Fields(lit), " ")
	}
	if strings.HasPrefix(strings.TrimSpace(lit), "-") {
		lit = "env " + lit
	}
	f.code(Text{}.add(Piece{Literal, lit}), l)
}

// splits reports whether short options of env hold -S.
func splits(p string) bool {
	return strings.HasPrefix(p, "-") && !strings.HasPrefix(p, "--") && strings.Contains(p, "S") && !strings.ContainsAny(p[:strings.Index(p, "S")], "uCP")
}

// flock follows `flock FILE COMMAND…` and `flock FILE -c CODE`.
func (f *finder) flock(ws []word, l launch, o options) {
	for _, i := range o.starts(ws) {
		if i+1 < len(ws) {
			if lit, ok := ws[i].literal(); ok && (lit == "-c" || lit == "--command") {
				f.code(ws[i+1].text(), l)
				continue
			}
		}
		f.run(ws[i:], l)
	}
}

// optionCode finds the code behind -c or --command; ok is false without one.
func optionCode(ws []word) (t Text, ok bool) {
	for i := 1; i < len(ws); i++ {
		p := ws[i].prefix()
		switch {
		case p == "--":
			return nil, false
		case strings.HasPrefix(p, "--command="), strings.HasPrefix(p, "--session-command="):
			if lit, ok := ws[i].literal(); ok {
				_, code, _ := strings.Cut(lit, "=")
				return Text{}.add(Piece{Literal, code}), true
			}
			return unknown(), true
		case p == "--command", p == "--session-command",
			strings.HasPrefix(p, "-") && !strings.HasPrefix(p, "--") && strings.HasSuffix(p, "c"):
			if i+1 < len(ws) {
				return ws[i+1].text(), true
			}
		}
	}
	return nil, false
}

// su follows su and runuser: code behind -c, also where it stands behind the
// user as an option of the shell, a command behind --, or a shell.
func (f *finder) su(ws []word, l launch, o options) {
	_, direct := hasShort(ws, "u")
	if direct {
		f.arguments(ws, l, o)
	}
	t, ok := optionCode(ws)
	for i := 1; !ok && !direct && i < len(ws); i++ {
		if lit, _ := ws[i].literal(); lit == "--" {
			t, ok = optionCode(ws[i:])
		}
	}
	switch {
	case ok:
		f.code(t, l)
	case !direct:
		f.input(l)
	}
}

// sg follows `sg GROUP CODE` and `sg GROUP -c CODE`.
func (f *finder) sg(ws []word, l launch, _ options) {
	for i := 2; i < len(ws); i++ {
		if lit, ok := ws[i].literal(); !ok || !strings.HasPrefix(lit, "-") {
			f.code(ws[i].text(), l)
		}
	}
	f.input(l)
}

// script follows `script -c CODE` and the BSD form `script FILE COMMAND…`.
func (f *finder) script(ws []word, l launch, o options) {
	if t, ok := optionCode(ws); ok {
		f.code(t, l)
		return
	}
	f.arguments(ws, l, o)
	f.input(l)
}
