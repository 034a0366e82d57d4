package jq

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
)

// A proof is a filter whose every part is on the list, rewritten so that what
// gojq does otherwise than jq is done by functions of this package.
type proof struct {
	query *gojq.Query
	used  map[string]bool // the functions
	// Of the objects that the filter writes, the keys in order; of its
	// assignments, the paths. The tree names them by number.
	objects [][]string
	paths   [][]string
}

// A prover walks a filter. The first thing that is not on the list ends it.
type prover struct {
	proof *proof
	vars  []string
	why   string
}

// prove fills c.proof, or c.only.
func (c *Call) prove() {
	c.checkFlags()
	if why := textDoubt(c.filter); why != "" {
		c.unproven(why)
	}
	if c.only != "" {
		return
	}
	p := &prover{proof: &proof{used: map[string]bool{}}, vars: c.names()}
	p.proof.query = p.query(c.query)
	if p.why != "" {
		c.unproven(p.why)
		return
	}
	c.proof = p.proof
}

// blanks are what jq's parser skips.
const blanks = " \t\r\n"

// textDoubt looks for what later versions of jq read otherwise than 1.6 and
// the tree does not show.
func textDoubt(filter string) string {
	switch {
	case !plain(filter):
		return "a filter that is not plain UTF-8"
	case strings.Contains(filter, "#") && strings.ContainsAny(filter, "\\\r"):
		return "a comment, perhaps, with a backslash"
	case strings.Contains(filter, "?//"):
		return "?//, which is one word of jq's"
	}
	for i := range len(filter) - 1 {
		if filter[i] != '.' {
			continue
		}
		rest := strings.TrimLeft(filter[i+1:], blanks)
		if rest != "" && (rest[0] == '[' || rest[0] == '#') && !startsTerm(strings.TrimRight(filter[:i], blanks)) {
			return "a dot between a value and its brackets"
		}
	}
	return ""
}

// startsTerm reports whether a term may begin after the text.
func startsTerm(before string) bool {
	if before == "" || strings.ContainsRune("|,;:([{=<>+-*/%", rune(before[len(before)-1])) {
		return true
	}
	word := before[strings.LastIndexAny(before, " \t\r\n();|,")+1:]
	return slices.Contains([]string{"if", "then", "else", "elif", "and", "or", "try"}, word)
}

func (p *prover) refuse(format string, args ...any) {
	if p.why == "" {
		p.why = fmt.Sprintf(format, args...)
	}
}

// Nodes of the new tree.

func term(t *gojq.Term) *gojq.Query { return &gojq.Query{Term: t} }

func paren(q *gojq.Query) *gojq.Query {
	return term(&gojq.Term{Type: gojq.TermTypeQuery, Query: q})
}

func join(op gojq.Operator, l, r *gojq.Query) *gojq.Query {
	return &gojq.Query{Left: l, Op: op, Right: r}
}

func pipe(l, r *gojq.Query) *gojq.Query { return join(gojq.OpPipe, l, r) }

func identity() *gojq.Query { return term(&gojq.Term{Type: gojq.TermTypeIdentity}) }

func native(name string, args ...*gojq.Query) *gojq.Query {
	return term(&gojq.Term{Type: gojq.TermTypeFunc, Func: &gojq.Func{Name: name, Args: args}})
}

func number(n int) *gojq.Query {
	return term(&gojq.Term{Type: gojq.TermTypeNumber, Number: strconv.Itoa(n)})
}

func constant(s string) *gojq.Query {
	return term(&gojq.Term{Type: gojq.TermTypeString, Str: &gojq.String{Str: s}})
}

func list(q *gojq.Query) *gojq.Query {
	return term(&gojq.Term{Type: gojq.TermTypeArray, Array: &gojq.Array{Query: q}})
}

func try(body, catch *gojq.Query) *gojq.Query {
	return term(&gojq.Term{Type: gojq.TermTypeTry, Try: &gojq.Try{Body: body, Catch: catch}})
}

// call is a call of one of our own functions.
func (p *prover) call(name string, args ...*gojq.Query) *gojq.Query {
	if _, ok := functions[name]; !ok {
		p.refuse("the function %s", name)
	}
	p.proof.used[name] = true
	return native(name, args...)
}

// each yields every element of the list that one of our functions makes.
func (p *prover) each(name string, args ...*gojq.Query) *gojq.Query {
	all := &gojq.Term{Type: gojq.TermTypeIdentity, SuffixList: []*gojq.Suffix{{Iter: true}}}
	return paren(pipe(p.call(name, args...), term(all)))
}

// sure makes any error of q end the proof.
func (p *prover) sure(q *gojq.Query) *gojq.Query {
	return try(paren(q), p.call("_doubt"))
}

var operators = map[gojq.Operator]string{
	gojq.OpAdd: "_plus", gojq.OpSub: "_minus", gojq.OpMul: "_times", gojq.OpDiv: "_over", gojq.OpMod: "_rest",
}

func (p *prover) query(q *gojq.Query) *gojq.Query {
	switch {
	case q.Meta != nil || len(q.Imports) > 0:
		p.refuse("a module")
	case len(q.FuncDefs) > 0:
		p.refuse("the definition of %s", q.FuncDefs[0].Name)
	case q.Term != nil:
		return p.term(q.Term)
	case len(q.Patterns) > 0:
		return p.bind(q)
	case q.Left == nil || q.Right == nil:
		p.refuse("no filter")
	default:
		return p.operator(q)
	}
	return q
}

func (p *prover) operator(q *gojq.Query) *gojq.Query {
	switch q.Op {
	case gojq.OpPipe, gojq.OpComma:
		return join(q.Op, p.query(q.Left), p.query(q.Right))
	case gojq.OpEq, gojq.OpNe, gojq.OpGt, gojq.OpLt, gojq.OpGe, gojq.OpLe, gojq.OpAnd, gojq.OpOr:
		p.oneOfMany(q.Left, q.Right)
		return join(q.Op, p.query(q.Left), p.query(q.Right))
	case gojq.OpAdd, gojq.OpSub, gojq.OpMul, gojq.OpDiv, gojq.OpMod:
		p.oneOfMany(q.Left, q.Right)
		return p.call(operators[q.Op], p.query(q.Left), p.query(q.Right))
	case gojq.OpAlt:
		return join(q.Op, p.sure(p.query(q.Left)), p.query(q.Right))
	case gojq.OpAssign:
		return p.call("_set", p.path(q.Left), p.query(q.Right))
	case gojq.OpModify:
		// jq 1.6 takes the first value by a break, which a try in the update catches.
		return p.call("_set", p.path(q.Left), pipe(list(pipe(p.query(q.Left), p.guarded(q.Right))), p.call("_one")))
	case gojq.OpUpdateAdd:
		p.oneOfMany(q.Right, q.Right)
		return p.call("_set", p.path(q.Left), p.call("_plus", p.query(q.Left), p.query(q.Right)))
	}
	p.refuse("the operator %s", q.Op)
	return q
}

// oneOfMany refuses what yields several values in more than one place, in an
// order that versions of jq do not agree on.
func (p *prover) oneOfMany(queries ...*gojq.Query) {
	n := 0
	for _, q := range queries {
		if many(q) {
			n++
		}
	}
	if n > 1 {
		p.refuse("several values in more than one place")
	}
}

// bind is TERM as $name | BODY.
func (p *prover) bind(q *gojq.Query) *gojq.Query {
	if q.Op != gojq.OpPipe || len(q.Patterns) != 1 || q.Patterns[0].Name == "" || q.Left == nil || q.Left.Term == nil || !postfix(q.Left.Term) {
		p.refuse("a pattern")
		return q
	}
	name := q.Patterns[0].Name
	if name == "$ENV" || name == "$__loc__" || name == "$__prog_args" || name == "$ARGS" {
		p.refuse("the variable %s", name)
	}
	left := p.query(q.Left)
	p.vars = append(p.vars, name)
	body := p.query(q.Right)
	p.vars = p.vars[:len(p.vars)-1]
	return &gojq.Query{Left: paren(left), Patterns: q.Patterns, Op: gojq.OpPipe, Right: body}
}

// postfix reports whether jq 1.6 has t where it wants a term: it takes if, try
// and the like only in parentheses.
func postfix(t *gojq.Term) bool {
	switch t.Type {
	case gojq.TermTypeIf, gojq.TermTypeTry, gojq.TermTypeReduce, gojq.TermTypeForeach, gojq.TermTypeLabel, gojq.TermTypeUnary:
		return false
	default:
		return !optionalWhole(t)
	}
}

// optionalWhole reports whether the first thing after t is a ? that is not an
// index's, which makes of it, to jq 1.6, what is no term any more.
func optionalWhole(t *gojq.Term) bool {
	return t.Type != gojq.TermTypeIndex && len(t.SuffixList) > 0 && t.SuffixList[0].Optional
}

// guarded is a query whose errors something catches. In it nothing may catch errors
// already: jq 1.6 lets a try catch what comes after it.
func (p *prover) guarded(q *gojq.Query) *gojq.Query {
	if catches(q) {
		p.refuse("one try in another")
	}
	return p.query(q)
}

// path is the number of a path of plain names, as a query.
func (p *prover) path(q *gojq.Query) *gojq.Query {
	keys, ok := names(q)
	if !ok {
		p.refuse("a path that is not plain names")
	}
	p.proof.paths = append(p.proof.paths, keys)
	return number(len(p.proof.paths) - 1)
}

// names are the keys of a path such as .a."b".
func names(q *gojq.Query) (keys []string, ok bool) {
	if q.Term == nil || q.Term.Type != gojq.TermTypeIndex {
		return nil, false
	}
	key, ok := constantKey(q.Term.Index)
	keys = append(keys, key)
	for _, suffix := range q.Term.SuffixList {
		if !ok || suffix.Index == nil {
			return nil, false
		}
		key, ok = constantKey(suffix.Index)
		keys = append(keys, key)
	}
	return keys, ok
}

func constantKey(x *gojq.Index) (string, bool) {
	switch {
	case x.Name != "":
		return x.Name, true
	case x.Str != nil && x.Str.Queries == nil:
		return x.Str.Str, true
	default:
		return "", false
	}
}
