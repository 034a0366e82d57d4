package cli

import (
	"fmt"
	"strings"

	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/response"
)

// printNotes tells a person on standard error what the answer does not say.
func (a *app) printNotes(out *response.Outcome, flags *runFlags) {
	if flags.verbose {
		for _, h := range out.Hooks {
			fmt.Fprintf(a.streams.Err, "theus-hooks: ran %s\n", printable(oneLine(hookLine(h))))
		}
		for _, s := range out.Skipped {
			fmt.Fprintf(a.streams.Err, "theus-hooks: skipped %s\n", printable(oneLine(skipLine(s))))
		}
	}
	if flags.quiet || flags.format == "text" {
		return
	}
	for _, note := range notes(out) {
		fmt.Fprintf(a.streams.Err, "theus-hooks: %s\n", printable(oneLine(note)))
	}
}

// notes are the problems of an outcome, one line each, and one for the hooks
// that did not run for want of trust.
func notes(out *response.Outcome) []string {
	var lines []string
	for _, p := range out.Problems {
		lines = append(lines, p.Severity+": "+problemLine(p))
	}
	for _, s := range out.Skipped {
		if s.Reason == string(precedence.UnsupportedHere) {
			lines = append(lines, "warning: a hook did not run: "+skipLine(s))
		}
	}
	if n := countReason(out, precedence.Untrusted); n > 0 {
		lines = append(lines, fmt.Sprintf("warning: %d %s of an untrusted workspace did not run; `theus-hooks trust` says what they are, `theus-hooks trust grant` trusts them, --trust or THEUS_HOOKS_TRUST=1 vouches for one call", n, plural(n, "hook")))
	}
	return lines
}

func countReason(out *response.Outcome, reason precedence.Reason) int {
	n := 0
	for _, s := range out.Skipped {
		if s.Reason == string(reason) {
			n++
		}
	}
	return n
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func problemLine(p response.Problem) string {
	line := ""
	if p.File != "" {
		line = p.File
		if p.Line > 0 {
			line += fmt.Sprintf(":%d", p.Line)
		}
		if p.Column > 0 {
			line += fmt.Sprintf(":%d", p.Column)
		}
		line += ": "
	}
	if p.Path != "" && !strings.HasPrefix(p.Message, "hook "+p.Path+":") { // a hook without a name goes by its path
		line += p.Path + ": "
	}
	return line + p.Message
}

// oneLine folds text that must not break a line-based report.
func oneLine(s string) string { return strings.Join(strings.FieldsFunc(s, isBreak), " ") }

func isBreak(r rune) bool { return r == '\n' || r == '\r' }

func hookLine(h response.HookReport) string {
	line := fmt.Sprintf("%s (%s:%d): %s", h.Hook.Label(), h.Hook.Source.File, h.Hook.Source.Line, h.Result.Status)
	if h.Result.ExitCode != nil {
		line += fmt.Sprintf(", exit %d", *h.Result.ExitCode)
	}
	if h.Result.Shell != "" {
		line += ", by " + h.Result.Shell
	}
	line += fmt.Sprintf(", %.1f ms", float64(h.Result.Duration.Microseconds())/1000)
	if h.Decision != response.DecisionNone && h.Decision != "" {
		line += fmt.Sprintf(", decided %s", h.Decision)
	}
	if h.Result.Error != "" {
		line += ": " + h.Result.Error
	}
	return line
}

func skipLine(s response.Skip) string {
	return fmt.Sprintf("%s (%s:%d): %s: %s", s.Hook.Label(), s.Hook.Source.File, s.Hook.Source.Line, s.Reason, s.Detail)
}

// describe is the outcome for a person at a terminal.
func describe(out *response.Outcome) string {
	var b strings.Builder
	subject := out.Event
	if out.Subject != "" {
		subject += " (" + out.Subject + ")"
	}
	verdict := string(out.Decision)
	if out.Blocked {
		verdict += ", blocked"
	}
	fmt.Fprintf(&b, "%s: %s\n", subject, verdict)
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", name, strings.ReplaceAll(value, "\n", "\n            "))
		}
	}
	field("reason", out.Reason)
	if !out.Continue {
		field("stop", strings.TrimSuffix("the agent is told to stop: "+out.StopReason, ": "))
	}
	for _, m := range out.SystemMessages {
		field("message", m)
	}
	for _, c := range out.AdditionalContext {
		field("context", c)
	}
	field("rewrite", string(out.UpdatedInput))
	for _, h := range out.Hooks {
		field("ran", oneLine(hookLine(h)))
	}
	for _, s := range out.Skipped {
		field("skipped", oneLine(skipLine(s)))
	}
	for _, n := range notes(out) {
		field("note", oneLine(n))
	}
	return printable(b.String())
}
