package precedence

import (
	"path/filepath"
	"runtime"

	"github.com/theus-hooks/theus-hooks/internal/environ"
	"github.com/theus-hooks/theus-hooks/settings"
)

// Options say where to look for settings and what the caller vouches for.
type Options struct {
	// Dialect is the naming scheme; nil: settings.Theus.
	Dialect *settings.Dialect
	// Env is the environment that is looked at (HOME, THEUS_CONFIG_DIR), as
	// os.Environ returns it. Nil: an empty one.
	Env []string
	// Dir is the caller's working directory, absolute. Relative arguments start
	// there.
	Dir string
	// EventDir is the event's cwd; used as start directory if it exists, else
	// Dir is, else the home directory.
	EventDir string
	// ProjectDir overrides the project root, "": it is searched for.
	ProjectDir string
	// Settings are more sources of scope CommandLine: a file, or JSON text that
	// begins with "{".
	Settings []string
	// Scopes limits which of user, project and local are read; nil: all.
	// Managed settings are always read.
	Scopes []Scope
	// PluginDirs are directories of plugins that are read besides those that
	// settings enable.
	PluginDirs []string
	// ManagedDir holds managed settings; "": the dialect's place. For embedding
	// hosts and tests; no flag or variable moves it.
	ManagedDir string
	// Trust: the caller vouches for the workspace.
	Trust bool
	// TrustDir keeps what people trusted; "": the place in the user's state
	// directory, from Env.
	TrustDir string
}

func (o Options) dialect() *settings.Dialect {
	if o.Dialect == nil {
		return settings.Theus
	}
	return o.Dialect
}

func (o Options) managedDir() string {
	if o.ManagedDir != "" {
		return o.ManagedDir
	}
	return o.dialect().ManagedDir(runtime.GOOS)
}

func (o Options) home() string {
	home := environ.Get(o.Env, "HOME")
	if home == "" && runtime.GOOS == "windows" {
		home = environ.Get(o.Env, "USERPROFILE")
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Clean(home)
}

func (o Options) dir() string {
	switch {
	case isDir(o.Dir):
		return o.Dir
	case o.home() != "":
		return o.home()
	}
	return string(filepath.Separator)
}

func (o Options) start() string {
	if filepath.IsAbs(o.EventDir) && isDir(o.EventDir) {
		return filepath.Clean(o.EventDir)
	}
	return filepath.Clean(o.dir())
}

func (o Options) userDir() string {
	if dir := environ.Get(o.Env, o.dialect().ConfigVar()); dir != "" {
		return absFrom(o.dir(), dir)
	}
	if home := o.home(); home != "" {
		return filepath.Join(home, o.dialect().Dir)
	}
	return ""
}

// A Config is everything configured for one call, read once.
type Config struct {
	Dialect *settings.Dialect
	Project ProjectDirs
	Sources []*Source // in configuration order
	Missing []string  // files that were looked for and are not there
	Trusted bool
	// Distrust says why the workspace is not trusted, "" when it is or when
	// nothing in it needs trust.
	Distrust string
	Policy   Policy
	// Problems are those of finding the sources, then of all sources, in
	// configuration order. Of managed settings they keep their severity; others are warnings,
	// since a call goes on without the broken part.
	Problems []settings.Problem
	// Broken are the problems that make managed policy unreadable: a guard may
	// be hidden behind them, so nothing can be decided.
	Broken []settings.Problem
	// Unusable are the problems that make settings of the command line unreadable:
	// nobody knows what was meant to hold for this call.
	Unusable []settings.Problem

	opts Options
	// repository are the project and local sources, those that Scopes leaves out
	// included: trust is about all of them.
	repository []*Source
}

// Load finds and reads all sources. What is missing or broken is in the
// Config's Problems, never an error.
func Load(opts Options) *Config {
	l := &loader{opts: opts}
	l.project = findProject(opts.start(), opts.home(), opts.dialect().Dir)
	if opts.ProjectDir != "" {
		l.project.Root = absFrom(opts.dir(), opts.ProjectDir)
		l.project.Main, l.project.Identity = l.project.Root, l.project.Root
	}
	l.all()
	cfg := &Config{Dialect: opts.dialect(), Project: l.project, Trusted: opts.Trust, opts: opts, repository: l.repository}
	cfg.decideTrust()
	l.plugins(cfg.Trusted)
	cfg.Sources, cfg.Missing = l.sources, l.missing
	cfg.Problems = append(cfg.Problems, l.problems...)
	for _, s := range cfg.Sources {
		for _, p := range s.File.Problems {
			if s.Scope == CommandLine && s.File.Lost {
				cfg.Unusable = append(cfg.Unusable, p)
			}
			if s.Scope != Managed {
				p.Severity = settings.Warning
			} else if s.File.PolicyLost && p.Severity == settings.Error {
				cfg.Broken = append(cfg.Broken, p)
			}
			cfg.Problems = append(cfg.Problems, p)
		}
	}
	cfg.Policy = decidePolicy(cfg)
	return cfg
}

// A Var is an environment variable of a settings file, with where it comes from.
type Var struct {
	settings.Var
	Source *Source
}

// Env returns the env of all sources that may set it, in configuration order.
func (c *Config) Env() []Var {
	var vars []Var
	for _, s := range c.Sources {
		if s.Scope.ofRepository() && !c.Trusted {
			continue
		}
		for _, v := range s.File.Env {
			vars = append(vars, Var{v, s})
		}
	}
	return vars
}

// PluginOptions are the options of a plugin, those of managed settings last. A
// repository has no say in them.
func (c *Config) PluginOptions(id string) []settings.Var {
	var vars []settings.Var
	for _, s := range c.Sources {
		if s.Scope != User && s.Scope != Managed {
			continue
		}
		for _, o := range s.File.PluginOptions {
			if o.Plugin == id {
				vars = append(vars, settings.Var{Name: o.Key, Value: o.Value})
			}
		}
	}
	return vars
}
