package response

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// change is one rewrite of the tool's input: a whole new one, or a merge patch.
type change struct {
	raw   string
	patch bool
}

// apply makes the changes in order. A patch without an input to patch starts
// from nothing.
func apply(input string, changes []change) json.RawMessage {
	for _, c := range changes {
		if c.patch {
			input = mergePatch(input, c.raw)
		} else {
			input = c.raw
		}
	}
	return json.RawMessage(input)
}

// UpdatedInput is the tool's input as this hook alone would have it, nil when
// the hook leaves it alone. Hooks that run one after the other see it.
func (v Verdict) UpdatedInput(ev *event.Event) json.RawMessage {
	if len(v.say.input) == 0 || rank(v.say.decision) > rank(DecisionAsk) {
		return nil
	}
	return apply(ev.Raw("tool_input"), v.say.input)
}

// rewrite applies the changes of the tool's input in configuration order: a
// whole input takes the place of all before it, a patch changes what is there.
// A call that does not go on, or is put off, is not rewritten.
func (c *combiner) rewrite() {
	if c.out.Blocked || rank(c.out.Decision) > rank(DecisionAsk) {
		return
	}
	authors := c.rewriters()
	whole := -1 // the last author of a whole input
	var changes []change
	for i, v := range authors {
		changes = append(changes, v.say.input...)
		if !v.say.input[0].patch {
			whole = i
		}
	}
	if len(changes) == 0 {
		return
	}
	original := c.ev.Raw("tool_input")
	c.out.UpdatedInput = apply(original, changes)
	c.replaced(authors[:whole+1])
	c.overlaps(authors[max(whole, 0):], parsed(original))
	if whole >= 0 {
		c.dropped(authors[whole], parsed(original))
	}
}

// rewriters are the verdicts whose rewrites count.
func (c *combiner) rewriters() []Verdict {
	list := c.verdicts
	if c.spec.Form == event.FormBehavior {
		list = c.winners()
	}
	return slices.DeleteFunc(slices.Clone(list), func(v Verdict) bool { return len(v.say.input) == 0 })
}

// replaced lists the rewrites that the last whole input takes the place of. What
// came before it in its own chain went into it.
func (c *combiner) replaced(authors []Verdict) {
	var answers []answer
	for i, v := range authors {
		if last := authors[len(authors)-1]; i < len(authors)-1 && v.Chain != 0 && v.Chain == last.Chain {
			continue
		}
		answers = append(answers, answer{v.Report.Hook, v.say.input[len(v.say.input)-1].raw})
	}
	c.last("updatedInput", answers)
}

// overlaps lists the arguments to which several of the remaining authors give
// different values.
func (c *combiner) overlaps(authors []Verdict, original jsontext.Value) {
	var keys []string
	values := map[string][]answer{}
	chains := map[string]int{} // of the last answer
	for _, v := range authors {
		own := v.arguments(original)
		for i, key := range own.keys {
			list := values[key]
			switch {
			case list == nil:
				keys = append(keys, key)
			case v.Chain != 0 && v.Chain == chains[key]:
				list = list[:len(list)-1]
			}
			values[key], chains[key] = append(list, answer{v.Report.Hook, own.values[i]}), v.Chain
		}
	}
	for _, key := range keys {
		c.last("updatedInput."+key, values[key])
	}
}

// arguments are those that the verdict gives a value of its own; a whole input
// must repeat the others.
func (v Verdict) arguments(original jsontext.Value) members {
	var own members
	for _, change := range v.say.input {
		for m := range parsed(change.raw).Members() {
			if change.patch || original.Get(m.Key).Raw() != m.Value.Raw() {
				own.set(m.Key, m.Value.Raw())
			}
		}
	}
	return own
}

// dropped reports the arguments that a whole new input leaves out.
func (c *combiner) dropped(author Verdict, original jsontext.Value) {
	whole, now := parsed(author.say.input[0].raw), parsed(string(c.out.UpdatedInput))
	var keys []string
	for m := range original.Members() {
		if !whole.Get(m.Key).Exists() && !now.Get(m.Key).Exists() {
			keys = append(keys, m.Key)
		}
	}
	if len(keys) == 0 {
		return
	}
	c.out.Problems = append(c.out.Problems, problem(author.Report.Hook, "warning", "rewrite-drops-field", fmt.Sprintf(
		"updatedInput takes the place of the whole tool_input and so drops %s; repeat what is to stay, or use updatedInputPatch",
		clip(strings.Join(keys, ", "), 200))))
}
