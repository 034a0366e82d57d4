package rule

import (
	"fmt"
	"slices"
)

// A Match is what comparing a rule with a call gave. Its texts are made when
// they are asked for.
type Match struct {
	Fires bool

	rule    *Rule
	call    *Call
	finding finding
}

// finding is the result of one alternative.
type finding struct {
	fires     bool
	otherTool bool
	why       why
	part      *part
	value     string // what the pattern was compared with
	note      string
}

// why is the reason of a finding.
type why uint8

const (
	whyOtherTool  why = iota // the call is another tool's
	whyTool                  // the tool is enough
	whyBroken                // the rule is not understood
	whyMatch                 // value fits
	whyCould                 // value may fit, parts of it are known only at run time
	whyNoCommand             // no command fits
	whyNo                    // value does not fit
	whyMissing               // the call has nothing to compare; note names it
	whyUnreadable            // note says why nothing is known, so it fires
)

// Detail is in words what was compared and how it came out.
func (m Match) Detail() string {
	f := m.finding
	if f.part == nil {
		return ""
	}
	pattern := quote(f.part.spec)
	switch f.why {
	case whyOtherTool:
		return fmt.Sprintf("rule is for %s, tool is %s", m.tools(), m.call.in.Tool)
	case whyTool:
		return fmt.Sprintf("rule is for every call of %s, tool is %s", f.part.tool, m.call.in.Tool)
	case whyBroken:
		return fmt.Sprintf("rule is not understood (%s), so the hook runs", f.part.broken)
	case whyMatch:
		return fmt.Sprintf("%s matches %s", pattern, quote(f.value))
	case whyCould:
		return fmt.Sprintf("%s could match %s, which is not fully known before it runs", pattern, quote(f.value))
	case whyNoCommand:
		return fmt.Sprintf("%s matches none of the commands %s", pattern, m.script().listing())
	case whyNo:
		return fmt.Sprintf("%s does not match %s", pattern, quote(f.value))
	case whyMissing:
		return fmt.Sprintf("%s has nothing to be compared with: the call has no %s", pattern, f.note)
	default:
		return fmt.Sprintf("%s, so the hook runs", f.note)
	}
}

// tools joins the names that the rule is for.
func (m Match) tools() string {
	text := ""
	for i, name := range m.rule.Tools() {
		if i > 0 {
			text += " or "
		}
		text += name
	}
	return text
}

// Commands lists the simple commands that a rule for Bash or PowerShell looked
// at, nil for a rule that looks at none and a command that cannot be parsed. All
// matches of a call share the list; it must not be changed.
func (m Match) Commands() []string {
	if s := m.script(); s != nil && s.err == nil {
		return slices.Clip(s.names())
	}
	return nil
}

// script is the reading of the command that the rule was compared with, nil
// when it was compared with something else.
func (m Match) script() *script {
	switch m.finding.why {
	case whyOtherTool, whyTool, whyBroken:
		return nil
	}
	switch m.finding.part.tool {
	case "Bash":
		return m.call.bash()
	case "PowerShell":
		return m.call.pwsh()
	}
	return nil
}

// list joins the first few items, quoted.
func list(items []string) string {
	const shown = 8
	text := ""
	for i, item := range items {
		if i == shown {
			return fmt.Sprintf("%s and %d more", text, len(items)-shown)
		}
		if i > 0 {
			text += ", "
		}
		text += quote(item)
	}
	if text == "" {
		return "(there are none)"
	}
	return text
}
