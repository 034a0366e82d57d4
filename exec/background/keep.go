package background

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/theus-hooks/theus-hooks/envfile"
	"github.com/theus-hooks/theus-hooks/exec/command"
	"github.com/theus-hooks/theus-hooks/exec/session"
	"github.com/theus-hooks/theus-hooks/internal/environ"
	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// keep runs a job to its end and records what it says. sess and run are nil
// without a session.
func keep(ctx context.Context, job Job, sess *session.Session, run *session.Run) {
	defer job.removeEnvFile()
	if sess == nil {
		job.run(ctx)
		return
	}
	var claim *session.Claim
	if job.Once && job.Left == nil {
		var err error
		claim, err = sess.Claim(job.Hook.ID)
		if err == nil && claim == nil { // had, or another call's
			job.removeEnvFile()
			run.Abandon()
			return
		}
		if claim != nil {
			defer claim.Release()
		}
	}
	result := job.run(ctx)
	if result.Status == response.Cancelled {
		result.Error = "the session ended"
	}
	end(job, sess, run, claim, result)
}

// run runs the command, or goes on with the one that runs.
func (j Job) run(ctx context.Context) response.Result {
	if j.Left != nil {
		return command.Resume(ctx, j.Left)
	}
	return command.Run(ctx, j.Command)
}

// Record keeps what a hook said in the session for the next call, as if it had
// ended in the background.
func Record(job Job, sess *session.Session, result response.Result) error {
	defer job.removeEnvFile()
	run, err := announce(job, sess, true)
	if run == nil {
		return err
	}
	end(job, sess, run, nil, result)
	return nil
}

// end records what the hook said. claim is that of a hook that runs once; nil
// where it could not be had, and of one that went to the background by its own
// word, whose run is marked as had already.
func end(job Job, sess *session.Session, run *session.Run, claim *session.Claim, result response.Result) {
	late := response.Late{Status: result.Status}
	if spec, ok := event.Lookup(job.Event); ok {
		late = response.DecodeLate(spec, job.Hook, result, job.Rewake)
	}
	k := &keeper{job: job, sess: sess, late: &late}
	k.export(result.Status)
	job.removeEnvFile() // before the run counts as over
	k.spend(claim)
	if late.Empty() {
		run.Abandon()
		return
	}
	_ = run.Finish(encodeLate(late), late.Wake != "") // nobody is there to be told
}

// A keeper adds to what a hook said what was wrong besides.
type keeper struct {
	job  Job
	sess *session.Session
	late *response.Late
}

func (k *keeper) warn(code, format string, args ...any) {
	at := k.job.Hook.Source
	k.late.Problems = append(k.late.Problems, response.Problem{
		Severity: "warning", Code: code, File: at.File, Line: at.Line, Path: at.Path,
		Message: "hook " + k.job.Hook.Label() + ": " + fmt.Sprintf(format, args...),
	})
}

// spend marks the run of a hook that runs once as had, or takes the mark back.
func (k *keeper) spend(claim *session.Claim) {
	var err error
	switch succeeded := k.late.Status == response.OK; {
	case claim != nil && succeeded:
		err = claim.Spend()
	case claim == nil && k.job.Once && !succeeded:
		err = k.sess.Unspend(k.job.Hook.ID)
	}
	if err != nil {
		k.warn("session-state", "it runs once, and its run was not noted: %v", err)
	}
}

// How long the exports of a hook may be evaluated, and how long the session's
// lock is waited for, which many hooks may want at the same time.
const (
	exportTime = 5 * time.Second
	lockTime   = time.Minute
)

// export merges what the hook wrote to its env file into the session.
func (k *keeper) export(status response.Status) {
	if k.job.EnvFile == "" || k.job.Hook.Observe || !status.Ended() {
		return
	}
	text, err := envfile.Read(k.job.EnvFile)
	if err != nil {
		k.warn("env-file", "its env file: %v", err)
		return
	}
	if spec, ok := event.Lookup(k.job.Event); len(text) == 0 && (!ok || spec.ExportStage == 0) {
		return
	}
	for begin := time.Now(); ; {
		before := len(k.late.Problems)
		err := k.update(text)
		if err == nil {
			return
		}
		k.late.Problems = k.late.Problems[:before]
		if !errors.Is(err, session.ErrLocked) || time.Since(begin) > lockTime {
			k.warn("env-file", "its exports are lost: %v", err)
			return
		}
	}
}

func (k *keeper) update(text []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), exportTime) // ending the hook does not undo what it exported
	defer cancel()
	file := &session.EnvFile{
		Text: text, Env: k.environment,
		Options: envfile.Options{Dir: k.job.Command.Dir, Restricted: k.job.Restricted},
		Tell: func(p envfile.Problem) {
			if p.Line > 0 {
				k.warn("env-file", "its env file, line %d: %s", p.Line, p.Message)
			} else {
				k.warn("env-file", "its env file: %s", p.Message)
			}
		},
	}
	return k.sess.Update(ctx, k.job.Event, session.Export{
		Hook:     k.job.Hook.ID,
		Evaluate: func(base []envfile.Change) ([]envfile.Change, error) { return file.Evaluate(ctx, base) },
	})
}

// environment is that in which the hook's exports are evaluated.
func (k *keeper) environment(base []envfile.Change) []string {
	env := envfile.Apply(k.job.Parent, base)
	for _, v := range k.job.Settings {
		env = environ.Set(env, v.Name, v.Value)
	}
	return env
}
