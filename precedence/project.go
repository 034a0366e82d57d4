package precedence

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ProjectDirs are the directories of one call. All are absolute.
type ProjectDirs struct {
	// Start is where the agent works: the event's cwd if it exists.
	Start string
	// Root holds the project's settings: the nearest directory at or above
	// Start with the dialect's directory or a .git in it, else Start.
	Root string
	// Main is the stable root that hooks get as their project directory: Root,
	// or in a linked git worktree its counterpart in the main checkout.
	Main string
	Home string // the user's home, "" when unknown
	// Identity names the project for what is kept about it: the same in every
	// worktree of a repository, wherever that stands. It is Main without links,
	// or a place below a bare repository.
	Identity string
}

// findProject determines the directories for a start directory.
func findProject(start, home, dialectDir string) ProjectDirs {
	p := ProjectDirs{Start: start, Home: home}
	p.Root = findRoot(start, home, dialectDir)
	p.Main, p.Identity = mainCheckout(p.Root)
	return p
}

func findRoot(start, home, dialectDir string) string {
	for dir := start; ; dir = filepath.Dir(dir) {
		if isDir(filepath.Join(dir, dialectDir)) && (dir == start || home == "" || !sameDir(dir, home)) {
			return dir
		}
		if exists(filepath.Join(dir, ".git")) {
			return dir
		}
		if filepath.Dir(dir) == dir {
			return start
		}
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func sameDir(a, b string) bool {
	if a == b {
		return true
	}
	ia, err := os.Stat(a)
	if err != nil {
		return false
	}
	ib, err := os.Stat(b)
	return err == nil && os.SameFile(ia, ib)
}

// mainCheckout maps a directory in a linked git worktree to the same directory
// of the main checkout, any other directory to itself. identity is where that
// directory would be in the main checkout even if it is only in the worktree.
func mainCheckout(root string) (main, identity string) {
	for dir := root; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(filepath.Join(dir, ".git"))
		if err == nil {
			if info.Mode().IsRegular() {
				if common := linkedTo(dir); common != "" {
					return counterpart(root, dir, common)
				}
			}
			return root, root
		}
		if filepath.Dir(dir) == dir {
			return root, root
		}
	}
}

// counterpart finds root, which is in the worktree at top, in the main checkout
// that belongs to the git directory common.
func counterpart(root, top, common string) (main, identity string) {
	sub, err := filepath.Rel(top, root)
	if err != nil {
		return root, root
	}
	if filepath.Base(common) != ".git" { // a bare repository has no checkout
		return root, filepath.Join(common, sub)
	}
	main = filepath.Join(filepath.Dir(common), sub)
	if !isDir(main) {
		return root, main
	}
	return main, main
}

// linkedTo returns the git directory that a linked worktree shares with its
// main checkout, "" when dir is none.
// Git's own back reference must name dir: a .git file is only text, and a
// hostile one must not choose another project.
func linkedTo(dir string) string {
	gitDir := firstLine(filepath.Join(dir, ".git"))
	gitDir, ok := strings.CutPrefix(gitDir, "gitdir:")
	if !ok {
		return ""
	}
	gitDir = absFrom(dir, strings.TrimSpace(gitDir))
	common := firstLine(filepath.Join(gitDir, "commondir"))
	back := firstLine(filepath.Join(gitDir, "gitdir"))
	if common == "" || back == "" || !sameDir(filepath.Dir(absFrom(gitDir, back)), dir) {
		return ""
	}
	return absFrom(gitDir, common)
}

func absFrom(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// firstLine reads the first line of a small file, "" when there is none.
func firstLine(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 64<<10 {
		return ""
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimRight(line, "\r")
}

// settingsFile is the path of a project or local file: the worktree's own if it
// is there, else the main checkout's.
func (p ProjectDirs) settingsFile(name string) string {
	path := filepath.Join(p.Root, filepath.FromSlash(name))
	if _, err := os.Lstat(path); err != nil && p.Main != p.Root {
		return filepath.Join(p.Main, filepath.FromSlash(name))
	}
	return path
}

// Rel is how reports name a file: relative to the project inside it.
func (p ProjectDirs) Rel(path string) string {
	if sub, err := filepath.Rel(p.Root, path); err == nil && fs.ValidPath(filepath.ToSlash(sub)) {
		return filepath.ToSlash(sub)
	}
	return path
}
