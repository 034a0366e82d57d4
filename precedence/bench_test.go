package precedence

import (
	"fmt"
	"strings"
	"testing"

	"github.com/theus-hooks/theus-hooks/settings"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// manyHooks is a configuration of n handlers, each with a matcher and perhaps a
// rule of its own.
func manyHooks(n int, matcher, rule string) *Config {
	groups := make([]string, n)
	for i := range groups {
		name := ""
		if rule != "" {
			name = fmt.Sprintf(`,"if":"Bash(%s%d *)"`, rule, i)
		}
		groups[i] = fmt.Sprintf(`{"matcher":%q,"hooks":[{"type":"command","command":"run-%d"%s}]}`, named(matcher, i), i, name)
	}
	file := settings.Parse("s.json", []byte(`{"hooks":{"PreToolUse":[`+strings.Join(groups, ",")+`]}}`))
	cfg := &Config{
		Dialect: settings.Theus, Project: ProjectDirs{Start: "/", Root: "/", Main: "/"}, Trusted: true,
		Sources: []*Source{{Scope: User, Name: "s.json", Path: "/s.json", Anchor: "/", File: file}},
	}
	cfg.Policy = decidePolicy(cfg)
	return cfg
}

// One event against handlers with distinct matchers and rules; the settings are
// read before.
func BenchmarkPlan(b *testing.B) {
	spec, _ := event.Lookup("PreToolUse")
	command := "cd /srv/app && " + strings.Repeat("make lint test && ", 9) + "git push"
	ev, err := event.Decode(spec, fmt.Appendf(nil, `{"session_id":"s","tool_name":"Bash","tool_input":{"command":%q}}`, command))
	if err != nil {
		b.Fatal(err)
	}
	for _, kind := range []struct{ name, matcher, rule string }{
		{"list", "Tool%d|Other%d", ""}, {"regex", "^Tool%d(One|Two)$", ""}, {"rule", "Bash", "tool"},
	} {
		for _, n := range []int{1, 100, 10_000} {
			cfg := manyHooks(n, kind.matcher, kind.rule)
			b.Run(fmt.Sprintf("%s/%d", kind.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					cfg.Plan(ev, nil)
				}
			})
		}
	}
}

func named(pattern string, i int) string {
	return strings.ReplaceAll(pattern, "%d", fmt.Sprint(i))
}
