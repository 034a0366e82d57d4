//go:build !linux

package command

// awaitEnd returns when the leader has ended and is reaped: the system has no
// way to wait without reaping that Go offers.
func (p *process) awaitEnd() {
	p.state, _ = p.proc.Wait()
}
