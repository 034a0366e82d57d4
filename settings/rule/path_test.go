package rule

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func file(tool, name string) Input {
	key := "file_path"
	switch tool {
	case "NotebookEdit":
		key = "notebook_path"
	case "Grep", "Glob", "LS":
		key = "path"
	}
	return Input{Tool: tool, Field: fields(key, name), Cwd: "/w/app", Home: "/home/u"}
}

func TestPaths(t *testing.T) {
	const source = "/w"
	for _, tt := range []struct {
		rule, tool, path string
		want             bool
	}{
		// anchors
		{"Read(//etc/passwd)", "Read", "/etc/passwd", true},
		{"Read(//etc/passwd)", "Read", "/w/app/etc/passwd", false},
		{"Read(//etc/**)", "Read", "/etc/ssl/x", true},
		{"Read(//**/.env)", "Read", "/srv/x/.env", true},
		{"Read(~/.ssh/**)", "Read", "/home/u/.ssh/id_rsa", true},
		{"Read(~/.ssh/**)", "Read", "/home/v/.ssh/id_rsa", false},
		{"Read(~/.ssh/**)", "Read", "~/.ssh/id_rsa", true},
		{"Read(~/.bashrc)", "Read", "/home/u/.bashrc", true},
		{"Read(~/.bashrc)", "Read", "/home/u/x/.bashrc", false},
		{"Read(/docs/**)", "Read", "/w/docs/a.md", true},
		{"Read(/docs/**)", "Read", "/w/app/docs/a.md", false},
		{"Read(/docs/**)", "Read", "/docs/a.md", false},
		{"Edit(src/**)", "Edit", "/w/app/src/a.ts", true},
		{"Edit(src/**)", "Edit", "/w/app/src/x/a.ts", true},
		{"Edit(src/**)", "Edit", "src/a.ts", true},
		{"Edit(./src/**)", "Edit", "/w/app/src/a.ts", true},
		{"Edit(src/**)", "Edit", "/w/src/a.ts", false},
		{"Edit(src/**)", "Edit", "/w/app/lib/src/a.ts", false},
		{"Edit(**/src/**)", "Edit", "/w/app/lib/src/a.ts", true},
		{"Edit(**/src/**)", "Edit", "/w/app/src/a.ts", true},
		{"Edit(src/**)", "Edit", "/w/app/src", false},
		{"Edit(../lib/**)", "Edit", "/w/lib/a.ts", true},
		{"Edit(../lib/**)", "Edit", "/w/app/lib/a.ts", false},
		{"Edit(../*.ts)", "Edit", "/w/a.ts", true},
		{"Edit(../*.ts)", "Edit", "/w/app/a.ts", false},

		// a bare name, at any depth but not above
		{"Read(.env)", "Read", "/w/app/.env", true},
		{"Read(.env)", "Read", "/w/app/x/y/.env", true},
		{"Read(.env)", "Read", "/w/.env", false},
		{"Read(.env)", "Read", "/w/app/.env.local", false},
		{"Read(.env)", "Read", "../.env", false},
		{"Read(./.env)", "Read", "/w/app/.env", true},
		{"Edit(*.ts)", "Edit", "/w/app/src/a.ts", true},
		{"Edit(*.ts)", "Edit", "/w/app/a.tsx", false},
		{"Edit(*.{ts,tsx})", "Edit", "/w/app/a.tsx", true},
		{"Edit({id}.ts)", "Edit", "/w/app/{id}.ts", true},
		{"Read(secrets)", "Read", "/w/app/x/secrets/key", true},
		{"Read(secrets/)", "Read", "/w/app/x/secrets/key", true},
		{"Read(secrets/)", "Read", "/w/app/x/secrets", false},
		{"Read(**)", "Read", "/w/app/x", true},
		{"Read(**)", "Read", "/w/x", false},
		{"Read(*)", "Read", "/w/x", true},
		{"Read", "Read", "/w/x", true},

		// gitignore
		{"Edit(src/*.ts)", "Edit", "/w/app/src/a.ts", true},
		{"Edit(src/*.ts)", "Edit", "/w/app/src/x/a.ts", false},
		{"Edit(src/**/*.ts)", "Edit", "/w/app/src/a.ts", true},
		{"Edit(src/**/*.ts)", "Edit", "/w/app/src/x/y/a.ts", true},
		{"Edit(src/**/*.ts)", "Edit", "/w/app/src/x/y/a.js", false},
		{"Edit(src/a?.ts)", "Edit", "/w/app/src/ab.ts", true},
		{"Edit(src/[ab].ts)", "Edit", "/w/app/src/b.ts", true},
		{"Edit(src/[!ab].ts)", "Edit", "/w/app/src/b.ts", false},
		{`Edit(src/\[id\]/*.ts)`, "Edit", "/w/app/src/[id]/a.ts", true},
		{`Edit(src/\[id\]/*.ts)`, "Edit", "/w/app/src/i/a.ts", false},
		{`Edit(\*.ts)`, "Edit", "/w/app/a.ts", false},
		{`Edit(\*.ts)`, "Edit", "/w/app/*.ts", true},
		{"Edit(src/app)", "Edit", "/w/app/src/app/a.ts", true},
		{"Edit(src/app)", "Edit", "/w/app/src/apps/a.ts", false},
		{"Edit(SRC/**)", "Edit", "/w/app/src/a.ts", false},

		// paths are cleaned
		{"Edit(src/**)", "Edit", "/w/app/src/../lib/a.ts", false},
		{"Edit(src/**)", "Edit", "/w/app/lib/../src/a.ts", true},
		{"Edit(src/**)", "Edit", "/w/app//src/./a.ts", true},
		{"Edit(lib/../src/**)", "Edit", "/w/app/src/a.ts", true},
		{"Edit(src//x/**)", "Edit", "/w/app/src/x/a.ts", true},

		// which tools
		{"Edit(src/**)", "Write", "/w/app/src/a.ts", true},
		{"Edit(src/**)", "MultiEdit", "/w/app/src/a.ts", true},
		{"Edit(src/**)", "NotebookEdit", "/w/app/src/a.ipynb", true},
		{"Edit(src/**)", "Read", "/w/app/src/a.ts", false},
		{"Write(src/**)", "Write", "/w/app/src/a.ts", true},
		{"Write(src/**)", "Edit", "/w/app/src/a.ts", false},
		{"MultiEdit(src/**)", "MultiEdit", "/w/app/src/a.ts", true},
		{"MultiEdit(src/**)", "Edit", "/w/app/src/a.ts", false},
		{"NotebookEdit(src/**)", "NotebookEdit", "/w/app/src/a.ipynb", true},
		{"Read(src/**)", "Grep", "/w/app/src/x", true},
		{"Read(src/**)", "Grep", "src", true},
		{"Read(src/**)", "Glob", "src", true},
		{"Read(src/**)", "Grep", "/w/app/lib", false},
		{"Read(src/**)", "Edit", "/w/app/src/a.ts", false},
		{"Grep(src/**)", "Grep", "/w/app/src", true},
		{"Grep(src/**)", "Glob", "/w/app/src", false},
		{"Glob(~/.ssh/**)", "Glob", "~/.ssh", true},
		{"Edit(*.po)|Write(*.po)", "Write", "/w/app/a.po", true},
		{"Edit(*.po) | Read(*.po)", "Read", "/w/app/a.po", true},
		{"Edit(*.po)|Write(*.po)", "Write", "/w/app/a.pot", false},
	} {
		c := NewCall(file(tt.tool, tt.path))
		c.os = platform{}
		got := mustParse(t, tt.rule).Match(c, source)
		if got.Fires != tt.want {
			t.Errorf("%s on %s %s: fires %v, want %v (%s)", tt.rule, tt.tool, tt.path, got.Fires, tt.want, got.Detail())
		}
	}
}

// TestPathUnknown: what is not known fires.
func TestPathUnknown(t *testing.T) {
	for _, tt := range []struct {
		name, rule, source string
		in                 Input
		want               bool
	}{
		{"no path", "Edit(src/**)", "/w", Input{Tool: "Edit", Field: fields(), Cwd: "/w"}, true},
		{"no input", "Edit(src/**)", "/w", Input{Tool: "Edit", Cwd: "/w"}, true},
		{"no cwd for the path", "Edit(//src/**)", "/w", Input{Tool: "Edit", Field: fields("file_path", "a")}, true},
		{"no cwd for the pattern", "Edit(src/**)", "/w", Input{Tool: "Edit", Field: fields("file_path", "/a")}, true},
		{"no home", "Edit(~/src/**)", "/w", Input{Tool: "Edit", Field: fields("file_path", "/a"), Cwd: "/w"}, true},
		{"no home for the path", "Edit(//src/**)", "/w", Input{Tool: "Edit", Field: fields("file_path", "~/a"), Cwd: "/w"}, true},
		{"no source", "Edit(/src/**)", "", Input{Tool: "Edit", Field: fields("file_path", "/a"), Cwd: "/w"}, true},
		{"too long", "Edit(src/**)", "/w", Input{Tool: "Edit", Field: fields("file_path", "/"+strings.Repeat("a/", maxPath)), Cwd: "/w"}, true},
		{"NUL", "Edit(src/**)", "/w", Input{Tool: "Edit", Field: fields("file_path", "/a\x00"), Cwd: "/w"}, true},
		{"nothing is needed", "Edit(//src/**)", "", Input{Tool: "Edit", Field: fields("file_path", "/a")}, false},
		{"a search of the cwd", "Grep(//w/**)", "", Input{Tool: "Grep", Field: fields("pattern", "x"), Cwd: "/w/app"}, true},
		{"a glob elsewhere", "Read(~/.ssh/**)", "", Input{Tool: "Glob", Field: fields("pattern", "/home/u/.ssh/*"), Cwd: "/w", Home: "/home/u"}, true},
		{"a glob here", "Read(~/.ssh/**)", "", Input{Tool: "Glob", Field: fields("pattern", "*.go"), Cwd: "/w", Home: "/home/u"}, false},
	} {
		if got := mustParse(t, tt.rule).Match(NewCall(tt.in), tt.source); got.Fires != tt.want {
			t.Errorf("%s: fires %v, want %v (%s)", tt.name, got.Fires, tt.want, got.Detail())
		}
	}
}

func TestPathLinks(t *testing.T) {
	dir := t.TempDir()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"app/src", "real", "home"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"app/out":        "../real",
		"app/src/abs":    filepath.Join(dir, "real"),
		"app/dangling":   "../real/none",
		"app/loop":       "loop",
		"app/one":        "two",
		"app/two":        "three",
		"app/three":      "../real/end",
		"view":           "app",
		"app/src/secret": "../../real/secret.key",
	} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	dir = hostPlatform().slashes(dir)
	for _, tt := range []struct {
		rule, cwd, path string
		want            bool
	}{
		{"Edit(/real/**)", "app", "app/out/x", true},
		{"Edit(out/**)", "app", "app/out/x", true},
		{"Edit(/real/**)", "app", "app/src/abs/x/y", true},
		{"Edit(/real/none)", "app", "app/dangling", true},
		{"Edit(/real/end)", "app", "app/one", true},
		{"Edit(loop)", "app", "app/loop", true},
		{"Edit(/real/**)", "app", "app/loop/x", false},
		{"Edit(*.key)", "real", "app/src/secret", true},
		{"Edit(src/**)", "view", "app/src/x", true},
		{"Edit(src/**)", "app", "view/src/x", true},
		{"Edit(src/**)", "app", "real/src/x", false},
		// the system goes up from where the link leads, the text from the link
		{"Edit(/home/**)", "app", "app/out/../home/x", true},
		{"Edit(home/**)", "app", "app/out/../home/x", true},
	} {
		in := Input{Tool: "Edit", Field: fields("file_path", dir+"/"+tt.path), Cwd: dir + "/" + tt.cwd}
		if got := mustParse(t, tt.rule).Match(NewCall(in), dir); got.Fires != tt.want {
			t.Errorf("%s in %s on %s: fires %v, want %v (%s)", tt.rule, tt.cwd, tt.path, got.Fires, tt.want, got.Detail())
		}
	}
}

func TestPathPlatforms(t *testing.T) {
	windows, mac := platform{fold: true, windows: true}, platform{fold: true}
	for _, tt := range []struct {
		os                    platform
		rule, cwd, path, home string
		want                  bool
	}{
		{windows, "Edit(src/**)", `C:\w\app`, `C:\w\app\src\a.ts`, "", true},
		{windows, "Edit(src/**)", `c:\w\app`, `C:\W\App\SRC\a.ts`, "", true},
		{windows, "Edit(src/**)", `C:\w\app`, `src\a.ts`, "", true},
		{windows, "Edit(src/**)", `C:\w\app`, `D:\w\app\src\a.ts`, "", false},
		{windows, "Edit(//c/w/**)", `C:\`, `C:\w\a`, "", true},
		{windows, `Edit(C:\w\**)`, `C:\`, `c:/w/a`, "", true},
		{windows, "Edit(~/x/**)", `C:\`, `C:\Users\u\x\a`, `C:\Users\u`, true},
		{windows, "Edit(~/x/**)", `C:\`, `~\x\a`, `C:\Users\u`, true},
		{mac, "Edit(SRC/**)", "/w/app", "/w/app/src/a.ts", "", true},
		{mac, "Edit([A-C].ts)", "/w/app", "/W/App/b.ts", "", true},
		{platform{}, "Edit(SRC/**)", "/w/app", "/w/app/src/a.ts", "", false},
		{platform{}, "Edit(src/**)", "/w/app", `src\a.ts`, "", false},
	} {
		c := NewCall(Input{Tool: "Edit", Field: fields("file_path", tt.path), Cwd: tt.cwd, Home: tt.home})
		c.os = tt.os
		if got := mustParse(t, tt.rule).Match(c, ""); got.Fires != tt.want {
			t.Errorf("%+v: %s in %s on %s: fires %v, want %v", tt.os, tt.rule, tt.cwd, tt.path, got.Fires, tt.want)
		}
	}
}

// TestGitignore compares with what `git check-ignore` said of the patterns and
// paths in testdata: pattern, ignored paths, other paths.
func TestGitignore(t *testing.T) {
	data, err := os.ReadFile("testdata/gitignore.tsv")
	if err != nil {
		t.Fatal(err)
	}
	pairs := 0
	for line := range strings.Lines(string(data)) {
		cols := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		r := mustParse(t, "Edit("+cols[0]+")")
		for i, want := range []bool{true, false} {
			for _, name := range strings.Fields(cols[i+1]) {
				pairs++
				c := NewCall(Input{Tool: "Edit", Field: fields("file_path", "/w/"+name), Cwd: "/w"})
				if got := r.Match(c, "/w").Fires; got != want {
					t.Errorf("%s on %s: fires %v, want %v", cols[0], name, got, want)
				}
			}
		}
	}
	if pairs < 3000 {
		t.Errorf("only %d pairs", pairs)
	}
}
