package agent

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/response"
	"github.com/theus-hooks/theus-hooks/settings/event"
)

// The rules by which agents read an answer, each as docs/agents.md tells them and
// knowing nothing of how answers are made.

// fate is what an agent does after an answer.
type fate struct {
	runs bool // the action: the tool, the prompt, the end of the turn
	asks bool // a person decides
	// granted: nobody is asked any more.
	granted bool
	input   string // of the tool that runs, in the agent's keys
}

// reader is an agent's rules for one event; input is the tool's.
type reader func(name, input string, a response.Answer) fate

var readers = map[string]reader{"theus": readClaude, "claude": readClaude, "codex": readCodex, "qwen": readQwen, "gemini": readGemini}

func object0(text []byte) (jsontext.Value, bool) {
	v, err := jsontext.Parse(text, jsontext.Limits{})
	return v, err == nil && v.Kind() == jsontext.Object
}

// isValue reports JSON that is no object, and so no answer.
func isValue(text []byte) bool {
	_, err := jsontext.Parse(text, jsontext.Limits{})
	return err == nil
}

// blank is what trimming leaves nothing of, in whatever language.
func blank(text []byte) bool {
	return strings.Trim(strings.TrimSpace(string(text)), "\ufeff\x1c\x1f \n") == ""
}

func readClaude(name, input string, a response.Answer) fate {
	open := fate{runs: true, input: input}
	v, isJSON := object0(a.Stdout)
	switch {
	case a.Exit == 2 && name != "PermissionRequest":
		return fate{}
	case a.Exit != 0 || !isJSON:
		return open
	}
	specific := v.Get("hookSpecificOutput")
	behavior := specific.Path("decision", "behavior").Text()
	permission := specific.Get("permissionDecision").Text()
	switch {
	case v.Get("continue").Raw() == "false":
		return fate{runs: name == "Stop"}
	case v.Get("decision").Text() == "block" || permission == "deny" || behavior == "deny":
		return fate{}
	case permission == "ask" || permission == "defer":
		open.asks = true
	}
	open.granted = permission == "allow" || behavior == "allow"
	for _, updated := range []jsontext.Value{specific.Get("updatedInput"), specific.Path("decision", "updatedInput")} {
		if updated.Exists() {
			open.input = updated.Raw()
		}
	}
	if name == "PermissionRequest" && behavior == "" {
		open.asks = true
	}
	return open
}

// readCodex refuses an answer as a whole for whatever it does not know.
func readCodex(name, input string, a response.Answer) fate {
	open := fate{runs: true, input: input, asks: name == "PermissionRequest"}
	v, isJSON := object0(a.Stdout)
	switch {
	case a.Exit == 2 && !blank(a.Stderr):
		return fate{}
	case a.Exit != 0 || blank(a.Stdout) || !isJSON:
		return open
	}
	specific := v.Get("hookSpecificOutput")
	decision := specific.Get("decision")
	onTool := name == "PreToolUse" || name == "PermissionRequest"
	switch {
	case !only(v, "continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput"),
		name == "PermissionRequest" && (v.Get("decision").Exists() || v.Get("reason").Exists()),
		!only(specific, codexFields(name)...),
		!only(decision, "behavior", "message"),
		name == "Stop" && specific.Exists(),
		onTool && (v.Get("continue").Raw() == "false" || v.Get("stopReason").Exists() || v.Get("suppressOutput").Exists()):
		return open
	case !onTool && v.Get("continue").Raw() == "false":
		return fate{runs: name == "Stop"}
	}
	reason := strings.TrimSpace(v.Get("reason").Text() + specific.Get("permissionDecisionReason").Text())
	permission, updated := specific.Get("permissionDecision").Text(), specific.Get("updatedInput")
	switch {
	case permission == "deny" && reason != "", v.Get("decision").Text() == "block" && reason != "" && permission == "":
		return fate{}
	case permission == "allow" && updated.Exists():
		open.input = updated.Raw()
	case decision.Get("behavior").Text() == "deny":
		return fate{}
	case decision.Get("behavior").Text() == "allow":
		open.asks, open.granted = false, true
	}
	return open
}

func codexFields(name string) []string {
	switch name {
	case "PreToolUse":
		return []string{"hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"}
	case "PermissionRequest":
		return []string{"hookEventName", "decision"}
	}
	return []string{"hookEventName", "additionalContext"}
}

func only(v jsontext.Value, known ...string) bool {
	for m := range v.Members() {
		if !slices.Contains(known, m.Key) {
			return false
		}
	}
	return true
}

// readQwen leaves fields aside that it does not know, a changed input among them.
func readQwen(name, input string, a response.Answer) fate {
	open := fate{runs: true, input: input, asks: name == "PermissionRequest"}
	text := a.Stdout
	if a.Exit == 2 || blank(text) {
		text = a.Stderr
	}
	v, isJSON := object0(text)
	if !isJSON {
		open.granted = a.Exit != 2 && !blank(text) && !isValue(text)
		open.runs = a.Exit != 2 || blank(text) || isValue(text) || name == "PermissionRequest"
		return open
	}
	specific := v.Get("hookSpecificOutput")
	permission, decision := specific.Get("permissionDecision").Text(), specific.Get("decision")
	switch {
	case v.Get("continue").Raw() == "false" && name != "PermissionRequest":
		return fate{runs: name == "Stop"}
	case permission == "deny", permission == "" && v.Get("decision").Text() == "block", decision.Get("behavior").Text() == "deny":
		return fate{}
	case permission == "ask":
		open.asks = true
	case permission == "allow":
		open.granted = true
	case decision.Get("behavior").Text() == "allow":
		open.asks, open.granted = false, true
		if updated := decision.Get("updatedInput"); updated.Exists() {
			open.input = updated.Raw()
		}
	}
	return open
}

// readGemini reads standard output, and where that is empty standard error; what
// is no JSON blocks with exit code 2 and above.
func readGemini(name, input string, a response.Answer) fate {
	open := fate{runs: true, input: input}
	text := a.Stdout
	if blank(text) {
		text = a.Stderr
	}
	v, isJSON := object0(text)
	switch {
	case !isJSON:
		return fate{runs: a.Exit < 2 || blank(text) || isValue(text), input: input}
	case v.Get("continue").Raw() == "false" && name != "SessionStart":
		return fate{runs: name == "AfterAgent"}
	case v.Get("decision").Text() == "deny" || v.Get("decision").Text() == "block":
		return fate{}
	}
	var merged object
	changed := v.Path("hookSpecificOutput", "tool_input")
	old, _ := object0([]byte(input))
	for m := range old.Members() {
		if !changed.Get(m.Key).Exists() {
			merged.set(m.Key, m.Value.Raw())
		}
	}
	for m := range changed.Members() {
		merged.set(m.Key, m.Value.Raw())
	}
	open.input = merged.string()
	return open
}

// Generators.

func someText(t *rapid.T, label string) string {
	return rapid.SampledFrom([]string{"", " ", "no", "a\nb", `"q" <&>`, "{}", `{"decision":"allow"}`, "404", ` "no" `, "\ufeff", "\u00a0\ufeff \u200b"}).Draw(t, label)
}

// someSaid is what one hook may do on an event.
func someSaid(t *rapid.T, spec *event.Spec) said {
	s := said{closed: rapid.Bool().Draw(t, "closed"), err: someText(t, "stderr")}
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		s.late = true
	case 1, 2:
		s.exit, s.out = 2, someText(t, "stdout")
	case 3:
		s.exit = rapid.SampledFrom([]int{1, 3}).Draw(t, "exit")
	case 4:
		s.out = someText(t, "stdout")
	default:
		s.out = someObject(t, spec)
	}
	return s
}

func someObject(t *rapid.T, spec *event.Spec) string {
	var m object
	flip := func(label string) bool { return rapid.IntRange(0, 3).Draw(t, label) == 0 }
	if flip("stop") {
		m.set("continue", "false")
		m.set("stopReason", jsontext.Quote(someText(t, "stopReason")))
	}
	if flip("message") {
		m.set("systemMessage", `"look"`)
	}
	if flip("block") {
		m.set("decision", `"block"`)
		m.set("reason", jsontext.Quote(someText(t, "reason")))
	}
	if flip("bell") {
		m.set("terminalSequence", `"\u0007"`)
	}
	if flip("suppress") {
		m.set("suppressOutput", "true")
	}
	var inner object
	inner.set("hookEventName", jsontext.Quote(spec.Name))
	for _, rule := range spec.Output {
		if rapid.Bool().Draw(t, rule.Name) {
			inner.set(rule.Name, someValue(t, rule))
		}
	}
	m.set("hookSpecificOutput", inner.string())
	return m.string()
}

func someValue(t *rapid.T, rule event.OutputField) string {
	switch {
	case rule.Name == "decision":
		return rapid.SampledFrom([]string{
			`{"behavior":"allow"}`, `{"behavior":"deny"}`, `{"behavior":"deny","message":"m","interrupt":true}`,
			`{"behavior":"allow","updatedInput":{"command":"ls"},"updatedPermissions":[{"type":"x"}]}`,
		}).Draw(t, "behavior")
	case rule.Values != nil:
		return jsontext.Quote(rapid.SampledFrom(rule.Values).Draw(t, "value"))
	case rule.Type == "boolean":
		return rapid.SampledFrom([]string{"true", "false"}).Draw(t, "bool")
	case rule.Type == "string":
		return jsontext.Quote(someText(t, "text"))
	}
	return rapid.SampledFrom([]string{
		`{"command":"ls"}`, `{}`, `{"command":"ls","description":null,"run_in_background":true}`, `{"file_path":"/tmp/x","content":1.0}`,
		`{"pattern":"x","path":"/tmp","glob":"*"}`,
	}).Draw(t, "object")
}

// ownEvents are events with an action that a hook may hold back, by our name.
var ownEvents = map[string]string{
	"PreToolUse":        `"tool_input":{"command":"rm -rf build","description":"d","is_background":false}`,
	"PermissionRequest": `"tool_input":{"command":"rm -rf build"}`,
	"UserPromptSubmit":  `"prompt":"p"`,
	"Stop":              `"stop_hook_active":false`,
}

var toolNames = []string{"Bash", "run_shell_command", "write_file", "grep_search", "apply_patch", "list_directory", "other"}

func someEvent(t *rapid.T, a *Agent) (name, own string) {
	var names []string
	for _, name := range []string{"PreToolUse", "PreToolUse", "PermissionRequest", "UserPromptSubmit", "Stop"} {
		if a.named(name) != nil {
			names = append(names, name)
		}
	}
	name = rapid.SampledFrom(names).Draw(t, "event")
	tool := jsontext.Quote(rapid.SampledFrom(toolNames).Draw(t, "tool"))
	return name, `{"hook_event_name":` + jsontext.Quote(a.named(name).own) + `,"tool_name":` + tool + "," + ownEvents[name] + "}"
}

// canonicalInput reads what an agent runs as hooks would see it.
func canonicalInput(t *rapid.T, a *Agent, own, input string) jsontext.Value {
	changed, err := jsontext.Set([]byte(own), input, "tool_input")
	if err != nil {
		t.Fatal(err)
	}
	ev, err := a.Decode("", changed)
	if err != nil {
		t.Fatal(err)
	}
	v, _ := jsontext.Parse(ev.Data, jsontext.Limits{})
	return v.Get("tool_input")
}

// sameObject compares members, whatever their order.
func sameObject(a, b jsontext.Value) bool {
	within := func(a, b jsontext.Value) bool {
		for m := range a.Members() {
			if b.Get(m.Key).Raw() != a.Get(m.Key).Raw() {
				return false
			}
		}
		return true
	}
	return within(a, b) && within(b, a)
}

// No answer makes an agent run what the hooks stopped, asked about or changed.
func TestDenialsHold(t *testing.T) {
	for _, name := range Names() {
		a := must(t, name)
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				for range 8 {
					checkDenial(t, a)
				}
			})
		})
	}
}

func checkDenial(t *rapid.T, a *Agent) {
	name, own := someEvent(t, a)
	spec, _ := event.Lookup(name)
	var hooks []said
	for range rapid.IntRange(1, 3).Draw(t, "hooks") {
		hooks = append(hooks, someSaid(t, spec))
	}
	ev, out := fire(t, a, own, hooks...)
	opts := response.AnswerOptions{ExitCode: rapid.IntRange(0, 4).Draw(t, "exit") == 0 && a.Name != "theus"}
	ans, problems := a.Answer(out, ev, opts)
	checkForm(t, a, ans)
	for range len(out.Problems) + len(problems) { // as the command has it
		ans.Stderr = append(ans.Stderr, "theus-hooks: warning: …\n"...)
	}
	parsed, _ := jsontext.Parse([]byte(own), jsontext.Limits{})
	was := parsed.Get("tool_input").Raw()
	got := readers[a.Name](a.named(name).own, was, ans)
	fail := func(what string) {
		t.Fatalf("%s: %s\nhooks: %+v\noutcome: %s\nanswer: %d\n%s%s\nproblems: %v", a.Name, what, hooks, out.JSON(), ans.Exit, ans.Stdout, ans.Stderr, problems)
	}
	switch out.Decision {
	case response.DecisionAsk, response.DecisionDefer:
		if got.runs && !got.asks {
			fail("a question is lost")
		}
	case response.DecisionDeny, response.DecisionBlock:
		if got.runs {
			fail("a denial is lost")
		}
	}
	if out.Blocked && got.runs {
		fail("a block is lost")
	}
	if got.granted && out.Decision != response.DecisionAllow && spec.If {
		fail("it is granted what nobody allowed")
	}
	if !got.runs || got.asks || was == "" {
		return
	}
	ran, want := canonicalInput(t, a, own, got.input), canonicalInput(t, a, own, was)
	if out.UpdatedInput != nil {
		want, _ = jsontext.Parse(out.UpdatedInput, jsontext.Limits{})
	}
	if !sameObject(ran, want) {
		fail("it runs " + ran.Raw() + ", not " + want.Raw())
	}
}

func checkForm(t *rapid.T, a *Agent, ans response.Answer) {
	_, isJSON := object0(ans.Stdout)
	switch {
	case ans.Exit < 0 || ans.Exit > 2,
		ans.Exit != 0 && blank(ans.Stderr),
		len(ans.Stdout) > 0 && !isJSON,
		strings.Count(string(ans.Stdout), "\n") > 1,
		a.Name == "gemini" && ans.Exit == 0 && !isJSON:
		t.Fatalf("%s cannot read %d\n%s%s", a.Name, ans.Exit, ans.Stdout, ans.Stderr)
	}
}

// What we refuse does not run either.
func TestRefusalsHold(t *testing.T) {
	for _, name := range Names() {
		a := must(t, name)
		for _, failing := range []string{"PreToolUse", "PermissionRequest"} {
			spec, _ := event.Lookup(failing)
			ans := a.Refuse(spec, "managed settings cannot be read")
			own := failing
			if h := a.named(failing); h != nil {
				own = h.own
			}
			if got := readers[name](own, "{}", ans); got.runs {
				t.Errorf("%s runs after %s was refused: %d %s%s", name, failing, ans.Exit, ans.Stdout, ans.Stderr)
			}
		}
		spec, _ := event.Lookup("Stop")
		if ans := a.Refuse(spec, "x"); ans.Exit != 1 || len(ans.Stdout) > 0 || string(ans.Stderr) != "x\n" {
			t.Errorf("%s: %+v", name, ans)
		}
		if ans := a.Refuse(nil, "x"); ans.Exit != 1 {
			t.Errorf("%s: %+v", name, ans)
		}
	}
}
