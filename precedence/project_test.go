package precedence

import (
	"path/filepath"
	"testing"
)

// worktree makes a linked git worktree at wt of the checkout at main, as git
// lays it out.
func (w *world) worktree(main, wt, back string) {
	dir := main + "/.git/worktrees/wt"
	w.write(dir+"/commondir", "../..\n")
	w.write(dir+"/gitdir", back+"\n")
	w.write(wt+"/.git", "gitdir: "+w.path(dir)+"\n")
}

func TestFindProject(t *testing.T) {
	tests := []struct {
		name             string
		set              func(w *world)
		start            string
		wantRoot, wantMn string
	}{
		{"from below", func(w *world) { w.mkdir("p/.theus"); w.mkdir("p/a/b") }, "p/a/b", "p", "p"},
		{"nothing above", func(w *world) { w.mkdir("x/y") }, "x/y", "x/y", "x/y"},
		{"git directory", func(w *world) { w.mkdir("p/.git"); w.mkdir("p/a") }, "p/a", "p", "p"},
		{"the nearest", func(w *world) { w.mkdir("p/.git"); w.mkdir("p/sub/.theus") }, "p/sub", "p/sub", "p/sub"},
		{"odd names", func(w *world) { w.mkdir("My \"Work\"\n日/.theus"); w.mkdir("My \"Work\"\n日/a") }, "My \"Work\"\n日/a", "My \"Work\"\n日", "My \"Work\"\n日"},
		{"home is no project for what is below", func(w *world) { w.mkdir("home/.theus"); w.mkdir("home/code/x") }, "home/code/x", "home/code/x", "home/code/x"},
		{"home itself", func(w *world) { w.mkdir("home/.theus") }, "home", "home", "home"},
		{"worktree", func(w *world) { w.mkdir("p"); w.worktree("p", "wt", w.path("wt/.git")) }, "wt", "wt", "p"},
		{"below a worktree", func(w *world) { w.mkdir("p/sub"); w.worktree("p", "wt", w.path("wt/.git")); w.mkdir("wt/sub/.theus") }, "wt/sub", "wt/sub", "p/sub"},
		{"a worktree that git does not know", func(w *world) { w.mkdir("p"); w.worktree("p", "wt", w.path("other/.git")) }, "wt", "wt", "wt"},
		{"submodule", func(w *world) { w.write("p/sub/.git", "gitdir: ../.git/modules/sub\n"); w.mkdir("p/.git/modules/sub") }, "p/sub", "p/sub", "p/sub"},
		{"a .git file with anything in it", func(w *world) { w.write("p/.git", "\x00\xff") }, "p", "p", "p"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			tt.set(w)
			p := findProject(w.path(tt.start), w.path("home"), ".theus")
			if p.Root != w.path(tt.wantRoot) || p.Main != w.path(tt.wantMn) {
				t.Errorf("root %q, main %q; want %q and %q", p.Root, p.Main, w.path(tt.wantRoot), w.path(tt.wantMn))
			}
		})
	}
}

func TestWorktreeSettings(t *testing.T) {
	w := newWorld(t)
	w.worktree("p", "wt", w.path("wt/.git"))
	w.guard("p/.theus/settings.json", "main-project", "")
	w.guard("p/.theus/settings.local.json", "main-local", "")
	w.guard("wt/.theus/settings.json", "wt-project", "")
	w.opts.EventDir = w.path("wt")
	w.want(w.plan("PreToolUse", bashCall), "+ wt-project", "+ main-local")
}

func TestHomeIsNeverUserAndProject(t *testing.T) {
	w := newWorld(t)
	w.guard(userFile, "once", "")
	w.opts.Dir = w.path("home")
	w.opts.Trust = false
	w.want(w.plan("PreToolUse", bashCall), "+ once")
	w.opts.Scopes = []Scope{Project, Local}
	w.want(w.plan("PreToolUse", bashCall))
}

func TestSymlinkedUserFile(t *testing.T) {
	w := newWorld(t)
	w.guard("dot/settings.json", "once", "")
	w.symlink(w.path("dot/settings.json"), userFile)
	w.symlink(w.path("dot/settings.json"), projectFile)
	w.want(w.plan("PreToolUse", bashCall), "+ once")
}

func TestStartDirectory(t *testing.T) {
	w := newWorld(t)
	w.guard(projectFile, "app", "")
	w.guard("other/.theus/settings.json", "other", "")
	for dir, want := range map[string]string{"": "+ app", w.path("other"): "+ other", w.path("gone"): "+ app", "relative": "+ app"} {
		w.opts.EventDir = dir
		w.want(w.plan("PreToolUse", bashCall), want)
	}
	w.opts.ProjectDir = "../other"
	w.want(w.plan("PreToolUse", bashCall), "+ other")
	w.opts = Options{Env: []string{"HOME=" + w.path("home")}, Dir: w.path("gone")}
	if got := Load(w.opts).Project.Start; got != w.path("home") {
		t.Errorf("a deleted working directory: start at %s", got)
	}
}

func TestUserDirectoryMoves(t *testing.T) {
	w := newWorld(t)
	w.guard("cfg/settings.json", "moved", "")
	w.guard(userFile, "user", "")
	w.opts.Env = append(w.opts.Env, "THEUS_CONFIG_DIR="+w.path("cfg"))
	w.want(w.plan("PreToolUse", bashCall), "+ moved")
}

func TestSettingsArgument(t *testing.T) {
	w := newWorld(t)
	w.guard("app/extra.json", "file", "")
	w.opts.Settings = []string{"extra.json", "missing.json", `{"hooks": `, w.path("app/extra.json")}
	cfg := Load(w.opts)
	w.want(cfg.Plan(decode(t, "PreToolUse", bashCall), nil), "+ file", "duplicate file")
	if len(cfg.Problems) != 2 || cfg.Problems[0].Code != "not-found" || cfg.Problems[1].Code != "syntax" {
		t.Errorf("problems %v", cfg.Problems)
	}
}

func TestRelativeNames(t *testing.T) {
	p := ProjectDirs{Root: filepath.FromSlash("/w/app")}
	for path, want := range map[string]string{
		"/w/app/.theus/settings.json": ".theus/settings.json", "/w/app2/x": "/w/app2/x", "/etc/x": "/etc/x", "/w/app": ".",
	} {
		if got := p.Rel(filepath.FromSlash(path)); got != want {
			t.Errorf("rel(%s) = %s, want %s", path, got, want)
		}
	}
}
