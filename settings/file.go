package settings

import (
	"fmt"
	"time"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/event"
	"github.com/theus-hooks/theus-hooks/settings/rule"
)

// Bounds of a settings file.
const (
	MaxBytes = 16 << 20
	MaxDepth = 200
)

// A File is what one settings file says to us.
type File struct {
	Name   string  // path, or a word for text that has none
	Groups []Group // in the order of the text
	Policy Policy
	Env    []Var // top-level env
	// DisabledHooks are ids of hooks to leave out, HookModules paths of JS/TS
	// modules.
	DisabledHooks, HookModules []string
	// EnabledPlugins switch plugins on and off by "name@marketplace"; of a
	// doubled one the last counts.
	EnabledPlugins []Switch
	// PluginOptions are what plugins are configured with (pluginConfigs), in the
	// order of the text. They count in user and managed settings only.
	PluginOptions []PluginOption

	// Lost: nothing of the file could be read.
	Lost bool
	// PolicyLost: the file, its hooks as a whole, or a policy key cannot be
	// used. In managed settings that hides a guard.
	PolicyLost bool
	Problems   []Problem // in the order of the text

	root  jsontext.Value
	index *jsontext.Index
}

// Policy holds the keys that switch hooks. Nil pointers and slices: not set.
type Policy struct {
	DisableAllHooks       *bool
	AllowManagedHooksOnly *bool // present but not a boolean counts as true
	StrictPluginOnly      bool  // strictPluginOnlyCustomization: true, or a list with "hooks"
	AllowedHTTPHookURLs   []string
	HTTPHookAllowedEnv    []string
}

// A Place is where something stands in a file.
type Place struct {
	Line, Column int    // from 1, the column in characters
	Path         string // "hooks.PreToolUse[0].hooks[1].timeout", "" for the file
}

// A Group is one element of an event's list: a matcher and its handlers.
type Group struct {
	Event      *event.Spec
	Matcher    Matcher
	Sequential bool
	Handlers   []Handler
	Place      Place
}

// A Matcher is the text of a group's matcher.
type Matcher struct {
	Text  string // "" matches everything
	Place Place  // of the group where there is none
	// Broken says why it is no string; the matcher then matches nothing, and
	// its group is handled as one whose matcher cannot be compiled.
	Broken string
}

// A Switch is a name that is switched on or off, in the order of the text.
type Switch struct {
	Name string
	On   bool
}

// A Var is a name with a value, in the order of the text.
type Var struct{ Name, Value string }

// A PluginOption is one option of a plugin, by the plugin's "name@marketplace":
// text as it is, numbers and switches as written.
type PluginOption struct{ Plugin, Key, Value string }

// A Handler is one hook as configured. Zero values stand for what is not set.
type Handler struct {
	Type event.Types
	// TypeName is the type as written.
	TypeName string
	Place    Place
	// Invalid says why the handler can never run, "" when it can.
	Invalid string

	// Of all types.
	Name          string
	If            *rule.Rule // nil: no rule, or one that cannot be read (the hook runs)
	IfText        string
	Timeout       time.Duration
	StatusMessage string
	Once          bool
	FailClosed    bool // onFailure: block
	OnFailure     bool // onFailure is set
	Observe       bool // mode: observe
	Disabled      bool // enabled: false

	// Of command.
	Command            string
	Args               []string
	Exec               bool // args present: no shell
	Shell              string
	Env                []Var
	EnvFile, Cwd       string
	Pty                bool
	Async, AsyncRewake bool

	// Of http.
	URL            string
	Headers        []Var
	AllowedEnvVars []string

	// Of mcp_tool. Input is the raw JSON of its object.
	Server, Tool, Input string

	// Of prompt and agent.
	Prompt, Model   string
	ContinueOnBlock bool

	raw jsontext.Value
}

// Severity of a problem as a linter sees it: an error is a part that cannot be
// read or used as written, a warning is read but likely not what was meant.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// A Problem is something wrong with a file.
type Problem struct {
	Severity Severity
	Code     string // stable: "unknown-event"
	Message  string // what was found and what was expected
	Hint     string // what to do, "" when the message says it
	File     string
	Place
}

// String is "file:line:column: path: message; hint".
func (p Problem) String() string {
	s := p.File
	if p.Line > 0 {
		s += fmt.Sprintf(":%d:%d", p.Line, p.Column)
	}
	if p.Path != "" {
		s += ": " + p.Path
	}
	s += ": " + p.Message
	if p.Hint != "" {
		s += "; " + p.Hint
	}
	return s
}
