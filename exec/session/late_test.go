package session

import "testing"

// What is known of a run is read while others write it: what is half the old and
// half the new names no process, and may wake the agent.
func TestInfoThatIsBeingWritten(t *testing.T) {
	s := open(t)
	run, err := s.StartRun(RunInfo{Hook: "h"})
	if err != nil {
		t.Fatal(err)
	}
	defer run.Abandon()
	for text, want := range map[string]RunInfo{
		`{"hook":"h","rewake":false,"hosted":false,"owner":120,"again":120}`: {Hook: "h", Owner: 120},
		`{"hook":"h","rewake":false,"hosted":false,"owner":12,"again":120}`:  {Rewake: true},
		`{"hook":"h","rewake":false,"hosted":false,"owner":12`:               {Rewake: true},
		``: {Rewake: true},
	} {
		if err := run.file.Truncate(0); err != nil {
			t.Fatal(err)
		}
		if _, err := run.file.WriteAt([]byte(text), 0); err != nil {
			t.Fatal(err)
		}
		runs, err := s.Runs()
		if err != nil || len(runs) != 1 || runs[run.ID] != want {
			t.Errorf("%q: %+v, %v", text, runs, err)
		}
	}
}
