package jq

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// term rewrites a term with its suffixes.
func (p *prover) term(t *gojq.Term) *gojq.Query {
	if n := len(t.SuffixList); n > 0 && !postfix(t) && !(n == 1 && optionalWhole(t) && postfix(&gojq.Term{Type: t.Type})) {
		p.refuse("a suffix after %s", t)
	}
	suffixes := t.SuffixList
	base := *t
	base.SuffixList = nil
	var q *gojq.Query
	if len(suffixes) > 0 && suffixes[0].Optional {
		q, suffixes = p.optional(&base), suffixes[1:]
	} else {
		q = p.base(&base)
	}
	for i := 0; i < len(suffixes); i++ {
		step := p.suffix(suffixes[i])
		if i+1 < len(suffixes) && suffixes[i+1].Optional {
			step = try(paren(step), nil)
			i++
		}
		q = pipe(q, step)
	}
	return paren(q)
}

// optional is TERM?.
func (p *prover) optional(t *gojq.Term) *gojq.Query {
	if t.Type == gojq.TermTypeIndex {
		return try(paren(p.base(t)), nil)
	}
	return try(paren(p.guarded(term(t))), nil)
}

// suffix is what stands behind a term, as a filter of its value.
func (p *prover) suffix(s *gojq.Suffix) *gojq.Query {
	switch {
	case s.Index != nil:
		return p.index(s.Index)
	case s.Iter:
		return p.each("_values")
	}
	p.refuse("a second ?")
	return identity()
}

func (p *prover) index(x *gojq.Index) *gojq.Query {
	if key, ok := constantKey(x); ok {
		return term(&gojq.Term{Type: gojq.TermTypeIndex, Index: &gojq.Index{Str: &gojq.String{Str: key}}})
	}
	if x.Str != nil {
		p.refuse("a key that is computed")
		return identity()
	}
	if x.IsSlice {
		return p.call("_slice", p.bound(x.Start), p.bound(x.End))
	}
	return p.call("_at", p.bound(x.Start))
}

// bound is what stands in brackets: a constant or a variable, which mean the
// same wherever they stand.
func (p *prover) bound(q *gojq.Query) *gojq.Query {
	if q == nil {
		return term(&gojq.Term{Type: gojq.TermTypeNull})
	}
	if t := q.Term; t != nil {
		plain := t.Type == gojq.TermTypeNumber || t.Type == gojq.TermTypeUnary ||
			t.Type == gojq.TermTypeString && t.Str.Queries == nil ||
			t.Type == gojq.TermTypeFunc && strings.HasPrefix(t.Func.Name, "$")
		named := !slices.ContainsFunc(t.SuffixList, func(s *gojq.Suffix) bool { return s.Index == nil || s.Index.Name == "" })
		if plain && named {
			return p.term(t)
		}
	}
	p.refuse("an index that is computed")
	return q
}

// base rewrites a term without suffixes.
func (p *prover) base(t *gojq.Term) *gojq.Query {
	switch t.Type {
	case gojq.TermTypeIdentity, gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse:
		return term(t)
	case gojq.TermTypeRecurse:
		return p.each("_recurse")
	case gojq.TermTypeIndex:
		return p.index(t.Index)
	case gojq.TermTypeFunc:
		return p.function(t.Func)
	case gojq.TermTypeObject:
		return p.object(t.Object)
	case gojq.TermTypeArray:
		if t.Array.Query == nil {
			return term(t)
		}
		return list(p.query(t.Array.Query))
	case gojq.TermTypeNumber:
		return p.literal(t)
	case gojq.TermTypeUnary:
		if x := t.Unary; x.Op == gojq.OpSub && x.Term.Type == gojq.TermTypeNumber && len(x.Term.SuffixList) == 0 && x.Term.Number != "0" {
			p.literal(x.Term)
			return term(t)
		}
	case gojq.TermTypeFormat:
		return p.format(t)
	case gojq.TermTypeString:
		return p.str(t.Str, "@text")
	case gojq.TermTypeIf:
		return p.conditional(t.If)
	case gojq.TermTypeTry:
		return p.try(t.Try)
	case gojq.TermTypeQuery:
		return paren(p.query(t.Query))
	}
	p.refuse("%s", t)
	return term(t)
}

// literal is a number that every jq prints as it stands.
func (p *prover) literal(t *gojq.Term) *gojq.Query {
	r := newRun(true)
	if _, odd := r.number(t.Number).(json.Number); odd || r.why != "" {
		p.refuse("the number %s", t.Number)
	}
	return term(t)
}

func (p *prover) conditional(c *gojq.If) *gojq.Query {
	if c.Else == nil {
		p.refuse("an if without else, which jq 1.6 does not know")
		return identity()
	}
	out := &gojq.If{Cond: p.query(c.Cond), Then: p.query(c.Then), Else: p.query(c.Else)}
	for _, other := range c.Elif {
		out.Elif = append(out.Elif, &gojq.IfElif{Cond: p.query(other.Cond), Then: p.query(other.Then)})
	}
	return term(&gojq.Term{Type: gojq.TermTypeIf, If: out})
}

// try is try BODY [catch CONSTANT]: messages of errors are jq's own.
func (p *prover) try(t *gojq.Try) *gojq.Query {
	if t.Body.Term == nil || !postfix(t.Body.Term) {
		p.refuse("a try of more than a term")
		return identity()
	}
	if t.Catch != nil && !fixed(t.Catch) {
		p.refuse("a catch that looks at the error")
		return identity()
	}
	return try(paren(p.guarded(t.Body)), t.Catch)
}

// fixed reports whether q is a constant, or empty.
func fixed(q *gojq.Query) bool {
	if q.Term == nil || len(q.Term.SuffixList) > 0 {
		return false
	}
	switch t := q.Term; t.Type {
	case gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse:
		return true
	case gojq.TermTypeString:
		return t.Str.Queries == nil
	case gojq.TermTypeFunc:
		return t.Func.Name == "empty" && len(t.Func.Args) == 0
	default:
		return false
	}
}

// str is a string with its interpolations, each made text by a format.
func (p *prover) str(s *gojq.String, format string) *gojq.Query {
	if s.Queries == nil {
		if !plain(s.Str) {
			p.refuse("a string with odd characters")
		}
		return constant(s.Str)
	}
	var out *gojq.Query
	p.oneOfMany(s.Queries...)
	for _, part := range s.Queries {
		if part.Term != nil && part.Term.Type == gojq.TermTypeString && len(part.Term.SuffixList) == 0 && part.Term.Str.Queries == nil {
			part = p.str(part.Term.Str, format)
		} else {
			part = pipe(p.query(part), p.call("_format", constant(format)))
		}
		if out == nil {
			out = part
			continue
		}
		out = p.call("_plus", out, part)
	}
	return out
}

var formats = []string{"@text", "@json", "@sh", "@html", "@uri", "@csv", "@tsv", "@base64"}

func (p *prover) format(t *gojq.Term) *gojq.Query {
	if !slices.Contains(formats, t.Format) {
		p.refuse("%s", t.Format)
	}
	if t.Str != nil {
		return p.str(t.Str, t.Format)
	}
	return p.call("_format", constant(t.Format))
}

// object keeps the construction and notes the order of its keys.
func (p *prover) object(o *gojq.Object) *gojq.Query {
	var keys []string
	var values []*gojq.Query
	out := &gojq.Object{}
	for _, kv := range o.KeyVals {
		key, ok := objectKey(kv)
		if !ok && (kv.KeyQuery == nil || len(o.KeyVals) > 1) {
			p.refuse("a key that is computed or a keyword")
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
		fresh := *kv
		switch {
		case kv.Val != nil:
			p.objectValue(kv.Val)
			fresh.Val = p.query(kv.Val)
			values = append(values, kv.Val)
		case strings.HasPrefix(kv.Key, "$"):
			p.variable(kv.Key)
		}
		if kv.KeyQuery != nil {
			fresh.KeyQuery = p.query(kv.KeyQuery)
			values = append(values, kv.KeyQuery)
		}
		out.KeyVals = append(out.KeyVals, &fresh)
	}
	p.oneOfMany(values...)
	q := term(&gojq.Term{Type: gojq.TermTypeObject, Object: out})
	if len(keys) < 2 {
		return q
	}
	p.proof.objects = append(p.proof.objects, keys)
	return pipe(q, p.call("_ordered", number(len(p.proof.objects)-1)))
}

// keywords are keys that jq 1.6 does not take without quotes, or not all.
var keywords = strings.Fields("def if then else elif end as reduce foreach try catch label import include and or not __loc__ module")

func objectKey(kv *gojq.ObjectKeyVal) (key string, ok bool) {
	switch {
	case kv.Key != "":
		return strings.TrimPrefix(kv.Key, "$"), !slices.Contains(keywords, kv.Key) && kv.Key != "$__loc__" && kv.Key != "$ENV"
	case kv.KeyString != nil && kv.KeyString.Queries == nil:
		return kv.KeyString.Str, true
	default:
		return "", false
	}
}

// objectValue refuses what jq 1.6 takes only in parentheses.
func (p *prover) objectValue(q *gojq.Query) {
	switch {
	case q.Term != nil && postfix(q.Term):
	case q.Term == nil && q.Op == gojq.OpPipe && len(q.Patterns) == 0 && q.Left != nil && q.Right != nil:
		p.objectValue(q.Left)
		p.objectValue(q.Right)
	default:
		p.refuse("an object's value without parentheses")
	}
}

func (p *prover) variable(name string) *gojq.Query {
	if name == "$ENV" {
		return p.call("_env")
	}
	if !slices.Contains(p.vars, name) {
		p.refuse("the variable %s", name)
	}
	return native(name)
}
