package precedence

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/theus-hooks/theus-hooks/settings"
)

// Scope is the kind of a source.
type Scope string

// The scopes, lowest precedence first.
const (
	Plugin      Scope = "plugin"
	User        Scope = "user"
	Project     Scope = "project"
	Local       Scope = "local"
	CommandLine Scope = "command-line"
	Managed     Scope = "managed"
)

// ofRepository: the scope comes with a checkout, so it needs trust and may only
// narrow.
func (s Scope) ofRepository() bool { return s == Project || s == Local }

// A Source is one settings file in its scope.
type Source struct {
	Scope Scope
	Path  string // absolute, "" for text given on the command line
	// Name is how reports call it: relative inside the project, else Path.
	Name string
	// Anchor is the directory that "/…" patterns of its rules start at.
	Anchor string
	File   *settings.File
	// Plugin is set on sources of scope Plugin.
	Plugin *PluginInfo
}

// policyScope is the scope that policy treats the source as.
func (s *Source) policyScope() Scope {
	if s.Plugin != nil && s.Plugin.Forced {
		return Managed
	}
	return s.Scope
}

// loader collects the sources of one Load.
type loader struct {
	opts    Options
	project ProjectDirs
	sources []*Source
	// seen holds the files read so far, so that one file in two scopes counts once.
	seen     []os.FileInfo
	problems []settings.Problem
	missing  []string // files that were looked for
	// repository are the project and local sources, wanted or not.
	repository []*Source
}

func (l *loader) problem(sev settings.Severity, code, file, hint, format string, args ...any) {
	l.problems = append(l.problems, settings.Problem{
		Severity: sev, Code: code, Message: fmt.Sprintf(format, args...), Hint: hint, File: file,
	})
}

// files reads a settings file of a scope, if there is one.
func (l *loader) file(scope Scope, path, anchor string) {
	name := l.project.Rel(path)
	data, info, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) && !danglingLink(path) {
		l.missing = append(l.missing, path)
		return
	}
	for _, before := range l.seen {
		if info != nil && os.SameFile(before, info) {
			return
		}
	}
	if info != nil {
		l.seen = append(l.seen, info)
	}
	file := &settings.File{Name: name, Lost: true, PolicyLost: true}
	if err != nil {
		code := "unreadable"
		if errors.Is(err, errTooLarge) {
			code = "too-large"
		}
		file.Problems = []settings.Problem{{Severity: settings.Error, Code: code, Message: err.Error(), Hint: "make it a readable JSON file, or remove it", File: name}}
	} else {
		file = parseSettled(path, name, data, info)
	}
	l.sources = append(l.sources, &Source{Scope: scope, Path: path, Name: name, Anchor: anchor, File: file})
}

// A file that is being rewritten in place is empty or cut off for a moment.
// Only one that was written just now is waited for, once.
const (
	justNow     = 2 * time.Second
	settleDelay = 20 * time.Millisecond
)

// parseSettled parses the text of a file that was found with info, and reads it
// once more if it looks as if somebody was writing it.
func parseSettled(path, name string, data []byte, info os.FileInfo) *settings.File {
	file := settings.Parse(name, data)
	if !file.Lost || time.Since(info.ModTime()).Abs() > justNow {
		return file
	}
	time.Sleep(settleDelay)
	again, now, err := readFile(path)
	if err != nil || now.Size() == info.Size() && now.ModTime().Equal(info.ModTime()) && int64(len(data)) == now.Size() {
		return file
	}
	return settings.Parse(name, again)
}

func danglingLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// errors of readFile that a person can act on.
var (
	errDirectory = errors.New("it is a directory, want a file")
	errSpecial   = errors.New("it is a device, pipe or socket, want a regular file")
	errTooLarge  = fmt.Errorf("it is longer than %d MiB", settings.MaxBytes>>20)
)

// readFile reads a regular file within the bound of settings files. It never
// blocks on a pipe.
func readFile(path string) ([]byte, os.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, cause(err)
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return nil, info, errDirectory
	case !mode.IsRegular():
		return nil, info, errSpecial
	case info.Size() > settings.MaxBytes:
		return nil, info, errTooLarge
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe put there since is not waited for
	if err != nil {
		return nil, info, cause(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, settings.MaxBytes+1))
	if err != nil {
		return nil, info, cause(err)
	}
	return data, info, nil
}

// cause drops the path from an error of package os, since reports name it.
func cause(err error) error {
	var perr *fs.PathError
	if errors.As(err, &perr) {
		return perr.Err
	}
	return err
}

// managed reads the managed file and its drop-in folder.
func (l *loader) managed() {
	dir := l.opts.managedDir()
	l.file(Managed, filepath.Join(dir, "managed-settings.json"), dir)
	dropIn := filepath.Join(dir, "managed-settings.d")
	entries, err := os.ReadDir(dropIn)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		file := &settings.File{Name: dropIn, Lost: true, PolicyLost: true, Problems: []settings.Problem{{
			Severity: settings.Error, Code: "unreadable", Message: cause(err).Error(), Hint: "make it a readable directory, or remove it", File: dropIn,
		}}}
		l.sources = append(l.sources, &Source{Scope: Managed, Path: dropIn, Name: dropIn, Anchor: dir, File: file})
	}
	for _, e := range entries { // sorted by name
		if name := e.Name(); !strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".json") {
			l.file(Managed, filepath.Join(dropIn, name), dir)
		}
	}
}

// commandLine reads one --settings argument: JSON text or a file.
func (l *loader) commandLine(arg string) {
	if text := strings.TrimSpace(arg); strings.HasPrefix(text, "{") {
		file := settings.Parse("--settings", []byte(arg))
		l.sources = append(l.sources, &Source{Scope: CommandLine, Name: "--settings", Anchor: l.project.Start, File: file})
		return
	}
	path := arg
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.opts.dir(), path)
	}
	before := len(l.sources)
	l.seen = nil // a file named outright is read even if it is another scope's too
	l.file(CommandLine, path, filepath.Dir(path))
	if len(l.sources) == before {
		file := &settings.File{Name: arg, Lost: true, Problems: []settings.Problem{{
			Severity: settings.Error, Code: "not-found", Message: "no such file", Hint: "give a file, or JSON text that begins with {", File: arg,
		}}}
		l.sources = append(l.sources, &Source{Scope: CommandLine, Path: path, Name: arg, Anchor: filepath.Dir(path), File: file})
	}
}

// all reads every source but the plugins, lowest precedence first.
func (l *loader) all() {
	want := func(s Scope) bool { return l.opts.Scopes == nil || slices.Contains(l.opts.Scopes, s) }
	d := l.opts.dialect()
	if dir := l.opts.userDir(); dir != "" && want(User) {
		l.file(User, filepath.Join(dir, "settings.json"), dir)
	} else if dir != "" {
		l.remember(filepath.Join(dir, "settings.json"))
	}
	before := len(l.sources)
	l.file(Project, l.project.settingsFile(d.Project()), l.project.Root)
	l.file(Local, l.project.settingsFile(d.Local()), l.project.Start)
	l.repository = slices.Clone(l.sources[before:])
	l.sources = slices.DeleteFunc(l.sources, func(s *Source) bool { return s.Scope.ofRepository() && !want(s.Scope) })
	for _, arg := range l.opts.Settings {
		l.commandLine(arg)
	}
	l.managed()
}

// remember marks the user's file as read when it is not wanted, so that the
// home directory's file is never taken for a project's.
func (l *loader) remember(path string) {
	if info, err := os.Stat(path); err == nil {
		l.seen = append(l.seen, info)
	}
}
