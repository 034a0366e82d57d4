package response

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// outputDepth bounds the nesting of a hook's JSON.
const outputDepth = 1000

// outputObjects bounds how many objects in a row are looked at.
const outputObjects = 64

type outputKind uint8

const (
	plainOutput  outputKind = iota // text, or nothing
	jsonOutput                     // one object
	brokenOutput                   // meant to be one, and is not
	asyncOutput                    // {"async": true}: the rest comes later
)

// output is the standard output of a hook, told apart into JSON and text.
type output struct {
	kind    outputKind
	text    string           // without the white space around it
	objects []jsontext.Value // whole objects that were found
	why     string           // what is wrong with a broken one
	hidden  string           // where plain text hides JSON, "" where it does not
}

func (o output) object() jsontext.Value { return o.objects[0] }

// readOutput tells JSON from text. JSON is one object and nothing else; what
// begins like an object and is none is broken, not text.
func readOutput(res Result) output {
	data, _ := jsontext.TrimBOM(res.Stdout)
	text := strings.TrimRight(strings.ToValidUTF8(string(data), string(utf8.RuneError)), " \t\r\n")
	trimmed := strings.TrimSpace(text)
	switch {
	case !strings.HasPrefix(trimmed, "{"):
		return jsonBelow(trimmed)
	case res.Truncated:
		return output{kind: brokenOutput, text: trimmed, objects: mend(trimmed), why: "stdout begins with { and was cut off at the output limit"}
	}
	objects, rest, err := splitObjects(text)
	out := output{text: trimmed, objects: objects}
	switch {
	case len(objects) > 0 && objects[0].Get("async").Bool():
		out.kind = asyncOutput
	case len(objects) == 1 && rest == "" && err == nil:
		out.kind = jsonOutput
	case err == nil && rest == "":
		out.kind, out.why = brokenOutput, "stdout holds more than one JSON object"
	case len(objects) > 0 && !strings.HasSuffix(trimmed, "}"):
		out.hidden = "text below it: " + firstLine(rest)
	case err != nil && looksLikeJSON(trimmed):
		out.kind, out.why = brokenOutput, "stdout begins with { but is not JSON: "+err.Error()
	case looksLikeJSON(trimmed):
		out.kind, out.why = brokenOutput, "stdout holds text between JSON: "+firstLine(rest)
	}
	return out
}

// looksLikeJSON reports whether text that begins with { was meant to be an
// object: it ends like one, or its first key is quoted.
func looksLikeJSON(text string) bool {
	return strings.HasSuffix(text, "}") || strings.HasPrefix(strings.TrimSpace(text[1:]), `"`)
}

// splitObjects reads objects that stand one behind the other. rest is what
// follows them and does not begin an object; err is that of an object that is
// not whole.
func splitObjects(text string) (objects []jsontext.Value, rest string, err error) {
	for len(objects) < outputObjects {
		v, err := jsontext.Parse([]byte(text), jsontext.Limits{Depth: outputDepth})
		if err == nil {
			return append(objects, v), "", nil
		}
		end := behindValue(err)
		if end < 0 {
			return objects, text, err
		}
		objects = append(objects, parsed(text[:end]))
		text = strings.TrimSpace(text[end:])
		if !strings.HasPrefix(text, "{") {
			return objects, text, nil
		}
	}
	return objects, text, nil
}

// mend closes what is open where an object was cut, so that a denial before the
// cut can be read. Without the last member, if it cannot be read; nil when
// nothing can.
func mend(text string) []jsontext.Value {
	var open []byte // the closing brackets, inmost last
	inString, escaped := false, false
	whole, brackets := 0, []byte(nil) // where the last whole member ends, and what was open there
	for i := range len(text) {
		switch c := text[i]; {
		case escaped:
			escaped = false
		case inString && c == '\\':
			escaped = true
		case c == '"':
			inString = !inString
		case inString:
		case c == '{':
			open = append(open, '}')
		case c == '[':
			open = append(open, ']')
		case c == '}', c == ']':
			open = open[:max(len(open)-1, 0)]
		case c == ',':
			whole, brackets = i, append(brackets[:0], open...)
		}
		if len(open) > outputDepth {
			return nil
		}
	}
	if escaped {
		text = text[:len(text)-1]
	}
	if inString {
		text += `"`
	}
	for _, t := range []string{closed(text, open), closed(text[:whole], brackets)} {
		if v, err := jsontext.Parse([]byte(t), jsontext.Limits{Depth: outputDepth}); err == nil {
			return []jsontext.Value{v}
		}
	}
	return nil
}

// closed is text with its closing brackets, the last one first.
func closed(text string, open []byte) string {
	brackets := slices.Clone(open)
	slices.Reverse(brackets)
	return text + string(brackets)
}

// behindValue is the offset at which something follows a whole value, or -1
// when the error is another.
func behindValue(err error) int {
	var syntax *jsontext.SyntaxError
	if errors.As(err, &syntax) && syntax.Want == "the end of the text" {
		return syntax.Offset
	}
	return -1
}

// jsonBelow is plain text, with the hook output at its end if it has one.
func jsonBelow(text string) output {
	out := output{text: text}
	if !strings.HasSuffix(text, "}") {
		return out
	}
	at := 0
	for range 20 {
		n := strings.Index(text[at:], "\n{")
		if n < 0 {
			return out
		}
		at += n + 1
		v, err := jsontext.Parse([]byte(text[at:]), jsontext.Limits{Depth: outputDepth})
		if err != nil {
			continue
		}
		if below := (output{objects: []jsontext.Value{v}}); below.answers() {
			out.objects, out.hidden = below.objects, "text above it: "+firstLine(text)
		}
		return out
	}
	return out
}

// answers reports whether the object has a field of a hook's output, or says no
// in another way that is understood. Other JSON is not an answer.
func (o output) answers() bool {
	for m := range o.object().Members() {
		if knownKey(m.Key) {
			return true
		}
	}
	return len(findDenials(o.object())) > 0
}

// DeclaresAsync reports whether a hook's output begins with {"async": true}, by
// which the hook says that it goes on in the background, and its asyncTimeout
// in milliseconds, 0 when it gives none.
func DeclaresAsync(stdout []byte) (milliseconds float64, ok bool) {
	out := readOutput(Result{Stdout: stdout})
	if out.kind != asyncOutput {
		return 0, false
	}
	return max(0, out.object().Get("asyncTimeout").Float()), true
}
