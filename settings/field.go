package settings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// wrong reports a value of another type than wanted.
func (p *parser) wrong(v jsontext.Value, at Place, want, hint string) {
	p.report(Error, "wrong-type", at, hint, "found %s, want %s", article(v.Kind()), want)
}

func article(k jsontext.Kind) string {
	switch k {
	case jsontext.Null:
		return "null"
	case jsontext.Array, jsontext.Object:
		return "an " + k.String()
	}
	return "a " + k.String()
}

// flag reads a boolean; ok is false when it is not one, which is reported.
func (p *parser) flag(v jsontext.Value, at Place) (value, ok bool) {
	if v.Kind() != jsontext.Bool {
		hint := ""
		if b, err := strconv.ParseBool(v.Text()); err == nil {
			hint = fmt.Sprintf("write %v, without quotes", b)
		}
		p.wrong(v, at, "true or false", hint)
		return false, false
	}
	return v.Bool(), true
}

// text reads a string; anything else is reported and reads as "".
func (p *parser) text(v jsontext.Value, at Place) string {
	if v.Kind() != jsontext.String {
		hint := ""
		var words []string
		for _, e := range v.Elements() {
			words = append(words, jsontext.Quote(e.Text()))
		}
		if len(words) > 0 && strings.HasSuffix(at.Path, ".command") {
			hint = fmt.Sprintf(`write "command": %s, "args": [%s]`, words[0], strings.Join(words[1:], ", "))
		}
		p.wrong(v, at, "a string", hint)
		return ""
	}
	return v.Text()
}

// choice reads one word of a closed set; another one is reported and reads as
// fallback.
func (p *parser) choice(v jsontext.Value, at Place, fallback string, words ...string) string {
	if v.Kind() != jsontext.String {
		p.wrong(v, at, "one of "+strings.Join(words, ", "), "")
		return fallback
	}
	if !slices.Contains(words, v.Text()) {
		now := "the default is used"
		if fallback != "" {
			now = fmt.Sprintf("it counts as %q", fallback)
		}
		p.report(Error, "unknown-value", at, "known values: "+strings.Join(words, ", "), "unknown value %s; %s", clip(v.Raw()), now)
		return fallback
	}
	return v.Text()
}

// texts reads a list of strings; other elements are reported and left out.
func (p *parser) texts(v jsontext.Value, at Place) []string {
	if v.Kind() != jsontext.Array {
		p.wrong(v, at, "a list of strings", "")
		return nil
	}
	var list []string
	for i, e := range v.Elements() {
		if e.Kind() != jsontext.String {
			p.wrong(e, p.place(e.Offset(), fmt.Sprintf("%s[%d]", at.Path, i)), "a string", "")
			continue
		}
		list = append(list, e.Text())
	}
	return list
}

// vars reads an object of strings, in the order of the text. A number or a
// boolean is taken as it is written, and reported.
func (p *parser) vars(v jsontext.Value, at Place) []Var {
	if v.Kind() != jsontext.Object {
		p.wrong(v, at, `an object such as {"NAME": "value"}`, "")
		return nil
	}
	var vars []Var
	for m := range v.Members() {
		switch k := m.Value.Kind(); k {
		case jsontext.String:
			vars = append(vars, Var{m.Key, m.Value.Text()})
		case jsontext.Number, jsontext.Bool:
			p.wrong(m.Value, p.place(m.KeyOffset, joinPath(at.Path, m.Key)), "a string", "write "+jsontext.Quote(m.Value.Raw()))
			vars = append(vars, Var{m.Key, m.Value.Raw()})
		default:
			p.wrong(m.Value, p.place(m.KeyOffset, joinPath(at.Path, m.Key)), "a string", "")
		}
	}
	return vars
}

// switches are keys, in lower case, by which people mean "enabled" of a handler, with
// the value that means off.
var switches = map[string]string{
	"enabled": "false", "enable": "false", "active": "false", "disabled": "true", "disable": "true", "inactive": "true", "off": "true",
}

// unknownKeys reports keys that look like misspelt ones of ours. Keys of other
// tools are theirs and are left alone.
func (p *parser) unknownKeys(v jsontext.Value, at Place, known []string, flat bool) {
	if flat {
		known = append(slices.Clone(known), handlerKeys...)
	}
	for m := range v.Members() {
		if slices.Contains(known, m.Key) {
			continue
		}
		if off, ok := switches[strings.ToLower(m.Key)]; ok && m.Value.Raw() == off {
			p.report(Warning, "no-such-switch", p.place(m.KeyOffset, joinPath(at.Path, m.Key)), `write "enabled": false into each handler that is not to run`, "%q switches nothing off; the hooks run", m.Key)
			continue
		}
		for _, k := range known {
			if event.Near(m.Key, k) && !v.Get(k).Exists() {
				p.report(Warning, "field-typo", p.place(m.KeyOffset, joinPath(at.Path, m.Key)), fmt.Sprintf("did you mean %q?", k), "unknown field %q; it has no effect", m.Key)
				break
			}
		}
	}
}

func clip(raw string) string {
	if len(raw) > 60 {
		return strings.ToValidUTF8(raw[:60], "") + "…"
	}
	return raw
}
