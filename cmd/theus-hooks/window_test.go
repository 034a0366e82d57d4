//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// A hook with a terminal gets one of the size of ours, or of 24 by 80.
func TestWindow(t *testing.T) {
	w := newWorld(t, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","pty":true,"command":"stty size </dev/tty >size"}]}]}}`)
	event := filepath.Join(w.project, "event.json")
	if err := os.WriteFile(event, []byte(`{"session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		terminal bool
		size     string
	}{{true, "50 120\n"}, {false, "24 80\n"}} {
		cmd := exec.Command(w.bin, "run", "PreToolUse", "--trust", "--event", event)
		cmd.Dir = w.project
		cmd.Env = []string{"HOME=" + w.project, "PATH=" + os.Getenv("PATH"), "XDG_STATE_HOME=" + w.state}
		if test.terminal {
			terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 120})
			if err != nil {
				t.Fatal(err)
			}
			defer terminal.Close()
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		} else {
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		}
		if got, err := os.ReadFile(filepath.Join(w.project, "size")); err != nil || string(got) != test.size {
			t.Errorf("terminal %v: %q, %v", test.terminal, got, err)
		}
	}
}
