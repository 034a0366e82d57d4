package jq

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// ErrUnproven says that the machine's jq has to answer the call.
var ErrUnproven = errors.New("only jq itself is known to do this right")

// A UsageError is about arguments that this package does not know.
type UsageError struct{ Message string }

// Error is the message.
func (e *UsageError) Error() string { return e.Message }

// A Call is one call of jq, its arguments read. It is immutable.
type Call struct {
	// Files are read one after the other instead of stdin.
	Files []string

	filter string
	query  *gojq.Query
	proof  *proof // nil where only says why
	named  []variable
	rest   []any // $ARGS.positional
	flags  map[string]bool
	indent string // of one level; "" prints values on one line
	only   string // why the list of proofs does not cover it, or ""
}

// A variable is a $name given on the command line.
type variable struct {
	name, kind, text string
}

// letters are the one-letter flags.
var letters = map[rune]string{
	'r': "raw-output", 'e': "exit-status", 'c': "compact-output", 'n': "null-input", 's': "slurp",
	'R': "raw-input", 'j': "join-output", 'a': "ascii-output", 'S': "sort-keys", 'M': "monochrome-output",
}

// Parse reads the arguments of jq, without its name. The error is a
// *UsageError, or says why the filter does not parse.
func Parse(args []string) (*Call, error) {
	c := &Call{flags: map[string]bool{}, indent: "  "}
	filter := false
	positional := ""
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			return nil, &UsageError{"-- among the arguments"}
		case strings.HasPrefix(arg, "--") && len(arg) > 2:
			used, err := c.long(arg[2:], args, &positional)
			if err != nil {
				return nil, err
			}
			args = args[used:]
		case strings.HasPrefix(arg, "-") && len(arg) > 1:
			if err := c.short(arg[1:]); err != nil {
				return nil, err
			}
		case !filter:
			c.filter, filter = arg, true
		case positional != "":
			if err := c.positional(positional, arg); err != nil {
				return nil, err
			}
		default:
			c.Files = append(c.Files, arg)
		}
	}
	if !filter {
		return nil, &UsageError{"no filter among the arguments"}
	}
	if c.flags["compact-output"] {
		c.indent = ""
	}
	if len(c.filter) > maxFilter {
		return nil, &UsageError{fmt.Sprintf("a filter of more than %d KiB", maxFilter>>10)}
	}
	var err error
	if c.query, err = gojq.Parse(c.filter); err != nil {
		return nil, fmt.Errorf("the filter does not parse: %w", err)
	}
	c.prove()
	return c, nil
}

// short reads flags of one letter each.
func (c *Call) short(s string) error {
	for i, letter := range s {
		name := letters[letter]
		if name == "" {
			return &UsageError{fmt.Sprintf("the option -%c", letter)}
		}
		if strings.ContainsRune(s[:i], letter) {
			c.unproven("a letter twice in one argument")
		}
		c.flags[name] = true
	}
	return nil
}

// long reads one flag and says how many of the arguments after it are its own.
func (c *Call) long(name string, rest []string, positional *string) (used int, err error) {
	for _, known := range letters {
		if name == known {
			c.flags[name] = true
			return 0, nil
		}
	}
	need := func(n int) error {
		if len(rest) < n {
			return &UsageError{fmt.Sprintf("the option --%s without its %d arguments", name, n)}
		}
		return nil
	}
	switch name {
	case "arg", "argjson", "rawfile", "slurpfile":
		if err := need(2); err != nil {
			return 0, err
		}
		return 2, c.variable(variable{name: rest[0], kind: name, text: rest[1]})
	case "args", "jsonargs":
		*positional = name
		c.unproven("--" + name)
		return 0, nil
	case "tab":
		c.setIndent("\t")
		return 0, nil
	case "indent":
		if err := need(1); err != nil {
			return 0, err
		}
		n, err := strconv.Atoi(rest[0])
		if err != nil || n < 0 || n > 7 {
			return 0, &UsageError{"--indent takes a number from 0 to 7"}
		}
		if n == 0 {
			c.unproven("--indent 0")
		}
		c.setIndent(strings.Repeat(" ", n))
		return 1, nil
	default:
		return 0, &UsageError{"the option --" + name}
	}
}

func (c *Call) setIndent(s string) {
	if c.indent != "  " || c.flags["compact-output"] {
		c.unproven("two ways to lay out the output")
	}
	c.indent = s
}

func (c *Call) variable(v variable) error {
	if slices.ContainsFunc(c.named, func(other variable) bool { return other.name == v.name }) {
		c.unproven("a variable given twice")
		return nil // the first counts
	}
	switch v.kind {
	case "rawfile", "slurpfile":
		c.unproven("--" + v.kind)
	}
	c.named = append(c.named, v)
	return nil
}

func (c *Call) positional(kind, text string) error {
	if kind == "args" {
		c.rest = append(c.rest, text)
		return nil
	}
	value, err := decodeLoose(text)
	if err != nil {
		return &UsageError{"--jsonargs with text that is not JSON"}
	}
	c.rest = append(c.rest, value)
	return nil
}

func (c *Call) unproven(why string) {
	if c.only == "" {
		c.only = why
	}
}

// ReadsStdin reports whether the call takes its input from stdin. With -n that
// is only for a filter that asks for it, and such a filter is not on the list.
func (c *Call) ReadsStdin() bool {
	return len(c.Files) == 0 && (!c.flags["null-input"] || !c.Known() && asksForInput(c.filter))
}

func asksForInput(filter string) bool {
	return regexp.MustCompile(`(^|[^.$\w"])inputs?\b`).MatchString(filter)
}

// checkFlags finds combinations that differ between versions of jq.
func (c *Call) checkFlags() {
	raw := c.flags["raw-output"] || c.flags["join-output"]
	if c.flags["ascii-output"] && raw {
		c.unproven("-a together with -r")
	}
	if c.flags["raw-input"] && c.flags["null-input"] {
		c.unproven("-R together with -n")
	}
	if c.flags["compact-output"] && c.indent != "" {
		c.unproven("two ways to lay out the output")
	}
	if c.flags["exit-status"] && c.flags["slurp"] {
		c.unproven("-e together with -s")
	}
	if c.flags["null-input"] && c.flags["slurp"] {
		c.unproven("-n together with -s")
	}
	if len(c.Files) > 0 && (c.flags["null-input"] || c.flags["raw-input"]) {
		c.unproven("files together with -n or -R")
	}
}
