package settings

import (
	"slices"
	"testing"

	"github.com/theus-hooks/theus-hooks/settings/event"
)

func TestPlaces(t *testing.T) {
	f := Parse("s.json", []byte("{\"hooks\": {\n \"Stop\": [{\"hooks\": [\n  {\"type\": \"command\", \"command\": \"x\",\n   \"args\": [\"a\",\n \"b\"], \"odd key\": {\"0\": 1}, \"command\": \"y\"}]}]}}"))
	h := &f.Groups[0].Handlers[0]
	tests := []struct {
		got, want Place
	}{
		{f.PlaceOf(), Place{1, 1, ""}},
		{f.PlaceOf("hooks", "Stop", "0", "hooks"), Place{2, 12, "hooks.Stop[0].hooks"}},
		{f.PlaceOf("hooks", "Gone", "0"), Place{1, 2, "hooks"}},
		{f.PlaceOf("hooks", "Stop", "7"), Place{2, 2, "hooks.Stop"}},
		{f.HandlerPlace(h), Place{3, 3, "hooks.Stop[0].hooks[0]"}},
		{f.HandlerPlace(h, "args", "1"), Place{5, 2, "hooks.Stop[0].hooks[0].args[1]"}},
		{f.HandlerPlace(h, "odd key", "0"), Place{5, 20, `hooks.Stop[0].hooks[0]["odd key"].0`}},
		{f.HandlerPlace(h, "command"), Place{5, 29, "hooks.Stop[0].hooks[0].command"}}, // the last of a doubled key
		{f.HandlerPlace(h, "url"), Place{3, 3, "hooks.Stop[0].hooks[0]"}},
		{(&File{}).PlaceOf("hooks"), Place{1, 1, ""}},
	}
	for i, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%d: got %+v, want %+v", i, tt.got, tt.want)
		}
	}
}

// Every key that is read belongs to all types or to some.
func TestFieldsOfTypes(t *testing.T) {
	all := append(CommonHandlerFields(), HandlerFields(event.AllTypes)...)
	slices.Sort(all)
	want := slices.Sorted(slices.Values(handlerKeys))
	if !slices.Equal(all, want) {
		t.Errorf("got %v, want %v", all, want)
	}
	if got := HandlerFields(event.Agent); !slices.Equal(got, []string{"prompt", "model"}) {
		t.Errorf("agent has %v", got)
	}
}

func TestEventHints(t *testing.T) {
	for key, want := range map[string]string{
		"PostToolUsed":    `did you mean "PostToolUse"?`,
		"BeforeTool":      `that is the name of another agent; here it is "PreToolUse"`,
		"after_file_edit": `that is the name of another agent; here it is "PostToolUse"`,
		"Bash":            `it is a tool: write {"PreToolUse": [{"matcher": "Bash", "hooks": […]}]}`,
		"MoonPhase":       "`theus-hooks events` lists the events",
	} {
		if got := eventHint(key); got != want {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
	for _, name := range foreignEvents {
		if _, ok := event.Lookup(name); !ok {
			t.Errorf("%s is no event", name)
		}
	}
}
