package agent

import (
	"math"
	"path/filepath"
	"strconv"
	"time"

	"github.com/theus-hooks/theus-hooks/internal/environ"
)

// Config is how an agent is told to call us: its configuration file and what it
// wants to find there. In all of them it is an object with the key "hooks".
type Config struct {
	Dir  string // of a project and of the home directory: ".codex"
	File string // in Dir: "hooks.json"; "": the agent is not set up this way
	// HomeVar is the variable that moves the user's Dir. Where Base is set it names
	// the directory that Dir is in, else Dir itself.
	HomeVar string
	Base    bool

	Unit time.Duration // of the number in "timeout"
	// Millis: a number from this on is read in milliseconds whatever Unit is; 0: none is.
	Millis float64
	// Timeout is how long the agent shall wait for us: longer than hooks have by
	// default, so that we can still answer when one of them is late. Timeouts are
	// those of single events, by the agent's name.
	Timeout  time.Duration
	Timeouts map[string]time.Duration

	MatchAll  string   // the matcher that matches everything
	NoMatcher []string // events whose matcher means something else besides
	Omit      []Omission

	Forgives []string // what its reader takes though it is no JSON, in the words of jsontext.Forgiveness
	Keys     []string // the keys that it allows beside each other at the top; none: any
	Off      []Switch

	Needs        []string // what else it takes until hooks run, a sentence each
	ProjectNeeds []string // the same, in a project's file only
}

// An Omission is an event that is better not registered, with the reason.
type Omission struct{ Event, Why string }

// A Switch is a setting in the same file that turns all hooks off.
type Switch struct {
	Path []string
	Off  bool // the value that does it
}

// UserFile is the user's file for an environment and a home directory.
func (c *Config) UserFile(env []string, home string) string {
	dir := filepath.Join(home, c.Dir)
	if moved := environ.Get(env, c.HomeVar); c.HomeVar != "" && moved != "" {
		dir = moved
		if c.Base {
			dir = filepath.Join(moved, c.Dir)
		}
	}
	return filepath.Join(dir, c.File)
}

// ProjectFile is the file of the project in dir.
func (c *Config) ProjectFile(dir string) string { return filepath.Join(dir, c.Dir, c.File) }

// Wait is how long the agent shall wait for us on one of its events.
func (c *Config) Wait(own string) time.Duration {
	if d, ok := c.Timeouts[own]; ok {
		return d
	}
	return c.Timeout
}

// Number writes a time as the agent reads it in "timeout".
func (c *Config) Number(d time.Duration) string {
	n := float64(d) / float64(c.Unit)
	if c.Millis > 0 && n >= c.Millis {
		n = float64(d) / float64(time.Millisecond)
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// Read is the time that a number in "timeout" means to the agent; 0 for what
// means none.
func (c *Config) Read(n float64) time.Duration {
	unit := c.Unit
	if c.Millis > 0 && n >= c.Millis {
		unit = time.Millisecond
	}
	switch d := n * float64(unit); {
	case !(d > 0):
		return 0
	case d > math.MaxInt64/2:
		return math.MaxInt64 / 2
	default:
		return time.Duration(d)
	}
}
