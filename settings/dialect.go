package settings

import (
	"path"
	"slices"
	"strings"
)

// A Dialect is the set of names under which an agent keeps its hooks. It is
// data: the rules are the same in all.
type Dialect struct {
	Name      string // as --dialect takes it
	Dir       string // of a project and of the home directory: ".theus"
	EnvPrefix string // of the variables that hooks get: "THEUS_"
	// Managed is the directory of managed settings by GOOS; "linux" stands for
	// every system without one of its own.
	Managed map[string]string
	// Memory is the name of the memory file.
	Memory string
	// Vars are the dialect's own names of variables that hooks get, by their
	// Theus name; Reads those of variables that only we read. See Names.
	Vars, Reads []Var
}

// The dialects. Theus is the default.
var (
	Theus = &Dialect{
		Name: "theus", Dir: ".theus", EnvPrefix: "THEUS_", Memory: "THEUS.md",
		Managed: map[string]string{
			"linux":   "/etc/theus",
			"darwin":  "/Library/Application Support/Theus",
			"windows": `C:\Program Files\Theus`,
		},
	}
	Claude = &Dialect{
		Name: "claude", Dir: ".claude", EnvPrefix: "CLAUDE_", Memory: "CLAUDE.md",
		Managed: map[string]string{
			"linux":   "/etc/claude-code",
			"darwin":  "/Library/Application Support/ClaudeCode",
			"windows": `C:\Program Files\ClaudeCode`,
		},
		Vars: []Var{
			{Name: "THEUS_PROJECT_DIR", Value: "CLAUDE_PROJECT_DIR"},
			{Name: "THEUS_ENV_FILE", Value: "CLAUDE_ENV_FILE"},
			{Name: "THEUS_PLUGIN_ROOT", Value: "CLAUDE_PLUGIN_ROOT"},
			{Name: "THEUS_PLUGIN_DATA", Value: "CLAUDE_PLUGIN_DATA"},
			{Name: "THEUS_SESSION_ID", Value: "CLAUDE_CODE_SESSION_ID"},
			{Name: "THEUS_EFFORT", Value: "CLAUDE_EFFORT"},
			{Name: "THEUS_CHILD_SESSION", Value: "CLAUDE_CODE_CHILD_SESSION"},
			{Name: "THEUS", Value: "CLAUDECODE"},
		},
		Reads: []Var{{Name: "THEUS_STOP_HOOK_BLOCK_CAP", Value: "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"}},
	}
)

// LookupDialect returns the dialect of that name.
func LookupDialect(name string) (*Dialect, bool) {
	for _, d := range []*Dialect{Theus, Claude} {
		if d.Name == name {
			return d, true
		}
	}
	return nil, false
}

// Names are the names of a variable in the dialect: the Theus one, then the
// dialect's own. What hooks get is set under all of them, what is read is
// looked for in that order.
func (d *Dialect) Names(variable string) []string {
	names := []string{variable}
	for _, v := range slices.Concat(d.Vars, d.Reads) {
		if v.Name == variable {
			names = append(names, v.Value)
		}
	}
	if key, ok := strings.CutPrefix(variable, "THEUS_PLUGIN_OPTION_"); ok && d.EnvPrefix != "THEUS_" {
		names = append(names, d.EnvPrefix+"PLUGIN_OPTION_"+key)
	}
	return names
}

// ManagedDir is where managed settings stand on the given GOOS.
func (d *Dialect) ManagedDir(goos string) string {
	if dir, ok := d.Managed[goos]; ok {
		return dir
	}
	return d.Managed["linux"]
}

// ConfigVar names the variable that moves the user's directory.
func (d *Dialect) ConfigVar() string { return d.EnvPrefix + "CONFIG_DIR" }

// Project and Local are the settings files of a project, relative to its root.
func (d *Dialect) Project() string { return path.Join(d.Dir, "settings.json") }

// Manifest is the file that describes a plugin, relative to its root.
func (d *Dialect) Manifest() string { return path.Join(d.Dir+"-plugin", "plugin.json") }

// Local is the file that a person keeps beside the project's own.
func (d *Dialect) Local() string { return path.Join(d.Dir, "settings.local.json") }
