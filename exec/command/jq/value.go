package jq

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/itchyny/gojq"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// maxDepth bounds the nesting of a document. jq 1.6 gives up at 256.
const maxDepth = 200

// exactInt is up to where every version of jq prints a whole number alike.
const exactInt = 1_000_000_000_000_000

// orders remembers in what order the keys of objects stand, which gojq's
// objects do not. An object is known by its address, so it is kept.
type orders map[uintptr]orderedObject

type orderedObject struct {
	object map[string]any
	keys   []string
}

func (o orders) set(m map[string]any, keys []string) {
	if len(keys) < 2 {
		return
	}
	o[reflect.ValueOf(m).Pointer()] = orderedObject{m, keys}
}

// keys are those of m in jq's order; ok is false if that is not known.
func (o orders) keys(m map[string]any) (keys []string, ok bool) {
	if known, ok := o[reflect.ValueOf(m).Pointer()]; ok {
		return known.keys, true
	}
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys, len(keys) < 2
}

// decode turns a value into one of gojq's.
func (r *run) decode(v jsontext.Value) any {
	if r.strict && r.why != "" {
		return nil
	}
	switch v.Kind() {
	case jsontext.Bool:
		return v.Bool()
	case jsontext.Number:
		return r.number(v.Raw())
	case jsontext.String:
		return r.text(v.Text())
	case jsontext.Array:
		list := []any{}
		for _, element := range v.Elements() {
			r.spend(16)
			list = append(list, r.decode(element))
		}
		return list
	case jsontext.Object:
		r.spend(256)
		m := map[string]any{}
		var keys []string
		for member := range v.Members() {
			r.spend(64)
			key := r.text(member.Key)
			if _, doubled := m[key]; !doubled {
				keys = append(keys, key)
			}
			m[key] = r.decode(member.Value)
		}
		r.orders.set(m, keys)
		return m
	default:
		return nil
	}
}

func (r *run) text(s string) string {
	if r.strict && !plain(s) {
		r.doubt("text that is not plain UTF-8")
	}
	return s
}

// number reads a literal. One that jq may not print as it stands becomes a
// json.Number, with an exponent so that it is compared as a double; printing
// it is beyond the proof.
func (r *run) number(literal string) any {
	if n, err := strconv.Atoi(literal); err == nil && n > -exactInt && n < exactInt && strconv.Itoa(n) == literal {
		return n
	}
	if !r.strict {
		return json.Number(literal)
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil || significant(literal) > 15 || f != 0 && (math.Abs(f) < 1e-300 || math.Abs(f) > 1e300) {
		r.doubt("the number " + literal)
		return 0
	}
	if printable(f) && strconv.FormatFloat(f, 'f', -1, 64) == literal {
		return f
	}
	return json.Number(strconv.FormatFloat(f, 'e', -1, 64))
}

// significant counts the digits of a literal before its exponent.
func significant(literal string) int {
	mantissa, _, _ := strings.Cut(strings.ToLower(literal), "e")
	n := 0
	for _, c := range strings.TrimLeft(mantissa, "-0.") {
		if c >= '0' && c <= '9' {
			n++
		}
	}
	return n
}

// printable reports whether every version of jq prints f alike, and without an
// exponent.
func printable(f float64) bool {
	if f == math.Trunc(f) {
		return math.Abs(f) < exactInt && (f != 0 || !math.Signbit(f))
	}
	return math.Abs(f) >= 1e-4 && math.Abs(f) < 1e15 && significant(strconv.FormatFloat(f, 'f', -1, 64)) <= 15
}

// decodeLoose reads one JSON value without a proof in mind.
func decodeLoose(text string) (any, error) {
	v, err := jsontext.Parse([]byte(text), jsontext.Limits{Depth: maxDepth})
	if err != nil {
		return nil, err
	}
	return newRun(false).decode(v), nil
}

// An encoder writes values as jq does.
type encoder struct {
	run    *run
	indent string
	ascii  bool
	sorted bool
	b      []byte
}

func (e *encoder) encode(v any, depth int) {
	if depth > 2*maxDepth || len(e.b) > maxText {
		e.run.doubt("a value too large to print")
		return
	}
	switch v := v.(type) {
	case nil:
		e.b = append(e.b, "null"...)
	case bool:
		e.b = strconv.AppendBool(e.b, v)
	case string:
		e.quote(v)
	case []any:
		e.list(v, depth)
	case map[string]any:
		e.object(v, depth)
	default:
		e.b = append(e.b, e.run.numberText(v)...)
	}
}

// numberText prints a number.
func (r *run) numberText(v any) string {
	switch v := v.(type) {
	case int:
		if v > -exactInt && v < exactInt {
			return strconv.Itoa(v)
		}
	case float64:
		if printable(v) {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
	case *big.Int, json.Number:
	default:
		r.doubt(fmt.Sprintf("a value of type %T", v))
		return ""
	}
	if r.strict {
		r.doubt("a number that jq may print otherwise")
		return ""
	}
	text, _ := gojq.Marshal(v)
	return string(text)
}

func (e *encoder) line(depth int) {
	if e.indent != "" {
		e.b = append(append(e.b, '\n'), strings.Repeat(e.indent, depth)...)
	}
}

func (e *encoder) list(v []any, depth int) {
	e.b = append(e.b, '[')
	for i, element := range v {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.line(depth + 1)
		e.encode(element, depth+1)
	}
	if len(v) > 0 {
		e.line(depth)
	}
	e.b = append(e.b, ']')
}

func (e *encoder) object(v map[string]any, depth int) {
	keys, ok := e.run.orders.keys(v)
	if e.sorted {
		keys, ok = slices.Sorted(slices.Values(keys)), true
	}
	if !ok && e.run.strict {
		e.run.doubt("an object whose order of keys is not known")
		return
	}
	e.b = append(e.b, '{')
	for i, key := range keys {
		if i > 0 {
			e.b = append(e.b, ',')
		}
		e.line(depth + 1)
		e.quote(key)
		e.b = append(e.b, ':')
		if e.indent != "" {
			e.b = append(e.b, ' ')
		}
		e.encode(v[key], depth+1)
	}
	if len(v) > 0 {
		e.line(depth)
	}
	e.b = append(e.b, '}')
}

func (e *encoder) quote(s string) {
	e.b = append(e.b, '"')
	for _, c := range s {
		switch at := strings.IndexRune("\"\\\b\f\n\r\t", c); {
		case at >= 0:
			e.b = append(e.b, '\\', `"\bfnrt`[at])
		case c == 0x7f && e.run.strict:
			e.run.doubt("the DEL character, which versions of jq print otherwise")
		case c < ' ':
			e.b = fmt.Appendf(e.b, `\u%04x`, c)
		case e.ascii && c >= 0x10000:
			high, low := utf16.EncodeRune(c)
			e.b = fmt.Appendf(e.b, `\u%04x\u%04x`, high, low)
		case e.ascii && c >= 0x7f:
			e.b = fmt.Appendf(e.b, `\u%04x`, c)
		default:
			e.b = utf8.AppendRune(e.b, c)
		}
	}
	e.b = append(e.b, '"')
}

// compact is the text of a value on one line.
func (r *run) compact(v any) string {
	e := encoder{run: r}
	e.encode(v, 0)
	r.spend(len(e.b))
	return string(e.b)
}
