package schema

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/theus-hooks/theus-hooks/precedence"
	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/settings"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

var update = flag.Bool("update", false, "rewrite the schema files")

// object is a JSON object; encoding/json sorts its keys, so the bytes are always
// the same.
type object = map[string]any

func TestSchemasAreCurrent(t *testing.T) {
	for name, schema := range map[string]object{
		"settings": settingsSchema(t), "input": inputSchema(), "output": outputSchema(), "outcome": outcomeSchema(),
	} {
		text := encode(t, schema)
		file := name + ".schema.json"
		if *update {
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if was, err := os.ReadFile(file); err != nil || !bytes.Equal(was, text) {
			t.Errorf("%s is not current (%v); run: go test ./settings/schema -update", file, err)
		}
	}
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// document is a schema of its own.
func document(name, title, description string, body object) object {
	body["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	body["$id"] = "https://raw.githubusercontent.com/theus-hooks/theus-hooks/main/settings/schema/" + name + ".schema.json"
	body["title"], body["description"] = title, description
	return body
}

// when holds a schema for objects whose key is a given word.
func when(key, word string, then object) object {
	return object{"if": object{"properties": object{key: object{"const": word}}, "required": []string{key}}, "then": then}
}

func ref(name string) object { return object{"$ref": "#/$defs/" + name} }

func listOf(items object) object { return object{"type": "array", "items": items} }

func words(list ...string) object { return object{"type": "string", "enum": list} }

// described adds a description to a schema.
func described(schema object, text string) object {
	if text != "" {
		schema["description"] = text
	}
	return schema
}

var (
	str    = func() object { return object{"type": "string"} }
	flags  = func() object { return object{"type": "boolean"} }
	filled = func() object { return object{"type": "string", "pattern": `\S`} }
	vars   = func() object { return object{"type": "object", "additionalProperties": str()} }
)

// special are the fields of a handler whose schema does not follow from the type
// of its Go field.
var special = map[string]func() object{
	"type":      func() object { return words(event.AllTypes.Names()...) },
	"if":        filled,
	"timeout":   func() object { return object{"type": "number", "exclusiveMinimum": 0} },
	"onFailure": func() object { return words("continue", "block") },
	"mode":      func() object { return words("enforce", "observe") },
	"enabled":   flags,
	"shell":     func() object { return words("builtin", "bash", "sh", "powershell", "direct") },
	"input":     func() object { return object{"type": "object"} },
	"command":   filled, "url": filled, "server": filled, "tool": filled, "prompt": filled,
}

// fieldDocs say what the fields of a handler are.
var fieldDocs = map[string]string{
	"type": "what runs", "if": "one permission rule; the hook runs for tool calls that it matches", "timeout": "seconds, fractions allowed",
	"statusMessage": "shown while it runs", "once": "run once a session", "onFailure": "block: a hook that fails counts as one that blocks",
	"name": "what reports call it", "enabled": "false switches it off", "mode": "observe: it runs and decides nothing",
	"command": "shell text; with args the name of a program", "args": "arguments; no shell then", "shell": "what runs the text",
	"env": "variables for the hook", "envFile": "a file of variables", "cwd": "where it runs, from the project root", "pty": "run on a terminal",
	"async": "do not wait for it", "asyncRewake": "do not wait, but wake the model when it blocks", "url": "where the event is posted",
	"headers": "$NAME is filled in if allowedEnvVars has it", "allowedEnvVars": "variables that headers may use",
	"server": "the MCP server", "tool": "its tool", "input": "the tool's arguments", "prompt": "what the model is asked; $ARGUMENTS is the event",
	"model": "the model", "continueOnBlock": "a block does not end the turn",
}

// field is the schema of one field of a handler, from the type of its Go field.
func field(t *testing.T, name string) object {
	t.Helper()
	if fieldDocs[name] == "" {
		t.Errorf("the field %q has no description", name)
	}
	if make, ok := special[name]; ok {
		return described(make(), fieldDocs[name])
	}
	goField, ok := reflect.TypeFor[settings.Handler]().FieldByNameFunc(func(s string) bool { return strings.EqualFold(s, name) })
	if !ok {
		t.Fatalf("settings.Handler has no field for %q", name)
	}
	switch goField.Type {
	case reflect.TypeFor[string]():
		return described(str(), fieldDocs[name])
	case reflect.TypeFor[bool]():
		return described(flags(), fieldDocs[name])
	case reflect.TypeFor[[]string]():
		return described(listOf(str()), fieldDocs[name])
	case reflect.TypeFor[[]settings.Var]():
		return described(vars(), fieldDocs[name])
	}
	t.Fatalf("no schema for the type of %q, %v", name, goField.Type)
	return nil
}

var required = map[event.Types][]string{
	event.Command: {"command"}, event.HTTP: {"url"}, event.MCPTool: {"server", "tool"}, event.Prompt: {"prompt"}, event.Agent: {"prompt"},
}

func settingsSchema(t *testing.T) object {
	t.Helper()
	defs := object{}
	common := object{}
	for _, name := range settings.CommonHandlerFields() {
		common[name] = field(t, name)
	}
	conditions := []object{}
	for _, typ := range event.AllTypes.Names() {
		bit, _ := event.ParseType(typ)
		own := object{}
		for _, name := range settings.HandlerFields(bit) {
			own[name] = field(t, name)
		}
		defs[typ] = object{"properties": own, "required": required[bit]}
		conditions = append(conditions, when("type", typ, ref(typ)))
	}
	defs["handler"] = object{"type": "object", "required": []string{"type"}, "properties": common, "allOf": conditions}
	events := object{}
	for _, spec := range event.All() {
		name := "group of " + strings.Join(spec.Types.Names(), ", ")
		name = strings.NewReplacer(" ", "-", ",", "").Replace(name)
		defs[name] = groupSchema(spec.Types)
		events[spec.Name] = object{"type": "array", "description": spec.Fires, "items": ref(name)}
		if spec.Subject.Field != "" {
			events[spec.Name].(object)["description"] = spec.Fires + "; matchers are compared with " + spec.Subject.Field
		}
	}
	return document("settings", "Settings of theus-hooks", "What theus-hooks reads of a settings file. Other keys are other tools' and are not looked at.", object{
		"type": "object", "$defs": defs,
		"properties": object{
			"$schema":        str(),
			"hooks":          object{"type": "object", "properties": events, "description": "groups of hooks, by event"},
			"env":            described(vars(), "variables for all hooks"),
			"disabledHooks":  described(listOf(str()), "ids of hooks to leave out; user and local settings only"),
			"hookModules":    described(listOf(str()), "paths of JavaScript and TypeScript modules"),
			"enabledPlugins": object{"type": "object", "description": "plugins by name@marketplace, on or off"},
			"pluginConfigs": object{
				"type": "object", "description": "user and managed settings only: options of plugins, by name@marketplace",
				"additionalProperties": object{"type": "object", "properties": object{"options": object{"type": "object"}}},
			},
			"disableAllHooks":               described(flags(), "switch all hooks off"),
			"allowManagedHooksOnly":         described(flags(), "managed settings only: no other hooks run"),
			"strictPluginOnlyCustomization": object{"description": "managed settings only: no hooks of user, project and local settings", "anyOf": []object{flags(), str(), listOf(str())}},
			"allowedHttpHookUrls":           described(listOf(str()), "addresses that http hooks may reach; * is any text"),
			"httpHookAllowedEnvVars":        described(listOf(str()), "variables that headers may use"),
		},
	})
}

func groupSchema(types event.Types) object {
	handler := ref("handler")
	if types != event.AllTypes {
		handler["properties"] = object{"type": words(types.Names()...)}
	}
	return object{
		"type": "object",
		"properties": object{
			"matcher":    object{"type": []string{"string", "null"}, "description": "names joined by |, or a regular expression; absent: everything"},
			"sequential": described(flags(), "run its hooks one behind the other"),
			"hooks":      listOf(handler),
		},
		"required": []string{"hooks"},
	}
}

// jsonType is the schema of a field of the table of events.
func jsonType(typ, doc string) object {
	if typ == "any" {
		return described(object{}, doc)
	}
	return described(object{"type": typ}, doc)
}

func inputSchema() object {
	properties, defs, conditions := object{}, object{}, []object{}
	need := []string{}
	for _, f := range event.CommonFields() {
		properties[f.Name] = inputField(f)
		if !f.Optional {
			need = append(need, f.Name)
		}
	}
	properties["hook_event_name"] = described(words(event.Names()...), "the event")
	for _, spec := range event.All() {
		own, ownNeed := object{}, []string{}
		for _, f := range spec.Fields {
			own[f.Name] = inputField(f)
			if !f.Optional {
				ownNeed = append(ownNeed, f.Name)
			}
		}
		defs[spec.Name] = object{"description": spec.Fires, "properties": own, "required": ownNeed}
		conditions = append(conditions, when("hook_event_name", spec.Name, ref(spec.Name)))
	}
	return document("input", "Input of a hook", "The JSON of an event, as hooks receive it. Agents may send more keys.", object{
		"type": "object", "properties": properties, "required": need, "allOf": conditions, "$defs": defs,
	})
}

// inputField: known values are no closed set, agents grow new ones.
func inputField(f event.Field) object {
	schema := jsonType(f.Type, f.Doc)
	if len(f.Values) > 0 {
		schema["examples"] = f.Values
	}
	return schema
}

func outputSchema() object {
	defs, conditions, names := object{}, []object{}, []string{}
	for _, spec := range event.All() {
		if len(spec.Output) == 0 {
			continue
		}
		own := object{}
		for _, f := range spec.Output {
			schema := jsonType(f.Type, f.Doc)
			if len(f.Values) > 0 {
				schema["enum"] = f.Values
			}
			own[f.Name] = schema
		}
		if spec.Form == event.FormBehavior {
			own["decision"] = ref("permission")
		}
		defs[spec.Name] = object{"description": spec.Fires, "properties": own}
		conditions = append(conditions, when("hookEventName", spec.Name, ref(spec.Name)))
		names = append(names, spec.Name)
	}
	defs["permission"] = object{
		"type": "object", "required": []string{"behavior"},
		"properties": object{
			"behavior": words("allow", "deny"), "updatedInput": object{"type": "object"}, "updatedPermissions": object{"type": "array"},
			"message": str(), "interrupt": flags(),
		},
	}
	return document("output", "Output of a hook", "What a hook may print as JSON on standard output. Which fields count depends on the event.", object{
		"type": "object", "$defs": defs,
		"properties": object{
			"continue":         described(flags(), "false: the agent stops"),
			"stopReason":       described(str(), "why, for the user"),
			"suppressOutput":   described(flags(), "keep the output out of the transcript"),
			"systemMessage":    described(str(), "a warning for the user"),
			"terminalSequence": described(str(), "an escape sequence for the terminal: title, notification or bell"),
			"decision":         described(words("approve", "block"), "block: the action must not go on"),
			"reason":           described(str(), "why"),
			"async":            described(flags(), "true, as the first line: the hook goes on in the background"),
			"asyncTimeout":     described(object{"type": "number"}, "how long, in milliseconds"),
			"hookSpecificOutput": object{
				"type": "object", "required": []string{"hookEventName"}, "description": "fields of the event",
				"properties": object{"hookEventName": words(names...)}, "allOf": conditions,
			},
		},
	})
}

// exact is an object that has these keys and no others.
func exact(properties object) object {
	keys := make([]string, 0, len(properties))
	for key := range properties {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return object{"type": "object", "properties": properties, "required": keys, "additionalProperties": false}
}

func outcomeSchema() object {
	number, integer := object{"type": "number"}, object{"type": "integer"}
	decision := words(texts(response.DecisionNone, response.DecisionAllow, response.DecisionAsk, response.DecisionDefer, response.DecisionDeny, response.DecisionBlock)...)
	status := words(texts(response.OK, response.Blocked, response.Failed, response.CouldNotStart, response.TimedOut, response.Killed,
		response.BadOutput, response.HTTPError, response.ModelError, response.Cancelled, response.Background)...)
	reason := words(texts(precedence.DisabledAll, precedence.ManagedOnly, precedence.Untrusted, precedence.Disabled, precedence.Invalid,
		precedence.TypeNotAllowed, precedence.MatcherMismatch, precedence.IfMismatch, precedence.Duplicate, precedence.OnceSpent,
		precedence.URLNotAllowed, precedence.UnsupportedHere)...)
	identity := func(more object) object {
		for key, schema := range map[string]object{"id": str(), "name": str(), "type": str(), "source": ref("source"), "matcher": str()} {
			more[key] = schema
		}
		return exact(more)
	}
	return document("outcome", "Outcome of an event", "What `theus-hooks run --format outcome` prints.", func() object {
		o := exact(object{
			"event": words(event.Names()...), "subject": str(), "sessionId": str(),
			"decision": decision, "blocked": flags(), "reason": str(), "continue": flags(), "stopReason": str(),
			"suppressOutput": flags(), "systemMessages": listOf(str()), "additionalContext": listOf(str()),
			"updatedInput":       object{"type": []string{"object", "null"}},
			"hookSpecificOutput": object{"type": []string{"object", "null"}},
			"terminalSequence":   str(),
			"env":                object{"type": "object", "additionalProperties": object{"type": []string{"string", "null"}}},
			"hooks":              listOf(ref("hook")), "skipped": listOf(ref("skip")), "conflicts": listOf(ref("conflict")), "problems": listOf(ref("problem")),
		})
		o["$defs"] = object{
			"source": exact(object{"scope": str(), "file": str(), "line": integer, "path": str()}),
			"hook": identity(object{
				"status": status, "exitCode": object{"type": []string{"integer", "null"}}, "signal": str(), "shell": str(), "shellWhy": str(),
				"durationMs": number, "decision": decision, "reason": str(), "stdout": str(), "stderr": str(), "error": str(),
				"truncated": flags(), "discardedBytes": integer, "alsoIn": listOf(ref("source")),
			}),
			"skip":     identity(object{"reason": reason, "detail": str()}),
			"conflict": exact(object{"field": str(), "won": str(), "lost": listOf(str())}),
			"problem": exact(object{
				"severity": words("error", "warning"), "code": str(), "message": str(), "file": str(), "line": integer, "column": integer, "path": str(),
			}),
		}
		return o
	}())
}

func texts[T ~string](list ...T) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}
