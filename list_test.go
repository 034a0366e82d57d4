package hooks_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	hooks "github.com/theus-hooks/theus-hooks"
)

func TestList(t *testing.T) {
	opts := options(t, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"s"}]}],"PreToolUse":[{"hooks":[{"type":"http","url":"https://x.example.com/","enabled":false}]}]}}`)
	if err := os.WriteFile(filepath.Join(opts.ManagedDir, "managed-settings.json"), []byte(`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"m"}]}]}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	rows := func(name string) (rows []string, l *hooks.Listing) {
		l, err := open(t, opts).List(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range l.Hooks {
			rows = append(rows, h.Event+" "+h.Source.Scope+" "+h.Command+h.URL+" "+h.Reason)
			if h.Active != (h.Reason == "") || h.Source.Line != 1 {
				t.Errorf("%+v", h)
			}
		}
		return rows, l
	}
	got, l := rows("")
	if diff := cmp.Diff([]string{"PreToolUse project https://x.example.com/ disabled", "Stop managed m ", "Stop project s "}, got); diff != "" || l.StatusLine.Off {
		t.Error(diff, l.StatusLine)
	}
	if got, _ = rows("Stop"); len(got) != 2 {
		t.Error(got)
	}
	opts.Settings = []string{`{"disableAllHooks":true}`}
	got, l = rows("")
	if diff := cmp.Diff([]string{"PreToolUse project https://x.example.com/ disabled-all", "Stop managed m ", "Stop project s disabled-all"}, got); diff != "" {
		t.Error(diff)
	}
	if want := (hooks.StatusLine{Off: true, Reason: "disabled-all", Detail: "disableAllHooks is true in --settings (command-line)"}); l.StatusLine != want || !l.Hooks[0].StatusLineOff {
		t.Errorf("status line %+v", l.StatusLine)
	}
	_, err := open(t, opts).List("Stpo")
	if unknown, ok := errors.AsType[*hooks.UnknownEventError](err); !ok || unknown.Suggest != "Stop" {
		t.Errorf("an unknown event: %v", err)
	}
}

// Trust is kept between engines, and is about what stands there.
func TestWorkspace(t *testing.T) {
	opts := options(t, guard("exit 2"))
	opts.Trust, opts.TrustDir = false, filepath.Join(t.TempDir(), "trust")
	blocked := func() bool {
		out, err := open(t, opts).Fire(t.Context(), "PreToolUse", []byte(bashCall))
		if err != nil {
			t.Fatal(err)
		}
		return out.Blocked
	}
	if blocked() {
		t.Error("an untrusted hook ran")
	}
	ws, err := open(t, opts).Workspace()
	if err != nil {
		t.Fatal(err)
	}
	if err := ws.Grant(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if !blocked() {
		t.Error("a trusted hook did not run")
	}
	if done, err := ws.Revoke(t.Context()); !done || err != nil || blocked() {
		t.Errorf("revoked %v, %v", done, err)
	}
}
