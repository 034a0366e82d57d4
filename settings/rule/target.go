package rule

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// platform is what of an operating system decides how paths are compared.
type platform struct {
	fold    bool // names without regard to case
	windows bool // drives and backslashes
}

func hostPlatform() platform {
	return platform{
		fold:    runtime.GOOS == "darwin" || runtime.GOOS == "ios" || runtime.GOOS == "windows",
		windows: runtime.GOOS == "windows",
	}
}

// Bounds of the paths that are looked at.
const (
	maxPath  = 32 << 10
	maxLinks = 40
)

// target is the path that a call is about.
type target struct {
	shown   string   // as the call gives it
	forms   []string // absolute, with "/": as named, and with links followed
	search  bool     // a directory whose contents are meant
	problem string   // why nothing is known of it, or ""
}

// readPath reads the path of a file tool's call.
func (c *Call) readPath() *target {
	t := &target{}
	name, ok := "", false
	switch c.in.Tool {
	case "Grep", "Glob", "LS":
		t.search = true
		if name, ok = c.field("path"); !ok {
			name, ok = c.in.Cwd, c.in.Cwd != ""
		}
	default:
		for _, key := range []string{"file_path", "notebook_path", "path"} {
			if name, ok = c.field(key); ok {
				break
			}
		}
	}
	t.shown = name
	switch {
	case !ok:
		t.problem = "the call has no path to compare"
	case len(name) > maxPath || strings.IndexByte(name, 0) >= 0:
		t.problem = "the path cannot be one"
	default:
		t.add(c, name)
		if glob, ok := c.field("pattern"); ok && c.in.Tool == "Glob" && len(glob) <= maxPath {
			t.add(c, joinGlob(name, fixedPart(glob)))
		}
	}
	return t
}

// add notes the forms of a path.
func (t *target) add(c *Call, name string) {
	abs, ok := c.absolute(name)
	if !ok {
		t.problem = "the path is relative and the directory of the call is not known"
		return
	}
	t.forms = appendForms(t.forms, c.os, abs)
}

// fixedPart is the directory that a glob cannot leave.
func fixedPart(glob string) string {
	if i := strings.IndexAny(glob, "*?[{"); i >= 0 {
		glob = glob[:i]
		glob = glob[:strings.LastIndexByte(glob, '/')+1]
	}
	return glob
}

func joinGlob(dir, name string) string {
	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") {
		return name
	}
	return dir + "/" + name
}

// absolute is a path of the call from the root, with "/" between its parts,
// not cleaned.
func (c *Call) absolute(name string) (string, bool) {
	name = c.os.slashes(name)
	if name == "~" || strings.HasPrefix(name, "~/") {
		return c.os.slashes(c.in.Home) + name[1:], c.in.Home != ""
	}
	if strings.HasPrefix(name, "/") {
		return name, true
	}
	return c.os.slashes(c.in.Cwd) + "/" + name, c.in.Cwd != ""
}

// slashes writes a path of Windows as /c/dir/name; others are left alone.
func (p platform) slashes(name string) string {
	if !p.windows {
		return name
	}
	name = strings.ReplaceAll(name, `\`, "/")
	if len(name) >= 2 && name[1] == ':' && letter(name[0]) {
		name = "/" + strings.ToLower(name[:1]) + name[2:]
	}
	return name
}

// native is the opposite of slashes.
func (p platform) native(name string) string {
	if p.windows && len(name) >= 2 && name[0] == '/' && letter(name[1]) && (len(name) == 2 || name[2] == '/') {
		return name[1:2] + ":" + name[2:] + strings.Repeat("/", max(0, 3-len(name)))
	}
	return name
}

// folded is a path as it is compared.
func (p platform) folded(name string) string {
	if p.fold {
		return strings.ToLower(name)
	}
	return name
}

// appendForms adds a path, cleaned and with its links followed.
func appendForms(forms []string, p platform, abs string) []string {
	for _, form := range []string{path.Clean(abs), follow(p, abs)} {
		form = p.folded(form)
		found := false
		for _, f := range forms {
			found = found || f == form
		}
		if !found {
			forms = append(forms, form)
		}
	}
	return forms
}

// bases are the forms of the directory that a pattern is relative to, none
// when it is not known.
func (c *Call) bases(a anchor, source string) []string {
	switch a {
	case atRoot:
		return []string{"/"}
	case atHome:
		return c.dirForms(c.in.Home)
	case atSource:
		return c.dirForms(source)
	default:
		return c.dirForms(c.in.Cwd)
	}
}

// dirForms are the forms of a directory, looked up once per call.
func (c *Call) dirForms(dir string) []string {
	if dir == "" {
		return nil
	}
	if forms, ok := c.dirs.Load(dir); ok {
		return forms.([]string)
	}
	forms := appendForms(nil, c.os, c.os.slashes(dir))
	c.dirs.Store(dir, forms)
	return forms
}

// follow is where a path leads when the links in it are followed, as far as it
// exists. A path that cannot be followed comes back cleaned.
func follow(p platform, abs string) string {
	done := "/"
	rest := strings.Split(abs, "/")
	links := 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			done = path.Dir(done)
			continue
		}
		next := path.Join(done, name)
		to, err := os.Readlink(filepath.FromSlash(p.native(next)))
		if err != nil {
			done = next // no link, or nothing there
			continue
		}
		if links++; links > maxLinks {
			return path.Clean(abs)
		}
		to = p.slashes(to)
		if strings.HasPrefix(to, "/") {
			done = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return done
}
