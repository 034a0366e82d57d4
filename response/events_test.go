package response

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/theus-hooks/theus-hooks/settings/event"
)

// Every event has these cases; testdata/events.txt says what comes of them.
var requiredCases = []string{"silent", "text", "exit 2", "exit 1", "json", "wrong", "stop"}

// facts is what a case is about, on both sides.
type facts struct {
	Status                               Status
	Decision                             Decision
	Blocked, Stopped                     bool
	Reason, StopReason, Context, Message string
	Problems                             []string
	Exit                                 int
	Stdout, Stderr                       string
}

type eventCase struct {
	event, name string
	line        int
	result      Result
	want        facts
}

func TestEvents(t *testing.T) {
	cases := append(readCases(t, "testdata/events.txt"), readCases(t, "testdata/events-2.txt")...)
	names := map[string][]string{}
	for _, c := range cases {
		names[c.event] = append(names[c.event], c.name)
		t.Run(c.event+"/"+c.name, func(t *testing.T) {
			ev := example(t, c.event)
			v := Decode(ev, Hook{ID: "1", Name: "guard", Type: "command"}, c.result)
			got := factsOf(v, Combine(ev, []Verdict{v}))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("line %d (-want +got):\n%s\nproblems: %v", c.line, diff, v.Problems)
			}
		})
	}
	for _, spec := range event.All() {
		for _, name := range requiredCases {
			if !slices.Contains(names[spec.Name], name) {
				t.Errorf("%s has no case %q", spec.Name, name)
			}
		}
	}
}

func factsOf(v Verdict, o *Outcome) facts {
	a := o.Answer(AnswerOptions{})
	f := facts{
		Status: v.Report.Result.Status, Decision: o.Decision, Blocked: o.Blocked, Stopped: !o.Continue,
		Reason: o.Reason, StopReason: o.StopReason, Context: lines(o.AdditionalContext), Message: lines(o.SystemMessages),
		Exit: a.Exit, Stdout: strings.TrimSuffix(string(a.Stdout), "\n"), Stderr: strings.TrimSuffix(string(a.Stderr), "\n"),
	}
	for _, p := range o.Problems {
		f.Problems = append(f.Problems, p.Code)
	}
	return f
}

// example is the event of its row in the table.
func example(t testing.TB, name string) *event.Event {
	t.Helper()
	spec, ok := event.Lookup(name)
	if !ok {
		t.Fatalf("no event %q", name)
	}
	ev, err := event.Decode(spec, []byte(spec.Example.Input))
	if err != nil {
		t.Fatal(err)
	}
	return ev
}

var token = regexp.MustCompile("`[^`]*`|\\S+")

// readCases reads a file in the format that testdata/events.txt explains.
func readCases(t testing.TB, path string) []eventCase {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []eventCase
	name := ""
	for i, text := range strings.Split(string(data), "\n") {
		text = strings.TrimSpace(text)
		switch {
		case text == "" || text[0] == '#':
		case text[0] == '[':
			name = strings.Trim(text, "[]")
		case strings.HasPrefix(text, "-> "):
			readWant(t, &cases[len(cases)-1].want, token.FindAllString(text, -1)[1:])
		case strings.HasPrefix(text, "= "):
			readAnswer(t, &cases[len(cases)-1].want, token.FindAllString(text, -1)[1:])
		default:
			title, run, _ := strings.Cut(text, ": ")
			cases = append(cases, eventCase{event: name, name: title, line: i + 1, result: readRun(t, token.FindAllString(run, -1))})
		}
	}
	return cases
}

func readRun(t testing.TB, words []string) Result {
	code := number(t, words[1])
	res := Result{Status: Failed, ExitCode: &code}
	switch code {
	case 0:
		res.Status = OK
	case 2:
		res.Status = Blocked
	}
	for i := 2; i < len(words); i += 2 {
		text := strings.Trim(words[i+1], "`") + "\n"
		switch words[i] {
		case "out":
			res.Stdout = []byte(text)
		case "err":
			res.Stderr = []byte(text)
		default:
			t.Fatalf("word %q", words[i])
		}
	}
	return res
}

func readWant(t testing.TB, want *facts, words []string) {
	want.Status, want.Decision = Status(words[0]), Decision(words[1])
	texts := map[string]*string{"reason": &want.Reason, "stopReason": &want.StopReason, "context": &want.Context, "message": &want.Message}
	for i := 2; i < len(words); i++ {
		switch word := words[i]; {
		case word == "blocked":
			want.Blocked = true
		case word == "stopped":
			want.Stopped = true
		case word == "!":
			want.Problems = words[i+1:]
			return
		case texts[word] != nil:
			i++
			*texts[word] = strings.Trim(words[i], "`")
		default:
			t.Fatalf("word %q", word)
		}
	}
}

func readAnswer(t testing.TB, want *facts, words []string) {
	want.Exit = number(t, words[0])
	for i := 1; i < len(words); i += 2 {
		switch words[i] {
		case "out":
			want.Stdout = strings.Trim(words[i+1], "`")
		case "err":
			want.Stderr = strings.Trim(words[i+1], "`")
		default:
			t.Fatalf("word %q", words[i])
		}
	}
}

func number(t testing.TB, word string) int {
	t.Helper()
	n, err := strconv.Atoi(word)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
