package rule

import (
	"strings"

	"github.com/theus-hooks/theus-hooks/settings/shell"
)

// command lists a PowerShell statement and what it runs in turn.
func (ps *pwsh) command(words []pwshWord, from, to int) {
	words, called := withoutPrefix(words)
	if len(words) == 0 || ps.err != nil || words[0].value && !called {
		return // a value is not a command unless it is called
	}
	c := shell.Command{Text: cmdletText(words), Source: strings.TrimSpace(ps.text[from:to])}
	c.Full = c.Source
	ps.commands = append(ps.commands, c)
	if words[0].known {
		ps.inner(canonical(words[0].lit), words)
	}
}

// withoutPrefix drops `$x =` and the call operators in front of a command;
// called says that there was one.
func withoutPrefix(words []pwshWord) (rest []pwshWord, called bool) {
	if len(words) > 2 && !words[0].known && strings.HasSuffix(words[1].lit, "=") {
		words = words[2:]
	}
	for len(words) > 0 && words[0].known && (words[0].lit == "&" || words[0].lit == ".") {
		words, called = words[1:], true
	}
	return words, called
}

// cmdletText joins words, with the command's name in its canonical form.
func cmdletText(words []pwshWord) shell.Text {
	var t textBuilder
	for i, w := range words {
		if i > 0 {
			t.literal(w.sep)
		}
		if i == 0 && w.known {
			t.literal(canonical(w.lit))
			continue
		}
		for _, p := range w.text {
			if p.Kind == shell.Literal {
				t.literal(p.Text)
			} else {
				t.any()
			}
		}
	}
	return t.text
}

// inner finds the commands that a command runs.
func (ps *pwsh) inner(name string, words []pwshWord) {
	switch name {
	case "invoke-expression":
		ps.code(words, 1)
	case "powershell", "pwsh":
		ps.hosted(words)
	case "cmd":
		for i, w := range words[1:] {
			if strings.EqualFold(w.lit, "/c") || strings.EqualFold(w.lit, "/k") {
				ps.code(words, i+2)
				return
			}
		}
	case "bash", "sh", "wsl":
		ps.bash(words)
	}
}

// hosted follows `pwsh -Command CODE` and its forms.
func (ps *pwsh) hosted(words []pwshWord) {
	for i, w := range words[1:] {
		option := strings.ToLower(w.lit)
		switch {
		case !w.known:
			ps.anything()
			return
		case len(option) > 1 && strings.HasPrefix("-command", option):
			ps.code(words, i+2)
			return
		case len(option) > 1 && strings.HasPrefix("-encodedcommand", option):
			ps.anything()
			return
		}
	}
}

// code reads the words from i on as PowerShell.
func (ps *pwsh) code(words []pwshWord, i int) {
	if i >= len(words) {
		ps.anything() // its input
		return
	}
	text := ""
	for j, w := range words[i:] {
		if !w.known {
			ps.anything()
			return
		}
		if j > 0 {
			text += w.sep
		}
		text += w.lit
	}
	inner := &pwsh{text: text, layers: ps.layers + 1}
	if inner.layers > 10 {
		ps.anything()
		return
	}
	inner.block(0)
	if inner.err != nil {
		ps.anything()
		return
	}
	ps.commands = append(ps.commands, inner.commands...)
}

// bash follows a Unix shell that is given code.
func (ps *pwsh) bash(words []pwshWord) {
	for i, w := range words[1:] {
		if w.lit != "-c" || i+2 >= len(words) {
			continue
		}
		parsed, err := shell.Parse(words[i+2].lit)
		if !words[i+2].known || err != nil {
			ps.anything()
			return
		}
		ps.commands = append(ps.commands, parsed.Commands()...)
		return
	}
}

func (ps *pwsh) anything() {
	ps.commands = append(ps.commands, shell.Command{Text: shell.Text{{Kind: shell.Any}}})
}

// canonicalSpec puts the name that a pattern starts with in its canonical form.
func canonicalSpec(spec string) string {
	end := strings.IndexAny(spec, " *:")
	if end < 0 {
		end = len(spec)
	}
	if end < len(spec) && spec[end] == '*' {
		return spec // the star is part of the name
	}
	return canonical(spec[:end]) + spec[end:]
}

// canonical is the name that a command, or an alias of it, has.
func canonical(name string) string {
	name = strings.TrimSuffix(strings.ToLower(name), ".exe")
	switch name {
	case "gci", "ls", "dir":
		return "get-childitem"
	case "gc", "cat", "type":
		return "get-content"
	case "sc":
		return "set-content"
	case "ac":
		return "add-content"
	case "clc":
		return "clear-content"
	case "ri", "rm", "rmdir", "rd", "del", "erase":
		return "remove-item"
	case "ni":
		return "new-item"
	case "md", "mkdir":
		return "new-item"
	case "ci", "cpi", "cp", "copy":
		return "copy-item"
	case "mi", "mv", "move":
		return "move-item"
	case "rni", "ren":
		return "rename-item"
	case "ii":
		return "invoke-item"
	case "si":
		return "set-item"
	case "gi":
		return "get-item"
	case "cd", "chdir", "sl":
		return "set-location"
	case "gl", "pwd":
		return "get-location"
	case "echo", "write":
		return "write-output"
	case "iex":
		return "invoke-expression"
	case "icm":
		return "invoke-command"
	case "iwr", "curl", "wget":
		return "invoke-webrequest"
	case "irm":
		return "invoke-restmethod"
	case "saps", "start":
		return "start-process"
	case "spps", "kill":
		return "stop-process"
	case "gps", "ps":
		return "get-process"
	case "sasv":
		return "start-service"
	case "spsv":
		return "stop-service"
	case "gsv":
		return "get-service"
	case "foreach", "%":
		return "foreach-object"
	case "where", "?":
		return "where-object"
	case "select":
		return "select-object"
	case "sls":
		return "select-string"
	case "sort":
		return "sort-object"
	case "measure":
		return "measure-object"
	case "tee":
		return "tee-object"
	case "gcm":
		return "get-command"
	case "gm":
		return "get-member"
	case "gv":
		return "get-variable"
	case "sv", "set":
		return "set-variable"
	case "rv":
		return "remove-variable"
	case "ipmo":
		return "import-module"
	case "sajb":
		return "start-job"
	case "sleep":
		return "start-sleep"
	case "cls", "clear":
		return "clear-host"
	case "h", "history":
		return "get-history"
	}
	return name
}
