package trust

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/settings"
)

// place is a project with files in it.
func place(t testing.TB, files map[string]string) Workspace {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"app", "home", "main"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	app := filepath.Join(root, "app")
	return Workspace{ID: app, Root: app, Main: app, Start: app, Home: filepath.Join(root, "home")}
}

func snapshot(ws Workspace, text string) *Snapshot {
	return Collect(ws, []Source{{"project", settings.Parse("settings.json", []byte(text))}})
}

func hook(handler string) string {
	return `{"hooks":{"PreToolUse":[{"hooks":[` + handler + `]}]}}`
}

func command(text string) string {
	return hook(fmt.Sprintf(`{"type":"command","command":%q}`, text))
}

func files(snap *Snapshot) []string {
	var names []string
	for _, it := range snap.Items {
		if it.Kind == File {
			names = append(names, it.Name)
		}
	}
	return names
}

func TestFilesOfCommands(t *testing.T) {
	ws := place(t, map[string]string{
		"app/a.sh": "a", "app/.theus/hooks/b.py": "b", "app/data.json": "d", "app/sub/c.sh": "c", "app/plain": "p", "home/bin/h.sh": "h",
		"app/my file.sh": "m", "app/env.sh": "e", "app/.env": "X=1", "app/mod.ts": "t", "app/prog.jq": "j", "app/notes.md": "n",
	})
	if err := os.Chmod(filepath.Join(ws.Root, "sub/c.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		settings string
		want     []string
	}{
		{command(`./a.sh`), []string{"a.sh"}},
		{command(`a.sh`), []string{"a.sh"}}, // not run from here, but nobody can tell
		{command(`"$THEUS_PROJECT_DIR"/a.sh`), []string{"a.sh"}},
		{command(`${CLAUDE_PROJECT_DIR}/a.sh`), []string{"a.sh"}},
		{command(`${THEUS_PROJECT_DIR:-.}/a.sh`), []string{"a.sh"}},
		{command(`python3 -u .theus/hooks/b.py --x`), []string{".theus/hooks/b.py"}},
		{command(`$(git rev-parse --show-toplevel)/a.sh`), []string{"a.sh"}},
		{command(`cd "$(dirname "$0")" && sh plain`), []string{"plain"}},
		{command(`bash "my file.sh"`), []string{"my file.sh"}},
		{command(`cd sub; ./c.sh`), []string{"sub/c.sh"}},
		{command(`D=$THEUS_PROJECT_DIR/.theus/hooks; python "$D/b.py"`), []string{".theus/hooks/b.py"}},
		{command(`. ./env.sh && ./a.sh < data.json`), []string{"a.sh", "env.sh"}},
		{command(`if true; then sh -s <plain; fi`), []string{"plain"}},
		{command(`bash -c 'exec "$THEUS_PROJECT_DIR"/a.sh'`), []string{"a.sh"}},
		{command(`bash -c "bash -c 'sh plain'"`), []string{"plain"}},
		{command("sh <<EOF\nsh plain\nEOF"), []string{"plain"}},
		{command(`if ! sh plain; then for f in a.sh sub/c.sh; do sh $f; done; fi`), []string{"a.sh", "plain", "sub/c.sh"}},
		{command(`x=$(sh plain) cat <(./a.sh)`), []string{"a.sh", "plain"}},
		{command(`sudo -u x env A=1 timeout 5 bash ./plain data.json`), []string{"plain"}},
		{command(`jq . data.json; sed -i s/a/b/ notes.md; cat notes.md`), nil},
		{command(`jq -f prog.jq data.json`), []string{"prog.jq"}},
		{command(`node --require=./mod.ts -e 1`), []string{"mod.ts"}},
		{command(`go run mod.ts`), []string{"mod.ts"}},
		{command(`~/bin/h.sh`), []string{ws.Home + "/bin/h.sh"}},
		{command(`"$HOME/bin/h.sh"`), []string{ws.Home + "/bin/h.sh"}},
		{command(`/bin/sh plain`), []string{"plain"}}, // the system's own programs are not asked about
		{command(`if (; then ./a.sh`), []string{"a.sh"}},
		{command(`echo $UNKNOWN.sh '$THEUS_PROJECT_DIR/a.sh'`), nil},
		{command(`./missing.sh`), nil},
		{hook(`{"type":"command","command":"${THEUS_PROJECT_DIR}/a.sh","args":["${THEUS_PROJECT_DIR}/sub/c.sh","notes.md"]}`), []string{"a.sh", "sub/c.sh"}},
		{hook(`{"type":"command","command":"python3","args":["plain","data.json"]}`), []string{"plain"}},
		{hook(`{"type":"command","command":"bash","args":["-c","sh plain"]}`), []string{"plain"}},
		{hook(`{"type":"command","command":"./c.sh","cwd":"sub"}`), []string{"sub/c.sh"}},
		{hook(`{"type":"command","command":"$D/a.sh","env":{"D":"."},"envFile":".env"}`), []string{".env", "a.sh"}},
		{command(`PATH="$THEUS_PROJECT_DIR/sub:$PATH" c.sh`), []string{"sub/c.sh"}},
		{command(`export PATH=$PWD/.theus:sub; plain || c.sh`), []string{"sub/c.sh"}},
		{`{"env":{"PATH":"sub:/usr/bin"},"hooks":{"Stop":[{"hooks":[{"type":"command","command":"c.sh"},{"type":"command","command":"c.sh","args":[]}]}]}}`, []string{"sub/c.sh"}},
		{`{"hookModules":["mod.ts"]}`, []string{"mod.ts"}},
		{`{"env":{"S":"sub"},"hooks":{"Stop":[{"hooks":[{"type":"command","command":"$S/c.sh"}]}]}}`, []string{"sub/c.sh"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, files(snapshot(ws, tt.settings))); diff != "" {
			t.Errorf("%s: %s", tt.settings, diff)
		}
	}
}

// A relative path starts where the hook runs, so what stands there counts.
func TestFilesOfAnotherDirectory(t *testing.T) {
	ws := place(t, map[string]string{"app/a.sh": "a", "app/sub/a.sh": "other", "main/a.sh": "a"})
	at := snapshot(ws, command("./a.sh")).Digest()
	ws.Start = filepath.Join(ws.Root, "sub")
	below := snapshot(ws, command("./a.sh"))
	if diff := cmp.Diff([]string{"a.sh", "sub/a.sh"}, files(below)); diff != "" || below.Digest() == at {
		t.Errorf("files %s", diff)
	}
	ws.Start, ws.Main = ws.Root, filepath.Join(filepath.Dir(ws.Root), "main")
	if snapshot(ws, command(`"$THEUS_PROJECT_DIR"/a.sh`)).Digest() != snapshot(place(t, map[string]string{"app/a.sh": "a"}), command(`"$THEUS_PROJECT_DIR"/a.sh`)).Digest() {
		t.Error("the same file in a worktree and its main checkout is not the same")
	}
}

const whole = `{"env":{"A":"1","B":"2"},"disabledHooks":["x","y"],"disableAllHooks":false,"hooks":{
	"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"a","timeout":5},{"type":"http","url":"https://x.example.com/","headers":{"A":"1","B":"2"}}]}],
	"Stop":[{"sequential":true,"hooks":[{"type":"command","command":"b"},{"type":"command","command":"c"}]},
		{"hooks":[{"type":"mcp_tool","server":"s","tool":"t","input":{"k":[1,{"z":1,"y":2}],"l":"é"}}]}]}}`

func TestWhatIsTheSame(t *testing.T) {
	ws := place(t, nil)
	want := snapshot(ws, whole)
	for name, text := range map[string]string{
		"reformatted": `{ // a comment
			"hooks": {
			"Stop": [{"hooks": [{"type": "mcp_tool", "tool": "t", "server": "s", "input": {"l": "\u00e9", "k": [1, {"y": 2, "z": 1}]}}]},
				{"hooks": [{"type": "command", "command": "b"}, {"command": "\u0063", "type": "command"}], "sequential": true}],
			"PreToolUse": [{"hooks": [{"type": "http", "headers": {"B": "2", "A": "1"}, "url": "https://x.example.com/"}], "matcher": "Bash"},
				{"matcher": "Bash", "hooks": [{"timeout": 5.0, "type": "command", "command": "a"}]}]},
			"disableAllHooks": false, "disabledHooks": ["y", "x", "x"], "env": {"B": "2", "A": "1",},
		}`,
		"keys of others":      strings.Replace(whole, `{"env"`, `{"model":"x","permissions":{"allow":["Bash"]},"env"`, 1),
		"further on in lines": strings.ReplaceAll(whole, ",", ",\n\n"),
	} {
		got := snapshot(ws, text)
		if got.Digest() != want.Digest() {
			t.Errorf("%s: %v", name, (&Record{Grants: []Grant{{Items: want.Items}}}).Changes(got))
		}
	}
}

func TestWhatIsAChange(t *testing.T) {
	ws := place(t, nil)
	before := snapshot(ws, whole)
	for _, tt := range []struct{ old, new, want string }{
		{`"command":"a"`, `"command":"A"`, "hook PreToolUse (Bash) changed"},
		{`"command":"a"`, `"command":"a "`, "hook PreToolUse (Bash) changed"},
		{`"timeout":5`, `"timeout":6`, "hook PreToolUse (Bash) changed"},
		{`"timeout":5`, `"timeout":5,"enabled":false`, "hook PreToolUse (Bash) changed"},
		{`"timeout":5`, `"timeout":5,"mode":"observe"`, "hook PreToolUse (Bash) changed"},
		{`"timeout":5`, `"timeout":5,"onFailure":"continue"`, "hook PreToolUse (Bash) changed"},
		{`"timeout":5`, `"timeout":5,"if":"Bash(ls)"`, "hook PreToolUse (Bash) changed"},
		{`"timeout":5`, `"timeout":5,"args":[]`, "hook PreToolUse (Bash) changed"},
		{`"matcher":"Bash"`, `"matcher":"bash"`, "hook PreToolUse (bash) added, hook PreToolUse (bash) added, hook PreToolUse (Bash) removed, hook PreToolUse (Bash) removed"},
		{`"B":"2"}}`, `"B":"3"}}`, "hook PreToolUse (Bash) changed"},
		{`"z":1`, `"z":2`, "hook Stop changed"},
		{`"B":"2"},"disabled`, `"B":"3"},"disabled`, "setting env.B changed"},
		{`"B":"2"},"disabled`, `"B":"2","C":""},"disabled`, "setting env.C added"},
		{`"x","y"`, `"x"`, "setting disabledHooks changed"},
		{`"disableAllHooks":false,`, ``, "setting disableAllHooks removed"},
		{`"disableAllHooks":false,`, `"disableAllHooks":false,"allowedHttpHookUrls":[],`, "setting allowedHttpHookUrls added"},
		{`"sequential":true,`, ``, "hook Stop changed, hook Stop changed"},
		// In a sequential group the order is part of what is trusted.
		{`{"type":"command","command":"b"},{"type":"command","command":"c"}`, `{"type":"command","command":"c"},{"type":"command","command":"b"}`, "hook Stop changed, hook Stop changed"},
	} {
		if strings.Count(whole, tt.old) != 1 {
			t.Fatalf("%q is not in the text once", tt.old)
		}
		after := snapshot(ws, strings.Replace(whole, tt.old, tt.new, 1))
		var got []string
		for _, c := range (&Record{Grants: []Grant{{Items: before.Items}}}).Changes(after) {
			got = append(got, c.String())
		}
		if text := strings.Join(got, ", "); text != tt.want || after.Digest() == before.Digest() {
			t.Errorf("%s: %s, want %s", tt.new, text, tt.want)
		}
	}
	if moved := Collect(ws, []Source{{"local", settings.Parse("settings.json", []byte(whole))}}); moved.Digest() == before.Digest() {
		t.Error("another scope is the same")
	}
}

// Each byte of a command and of a script counts.
func TestEveryByteCounts(t *testing.T) {
	const script = "#!/bin/sh\necho no >&2\nexit 2\n"
	ws := place(t, map[string]string{"app/a.sh": script})
	text := `./a.sh --strict "$X"`
	seen := map[string]bool{snapshot(ws, command(text)).Digest(): true}
	for i := range text {
		changed := []byte(text)
		changed[i] ^= 1
		if d := snapshot(ws, command(string(changed))).Digest(); seen[d] {
			t.Errorf("%q is the same as another", changed)
		} else {
			seen[d] = true
		}
	}
	for i := range script {
		changed := []byte(script)
		changed[i] ^= 1
		if err := os.WriteFile(filepath.Join(ws.Root, "a.sh"), changed, 0o644); err != nil {
			t.Fatal(err)
		}
		if d := snapshot(ws, command(text)).Digest(); seen[d] {
			t.Errorf("the script %q is the same as another", changed)
		} else {
			seen[d] = true
		}
	}
}

func TestBounds(t *testing.T) {
	ws := place(t, map[string]string{"app/big.sh": ""})
	if err := os.Truncate(filepath.Join(ws.Root, "big.sh"), MaxFile+1); err != nil {
		t.Fatal(err)
	}
	snap := snapshot(ws, command("./big.sh"))
	if !strings.Contains(snap.Refused, "big.sh: it is longer than 32 MiB") {
		t.Errorf("refused: %q", snap.Refused)
	}
	if _, ok := (&Record{Grants: []Grant{{Digest: snap.Digest()}}}).Granted(snap); ok {
		t.Error("what was not read whole counts as trusted")
	}
	if err := (Store{t.TempDir()}).Grant(t.Context(), "x", snap, time.Now()); !errors.Is(err, ErrRefused) {
		t.Errorf("granting: %v", err)
	}
	if snap := snapshot(ws, command("a=xx;"+strings.Repeat("a=$a$a;", 200)+"$a")); snap.Refused != "" {
		t.Errorf("a word that grows: %s", snap.Refused)
	}
	if snap := snapshot(ws, command(strings.Repeat("a b;", maxWords))); snap.Refused == "" {
		t.Error("more words than are looked at can be trusted")
	}
}

func TestStore(t *testing.T) {
	ws := place(t, map[string]string{"app/a.sh": "echo a\n"})
	store := Store{filepath.Join(t.TempDir(), "deep", "trust")}
	first, second := snapshot(ws, command("./a.sh")), snapshot(ws, command("./a.sh 2"))
	now := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	if rec, err := store.Load(ws.ID); rec != nil || err != nil {
		t.Fatalf("before: %v, %v", rec, err)
	}
	for i, snap := range []*Snapshot{first, second, first} {
		if err := store.Grant(t.Context(), ws.ID, snap, now.Add(time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	rec, err := store.Load(ws.ID)
	if err != nil || len(rec.Grants) != 2 {
		t.Fatalf("%v, %v", rec, err)
	}
	if g, ok := rec.Granted(first); !ok || !g.Time.Equal(now.Add(2*time.Hour)) {
		t.Errorf("the first: %v", g)
	}
	if _, ok := rec.Granted(second); !ok {
		t.Error("the second is not trusted any more")
	}
	if err := store.LoadTexts(rec); err != nil || !slices.ContainsFunc(rec.Grants[0].Items, func(it Item) bool { return it.Text == "echo a\n" }) {
		t.Errorf("texts: %v, %v", err, rec.Grants[0].Items)
	}
	other, err := store.Load("another")
	if other != nil || err != nil {
		t.Errorf("another workspace: %v, %v", other, err)
	}
	if was, err := store.Revoke(t.Context(), ws.ID); !was || err != nil {
		t.Errorf("revoking: %v, %v", was, err)
	}
	if rec, err := store.Load(ws.ID); rec != nil || err != nil {
		t.Errorf("after: %v, %v", rec, err)
	}
	left, err := os.ReadDir(store.Dir)
	if err != nil || len(left) != 1 || left[0].Name() != "lock" {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestStoreIsBounded(t *testing.T) {
	ws, store := place(t, nil), Store{t.TempDir()}
	for i := range maxGrants + 3 {
		if err := store.Grant(t.Context(), ws.ID, snapshot(ws, command(fmt.Sprint(i))), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	rec, err := store.Load(ws.ID)
	if err != nil || len(rec.Grants) != maxGrants {
		t.Fatalf("%d grants, %v", len(rec.Grants), err)
	}
	if _, ok := rec.Granted(snapshot(ws, command("2"))); ok {
		t.Error("the oldest is still there")
	}
}

// Two people at once: neither takes the other's grant away.
func TestGrantsAtTheSameTime(t *testing.T) {
	ws, store := place(t, nil), Store{t.TempDir()}
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			if err := store.Grant(t.Context(), ws.ID, snapshot(ws, command(fmt.Sprint(i))), time.Now()); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if rec, err := store.Load(ws.ID); err != nil || len(rec.Grants) != 8 {
		t.Errorf("%v, %v", rec, err)
	}
}

// A record that may not be a person's own proves nothing.
func TestStoreThatProvesNothing(t *testing.T) {
	for name, smash := range map[string]func(path string) error{
		"cut off":            func(path string) error { return os.WriteFile(path, []byte(`{"version":1,"gr`), 0o600) },
		"not an object":      func(path string) error { return os.WriteFile(path, []byte(`[]`), 0o600) },
		"empty":              func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"of another version": func(path string) error { return os.WriteFile(path, []byte(`{"version":2}`), 0o600) },
		"writable by others": func(path string) error { return os.Chmod(path, 0o666) },
		"a directory":        func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"of another workspace": func(path string) error {
			return os.WriteFile(path, []byte(`{"version":1,"workspace":"/other","grants":[]}`), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ws, store := place(t, nil), Store{t.TempDir()}
			snap := snapshot(ws, command("a"))
			if err := store.Grant(t.Context(), ws.ID, snap, time.Now()); err != nil {
				t.Fatal(err)
			}
			if err := smash(store.path(ws.ID, ".json")); err != nil {
				t.Fatal(err)
			}
			rec, err := store.Load(ws.ID)
			if _, ok := rec.Granted(snap); ok || err == nil {
				t.Errorf("trusted %v, %v", ok, err)
			}
		})
	}
	if err := (Store{}).Grant(t.Context(), "x", &Snapshot{}, time.Now()); !errors.Is(err, ErrNoStore) {
		t.Errorf("without a place: %v", err)
	}
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (Store{filepath.Join(blocked, "trust")}).Grant(t.Context(), "x", &Snapshot{}, time.Now()); err == nil {
		t.Error("granting where nothing can be written went well")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (Store{t.TempDir()}).Grant(ctx, "x", &Snapshot{}, time.Now()); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that ended: %v", err)
	}
}

// The nearest of what was trusted is what changes are shown against.
func TestChangesAreThoseOfTheNearestGrant(t *testing.T) {
	ws := place(t, nil)
	rec := &Record{}
	for _, text := range []string{whole, command("x")} {
		rec.Grants = append(rec.Grants, Grant{Items: snapshot(ws, text).Items})
	}
	got := rec.Changes(snapshot(ws, strings.Replace(whole, `"command":"b"`, `"command":"B"`, 1)))
	if len(got) != 2 || got[0].String() != "hook Stop changed" { // the second of the sequence depends on the first
		t.Errorf("got %v", got)
	}
}

func FuzzCollect(f *testing.F) {
	for _, seed := range []string{
		`./a.sh`, `cd x && . "$Y"/z`, "cat <<E | bash -c '$(x)'\nE", "`a`; ${a:-b}/c \\", "for i in a; do $i/x; done", "x=(a b); ${x[0]} $'\\n'",
	} {
		f.Add(seed, "x")
	}
	ws := place(f, map[string]string{"app/a.sh": "a"})
	f.Fuzz(func(t *testing.T, text, arg string) {
		file := &settings.File{Groups: []settings.Group{{Handlers: []settings.Handler{
			{Command: text}, {Command: text, Exec: true, Args: []string{arg, text}}, {Command: arg, Cwd: text, EnvFile: text},
		}}}}
		finder := newFinder(ws)
		finder.source(Source{"project", file})
		for _, path := range finder.order {
			if !filepath.IsAbs(path) {
				t.Errorf("%q is not absolute", path)
			}
		}
	})
}

// Whatever stands in a record, it is read or refused, and trusts only what has
// its digest there.
func FuzzRecord(f *testing.F) {
	ws, store := place(f, nil), Store{f.TempDir()}
	ws.ID = "/workspace" // the same in every process that fuzzes
	snap := snapshot(ws, command("x"))
	if err := store.Grant(context.Background(), ws.ID, snap, time.Unix(0, 0)); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(store.path(ws.ID, ".json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"version":1,"workspace":"x","grants":{"items":[7]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(store.path(ws.ID, ".json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		rec, err := store.Load(ws.ID)
		if _, ok := rec.Granted(snap); ok && (err != nil || !strings.Contains(string(data), snap.Digest())) {
			t.Errorf("%q trusts, %v", data, err)
		}
		if err := store.LoadTexts(rec); err != nil {
			t.Error(err)
		}
		for _, c := range rec.Changes(snap) {
			_ = c.String()
		}
	})
}

func BenchmarkCollect(b *testing.B) {
	ws := place(b, map[string]string{"app/a.sh": strings.Repeat("echo x\n", 500), "app/.theus/hooks/b.py": strings.Repeat("print(1)\n", 500)})
	text := `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"\"$THEUS_PROJECT_DIR\"/a.sh"},
		{"type":"command","command":"python3 .theus/hooks/b.py"}]}],"Stop":[{"hooks":[{"type":"command","command":"if [ -f x ]; then make lint | tail -5; fi"}]}]}}`
	file := settings.Parse("settings.json", []byte(text))
	b.ReportAllocs()
	for b.Loop() {
		Collect(ws, []Source{{"project", file}}).Digest()
	}
}
