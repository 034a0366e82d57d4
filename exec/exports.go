package exec

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/theus-hooks/theus-hooks/envfile"
	"github.com/theus-hooks/theus-hooks/exec/session"
	"github.com/theus-hooks/theus-hooks/internal/environ"
	"github.com/theus-hooks/theus-hooks/response"
)

// exportTime bounds the evaluation of all env files of a run, so that a call
// stays within its hooks' timeout and two seconds.
const exportTime = 1500 * time.Millisecond

// newEnvFile makes the private file that one hook may write exports to: in the
// session's folder, else among the temporary files.
func (r *run) newEnvFile() string {
	var path string
	var err error
	if r.opts.Session != nil {
		path, err = r.opts.Session.EnvFile()
	}
	if path == "" {
		path, err = session.TempEnvFile()
	}
	if err != nil {
		r.warn("env-file", "hooks cannot export variables: %v", err)
		return ""
	}
	return path
}

func (r *run) cleanUp() {
	for _, t := range r.tasks {
		if t.claim != nil {
			_ = t.claim.Release() // the end of the process does the same
		}
		if t.envFile != "" {
			_ = session.RemoveEnvFile(t.envFile) // best effort: the sweep of old sessions takes what stays
		}
	}
}

// readExports evaluates what the hooks wrote to their env files, in
// configuration order, each on top of those before it, and keeps it for the
// session and the caller.
func (r *run) readExports(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, exportTime)
	defer cancel()
	var exports []session.Export
	for _, t := range r.tasks {
		if t.envFile == "" || t.hook.Observe || !t.status().Ended() {
			continue
		}
		text, err := envfile.Read(t.envFile)
		if err != nil {
			r.exportProblem(t, 0, err.Error())
			continue
		}
		if len(bytes.TrimSpace(text)) > 0 || r.plan.Event.Spec().ExportStage > 0 {
			exports = append(exports, session.Export{Hook: t.hook.ID, Evaluate: r.evaluate(ctx, t, text)})
		}
	}
	if len(exports) > 0 {
		r.record(ctx, exports)
	}
	if len(r.report.Exports) > 0 {
		r.tellCaller()
	}
}

// record keeps exports in the session; without one, or when it cannot, they
// still reach the caller.
func (r *run) record(ctx context.Context, exports []session.Export) {
	if r.opts.Session != nil {
		err := r.opts.Session.Update(ctx, r.plan.Event.Name(), exports...)
		if err == nil {
			return
		}
		r.warn("session-state", "exports are lost for later hooks: %v", err)
		if r.evaluated { // once is enough: a file may do more than set variables
			return
		}
	}
	for _, x := range exports {
		_, _ = x.Evaluate(r.report.Exports) // its failure stands in the problems
	}
}

// evaluate returns the function that evaluates the env file of one hook on top
// of the exports it builds on, and adds what it exports to the report.
func (r *run) evaluate(ctx context.Context, t *task, text []byte) func([]envfile.Change) ([]envfile.Change, error) {
	file := &session.EnvFile{
		Text: text, Env: r.environment,
		Options: envfile.Options{Dir: t.dir, Restricted: restricted(t.choice.Hook.Source.Scope)},
		Tell:    func(p envfile.Problem) { r.exportProblem(t, p.Line, p.Message) },
	}
	return func(base []envfile.Change) ([]envfile.Change, error) {
		changes, err := file.Evaluate(ctx, base)
		r.evaluated = true
		if err != nil {
			return nil, err
		}
		r.report.Exports = envfile.Merge(r.report.Exports, changes)
		return changes, nil
	}
}

func (r *run) exportProblem(t *task, line int, message string) {
	at := ""
	if line > 0 {
		at = fmt.Sprintf(", line %d", line)
	}
	r.report.Problems = append(r.report.Problems, response.Problem{
		Severity: "warning", Code: "env-file", File: t.hook.Source.File, Line: t.hook.Source.Line, Path: t.hook.Source.Path,
		Message: fmt.Sprintf("env file of hook %s%s: %s", t.hook.Label(), at, message),
	})
}

// tellCaller appends the exports to the caller's own env file, so that the
// agent's session gets them too.
func (r *run) tellCaller() {
	done := map[string]bool{}
	for _, name := range append(r.opts.Config.Dialect.Names("THEUS_ENV_FILE"), r.opts.EnvFiles...) {
		path := environ.Get(r.opts.Env, name)
		if !filepath.IsAbs(path) || done[path] {
			continue
		}
		done[path] = true
		if err := appendExports(path, r.report.Exports); err != nil {
			r.warn("env-file", "exports do not reach the caller's %s: %v", name, err)
		}
	}
}

// appendExports adds the exports to a shell file of the caller; opening a pipe
// or device could block.
func appendExports(path string, changes []envfile.Change) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return envfile.ErrNotRegular
	}
	return envfile.Append(path, changes)
}
