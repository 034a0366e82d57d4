package rule

import (
	"fmt"
	"strings"
)

// matchAlso compares one alternative with the tools whose work the call may be
// doing.
func (p *part) matchAlso(c *Call) finding {
	for _, tool := range c.in.Also {
		if p.covers(tool) {
			return finding{fires: true, part: p, why: whyUnreadable, note: fmt.Sprintf("%s may do what %s does, and cannot be read", c.in.Tool, tool)}
		}
	}
	return finding{part: p, why: whyOtherTool, otherTool: true}
}

// match compares one alternative with a call.
func (p *part) match(c *Call, anchor string) finding {
	if !p.covers(c.in.Tool) {
		return p.matchAlso(c)
	}
	switch {
	case p.broken != "":
		return finding{fires: true, part: p, why: whyBroken}
	case p.meaning == nil:
		return finding{fires: true, part: p, why: whyTool}
	}
	f := p.meaning.match(c, anchor)
	f.part = p
	return f
}

// covers reports whether the part is meant for a tool.
func (p *part) covers(tool string) bool {
	switch {
	case p.glob:
		return globMatch(p.tool, tool)
	case p.tool == tool:
		return true
	case p.broken != "" && strings.EqualFold(p.tool, tool):
		return true
	case strings.HasPrefix(p.tool, "mcp__"):
		server := strings.TrimSuffix(p.tool, "__")
		return len(tool) > len(server)+2 && tool[:len(server)] == server && tool[len(server):len(server)+2] == "__"
	}
	return isAgent(p.tool) && isAgent(tool) ||
		p.tool == "Edit" && editTool(tool) ||
		p.tool == "Read" && readTool(tool)
}

func isAgent(tool string) bool { return tool == "Agent" || tool == "Task" }

// editTool lists the tools that rules for Edit cover.
func editTool(tool string) bool {
	switch tool {
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		return true
	}
	return false
}

// readTool lists the tools that rules for Read cover.
func readTool(tool string) bool {
	switch tool {
	case "Read", "NotebookRead", "Grep", "Glob", "LS":
		return true
	}
	return false
}

// pathTool lists the tools whose specifier is a path pattern.
func pathTool(tool string) bool { return editTool(tool) || readTool(tool) }

// globMatch compares a text with a glob of "*" alone.
func globMatch(glob, s string) bool {
	head, rest, star := strings.Cut(glob, "*")
	if !star {
		return glob == s
	}
	if !strings.HasPrefix(s, head) {
		return false
	}
	s = s[len(head):]
	for {
		mid, after, more := strings.Cut(rest, "*")
		if !more {
			return len(s) >= len(mid) && strings.HasSuffix(s, mid)
		}
		i := strings.Index(s, mid)
		if i < 0 {
			return false
		}
		s, rest = s[i+len(mid):], after
	}
}
