package jq

import (
	"slices"

	"github.com/itchyny/gojq"
)

// What sorts, and what follows from an order.

func (r *run) sort(v any, _ []any) any {
	l, ok := v.([]any)
	if !ok {
		return r.unsure("sort of something else")
	}
	r.spend(16 * len(l))
	l = slices.Clone(l)
	slices.SortStableFunc(l, gojq.Compare)
	return l
}

// plainSorted sorts a list of plain values: of two equal objects versions of
// jq may keep either.
func (r *run) plainSorted(v any) ([]any, bool) {
	l, ok := r.sort(v, nil).([]any)
	if !ok || slices.ContainsFunc(l, func(x any) bool { return !scalar(x) }) {
		r.doubt("sets of lists or objects")
		return nil, false
	}
	return l, true
}

func (r *run) unique(v any, _ []any) any {
	l, ok := r.plainSorted(v)
	if !ok {
		return errFilter
	}
	return append([]any{}, slices.CompactFunc(l, func(a, b any) bool { return gojq.Compare(a, b) == 0 })...)
}

func (r *run) extreme(v any, side int) any {
	l, ok := r.plainSorted(v)
	switch {
	case !ok:
		return errFilter
	case len(l) == 0:
		return nil
	case side < 0:
		return l[0]
	default:
		return l[len(l)-1]
	}
}

// groups sorts and groups a list of pairs of a value and its key.
func groups(v any) (all [][]any) {
	pairs := slices.Clone(v.([]any))
	key := func(pair any) any { return pair.([]any)[1] }
	slices.SortStableFunc(pairs, func(a, b any) int { return gojq.Compare(key(a), key(b)) })
	for i, pair := range pairs {
		if i == 0 || gojq.Compare(key(pairs[i-1]), key(pair)) != 0 {
			all = append(all, []any{})
		}
		all[len(all)-1] = append(all[len(all)-1], pair.([]any)[0])
	}
	return all
}

func (r *run) groupBy(v any, _ []any) any {
	out := []any{}
	for _, group := range groups(v) {
		out = append(out, group)
	}
	return out
}

func (r *run) uniqueBy(v any, _ []any) any {
	out := []any{}
	for _, group := range groups(v) {
		out = append(out, group[0])
	}
	return out
}
