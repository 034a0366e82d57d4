package check

import (
	"fmt"
	"strings"

	"github.com/theus-hooks/theus-hooks/settings"
)

const (
	failure = settings.Error
	warning = settings.Warning
)

// text is an example that is one settings file.
func text(s string) Example { return Example{Settings: s} }

// group is an example with one group on an event.
func group(event, group string) Example {
	return text(fmt.Sprintf("{\"hooks\": {%q: [\n  %s\n]}}", event, group))
}

// hook is an example with one handler on an event, in a group without matcher.
func hook(event, handler string) Example {
	return group(event, fmt.Sprintf("{\"hooks\": [%s]}", handler))
}

func fileRules() []Rule {
	const good = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}`
	return []Rule{
		{
			"unreadable", failure, "the file cannot be read",
			"It is a directory, a device or a dangling link, or nobody may read it. Nothing of it counts; of managed settings that denies every tool call.",
			Example{},
			Example{},
		},
		{
			"not-found", failure, "a file named on the command line is not there",
			"`--settings` takes a file, or JSON text that begins with `{`.",
			Example{},
			Example{},
		},
		{
			"syntax", failure, "the text is not JSON",
			"Nothing of the file can be read, so none of its hooks runs. The place is where reading stopped: the fault is there or just before it. In strings a backslash is written twice and a line break as `\\n`.",
			text("{\"hooks\": {\"Stop\": [{\"hooks\": [\n  {\"type\": \"command\" \"command\": \"true\"}\n]}]}}"), text(good),
		},
		{
			"encoding", failure, "the file is not UTF-8",
			"UTF-16, as some editors and shells of Windows write it, is not read. Save the file as UTF-8.",
			text("\xff\xfe{\x00}\x00"), text(good),
		},
		{
			"not-utf8", warning, "a byte is not UTF-8",
			"Likely the file was saved as Latin-1 or in a code page. Here the byte is kept as it is; other agents read a replacement character, so a path or word with it is another one for them.",
			text("{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"ls caf\xe9\"}]}]}}"),
			text("{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"ls café\"}]}]}}"),
		},
		{
			"too-large", failure, "the file is larger or deeper than settings can be",
			"The limits are 16 MiB and 200 levels. No file that people write comes near them.",
			text(deep(201)), text(good),
		},
		{
			"empty-file", warning, "the file is empty",
			"Nothing is configured by it. Other agents refuse an empty file; write `{}`.",
			text("\n"), text("{}"),
		},
		{
			"bom", warning, "the file begins with a byte order mark",
			"It is read over, but other agents refuse the file.",
			text("\ufeff" + good), text(good),
		},
		{
			"comment", warning, "the file has comments",
			"They are read over, but other agents refuse the whole file for one.",
			text("// stops\n" + good), text(good),
		},
		{
			"trailing-comma", warning, "a comma stands before a closing bracket",
			"It is read over, but other agents refuse the whole file for one.",
			text(`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"},]}]}}`), text(good),
		},
		{
			"duplicate-key", failure, "a key stands twice in one object",
			"Most JSON readers keep the last and lose the others without a word. Here the lists of a doubled event are both read, of a doubled switch the stricter value counts, and a handler with a doubled key does not run, since nobody knows which was meant.",
			hook("Stop", `{"type": "command", "command": "true", "command": "false"}`), hook("Stop", `{"type": "command", "command": "true"}`),
		},
	}
}

func deep(n int) string {
	s := `{"x": `
	for range n {
		s += "["
	}
	for range n {
		s += "]"
	}
	return s + "}"
}

func shapeRules() []Rule {
	run := `{"type": "command", "command": "make -s fmt"}`
	list := []Rule{
		{
			"unknown-event", warning, "no event has that name",
			"Its hooks never run. The names are case-sensitive; `theus-hooks events` lists them.",
			hook("BeforeTool", run), hook("PreToolUse", run),
		},
		{
			"event-case", warning, "an event is written in another case",
			"It is read as the event that was meant, but other agents pass over it in silence.",
			hook("post_tool_use", run), hook("PostToolUse", run),
		},
		{
			"event-outside-hooks", warning, "an event stands outside of `hooks`",
			"Only events inside the object `hooks` are read.",
			text(`{"Stop": [{"hooks": [` + run + `]}]}`), hook("Stop", run),
		},
		{
			"hooks-misspelt", failure, "`hooks` is written in another way",
			"Agents read the key `hooks`, in lower case, and pass over any other in silence.",
			text(`{"Hooks": {"Stop": [{"hooks": [` + run + `]}]}}`), hook("Stop", run),
		},
		{
			"wrong-type", failure, "a value is of another type than is wanted",
			"The smallest part that holds it is left out: a field is as if it were not there, and an entry of a list does not count. The message names what was found and what is wanted.",
			hook("Stop", `"make -s fmt"`), hook("Stop", run),
		},
		{
			"unknown-value", failure, "a word is none of those that a field takes",
			"The message lists them and says what it counts as until it is mended: always the reading that keeps a guard a guard.",
			hook("PreToolUse", `{"type": "command", "command": "guard", "onFailure": "deny"}`), hook("PreToolUse", `{"type": "command", "command": "guard", "onFailure": "block"}`),
		},
		{
			"missing-hooks", failure, "a group has no list of handlers",
			"A group is `{\"matcher\": …, \"hooks\": […]}`; without `hooks` it does nothing.",
			group("Stop", `{"matcher": "*"}`), hook("Stop", run),
		},
		{
			"flat-entry", failure, "a handler stands where a group is wanted",
			"It is read as a group of one, but other agents pass over it or refuse the file.",
			group("PostToolUse", `{"matcher": "Edit", "type": "command", "command": "make -s fmt"}`), group("PostToolUse", `{"matcher": "Edit", "hooks": [`+run+`]}`),
		},
		{
			"missing-type", failure, "a handler has no type",
			"It is read as what its other fields make of it; other agents leave it out.",
			hook("Stop", `{"command": "true"}`), hook("Stop", `{"type": "command", "command": "true"}`),
		},
		{
			"unknown-type", failure, "no handler type has that name",
			"The types are `command`, `http`, `mcp_tool`, `prompt` and `agent`, in lower case.",
			hook("Stop", `{"type": "Command", "command": "true"}`), hook("Stop", `{"type": "command", "command": "true"}`),
		},
		{
			"type-not-allowed", failure, "the event does not allow handlers of that type",
			"The handler never runs. Events at the edges of a session, for one, take no `prompt` and no `agent` hooks.",
			hook("SessionStart", `{"type": "prompt", "prompt": "Which files matter?"}`), hook("SessionStart", `{"type": "command", "command": "git status --short"}`),
		},
	}
	for _, f := range []struct{ typ, field, bad, fixed string }{
		{"command", "command", `{"type": "command", "comand": "true"}`, `{"type": "command", "command": "true"}`},
		{"http", "url", `{"type": "http"}`, `{"type": "http", "url": "https://hooks.example.com/stop"}`},
		{"mcp_tool", "server", `{"type": "mcp_tool", "tool": "scan"}`, `{"type": "mcp_tool", "server": "audit", "tool": "scan"}`},
		{"mcp_tool", "tool", `{"type": "mcp_tool", "server": "audit"}`, `{"type": "mcp_tool", "server": "audit", "tool": "scan"}`},
		{"prompt", "prompt", `{"type": "prompt"}`, `{"type": "prompt", "prompt": "Is the work done?"}`},
	} {
		list = append(list,
			Rule{
				"missing-" + f.field, failure, fmt.Sprintf("a handler has no `%s`", f.field),
				fmt.Sprintf("Without it a `%s` hook has nothing to do and never runs.", f.typ),
				hook("Stop", f.bad), hook("Stop", f.fixed),
			},
			Rule{
				"empty-" + f.field, failure, fmt.Sprintf("the `%s` of a handler is empty", f.field),
				fmt.Sprintf("Without it a `%s` hook has nothing to do and never runs.", f.typ),
				hook("Stop", emptied(f.fixed, f.field)), hook("Stop", f.fixed),
			})
	}
	return append(list, fieldRules()...)
}

func fieldRules() []Rule {
	return []Rule{
		{
			"field-typo", warning, "a key looks like a misspelt field",
			"It has no effect. Keys that look like no field of ours are somebody else's and are left alone.",
			group("PreToolUse", `{"macther": "Bash", "hooks": [{"type": "command", "command": "guard"}]}`), group("PreToolUse", `{"matcher": "Bash", "hooks": [{"type": "command", "command": "guard"}]}`),
		},
		{
			"no-such-switch", warning, "a key is meant as a switch and is none",
			"Its hooks run all the same. A handler is switched off by `\"enabled\": false`, which groups do not have.",
			hook("Stop", `{"type": "command", "command": "make -s fmt", "disabled": true}`), hook("Stop", `{"type": "command", "command": "make -s fmt", "enabled": false}`),
		},
		{
			"field-of-other-type", warning, "a field belongs to handlers of another type",
			"It has no effect here: a request with `async`, for one, is waited for.",
			hook("PostToolUse", `{"type": "http", "url": "http://127.0.0.1:9000/", "async": true}`), hook("PostToolUse", `{"type": "http", "url": "http://127.0.0.1:9000/"}`),
		},
		{
			"bad-timeout", failure, "a timeout is not above zero",
			"The default is used: leave the field out for that.",
			hook("Stop", `{"type": "command", "command": "true", "timeout": 0}`), hook("Stop", `{"type": "command", "command": "true", "timeout": 5}`),
		},
		{
			"timeout-milliseconds", warning, "a timeout looks like milliseconds",
			"Timeouts are in seconds: 5000 are 83 minutes in which the agent may wait.",
			hook("Stop", `{"type": "command", "command": "true", "timeout": 5000}`), hook("Stop", `{"type": "command", "command": "true", "timeout": 5}`),
		},
		{
			"async-guard", warning, "a hook in the background stands where it could block",
			"The agent does not wait for it, so what it decides comes too late.",
			hook("PreToolUse", `{"type": "command", "command": "guard", "async": true}`), hook("PreToolUse", `{"type": "command", "command": "guard"}`),
		},
		{
			"on-failure-no-effect", warning, "`onFailure` can do nothing here",
			"Nothing waits for a hook in the background, and on some events there is nothing that a failure could stop.",
			hook("PostToolUse", `{"type": "command", "command": "make test", "asyncRewake": true, "onFailure": "block"}`), hook("PostToolUse", `{"type": "command", "command": "make test", "asyncRewake": true}`),
		},
		{
			"schema", failure, "the value does not fit the JSON Schema of settings",
			"A net below the other rules: what editors underline with the schema of `theus-hooks schema settings` and no other rule has named.",
			text(`{"$schema": 7}`), text(`{"$schema": "./settings.schema.json"}`),
		},
	}
}

// emptied is a handler with the text of a field taken out.
func emptied(handler, field string) string {
	at := strings.Index(handler, `"`+field+`": "`) + len(field) + 5
	end := strings.IndexByte(handler[at:], '"')
	return handler[:at] + handler[at+end:]
}
