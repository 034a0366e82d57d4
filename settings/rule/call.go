package rule

import (
	"errors"
	"strings"
	"sync"
)

// Input is what a rule can know of a tool call.
type Input struct {
	Tool string // canonical tool name
	// Also are tools whose work the call may be doing without saying so in fields
	// that are known: a rule for one of them fires.
	Also []string
	// Field is the text of a top-level scalar of the tool's input: strings
	// decoded, numbers and booleans as written. ok is false for a key that is
	// missing or holds anything else. nil means that there is no input. It may
	// be called from several goroutines.
	Field func(key string) (value string, ok bool)
	// Cwd is the directory that relative paths start at, Home the user's. Both
	// are absolute; a pattern that needs an empty one may match anything.
	Cwd, Home string
}

// A Call is one tool call. What is costly to learn of it (the simple commands
// of its command, the target of its path) is learned once, at the first rule
// that asks. It is safe for concurrent use.
type Call struct {
	in Input
	os platform

	bash func() *script
	pwsh func() *script
	path func() *target
	url  func() *address
	dirs sync.Map // forms of the directories that patterns start at
}

// NewCall prepares a call for matching.
func NewCall(in Input) *Call {
	c := &Call{in: in, os: hostPlatform()}
	c.bash = sync.OnceValue(func() *script { return c.readScript(readBash) })
	c.pwsh = sync.OnceValue(func() *script { return c.readScript(readPowerShell) })
	c.path = sync.OnceValue(func() *target { return c.readPath() })
	c.url = sync.OnceValue(func() *address { return c.readURL() })
	return c
}

// field is the scalar at key, or ok=false.
func (c *Call) field(key string) (string, bool) {
	if c.in.Field == nil {
		return "", false
	}
	return c.in.Field(key)
}

var errNoCommand = errors.New("the call has no command")

// readScript reads the command of the call with the reader of its shell.
func (c *Call) readScript(read func(string) *script) *script {
	text, ok := c.field("command")
	if !ok {
		return &script{err: errNoCommand}
	}
	if strings.IndexByte(text, 0) >= 0 {
		return &script{err: errors.New("it holds a NUL byte")}
	}
	return read(text)
}
