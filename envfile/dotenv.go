package envfile

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/joho/godotenv"
)

// maxDotenv bounds a dotenv file, in bytes: its parser looks at the rest of the
// text once a line.
const maxDotenv = 256 << 10

// Errors of Dotenv.
var (
	ErrLongDotenv = fmt.Errorf("dotenv file longer than %d KiB", maxDotenv>>10)
	ErrNoDotenv   = errors.New("no dotenv text")
)

// Dotenv returns the variables that text sets when it is read as a dotenv file,
// by the rules of joho/godotenv, sorted by name. It is for files that are dotenv
// by name; what a hook writes to THEUS_ENV_FILE is shell, and for Evaluate. A
// name that no shell could use is a Problem. The error is ErrLongDotenv or wraps
// ErrNoDotenv, and quotes nothing of the text, which may hold secrets.
func Dotenv(text []byte) ([]Change, []Problem, error) {
	if len(text) > maxDotenv {
		return nil, nil, ErrLongDotenv
	}
	text, problems := normalise(text)
	values, err := godotenv.UnmarshalBytes(text)
	if err != nil {
		why, _, _ := strings.Cut(err.Error(), " near ")
		return nil, problems, fmt.Errorf("%w: %s", ErrNoDotenv, why)
	}
	var changes []Change
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !ValidName(name) {
			problems = append(problems, Problem{Message: fmt.Sprintf("%q is no name of a variable; it was left out", name[:min(len(name), 40)])})
			continue
		}
		changes = append(changes, Change{Name: name, Value: values[name]})
	}
	return changes, cut(problems), nil
}
