package session

import (
	"context"

	"github.com/theus-hooks/theus-hooks/envfile"
)

// An EnvFile is what one hook wrote to its env file, and how it is evaluated.
type EnvFile struct {
	Text []byte
	// Options are those of the evaluation, but for the environment.
	Options envfile.Options
	// Env is the environment on top of what the exports build on.
	Env func(base []envfile.Change) []string
	// Tell is given every problem, of the first evaluation only: on another base
	// the same lines have the same. Line 0 is the file as a whole.
	Tell func(envfile.Problem)

	told bool
}

// Evaluate returns what the file exports on top of base, as an Export wants it. The
// error, which Tell was given too, is that of [envfile.Evaluate].
func (f *EnvFile) Evaluate(ctx context.Context, base []envfile.Change) ([]envfile.Change, error) {
	opts := f.Options
	opts.Env = f.Env(base)
	changes, problems, err := envfile.Evaluate(ctx, f.Text, opts)
	if err != nil {
		problems = append(problems, envfile.Problem{Message: err.Error()})
	}
	for _, p := range problems {
		if !f.told {
			f.Tell(p)
		}
	}
	f.told = true
	return changes, err
}
