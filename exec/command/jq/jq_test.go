package jq

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/shell"
)

// A jqCase is one line of the corpus with the input that it gets.
type jqCase struct {
	name   string
	proven bool
	args   []string
	input  string
}

func corpus(t testing.TB) (cases []jqCase) {
	t.Helper()
	data, err := os.ReadFile("testdata/corpus.txt")
	if err != nil {
		t.Fatal(err)
	}
	title, input := "", ""
	lines := strings.Split(string(data), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "<< "):
			title, input = strings.TrimPrefix(line, "<< "), ""
			for i++; lines[i] != ">>"; i++ {
				input += lines[i] + "\n"
			}
			if name, ok := strings.CutPrefix(title, "@"); ok {
				text, err := os.ReadFile(filepath.Join("testdata/events", name))
				if err != nil {
					t.Fatal(err)
				}
				input = string(text)
			}
			input = strings.ReplaceAll(input, "␍", "\r")
		default:
			who, rest, _ := strings.Cut(line, " ")
			args, err := shell.Fields(rest, func(string) string { return "" })
			if err != nil || who != "proven" && who != "machine" {
				t.Fatalf("corpus line %d: %q: %v", i+1, line, err)
			}
			cases = append(cases, jqCase{title + ": " + rest, who == "proven", args, input})
		}
	}
	return cases
}

var environment = []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C.UTF-8", "UTF=añ"}

// machine is what the machine's jq makes of a case.
func machine(t testing.TB, args []string, input string) Output {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "jq", args...)
	cmd.Env, cmd.Stdin = environment, strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return Output{stdout.Bytes(), stderr.Bytes(), cmd.ProcessState.ExitCode()}
}

func prove(args []string, input string) (Output, error) {
	call, err := Parse(args)
	if err != nil {
		return Output{}, errors.Join(ErrUnproven, err)
	}
	return call.Prove(context.Background(), [][]byte{[]byte(input)}, environment)
}

// TestAsJq runs the corpus: what is proven is done as the machine's jq does it,
// and what is not on the list stays off it.
func TestAsJq(t *testing.T) {
	proven, all := 0, corpus(t)
	for _, c := range all {
		if c.proven {
			proven++
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := prove(c.args, c.input)
			switch {
			case !c.proven && err == nil:
				t.Fatalf("done in process: %s", got.Stdout)
			case !c.proven && !errors.Is(err, ErrUnproven):
				t.Fatal(err)
			case !c.proven:
				return
			case err != nil:
				t.Fatal(err)
			}
			want := machine(t, c.args, c.input)
			if !bytes.Equal(got.Stdout, want.Stdout) || got.Status != want.Status || len(want.Stderr) > 0 {
				t.Errorf("status %d, want %d\n got %q\nwant %q\n%s", got.Status, want.Status, got.Stdout, want.Stdout, want.Stderr)
			}
		})
	}
	if len(all) < 150 || proven < 80 {
		t.Errorf("%d cases, %d of them in process", len(all), proven)
	}
}
