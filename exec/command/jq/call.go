package jq

import (
	"slices"

	"github.com/itchyny/gojq"
)

// natives are the functions that gojq has as jq has them, by the number of
// their arguments, which are filters.
var natives = map[string]int{
	"empty": 0, "not": 0, "type": 0, "select": 1,
	"values": 0, "nulls": 0, "booleans": 0, "numbers": 0, "strings": 0, "arrays": 0, "objects": 0,
	"iterables": 0, "scalars": 0,
}

// ours are the functions that are done by one of this package, by the number of
// their arguments, which are values.
var ours = map[string]int{
	"length": 0, "utf8bytelength": 0, "keys": 0, "keys_unsorted": 0, "tostring": 0, "tojson": 0, "fromjson": 0,
	"ascii_downcase": 0, "ascii_upcase": 0, "to_entries": 0, "from_entries": 0, "first": 0, "last": 0,
	"reverse": 0, "sort": 0, "unique": 0, "min": 0, "max": 0, "add": 0, "flatten": 0, "floor": 0, "tonumber": 0,
	"any": 0, "all": 0, "has": 1, "contains": 1, "startswith": 1, "endswith": 1, "ltrimstr": 1, "rtrimstr": 1,
	"split": 1, "join": 1, "index": 1, "rindex": 1, "range": 1,
}

// byKey are the functions that look at their list through a filter.
var byKey = map[string]string{"sort_by": "_sort_by", "group_by": "_group_by", "unique_by": "_unique_by"}

// function rewrites the call of a function.
func (p *prover) function(f *gojq.Func) *gojq.Query {
	if f.Name[0] == '$' {
		return p.variable(f.Name)
	}
	if n, ok := natives[f.Name]; ok && n == len(f.Args) {
		args := make([]*gojq.Query, n)
		for i, arg := range f.Args {
			args[i] = p.query(arg)
		}
		return native(f.Name, args...)
	}
	if n, ok := ours[f.Name]; ok && n == len(f.Args) {
		args := make([]*gojq.Query, n)
		for i, arg := range f.Args {
			args[i] = p.query(arg)
		}
		if f.Name == "range" {
			return p.each("_range", args...)
		}
		return p.call("_"+f.Name, args...)
	}
	switch {
	case len(f.Args) == 0:
		return p.function0(f)
	case len(f.Args) == 1:
		return p.function1(f)
	default:
		return p.function2(f)
	}
}

func (p *prover) function0(f *gojq.Func) *gojq.Query {
	switch f.Name {
	case "recurse":
		return p.each("_recurse")
	case "env":
		return p.call("_env")
	case "error":
		return p.call("_error")
	}
	p.refuse("the function %s", f.Name)
	return identity()
}

func (p *prover) function1(f *gojq.Func) *gojq.Query {
	arg := f.Args[0]
	switch f.Name {
	case "map":
		return list(pipe(p.each("_values"), p.query(arg)))
	case "any", "all":
		// jq 1.6 looks at every element, later ones stop early.
		return pipe(list(pipe(p.each("_values"), p.sure(p.query(arg)))), p.call("_"+f.Name))
	case "with_entries":
		return pipe(list(pipe(pipe(p.call("_to_entries"), p.each("_values")), p.query(arg))), p.call("_from_entries"))
	case "sort_by", "group_by", "unique_by":
		pairs := list(pipe(p.each("_values"), list(join(gojq.OpComma, identity(), list(p.query(arg))))))
		return pipe(pipe(p.call("_list"), pairs), p.call(byKey[f.Name]))
	case "first":
		if catches(arg) {
			p.refuse("first of what catches errors")
		}
		return native("first", p.query(arg))
	case "error":
		return p.call("_error", p.query(arg))
	case "test":
		return p.call("_test", p.query(arg), constant(""))
	case "del":
		return p.del(arg)
	}
	p.refuse("the function %s/1", f.Name)
	return identity()
}

func (p *prover) function2(f *gojq.Func) *gojq.Query {
	if len(f.Args) == 2 {
		first, second := f.Args[0], f.Args[1]
		switch f.Name {
		case "test", "sub", "gsub":
			p.oneOfMany(first, second)
			if f.Name != "test" && !fixed(second) {
				p.refuse("a replacement that is computed")
			}
			return p.call("_"+f.Name, p.query(first), p.query(second))
		case "any", "all":
			each := pipe(paren(p.sure(p.query(first))), p.sure(p.query(second)))
			return pipe(list(each), p.call("_"+f.Name))
		}
	}
	p.refuse("the function %s/%d", f.Name, len(f.Args))
	return identity()
}

// del deletes one path after the other.
func (p *prover) del(q *gojq.Query) *gojq.Query {
	if q.Term == nil && q.Op == gojq.OpComma && q.Left != nil && q.Right != nil {
		return pipe(p.del(q.Left), p.del(q.Right))
	}
	return p.call("_del", p.path(q))
}

// many reports whether q may yield more than one value.
func many(q *gojq.Query) bool {
	return within(q, func(t *gojq.Term) bool {
		switch t.Type {
		case gojq.TermTypeRecurse:
			return true
		case gojq.TermTypeFunc:
			return slices.Contains([]string{"recurse", "range"}, t.Func.Name)
		default:
			return slices.ContainsFunc(t.SuffixList, func(s *gojq.Suffix) bool { return s.Iter })
		}
	}, gojq.OpComma)
}

// catches reports whether something in q catches errors by a fork, which in jq
// 1.6 also catches those that come after it.
func catches(q *gojq.Query) bool {
	return within(q, func(t *gojq.Term) bool {
		if t.Type == gojq.TermTypeTry {
			return true
		}
		forks := t.Type != gojq.TermTypeIndex
		for _, s := range t.SuffixList {
			if s.Optional && forks {
				return true
			}
			forks = s.Optional
		}
		return false
	}, 0)
}

// within reports whether one of the terms in q is such, or an operator is op. What is
// inside an array counts, too.
func within(q *gojq.Query, such func(*gojq.Term) bool, op gojq.Operator) bool {
	if q == nil {
		return false
	}
	if q.Term == nil {
		return op != 0 && q.Op == op || within(q.Left, such, op) || within(q.Right, such, op)
	}
	t := q.Term
	if such(t) {
		return true
	}
	return slices.ContainsFunc(children(t), func(q *gojq.Query) bool { return within(q, such, op) })
}

// children are the queries in a term.
func children(t *gojq.Term) (all []*gojq.Query) {
	switch t.Type {
	case gojq.TermTypeQuery:
		all = append(all, t.Query)
	case gojq.TermTypeArray:
		all = append(all, t.Array.Query)
	case gojq.TermTypeFunc:
		all = append(all, t.Func.Args...)
	case gojq.TermTypeIf:
		all = append(all, t.If.Cond, t.If.Then, t.If.Else)
		for _, other := range t.If.Elif {
			all = append(all, other.Cond, other.Then)
		}
	case gojq.TermTypeTry:
		all = append(all, t.Try.Body, t.Try.Catch)
	case gojq.TermTypeObject:
		for _, kv := range t.Object.KeyVals {
			all = append(all, kv.KeyQuery, kv.Val)
		}
	case gojq.TermTypeUnary:
		all = append(all, term(t.Unary.Term))
	}
	if t.Str != nil {
		all = append(all, t.Str.Queries...)
	}
	return all
}
