package jq

import (
	"context"
	"errors"
	"fmt"

	"github.com/itchyny/gojq"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// Emulate runs the call where there is no jq: as jq would, if that is proven,
// else as gojq understands the filter, with the keys of objects sorted and its
// own words for errors. The error is ErrCost, or that of ctx.
func (c *Call) Emulate(ctx context.Context, inputs [][]byte, env []string) (out Output, err error) {
	if out, err = c.Prove(ctx, inputs, env); err == nil || ctx.Err() != nil {
		return out, err
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the built-in jq broke: %v", p)
		}
	}()
	r := newRun(false)
	r.env = env
	named := map[string]any{}
	variables := []any{}
	for _, v := range c.named {
		value, err := c.given(v)
		if err != nil {
			return failure(2, err), nil
		}
		named[v.name] = value
		variables = append(variables, value)
	}
	rest := append([]any{}, c.rest...)
	variables = append(variables, map[string]any{"named": named, "positional": rest})
	source := &source{run: r, call: c, texts: inputs}
	code, err := gojq.Compile(c.query,
		gojq.WithVariables(append(c.names(), "$ARGS")),
		gojq.WithEnvironLoader(func() []string { return env }),
		gojq.WithInputIter(source))
	if err != nil {
		return failure(3, err), nil
	}
	return r.emulate(&stepper{ctx, looseStep, r}, c, code, source, variables)
}

func failure(status int, err error) Output {
	return Output{Stderr: fmt.Appendf(nil, "jq: error: %v\n", err), Status: status}
}

// given is the value of a variable of the command line.
func (c *Call) given(v variable) (any, error) {
	if v.kind != "argjson" {
		return v.text, nil
	}
	value, err := decodeLoose(v.text)
	if err != nil {
		return nil, fmt.Errorf("the value of --argjson %s is not JSON: %w", v.name, err)
	}
	return value, nil
}

// emulate runs the code over all inputs and says what failed as jq does.
func (r *run) emulate(ctx context.Context, c *Call, code *gojq.Code, in *source, variables []any) (out Output, err error) {
	p := printer{call: c, run: r}
	defer func() { out.Stdout = p.text }()
	failed := 0
	for first := true; ; first = false {
		value, ok := any(nil), first
		if !c.flags["null-input"] {
			value, ok = in.Next()
		}
		if !ok {
			break
		}
		if fault, bad := value.(error); bad {
			out.Stderr = fmt.Appendf(out.Stderr, "jq: error: %v\n", fault)
			failed = 2
			break
		}
		status, halted, err := r.emulateOne(ctx, &p, &out, code.RunWithContext(ctx, value, variables...))
		if err != nil {
			return out, err
		}
		if halted {
			out.Status = status
			return out, nil
		}
		failed = max(failed, status)
	}
	out.Status = p.status()
	if failed != 0 {
		out.Status = failed
	}
	return out, nil
}

// emulateOne prints what the filter makes of one input. The error ends the
// call, halted the work of the filter.
func (r *run) emulateOne(ctx context.Context, p *printer, out *Output, results gojq.Iter) (status int, halted bool, err error) {
	for {
		v, ok := results.Next()
		if !ok {
			return 0, false, nil
		}
		fault, bad := v.(error)
		var halt *gojq.HaltError
		switch {
		case bad && ctx.Err() != nil:
			return 0, false, ctx.Err()
		case errors.Is(fault, ErrCost):
			return 0, false, fault
		case errors.As(fault, &halt):
			if text, ok := halt.Value().(string); ok {
				out.Stderr = append(out.Stderr, text...)
			} else if halt.Value() != nil {
				out.Stderr = append(out.Stderr, r.compact(halt.Value())+"\n"...)
			}
			return halt.ExitCode(), true, nil
		case bad:
			out.Stderr = fmt.Appendf(out.Stderr, "jq: error: %v\n", fault)
			return 5, false, nil
		}
		if p.print(v); len(p.text) > maxText || r.spent > maxSpent {
			return 0, false, ErrCost
		}
	}
}

// A source reads the inputs one by one, for the filter and for its input and
// inputs.
type source struct {
	run   *run
	call  *Call
	texts [][]byte
	queue []any
	begun bool
}

// Next is the next value; an error among the values is one of the input.
func (s *source) Next() (any, bool) {
	if !s.begun {
		s.begun = true
		s.fill()
	}
	if len(s.queue) == 0 {
		return nil, false
	}
	v := s.queue[0]
	s.queue = s.queue[1:]
	return v, true
}

func (s *source) fill() {
	if s.call.flags["raw-input"] {
		s.queue = s.run.rawInputs(s.call, s.texts)
		return
	}
	for _, text := range s.texts {
		for _, document := range documents(text) {
			v, err := jsontext.Parse(document, jsontext.Limits{Depth: maxDepth})
			if err != nil {
				s.queue = append(s.queue, fmt.Errorf("the input is not JSON: %w", err))
				return
			}
			s.queue = append(s.queue, s.run.decode(v))
		}
	}
	if s.call.flags["slurp"] {
		s.queue = []any{append([]any{}, s.queue...)}
	}
}
