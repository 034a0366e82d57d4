package settings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// Raw is the JSON of the whole file; the zero Value when nothing could be read.
func (f *File) Raw() jsontext.Value { return f.root }

// Raw is the JSON that the handler was read from.
func (h *Handler) Raw() jsontext.Value { return h.raw }

// PlaceOf is where a value of the file stands: the key of a member, the start of
// an element. keys lead to it from the top; those of an array are numbers. Of
// what is not there it is the place of what would hold it.
func (f *File) PlaceOf(keys ...string) Place {
	return f.placeIn(f.root, Place{Line: 1, Column: 1}, keys)
}

// HandlerPlace is PlaceOf for keys below one of the file's handlers.
func (f *File) HandlerPlace(h *Handler, keys ...string) Place {
	return f.placeIn(h.raw, h.Place, keys)
}

func (f *File) placeIn(v jsontext.Value, at Place, keys []string) Place {
	for _, key := range keys {
		next, offset, path := jsontext.Value{}, -1, joinPath(at.Path, key)
		for m := range v.Members() {
			if m.Key == key { // of a doubled key the last, as Get has it
				next, offset = m.Value, m.KeyOffset
			}
		}
		if index, err := strconv.Atoi(key); err == nil {
			for i, e := range v.Elements() {
				if i == index {
					next, offset, path = e, e.Offset(), fmt.Sprintf("%s[%d]", at.Path, i)
					break
				}
			}
		}
		if offset < 0 {
			return at
		}
		v, at.Path = next, path
		at.Line, at.Column = f.index.Position(offset)
	}
	return at
}

// HandlerFields lists the fields that handlers of a type have, besides those of
// all types, in the order of the documentation.
func HandlerFields(t event.Types) []string {
	var fields []string
	for _, row := range typeFields {
		if row.types&t != 0 {
			fields = append(fields, row.names...)
		}
	}
	return fields
}

// CommonHandlerFields lists the fields that handlers of every type have.
func CommonHandlerFields() []string {
	own := HandlerFields(event.AllTypes)
	return slices.DeleteFunc(slices.Clone(handlerKeys), func(key string) bool { return slices.Contains(own, key) })
}

var typeFields = []struct {
	types event.Types
	names []string
}{
	{event.Command, []string{"command", "args", "shell", "env", "envFile", "cwd", "pty", "async", "asyncRewake"}},
	{event.HTTP, []string{"url", "headers", "allowedEnvVars"}},
	{event.MCPTool, []string{"server", "tool", "input"}},
	{event.Prompt | event.Agent, []string{"prompt", "model"}},
	{event.Prompt, []string{"continueOnBlock"}},
}

// foreignEvents are names that other agents have for events of ours.
var foreignEvents = map[string]string{
	"beforetool": "PreToolUse", "aftertool": "PostToolUse", "pretool": "PreToolUse", "posttool": "PostToolUse",
	"beforesubmitprompt": "UserPromptSubmit", "beforeshellexecution": "PreToolUse", "aftershellexecution": "PostToolUse",
	"afterfileedit": "PostToolUse", "beforereadfile": "PreToolUse", "beforeagent": "UserPromptSubmit", "afteragent": "Stop",
	"precompress": "PreCompact", "prompt": "UserPromptSubmit", "sessionstop": "SessionEnd", "onstop": "Stop",
}

// eventHint says which event an unknown name may stand for.
func eventHint(key string) string {
	if s := event.Suggest(key); s != "" {
		return fmt.Sprintf("did you mean %q?", s)
	}
	if s := foreignEvents[strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key))]; s != "" {
		return fmt.Sprintf("that is the name of another agent; here it is %q", s)
	}
	if pre, ok := event.Lookup("PreToolUse"); ok && slices.Contains(pre.Subject.Values, key) {
		return fmt.Sprintf(`it is a tool: write {"PreToolUse": [{"matcher": %q, "hooks": […]}]}`, key)
	}
	return "`theus-hooks events` lists the events"
}
