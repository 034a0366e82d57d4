// Package background carries hooks on after the call that started them: it runs
// one by exec/command, keeps what it says in the session for the next call, and
// wakes who waits for it.
//
// A Detached starts a process of ours for each hook, which survives the caller
// and holds none of its streams; a Group runs them as goroutines of a host that
// lives long enough.
//
// Its limits: without a session what a hook says is lost; a process that is
// killed takes its hook's answer along, which the next call is told.
//
// The shortest use:
//
//	starter := &background.Detached{Executable: path, Args: []string{"theus-hooks", background.Command}, Env: env}
//	err := starter.Start(background.Job{Hook: hook, Event: "PostToolUse", Command: job}, sess)
package background
