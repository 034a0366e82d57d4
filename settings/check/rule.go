package check

import (
	"fmt"
	"strings"
	"sync"

	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/settings"
)

// A Rule is one kind of problem.
type Rule struct {
	ID       string // stable: "matcher-case"
	Severity settings.Severity
	Summary  string // what is wrong, as half a sentence
	Text     string // why it matters and what to do
	// Bad breaks the rule, Fixed is the same without the fault.
	Bad, Fixed Example
}

// An Example is a settings file and what it is looked at with.
type Example struct {
	Settings string
	Scope    precedence.Scope // "": project
	Files    []ExampleFile    // of the project
	// NoBash: there is no bash on the PATH.
	NoBash bool
	// User is another settings file, that of the user.
	User string
}

// An ExampleFile is a file of an example's project.
type ExampleFile struct {
	Path, Text string
	Executable bool
}

// Rules lists every rule, in the order of the documentation. The caller must not
// change it.
func Rules() []Rule { return rules().list }

// Lookup returns the rule of that id.
func Lookup(id string) (Rule, bool) {
	i, ok := rules().index[id]
	if !ok {
		return Rule{}, false
	}
	return rules().list[i], true
}

type ruleTable struct {
	list  []Rule
	index map[string]int
}

// rules is made when first needed, to keep it out of the start of a program.
var rules = sync.OnceValue(func() ruleTable {
	t := ruleTable{index: map[string]int{}}
	for _, s := range sections() {
		for _, r := range s.rules {
			t.index[r.ID] = len(t.list)
			t.list = append(t.list, r)
		}
	}
	return t
})

// section is a part of the table with a heading.
type section struct {
	title string
	rules []Rule
}

func sections() []section {
	return []section{
		{"The file", fileRules()},
		{"Events, groups and fields", shapeRules()},
		{"Matchers", matcherRules()},
		{"Rules in `if`", conditionRules()},
		{"Commands", commandRules()},
		{"Scripts", scriptRules()},
		{"Requests", requestRules()},
		{"Sources and policy", sourceRules()},
	}
}

// Markdown is the documentation of all rules.
func Markdown() string {
	var b strings.Builder
	b.WriteString(`# Checks

What ` + "`theus-hooks check`" + ` finds, by rule id. This page is generated from the table in
` + "`settings/check`" + `; a test fails when it is not current.

An **error** is a part of a file that cannot be read or used as written. A **warning** is
read, but likely does not do what was meant. Errors give exit code 1; with ` + "`--strict`" + `
warnings do too. At run time things are milder: a broken part costs itself, and the hooks
beside it run.
`)
	for _, s := range sections() {
		fmt.Fprintf(&b, "\n## %s\n", s.title)
		for _, r := range s.rules {
			r.markdown(&b)
		}
	}
	return b.String()
}

func (r Rule) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n\n%s: %s.\n\n%s\n", r.ID, r.Severity, r.Summary, r.Text)
	for _, e := range []struct {
		word string
		Example
	}{{"Bad", r.Bad}, {"Fixed", r.Fixed}} {
		if e.Settings == "" {
			continue
		}
		fmt.Fprintf(b, "\n%s%s:\n\n```json\n%s\n```\n", e.word, e.scopeWord(), strings.TrimRight(visible(e.Settings), "\n"))
		for _, f := range e.Files {
			mode := ""
			if !f.Executable {
				mode = " (not executable)"
			}
			fmt.Fprintf(b, "\nwith `%s`%s:\n\n```\n%s\n```\n", f.Path, mode, strings.TrimRight(visible(f.Text), "\n"))
		}
	}
}

func (e Example) scopeWord() string {
	if e.Scope == "" {
		return ""
	}
	return fmt.Sprintf(" (%s settings)", e.Scope)
}

// visible shows what an editor would not.
func visible(s string) string {
	s = strings.ReplaceAll(s, "\ufeff", "<U+FEFF>")
	s = strings.ReplaceAll(s, "\xff\xfe", "<FF FE>")
	s = strings.ReplaceAll(s, "\xe9", "<E9>")
	return strings.ReplaceAll(strings.ReplaceAll(s, "\x00", ""), "\r", "<CR>")
}
