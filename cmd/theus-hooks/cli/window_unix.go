//go:build unix

package cli

import (
	"os"

	"golang.org/x/sys/unix"

	hooks "github.com/theus-hooks/theus-hooks"
)

// window is the size of the terminal that we were started in, if there is one.
// Agents keep our streams for themselves, so it is not looked for there.
func window() hooks.Window {
	tty, err := os.OpenFile("/dev/tty", os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return hooks.Window{}
	}
	defer tty.Close()
	size, err := unix.IoctlGetWinsize(int(tty.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return hooks.Window{}
	}
	return hooks.Window{Rows: size.Row, Columns: size.Col}
}
