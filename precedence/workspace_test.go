package precedence

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// trust grants what stands in the project now.
func (w *world) trust() {
	w.t.Helper()
	ws, err := Load(w.opts).Workspace()
	if err == nil {
		err = ws.Grant(w.t.Context(), time.Unix(1e9, 0))
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// trusted reports whether the guard of the project runs, for an event in dir.
func (w *world) trusted(dir string) bool {
	w.t.Helper()
	w.opts.EventDir = w.path(dir)
	cfg := Load(w.opts)
	return cfg.Trusted
}

func TestTrustIsNeverGivenByLooking(t *testing.T) {
	w := newWorld(t)
	w.opts.Trust = false
	w.guard(projectFile, "true", "")
	for range 2 {
		if w.trusted("app") {
			t.Fatal("trusted")
		}
		if ws, err := Load(w.opts).Workspace(); err != nil || ws.Trusted() || ws.Before {
			t.Fatalf("%+v, %v", ws, err)
		}
	}
	w.opts.Trust = true // the caller vouches: for this call
	w.trusted("app")
	w.opts.Trust = false
	if w.trusted("app") {
		t.Error("vouching was kept")
	}
	if _, err := os.Stat(w.path("home/.local")); err == nil {
		t.Error("something was written")
	}
}

func TestTrustHoldsInWorktrees(t *testing.T) {
	w := newWorld(t)
	w.opts.Trust = false
	w.mkdir("app/.git")
	w.guard(projectFile, "sh ./guard.sh", "")
	w.write("app/guard.sh", "exit 2")
	w.trust()
	for _, place := range []string{"wt", "elsewhere/wt"} { // moved: git writes the new place into gitdir
		w.worktree("app", place, w.path(place+"/.git"))
		w.guard(place+"/.theus/settings.json", "sh ./guard.sh", "")
		w.write(place+"/guard.sh", "exit 2")
		if !w.trusted(place) {
			t.Errorf("%s is not trusted: %s", place, Load(w.opts).Distrust)
		}
	}
	w.write("elsewhere/wt/guard.sh", "exit 0")
	if w.trusted("elsewhere/wt") {
		t.Error("another script in a worktree is trusted")
	}
	// A place that only claims to be a worktree.
	w.write("fake/.git", "gitdir: "+w.path("app/.git/worktrees/wt")+"\n")
	w.guard("fake/.theus/settings.json", "sh ./guard.sh", "")
	w.write("fake/guard.sh", "exit 2")
	if w.trusted("fake") {
		t.Error("a copy that git does not know is trusted")
	}
}

func TestTrustOfABareRepository(t *testing.T) {
	w := newWorld(t)
	w.opts.Trust = false
	set := func(place string) {
		w.write("repo.git/worktrees/wt/commondir", "../..\n")
		w.write("repo.git/worktrees/wt/gitdir", w.path(place+"/.git")+"\n")
		w.write(place+"/.git", "gitdir: "+w.path("repo.git/worktrees/wt")+"\n")
		w.guard(place+"/.theus/settings.json", "true", "")
	}
	set("one")
	w.opts.EventDir = w.path("one")
	w.trust()
	set("two")
	if !w.trusted("two") {
		t.Errorf("a moved worktree is not trusted: %s", Load(w.opts).Distrust)
	}
}

func TestTrustThroughALink(t *testing.T) {
	w := newWorld(t)
	w.opts.Trust = false
	w.guard(projectFile, "./guard.sh", "")
	w.write("app/guard.sh", "exit 2")
	w.symlink(w.path("app"), "link")
	w.trust()
	if !w.trusted("link") {
		t.Errorf("the same place by another name is not trusted: %s", Load(w.opts).Distrust)
	}
	w.opts.EventDir = w.path("link")
	w.guard(localFile, "true", "")
	w.trust()
	if !w.trusted("app") {
		t.Errorf("and the other way round: %s", Load(w.opts).Distrust)
	}
}

func TestTrustAndHome(t *testing.T) {
	w := newWorld(t)
	w.opts.Trust = false
	w.guard("home/.theus/settings.local.json", "local", "")
	w.opts.Dir = w.path("home")
	if w.trusted("home") {
		t.Error("the home directory is trusted by itself")
	}
	w.trust()
	if !w.trusted("home") {
		t.Error("it cannot be trusted")
	}
}

// What switches something needs trust even without a hook.
func TestSwitchesNeedTrust(t *testing.T) {
	for _, text := range []string{`{"disableAllHooks":true}`, `{"env":{"A":"1"}}`, `{"disabledHooks":["x"]}`, `{"hookModules":["x.ts"]}`, `{"enabledPlugins":{"p@m":true}}`, `{"allowedHttpHookUrls":[]}`} {
		w := newWorld(t)
		w.opts.Trust = false
		w.write(localFile, text)
		cfg := Load(w.opts)
		if cfg.Trusted || cfg.Distrust == "" || len(cfg.Env()) > 0 {
			t.Errorf("%s: trusted %v, %q", text, cfg.Trusted, cfg.Distrust)
		}
		w.trust()
		if !w.trusted("app") {
			t.Errorf("%s cannot be trusted", text)
		}
	}
	w := newWorld(t)
	w.opts.Trust = false
	w.write(localFile, `{"permissions":{"allow":["Bash"]},"hooks":{}}`)
	if cfg := Load(w.opts); cfg.Distrust != "" {
		t.Errorf("settings that are not ours: %q", cfg.Distrust)
	}
}

// Wherever the store cannot be used: no trust, a warning, and all goes on.
func TestTrustWithoutAStore(t *testing.T) {
	for name, set := range map[string]func(w *world){
		"no home":           func(w *world) { w.opts.Env = nil },
		"a relative home":   func(w *world) { w.opts.Env = []string{"HOME=rel"} },
		"a file in its way": func(w *world) { w.write("home/.local/state/theus-hooks/trust", "x") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.opts.Trust = false
			w.guard(projectFile, "project", "")
			w.guard(managedFile, "managed", "")
			set(w)
			cfg := Load(w.opts)
			w.want(cfg.Plan(decode(t, "PreToolUse", bashCall), nil), "+ managed", "untrusted project")
			if len(cfg.Problems) != 1 || cfg.Problems[0].Code != "trust-store" || cfg.Distrust == "" {
				t.Errorf("problems %v", cfg.Problems)
			}
			ws, _ := cfg.Workspace()
			if err := ws.Grant(t.Context(), time.Now()); err == nil || ws.Trusted() {
				t.Errorf("granting: %v, trusted %v", err, ws.Trusted())
			}
		})
	}
}

// What was looked at is what is trusted, not what came since.
func TestGrantIsOfWhatWasShown(t *testing.T) {
	w := newWorld(t)
	w.opts.Trust = false
	w.guard(projectFile, "shown", "")
	ws, err := Load(w.opts).Workspace()
	if err != nil {
		t.Fatal(err)
	}
	w.guard(projectFile, "swapped", "")
	if err := ws.Grant(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if w.trusted("app") {
		t.Error("what was never shown is trusted")
	}
	if why := Load(w.opts).Distrust; !strings.Contains(why, "hook PreToolUse (Bash) changed (.theus/settings.json:1)") {
		t.Errorf("it says %q", why)
	}
}

// A trust store of one's own, for embedding hosts.
func TestTrustDir(t *testing.T) {
	w := newWorld(t)
	w.opts.Trust, w.opts.TrustDir = false, filepath.Join(w.root, "store")
	w.guard(projectFile, "true", "")
	w.trust()
	if !w.trusted("app") {
		t.Error("not trusted")
	}
	w.opts.TrustDir = ""
	if w.trusted("app") {
		t.Error("trusted in another store")
	}
}
