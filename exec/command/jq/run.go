package jq

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// What one call may cost in process. Beyond it a proof gives up, so that the
// real jq answers, and Emulate ends with ErrCost.
const (
	// MaxInput is how much input is looked at.
	MaxInput  = 8 << 20
	maxFilter = 64 << 10
	maxText   = 8 << 20  // of output
	maxSpent  = 64 << 20 // of memory taken on the way, roughly
	maxSteps  = 2_000_000
	looseStep = 5_000_000
)

// ErrCost is why Emulate stops a filter.
var ErrCost = errors.New("the built-in jq stopped a filter that takes too many steps or makes too much text")

// Output is what a call printed and its exit status.
type Output struct {
	Stdout, Stderr []byte
	Status         int
}

// A run is one execution of a filter. It is used by one goroutine.
type run struct {
	strict bool // every doubt ends it
	why    string
	spent  int
	orders orders
	env    []string
	proof  *proof
	regexs map[string]*regex
}

func newRun(strict bool) *run {
	return &run{strict: strict, orders: orders{}}
}

// doubt notes that what the run does is beyond the proof.
func (r *run) doubt(why string) {
	if r.why == "" {
		r.why = why
	}
}

// spend counts the bytes of what is made.
func (r *run) spend(n int) {
	if r.spent += n; r.spent > maxSpent {
		r.doubt("much memory")
	}
}

// A stepper is a context that also ends after a number of steps. It is asked
// for Done before every step, by one goroutine.
type stepper struct {
	context.Context
	left int
	r    *run
}

var ended = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func (s *stepper) Done() <-chan struct{} {
	if s.left--; s.left < 0 || s.r.strict && s.r.why != "" {
		return ended
	}
	return s.Context.Done()
}

func (s *stepper) Err() error {
	if err := s.Context.Err(); err != nil {
		return err
	}
	if s.left < 0 {
		return ErrCost
	}
	return nil
}

// Known reports whether the flags and the filter are on the list. Prove may
// still find, in the values, that the real jq is needed.
func (c *Call) Known() bool { return c.only == "" }

// Why says what is not on the list, or "".
func (c *Call) Why() string { return c.only }

// Prove runs the call over its inputs, one for each file or that on stdin. env
// is its environment. The error is ErrUnproven, with why, or that of ctx.
func (c *Call) Prove(ctx context.Context, inputs [][]byte, env []string) (out Output, err error) {
	if !c.Known() {
		return Output{}, fmt.Errorf("%w: %s", ErrUnproven, c.only)
	}
	r := newRun(true)
	r.env, r.proof, r.regexs = env, c.proof, map[string]*regex{}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrUnproven, p)
		}
	}()
	values, variables := r.inputs(c, inputs), r.variables(c)
	code, err := gojq.Compile(c.proof.query, append(r.functions(), gojq.WithVariables(c.names()))...)
	if err != nil {
		r.doubt(err.Error())
	}
	out = r.all(&stepper{ctx, maxSteps, r}, c, code, values, variables)
	switch {
	case ctx.Err() != nil:
		return Output{}, ctx.Err()
	case r.why != "":
		return Output{}, fmt.Errorf("%w: %s", ErrUnproven, r.why)
	}
	return out, nil
}

// all runs the code over each value. Any error of the filter is a doubt: what
// jq prints of it is its own.
func (r *run) all(ctx context.Context, c *Call, code *gojq.Code, values, variables []any) (out Output) {
	p := printer{call: c, run: r}
	for _, value := range values {
		if r.why != "" {
			return out
		}
		iter := code.RunWithContext(ctx, value, variables...)
		for {
			v, ok := iter.Next()
			if !ok {
				break
			}
			if err, failed := v.(error); failed {
				r.doubt(err.Error())
				break
			}
			if p.print(v); r.why != "" {
				break
			}
		}
	}
	if c.flags["exit-status"] && len(values) != 1 {
		r.doubt("-e with no input or several") // which of them counts has changed
	}
	return Output{Stdout: p.text, Status: p.status()}
}

func (c *Call) names() []string {
	var names []string
	for _, v := range c.named {
		names = append(names, "$"+v.name)
	}
	return names
}

func (r *run) variables(c *Call) []any {
	var values []any
	for _, v := range c.named {
		if v.kind == "argjson" {
			values = append(values, r.document([]byte(v.text)))
			continue
		}
		values = append(values, r.text(v.text))
	}
	return values
}

func (r *run) document(text []byte) any {
	v, err := jsontext.Parse(text, jsontext.Limits{Bytes: MaxInput, Depth: maxDepth})
	if err != nil {
		r.doubt("input that is not JSON")
		return nil
	}
	return r.decode(v)
}

// inputs are the values that the filter runs over.
func (r *run) inputs(c *Call, texts [][]byte) (values []any) {
	switch {
	case c.flags["null-input"]:
		return []any{nil}
	case c.flags["raw-input"]:
		return r.rawInputs(c, texts)
	}
	for _, text := range texts {
		if len(texts) > 1 && len(text) > 0 && text[len(text)-1] != '\n' {
			r.doubt("a file without a newline at its end")
		}
		for _, document := range documents(text) {
			values = append(values, r.document(document))
		}
	}
	if c.flags["slurp"] {
		if values == nil {
			values = []any{}
		}
		return []any{values}
	}
	return values
}

// rawInputs are the lines of the input, or all of it. jq 1.6 reads in blocks,
// and breaks characters at their edges.
func (r *run) rawInputs(c *Call, texts [][]byte) (values []any) {
	text := string(slices.Concat(texts...))
	if !plain(text) || len(text) > 30<<10 && !ascii(text) {
		r.doubt("raw input that is long or not plain")
	}
	if c.flags["slurp"] {
		return []any{text}
	}
	for _, line := range lines([]byte(text)) {
		values = append(values, line)
	}
	return values
}

// A printer writes results as the flags say.
type printer struct {
	call *Call
	run  *run
	text []byte
	any  bool
	last any
}

func (p *printer) print(v any) {
	p.any, p.last = true, v
	f := p.call.flags
	if s, ok := v.(string); ok && (f["raw-output"] || f["join-output"]) && !f["ascii-output"] {
		p.text = append(p.text, s...)
	} else {
		e := encoder{run: p.run, indent: p.call.indent, ascii: f["ascii-output"], sorted: f["sort-keys"]}
		e.encode(v, 0)
		p.text = append(p.text, e.b...)
	}
	if !f["join-output"] {
		p.text = append(p.text, '\n')
	}
	if len(p.text) > maxText {
		p.run.doubt("much output")
	}
}

// status is the exit status after the last result.
func (p *printer) status() int {
	switch {
	case !p.call.flags["exit-status"]:
		return 0
	case !p.any:
		return 4
	case p.last == nil || p.last == false:
		return 1
	default:
		return 0
	}
}

// environment is what env and $ENV mean to the filter.
func (r *run) environment() map[string]any {
	m := map[string]any{}
	for _, entry := range r.env {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			m[name] = r.text(value)
		}
	}
	return m
}
