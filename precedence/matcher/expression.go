package matcher

import (
	"regexp"
	"sync"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// An expression is a JavaScript regular expression without flags.
type expression struct {
	re2  *regexp.Regexp                  // nil when RE2 cannot say the same
	ecma func() (*regexp2.Regexp, error) // compiled when first needed
}

// compile translates an expression. RE2 is preferred: it cannot run away. limit
// is the longest a match of the other engine may take.
func compile(text string, limit time.Duration) (*expression, error) {
	t, err := translate(text)
	if err != nil {
		return nil, err
	}
	e := &expression{ecma: sync.OnceValues(func() (*regexp2.Regexp, error) {
		re, err := regexp2.Compile(t.ecma, regexp2.ECMAScript)
		if err != nil {
			return nil, err
		}
		re.MatchTimeout = limit
		return re, nil
	})}
	if t.re2 != "" {
		// A pattern that is too large for RE2 goes to the other engine.
		e.re2, _ = regexp.Compile(t.re2)
	}
	if e.re2 == nil {
		if _, err := e.ecma(); err != nil {
			return nil, &SyntaxError{Text: text, Msg: "the pattern cannot be compiled: " + err.Error()}
		}
	}
	return e, nil
}

// match reports whether the expression matches anywhere in s. JavaScript sees
// UTF-16: a subject in which that makes a difference goes to the engine that
// can be given it.
func (e *expression) match(s string) (bool, error) {
	if e.re2 != nil && flat(s) {
		return e.re2.MatchString(s), nil
	}
	re, err := e.ecma()
	if err != nil {
		return false, ErrRunaway
	}
	ok, err := re.MatchRunes(units(s))
	if err != nil {
		return false, ErrRunaway
	}
	return ok, nil
}
