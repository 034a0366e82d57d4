package jq

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// errFilter is an error of the filter, which it may catch. Its text never
// shows: uncaught, it leaves the call to the real jq.
var errFilter = errors.New("the filter fails")

// A function does one of jq's: v is its input. What is not certain is a doubt.
type function func(r *run, v any, args []any) any

// functions are ours, by the name that a rewritten tree has for them.
var functions = map[string]function{
	"_doubt":         func(r *run, v any, _ []any) any { return r.unsure("an error that is caught") },
	"_error":         (*run).fail,
	"_one":           (*run).one,
	"_list":          (*run).list,
	"_values":        (*run).values,
	"_recurse":       (*run).recurse,
	"_range":         (*run).ints,
	"_at":            (*run).at,
	"_slice":         (*run).slice,
	"_ordered":       (*run).ordered,
	"_env":           func(r *run, _ any, _ []any) any { return r.environment() },
	"_set":           (*run).set,
	"_del":           (*run).del,
	"_plus":          func(r *run, _ any, args []any) any { return r.plus(args[0], args[1]) },
	"_minus":         (*run).minus,
	"_times":         (*run).times,
	"_over":          (*run).over,
	"_rest":          (*run).rest,
	"_length":        (*run).length,
	"_keys":          (*run).keys,
	"_keys_unsorted": (*run).keysUnsorted,
	"_has":           (*run).has,
	"_contains":      (*run).contains,
	"_to_entries":    (*run).toEntries,
	"_from_entries":  (*run).fromEntries,
	"_first":         func(r *run, v any, _ []any) any { return r.at(v, []any{0}) },
	"_last":          func(r *run, v any, _ []any) any { return r.at(v, []any{-1}) },
	"_add":           (*run).add,
	"_any":           func(r *run, v any, _ []any) any { return r.quantify(v, true) },
	"_all":           func(r *run, v any, _ []any) any { return r.quantify(v, false) },
	"_reverse":       (*run).reverse,
	"_flatten":       (*run).flatten,
	"_sort":          (*run).sort,
	"_unique":        (*run).unique,
	"_min":           func(r *run, v any, _ []any) any { return r.extreme(v, -1) },
	"_max":           func(r *run, v any, _ []any) any { return r.extreme(v, 1) },
	"_sort_by":       func(r *run, v any, _ []any) any { return slices.Concat(groups(v)...) },
	"_group_by":      (*run).groupBy,
	"_unique_by":     (*run).uniqueBy,
	"_floor":         (*run).floor,

	"_tostring":       func(r *run, v any, _ []any) any { return r.tostring(v) },
	"_tojson":         func(r *run, v any, _ []any) any { return r.compact(v) },
	"_fromjson":       (*run).fromJSON,
	"_tonumber":       (*run).toNumber,
	"_utf8bytelength": ofString(func(s string) any { return len(s) }),
	"_ascii_downcase": ofString(func(s string) any { return changeCase(s, 'A', 'Z') }),
	"_ascii_upcase":   ofString(func(s string) any { return changeCase(s, 'a', 'z') }),
	"_startswith":     ofStrings(func(_ *run, s, t string) any { return strings.HasPrefix(s, t) }),
	"_endswith":       ofStrings(func(_ *run, s, t string) any { return strings.HasSuffix(s, t) }),
	"_ltrimstr":       trims(strings.TrimPrefix),
	"_rtrimstr":       trims(strings.TrimSuffix),
	"_split":          ofStrings((*run).split),
	"_join":           (*run).join,
	"_index":          finds(strings.Index),
	"_rindex":         finds(strings.LastIndex),
	"_format":         (*run).format,
	"_test":           (*run).test,
	"_sub":            func(r *run, v any, args []any) any { return r.replace(v, args, 1) },
	"_gsub":           func(r *run, v any, args []any) any { return r.replace(v, args, -1) },
}

// functions are gojq's options for those that the filter uses.
func (r *run) functions() (options []gojq.CompilerOption) {
	for name := range r.proof.used {
		do := functions[name]
		options = append(options, gojq.WithFunction(name, 0, 2, func(v any, args []any) any { return do(r, v, args) }))
	}
	return options
}

// unsure is what a function returns beyond the proof.
func (r *run) unsure(why string) error {
	r.doubt(why)
	return errFilter
}

func (r *run) fail(v any, args []any) any {
	if len(args) > 0 {
		v = args[0]
	}
	if v == nil {
		return r.unsure("an error of null")
	}
	return errFilter
}

func (r *run) one(v any, _ []any) any {
	if l, _ := v.([]any); len(l) == 1 {
		return l[0]
	}
	return r.unsure("an update with not exactly one value")
}

func (r *run) list(v any, _ []any) any {
	if _, ok := v.([]any); ok {
		return v
	}
	return r.unsure("not a list")
}

// values are what .[] yields.
func (r *run) values(v any, _ []any) any {
	switch v := v.(type) {
	case []any:
		return v
	case map[string]any:
		keys, ok := r.orders.keys(v)
		if !ok {
			return r.unsure("the order of an object's values")
		}
		all := make([]any, len(keys))
		for i, key := range keys {
			all[i] = v[key]
		}
		return all
	}
	return errFilter
}

// recurse is a value and all that are in it.
func (r *run) recurse(v any, _ []any) any {
	all := []any{v}
	r.spend(16)
	if inner, ok := r.values(v, nil).([]any); ok {
		for _, each := range inner {
			if r.why != "" {
				break
			}
			all = append(all, r.recurse(each, nil).([]any)...)
		}
	}
	return all
}

func (r *run) ints(_ any, args []any) any {
	n, ok := args[0].(int)
	if !ok || n > 100_000 {
		return r.unsure("a long range")
	}
	r.spend(16 * max(n, 0))
	all := make([]any, max(n, 0))
	for i := range all {
		all[i] = i
	}
	return all
}

// at is v[x].
func (r *run) at(v any, args []any) any {
	switch x := args[0].(type) {
	case string:
		switch v := v.(type) {
		case nil:
			return nil
		case map[string]any:
			return v[x]
		}
		return errFilter
	case int:
		switch v := v.(type) {
		case nil:
			return nil
		case []any:
			if x < 0 {
				x += len(v)
			}
			if x < 0 || x >= len(v) {
				return nil
			}
			return v[x]
		}
		return errFilter
	}
	return r.unsure("an index that is neither text nor a whole number")
}

// slice is v[from:to], of a list or of the characters of a string.
func (r *run) slice(v any, args []any) any {
	bounds := func(n int) (from, to int, ok bool) {
		from, ok1 := clamp(args[0], 0, n)
		to, ok2 := clamp(args[1], n, n)
		return from, max(from, to), ok1 && ok2
	}
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		if from, to, ok := bounds(len(v)); ok {
			return slices.Clip(v[from:to])
		}
	case string:
		chars := []rune(v)
		if from, to, ok := bounds(len(chars)); ok {
			r.spend(len(v))
			return string(chars[from:to])
		}
	}
	return r.unsure("a slice of something else")
}

func clamp(bound any, without, n int) (int, bool) {
	if bound == nil {
		return without, true
	}
	at, ok := bound.(int)
	if at < 0 {
		at += n
	}
	return min(max(at, 0), n), ok
}

// ordered notes the order of the keys of an object that the filter wrote.
func (r *run) ordered(v any, args []any) any {
	r.spend(64)
	r.orders.set(v.(map[string]any), r.proof.objects[args[0].(int)])
	return v
}

func (r *run) length(v any, _ []any) any {
	switch v := v.(type) {
	case nil:
		return 0
	case string:
		return utf8.RuneCountInString(v)
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	case bool:
		return errFilter
	}
	f, _ := gojq.ToFloat64(v)
	return whole(math.Abs(f))
}

func (r *run) keys(v any, _ []any) any {
	var keys []any
	switch v := v.(type) {
	case []any:
		return r.ints(nil, []any{len(v)})
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			keys = append(keys, key)
		}
		return append([]any{}, keys...)
	}
	return errFilter
}

func (r *run) keysUnsorted(v any, _ []any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return r.unsure("keys of something else")
	}
	keys, ok := r.orders.keys(m)
	if !ok {
		return r.unsure("the order of an object's keys")
	}
	all := make([]any, len(keys))
	for i, key := range keys {
		all[i] = key
	}
	return all
}

func (r *run) has(v any, args []any) any {
	switch x := args[0].(type) {
	case string:
		if v == nil {
			return false
		}
		if m, ok := v.(map[string]any); ok {
			_, has := m[x]
			return has
		}
	case int:
		if v == nil {
			return false
		}
		if l, ok := v.([]any); ok {
			return x >= 0 && x < len(l)
		}
	}
	return errFilter
}

// contains is jq's for strings and for lists of plain values.
func (r *run) contains(v any, args []any) any {
	if s, ok := v.(string); ok {
		if t, ok := args[0].(string); ok {
			return strings.Contains(s, t)
		}
		return errFilter
	}
	l, ok1 := v.([]any)
	wanted, ok2 := args[0].([]any)
	if !ok1 || !ok2 {
		return r.unsure("contains of objects")
	}
	if len(l)*len(wanted) > maxSteps {
		return r.unsure("a long list in a long list")
	}
	for _, w := range wanted {
		if !scalar(w) || slices.ContainsFunc(l, func(x any) bool { return !scalar(x) }) {
			return r.unsure("contains of nested values")
		}
		if !slices.ContainsFunc(l, func(x any) bool {
			s, ok1 := x.(string)
			t, ok2 := w.(string)
			return ok1 && ok2 && strings.Contains(s, t) || gojq.Compare(x, w) == 0
		}) {
			return false
		}
	}
	return true
}

func scalar(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return false
	default:
		return true
	}
}

func (r *run) toEntries(v any, _ []any) any {
	keys, failed := r.keysUnsorted(v, nil).([]any)
	if !failed {
		return errFilter
	}
	r.spend(128 * len(keys))
	entries := make([]any, len(keys))
	for i, key := range keys {
		m := map[string]any{"key": key, "value": v.(map[string]any)[key.(string)]}
		r.orders.set(m, []string{"key", "value"})
		entries[i] = m
	}
	return entries
}

func (r *run) fromEntries(v any, _ []any) any {
	entries, ok := v.([]any)
	out, keys := map[string]any{}, []string(nil)
	for _, entry := range entries {
		m, isObject := entry.(map[string]any)
		key, isText := m["key"].(string)
		value, has := m["value"]
		if ok = ok && isObject && isText && has; !ok {
			break
		}
		if _, doubled := out[key]; !doubled {
			keys = append(keys, key)
		}
		out[key] = value
	}
	if !ok {
		return r.unsure("entries that are not plain")
	}
	r.spend(64 * len(keys))
	r.orders.set(out, keys)
	return out
}

func (r *run) quantify(v any, found bool) any {
	l, ok := v.([]any)
	if !ok {
		return r.unsure("any or all of something else")
	}
	for _, each := range l {
		if (each != nil && each != false) == found {
			return found
		}
	}
	return !found
}

func (r *run) reverse(v any, _ []any) any {
	l, ok := v.([]any)
	if !ok {
		return r.unsure("reverse of something else")
	}
	r.spend(16 * len(l))
	l = slices.Clone(l)
	slices.Reverse(l)
	return l
}

func (r *run) flatten(v any, _ []any) any {
	l, ok := v.([]any)
	if !ok {
		return r.unsure("flatten of something else")
	}
	out := []any{}
	for _, each := range l {
		if inner, ok := each.([]any); ok {
			out = append(out, r.flatten(inner, nil).([]any)...)
			continue
		}
		out = append(out, each)
	}
	r.spend(16 * len(out))
	return out
}

func (r *run) fromJSON(v any, _ []any) any {
	s, ok := v.(string)
	if !ok {
		return errFilter
	}
	doc, err := jsontext.Parse([]byte(s), jsontext.Limits{Depth: maxDepth})
	if err != nil {
		return r.unsure("fromjson of what is not JSON")
	}
	r.spend(len(s))
	return r.decode(doc)
}

func (r *run) toNumber(v any, _ []any) any {
	s, ok := v.(string)
	if !ok {
		if _, isNumber := gojq.ToFloat64(v); isNumber {
			return v
		}
		return errFilter
	}
	n := r.number(s)
	if fmt.Sprint(n) != s {
		return r.unsure("tonumber of " + s)
	}
	return n
}
