package check

import "github.com/theus-hooks/theus-hooks/precedence"

func cmd(event, command string) Example {
	return hook(event, `{"type": "command", "command": "`+command+`"}`)
}

func commandRules() []Rule {
	return []Rule{
		{
			"command-syntax", failure, "the command is not shell text",
			"A quote or bracket is not closed, or a word stands where none can. The hook fails each time.",
			cmd("Stop", `echo 'done`), cmd("Stop", `echo 'done'`),
		},
		{
			"needs-bash", warning, "the command needs a shell that is not there",
			"It uses something that only bash does, and there is no bash on the PATH, or `shell` asks for the builtin one.",
			hook("Stop", `{"type": "command", "command": "shopt -s extglob; ls !(a)", "shell": "builtin"}`), hook("Stop", `{"type": "command", "command": "shopt -s extglob; ls !(a)"}`),
		},
		{
			"unquoted-variable", warning, "a path stands outside quotes",
			"The shell splits it at blanks: in a project below `My Projects` the hook does not start.",
			cmd("Stop", `$THEUS_PROJECT_DIR/tools/fmt.sh`), cmd("Stop", `\"$THEUS_PROJECT_DIR\"/tools/fmt.sh`),
		},
		{
			"single-quoted-variable", warning, "a path with a variable stands in single quotes",
			"The shell fills nothing in there, so it looks for a program with a dollar sign in its name.",
			cmd("Stop", `'$THEUS_PROJECT_DIR/tools/fmt.sh'`), cmd("Stop", `\"$THEUS_PROJECT_DIR/tools/fmt.sh\"`),
		},
		{
			"pipe-to-shell", warning, "what a server sends is run",
			"Who controls the server, or the way to it, controls the machine.",
			cmd("SessionStart", `curl -fsSL https://setup.example.com/install.sh | sh`), cmd("SessionStart", `sh tools/install.sh`),
		},
		{
			"exit-1", warning, "a guard fails with exit code 1",
			"Only exit code 2 blocks; any other is an error of the hook, and the call goes on. The reason is read from standard error.",
			cmd("PreToolUse", `grep -q 'drop table' && { echo blocked; exit 1; } || exit 0`), cmd("PreToolUse", `grep -q 'drop table' && { echo blocked >&2; exit 2; } || exit 0`),
		},
		{
			"blank-in-executable", warning, "a command with `args` names more than a program",
			"With `args` there is no shell: `command` is the name of one program, and no program has that name.",
			hook("PreToolUse", `{"type": "command", "command": "python3 tools/guard.py", "args": ["--strict"]}`), hook("PreToolUse", `{"type": "command", "command": "python3", "args": ["tools/guard.py", "--strict"]}`),
		},
		{
			"variable-in-args", warning, "an argument holds a variable that nothing fills in",
			"With `args` there is no shell. Only `${THEUS_PROJECT_DIR}`, `${THEUS_PLUGIN_ROOT}` and `${THEUS_PLUGIN_DATA}` are filled in.",
			hook("PreToolUse", `{"type": "command", "command": "node", "args": ["$HOME/tools/guard.mjs"]}`), hook("PreToolUse", `{"type": "command", "command": "node", "args": ["${THEUS_PROJECT_DIR}/tools/guard.mjs"]}`),
		},
		{
			"no-such-variable", warning, "a variable for the event is never set",
			"The event comes as JSON on standard input, never in variables, so the command works on nothing.",
			cmd("PostToolUse", `gofmt -w \"$THEUS_TOOL_FILE_PATH\"`), cmd("PostToolUse", `gofmt -w \"$(jq -r .tool_input.file_path)\"`),
		},
		{
			"plugin-variable", warning, "a variable of plugins is used outside of one",
			"`THEUS_PLUGIN_ROOT` and its kin are set for the hooks of a plugin only.",
			cmd("Stop", `\"$THEUS_PLUGIN_ROOT/hooks/x.sh\"`),
			Example{Scope: precedence.Plugin, Settings: cmd("Stop", `\"$THEUS_PLUGIN_ROOT/hooks/x.sh\"`).Settings},
		},
		{
			"other-dialect-variable", warning, "a variable is of another dialect",
			"Each dialect sets its own names, and in the theus dialect this one is empty. The claude dialect sets both, so the name with `THEUS_` works everywhere.",
			cmd("Stop", `ls \"$CLAUDE_PROJECT_DIR\"`), cmd("Stop", `ls \"$THEUS_PROJECT_DIR\"`),
		},
	}
}

func scriptRules() []Rule {
	with := func(f ExampleFile) Example {
		e := cmd("Stop", `./guard.sh`)
		e.Files = []ExampleFile{f}
		return e
	}
	const guard = "#!/bin/sh\nexit 0\n"
	good := with(ExampleFile{"guard.sh", guard, true})
	return []Rule{
		{
			"script-missing", failure, "a script that a command names is not there",
			"The hook cannot start, and a guard that does not start allows everything. Looked for are paths with a `/` and the first argument of known interpreters, below the project root; a command that tests for the file first is left alone, and so is a path below a directory that is not there.",
			cmd("Stop", `./guard.sh`), good,
		},
		{
			"script-not-executable", failure, "a script is run as a program and is not executable",
			"`chmod +x` it, or name its interpreter.",
			with(ExampleFile{"guard.sh", guard, false}), good,
		},
		{
			"script-crlf", failure, "a shell script has Windows line ends",
			"The carriage return becomes part of the interpreter's name and of each line's last word.",
			with(ExampleFile{"guard.sh", "#!/bin/sh\r\nexit 0\r\n", true}), good,
		},
		{
			"script-no-shebang", warning, "a script does not say what runs it",
			"Without a first line such as `#!/usr/bin/env bash` some callers refuse to start it and others guess.",
			with(ExampleFile{"guard.sh", "exit 0\n", true}), good,
		},
	}
}

func sourceRules() []Rule {
	run := `{"type": "command", "command": "make -s fmt"}`
	managed := func(e Example) Example { e.Scope = precedence.Managed; return e }
	off := hook("Stop", run)
	off.User = `{"disableAllHooks": true}`
	return []Rule{
		{
			"duplicate-hook", warning, "a hook does the same as another",
			"Identical hooks that match the same event run once, with the longer of their timeouts. Name, timeout, matcher and status message make no difference.",
			hook("Stop", run+`, `+run), hook("Stop", run),
		},
		{
			"managed-only-key", warning, "a key counts in managed settings only",
			"It has no effect in this file.",
			text(`{"allowManagedHooksOnly": true}`), managed(text(`{"allowManagedHooksOnly": true}`)),
		},
		{
			"wrong-scope", warning, "a key does not count in this file",
			"`disabledHooks` is read from user settings, the local file and the command line: a shared file switches nobody's hooks off.",
			text(`{"disabledHooks": ["a1b2c3d4e5f6"]}`),
			Example{Scope: precedence.Local, Settings: `{"disabledHooks": ["a1b2c3d4e5f6"]}`},
		},
		{
			"policy-off", warning, "a switch keeps the hooks of the file from running",
			"The message names the switch and its file. Here the user's settings say `\"disableAllHooks\": true`.",
			off, hook("Stop", run),
		},
	}
}
