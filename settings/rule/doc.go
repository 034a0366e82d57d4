// Package rule is the permission-rule grammar of a handler's `if` field: one
// rule such as Bash(git push *), Edit(src/**) or mcp__files, read once and
// compared with tool calls.
//
// A rule is a filter in front of a guard, so doubt always means that it fires:
// a command that cannot be parsed, a word that is known only at run time, a
// path that cannot be resolved.
//
// The shortest use:
//
//	r, err := rule.Parse("Bash(git push *)")
//	if err != nil {
//		// a *SyntaxError; r is usable and fires whenever it might have meant to
//	}
//	call := rule.NewCall(rule.Input{Tool: "Bash", Field: field, Cwd: "/w/app"})
//	if m := r.Match(call, "/w/app"); m.Fires {
//		fmt.Println(m.Detail())
//	}
//
// A Call analyses its command once, for all rules that are compared with it.
//
// # Forms
//
// A rule is Tool or Tool(specifier); Tool(*) is Tool. Rules joined by "|" fire
// when one of them does. A tool name may hold "*". A rule for one tool never
// fires for another's call, except that Edit covers Write, MultiEdit and
// NotebookEdit, that Read covers Grep and Glob, that Task and Agent are one
// tool, and that mcp__server covers all tools of the server.
//
//	Bash(npm test)            that command
//	Bash(git *), Bash(git:*)  git alone or with arguments; not gitk
//	Bash(ls*)                 every command that starts so; lsof too
//	Bash(curl * | sh)         with operators: as written, also a whole pipeline
//	PowerShell(rm *)          as Bash, any case, aliases are the cmdlet
//	Read(.env)                a file of that name, at any depth below the cwd
//	Edit(src/**)              below src in the cwd
//	Edit(/src/**)             below src where the rule's settings belong
//	Edit(~/x), Edit(//etc/x)  below home, below the root of the file system
//	Edit(*.{po,pot})          braces are ours; the rest is as in .gitignore
//	WebFetch(domain:*.a.org)  the host; "*." in front is any depth of subdomains
//	Agent(reviewer)           subagent_type
//	Skill(pdf *)              skill, with or without arguments
//	Tool(parameter:value)     a top-level scalar of the input, "*" is any text
//
// # Commands
//
// A rule for Bash is compared with every simple command of the line (package
// shell lists them), without leading assignments and redirections, and with
// quotes resolved; and also with the command as it is written. Blanks inside a
// command are not made equal. Text in quotes, comments and quoted
// here-documents is data, unless something runs it: "Bash(git push*)" does not
// fire on `echo "git push"`, but a pattern that starts with "*" is a search in
// the text of a command and does.
//
// What is known only at run time may be anything: "Bash(rm -rf *)" fires on
// `rm $FLAGS /`. Commands that run others (sudo, xargs, `bash -c`, …) count
// beside the command they run.
package rule
