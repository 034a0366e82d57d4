//go:build !linux

package command

// sweep does nothing where there is no /proc: what left its session outlives
// a timeout.
func sweep(int, string) {}

// hasOthers reports whether a process besides its leader may be in session;
// nothing says.
func hasOthers(int) bool { return false }

// isZombie cannot be told: whose child a process is has to reap it.
func isZombie(int) bool { return false }
