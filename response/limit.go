package response

import (
	"fmt"
	"unicode/utf8"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
)

// Limits of text that is passed on to the model or the user, in characters.
const (
	textLimit    = 10_000
	previewLimit = 2_000
)

// bounder keeps texts within their limits. A text that is passed on in several
// places is stored once.
type bounder struct {
	spill func(kind, text string) (path string, err error)
	done  map[string]string
}

// bound is text within limit characters: itself, or a preview that says how
// long the text is and where all of it is kept. A nil bounder has no limits.
func (b *bounder) bound(kind, text string, limit int) string {
	if b == nil || len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	if short, ok := b.done[text]; ok {
		return short
	}
	if b.done == nil {
		b.done = map[string]string{}
	}
	b.done[text] = b.shorten(kind, text, limit)
	return b.done[text]
}

// field is the JSON of an output field within the limit that the table gives
// it. A nil bounder has no limits.
func (b *bounder) field(f field) string {
	if b == nil || f.rule.Limit == 0 {
		return f.raw
	}
	return jsontext.Quote(b.bound("context", parsed(f.raw).Text(), f.rule.Limit))
}

func (b *bounder) shorten(kind, text string, limit int) string {
	total := utf8.RuneCountInString(text)
	where := "the rest could not be kept"
	if b.spill != nil {
		path, err := b.spill(kind, text)
		if err == nil {
			preview, _ := head(text, min(previewLimit, limit/2))
			return fmt.Sprintf("%s…\n[%d characters in all; the whole text is in %s]", preview, total, path)
		}
		where += ": " + clip(err.Error(), 200)
	}
	note := fmt.Sprintf("…\n[%d characters in all; %s]", total, where)
	kept, _ := head(text, limit-utf8.RuneCountInString(note))
	return kept + note
}

// Bound shortens every text of the outcome that is longer than may be passed
// on, as Answer does, for hosts that pass them on themselves. What the hooks
// printed stays whole in Hooks. Call it once, after Combine.
func (o *Outcome) Bound(spill func(kind, text string) (path string, err error)) {
	b := bounder{spill: spill}
	for i, text := range o.SystemMessages {
		o.SystemMessages[i] = b.bound("message", text, textLimit)
	}
	for i, text := range o.AdditionalContext {
		o.AdditionalContext[i] = b.bound("context", text, textLimit)
	}
	for i, r := range o.reasons {
		o.reasons[i].text = b.bound("reason", r.text, textLimit)
	}
	for i, text := range o.notices {
		o.notices[i] = b.bound("message", text, textLimit)
	}
	for i, f := range o.fields {
		o.fields[i].raw = b.field(f)
	}
	o.StopReason = b.bound("reason", o.StopReason, textLimit)
	o.finish()
}
