package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxBraces is how many words a brace expansion may give before it counts as
// unknown.
const maxBraces = 64

// A word is one word of a simple command as far as it is known.
type word struct {
	lit   string // all of it, when parts is nil
	parts Text
	many  bool   // may turn out to be no word, or several
	proc  bool   // holds a process substitution
	sep   string // blanks in front of it, as written
	// pos and end are its place in the source; both 0 for a word made up here.
	pos, end int
}

func literalWord(s, sep string) word { return word{lit: s, sep: sep} }

// manyWords stands for zero or more unknown words.
func manyWords() word { return word{parts: unknown(), many: true, sep: " "} }

// anyWord stands for one unknown word.
func anyWord() word { return word{parts: unknown(), sep: " "} }

// literal returns the word if all of it is known.
func (w *word) literal() (string, bool) { return w.lit, w.parts == nil }

// prefix is the known text that the word starts with.
func (w *word) prefix() string {
	if w.parts == nil {
		return w.lit
	}
	if w.parts[0].Kind == Literal {
		return w.parts[0].Text
	}
	return ""
}

// text is the word as a Text.
func (w *word) text() Text {
	if w.parts == nil {
		return Text{}.add(Piece{Literal, w.lit})
	}
	return w.parts
}

// words resolves the words of a command as written in source.
func words(source string, args []*syntax.Word) []word {
	out := make([]word, 0, len(args))
	before := 0
	for i, arg := range args {
		pos, end := int(arg.Pos().Offset()), int(arg.End().Offset())
		sep := " "
		if i > 0 {
			sep = blanks(source, before, pos)
		}
		at := len(out)
		out = appendWord(out, arg)
		for j := at; j < len(out); j++ {
			out[j].sep, out[j].pos, out[j].end = " ", pos, end
		}
		if at < len(out) {
			out[at].sep = sep
		}
		before = end
	}
	return out
}

// blanks is the white space between two words. What else may stand there (a
// redirection, an escaped line break) counts as one space.
func blanks(source string, from, to int) string {
	if from >= to || to > len(source) {
		return " "
	}
	gap := source[from:to]
	if strings.Trim(gap, " \t") != "" {
		return " "
	}
	return gap
}

// special are the characters that make the shell see other text than is
// written, outside quotes.
const special = "\\*?[~{"

// appendWord resolves one word, which brace expansion may turn into several.
func appendWord(out []word, w *syntax.Word) []word {
	if len(w.Parts) == 1 {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(lit.Value, special) {
			return append(out, word{lit: lit.Value})
		}
	}
	split := &syntax.Word{Parts: slices.Clone(w.Parts)}
	if !syntax.SplitBraces(split) {
		return append(out, resolve(w.Parts))
	}
	lists := braces(split.Parts)
	if lists == nil {
		return append(out, manyWords())
	}
	for _, parts := range lists {
		out = append(out, resolve(parts))
	}
	return out
}

// braces multiplies out the brace expansions in parts; nil when they are too
// many to look at, or a sequence.
func braces(parts []syntax.WordPart) [][]syntax.WordPart {
	lists := [][]syntax.WordPart{nil}
	for _, part := range parts {
		exp, ok := part.(*syntax.BraceExp)
		if !ok {
			for i := range lists {
				lists[i] = append(lists[i], part)
			}
			continue
		}
		if exp.Sequence {
			return nil
		}
		var elems [][]syntax.WordPart
		for _, elem := range exp.Elems {
			inner := braces(elem.Parts)
			if inner == nil {
				return nil
			}
			elems = append(elems, inner...)
		}
		if len(lists)*len(elems) > maxBraces {
			return nil
		}
		var product [][]syntax.WordPart
		for _, list := range lists {
			for _, elem := range elems {
				product = append(product, slices.Concat(list, elem))
			}
		}
		lists = product
	}
	return lists
}

// resolve joins the parts of a word into the text the shell would see.
func resolve(parts []syntax.WordPart) word {
	r := resolver{empty: true}
	for i, part := range parts {
		if lit, ok := part.(*syntax.Lit); ok {
			r.bare(lit.Value, i == 0, parts[i+1:])
			continue
		}
		r.part(part, false)
	}
	return r.word()
}

type resolver struct {
	text Text
	// empty: nothing but unquoted expansions so far, so there may be no word.
	empty, expanded bool
	lost            bool // the rest is unknown
	proc            bool
}

func (r *resolver) word() word {
	w := word{parts: r.text, many: r.empty && r.expanded, proc: r.proc}
	if lit, ok := r.text.Literal(); ok && !w.many {
		return word{lit: lit}
	}
	return w
}

func (r *resolver) literal(s string) {
	if !r.lost {
		r.text = r.text.add(Piece{Literal, s})
	}
	r.empty = false
}

// unknown adds text that is known only at run time. In quotes it stays in its
// word: there is no blank in it where the word names a program.
func (r *resolver) unknown(quoted bool) {
	kind := Any
	if quoted {
		kind = quotedAny
	}
	r.text = r.text.add(Piece{Kind: kind})
}

// quotedAny is Solid in the first word of a command and Any in the others.
const quotedAny Kind = 0xff

func (r *resolver) part(part syntax.WordPart, quoted bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		r.literal(unescapeQuoted(p.Value))
	case *syntax.SglQuoted:
		if p.Dollar {
			r.literal(unescapeANSI(p.Value))
		} else {
			r.literal(p.Value)
		}
	case *syntax.DblQuoted:
		if len(p.Parts) == 0 {
			r.literal("")
		}
		for _, inner := range p.Parts {
			r.part(inner, true)
		}
	case *syntax.ParamExp:
		r.unknown(quoted)
		r.expanded = true
		// "$@" and "${a[@]}" give no word when there is nothing in them.
		r.empty = r.empty && (!quoted || list(p))
	case *syntax.CmdSubst:
		r.unknown(quoted)
		r.expanded = true
		r.empty = r.empty && !quoted
	case *syntax.ProcSubst:
		r.unknown(false)
		r.empty, r.proc = false, true
	default: // arithmetic, extended glob
		r.unknown(false)
		r.empty = false
	}
}

// list reports whether an expansion gives one word per element even in quotes.
func list(p *syntax.ParamExp) bool {
	if p.Names != 0 || p.Param == nil {
		return true
	}
	if p.Param.Value == "@" {
		return true
	}
	index, ok := p.Index.(*syntax.Word)
	return ok && index.Lit() == "@"
}

// bare reads literal text outside quotes: escapes, globs and tildes. first says
// that it starts its word; rest is what follows it there.
func (r *resolver) bare(s string, first bool, rest []syntax.WordPart) {
	from := 0
	flush := func(to int) {
		if from < to {
			r.literal(s[from:to])
		}
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			flush(i)
			from = i + 1
			i++
			r.empty = false
		case '*', '?':
			flush(i)
			r.unknown(false)
			r.empty = false
			from = i + 1
		case '[':
			end := strings.IndexByte(s[i:], ']')
			if end < 0 && !mayClose(rest) {
				continue // no bracket expression: a plain bracket
			}
			flush(i)
			r.unknown(false)
			r.empty = false
			if end < 0 {
				r.lost = true // it may end in another part of the word
				return
			}
			i += end
			from = i + 1
		case '~':
			if (i == 0 && first) || (i > 0 && (s[i-1] == '=' || s[i-1] == ':')) {
				flush(i)
				r.text = r.text.add(Piece{Kind: Solid})
				r.empty = false
				end := strings.IndexByte(s[i:], '/')
				if end < 0 {
					end = len(s) - i
				}
				i += end - 1
				from = i + 1
			}
		}
	}
	flush(len(s))
}

// mayClose reports whether a bracket expression may end in parts.
func mayClose(parts []syntax.WordPart) bool {
	return slices.ContainsFunc(parts, func(part syntax.WordPart) bool {
		lit, ok := part.(*syntax.Lit)
		return !ok || strings.Contains(lit.Value, "]")
	})
}
