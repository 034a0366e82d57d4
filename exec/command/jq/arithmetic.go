package jq

import (
	"maps"
	"math"
	"slices"

	"github.com/itchyny/gojq"
)

// whole turns a double into the number that gojq has for it.
func whole(f float64) any {
	if f == math.Trunc(f) && math.Abs(f) < exactInt && (f != 0 || !math.Signbit(f)) {
		return int(f)
	}
	return f
}

func floats(args []any) (a, b float64, ok bool) {
	a, ok1 := gojq.ToFloat64(args[0])
	b, ok2 := gojq.ToFloat64(args[1])
	return a, b, ok1 && ok2
}

// plus is a + b.
func (r *run) plus(a, b any) any {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	if x, y, ok := floats([]any{a, b}); ok {
		return whole(x + y)
	}
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			if r.spend(len(x) + len(y)); r.why != "" {
				return errFilter
			}
			return x + y
		}
	case []any:
		if y, ok := b.([]any); ok {
			if r.spend(16 * (len(x) + len(y))); r.why != "" {
				return errFilter
			}
			return slices.Concat(x, y)
		}
	case map[string]any:
		if y, ok := b.(map[string]any); ok {
			return r.merge(x, y)
		}
	}
	return errFilter
}

// merge is x with the members of y, whose new keys come last.
func (r *run) merge(x, y map[string]any) any {
	first, ok1 := r.orders.keys(x)
	second, ok2 := r.orders.keys(y)
	if !ok1 || !ok2 {
		return r.unsure("the order of a sum's keys")
	}
	r.spend(64 * (len(x) + len(y)))
	out, keys := maps.Clone(x), slices.Clone(first)
	for _, key := range second {
		if _, has := out[key]; !has {
			keys = append(keys, key)
		}
		out[key] = y[key]
	}
	r.orders.set(out, keys)
	return out
}

// add is the sum of all values.
func (r *run) add(v any, _ []any) any {
	all, ok := r.values(v, nil).([]any)
	if !ok {
		return errFilter
	}
	var sum any
	for _, each := range all {
		if sum = r.plus(sum, each); sum == errFilter {
			return sum
		}
	}
	return sum
}

func (r *run) minus(_ any, args []any) any {
	if x, y, ok := floats(args); ok {
		return whole(x - y)
	}
	l, ok1 := args[0].([]any)
	less, ok2 := args[1].([]any)
	if !ok1 || !ok2 {
		return errFilter
	}
	if len(l)*len(less) > maxSteps {
		return r.unsure("a long difference")
	}
	r.spend(16 * len(l))
	return slices.DeleteFunc(slices.Clone(l), func(x any) bool {
		return slices.ContainsFunc(less, func(y any) bool { return gojq.Compare(x, y) == 0 })
	})
}

func (r *run) times(_ any, args []any) any {
	if x, y, ok := floats(args); ok {
		return whole(x * y)
	}
	return r.unsure("a product of what are not numbers")
}

func (r *run) over(_ any, args []any) any {
	if x, y, ok := floats(args); ok {
		if y == 0 {
			return errFilter
		}
		return whole(x / y)
	}
	s, ok1 := args[0].(string)
	t, ok2 := args[1].(string)
	if ok1 && ok2 {
		return r.split(s, t)
	}
	return errFilter
}

func (r *run) rest(_ any, args []any) any {
	x, ok1 := args[0].(int)
	y, ok2 := args[1].(int)
	switch {
	case !ok1 || !ok2 || x < 0 || y < 0:
		return r.unsure("the rest of a division of odd numbers")
	case y == 0:
		return errFilter
	}
	return x % y
}

func (r *run) floor(v any, _ []any) any {
	f, ok := gojq.ToFloat64(v)
	if !ok {
		return errFilter
	}
	return whole(math.Floor(f))
}

// set is v with another value at a path of keys.
func (r *run) set(v any, args []any) any {
	return r.setPath(v, r.proof.paths[args[0].(int)], args[1])
}

func (r *run) setPath(v any, path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		return errFilter
	}
	keys, ok := r.orders.keys(m)
	if !ok {
		return r.unsure("the order of a changed object's keys")
	}
	inner := r.setPath(m[path[0]], path[1:], value)
	if inner == errFilter {
		return inner
	}
	r.spend(64 * (len(m) + 1))
	out := map[string]any{}
	maps.Copy(out, m)
	keys = slices.Clone(keys)
	if _, has := m[path[0]]; !has {
		keys = append(keys, path[0])
	}
	out[path[0]] = inner
	r.orders.set(out, keys)
	return out
}

func (r *run) del(v any, args []any) any {
	return r.delPath(v, r.proof.paths[args[0].(int)])
}

func (r *run) delPath(v any, path []string) any {
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		return errFilter
	}
	inner, has := m[path[0]]
	if !has {
		return v
	}
	keys, ok := r.orders.keys(m)
	if !ok {
		return r.unsure("the order of a changed object's keys")
	}
	r.spend(64 * len(m))
	out, keys := maps.Clone(m), slices.Clone(keys)
	if len(path) > 1 {
		if out[path[0]] = r.delPath(inner, path[1:]); out[path[0]] == errFilter {
			return errFilter
		}
	} else {
		delete(out, path[0])
		keys = slices.DeleteFunc(keys, func(key string) bool { return key == path[0] })
	}
	r.orders.set(out, keys)
	return out
}
