package background

import (
	"encoding/base64"
	"errors"
	"io"
	"os"
	"time"

	"github.com/theus-hooks/theus-hooks/envfile"
	"github.com/theus-hooks/theus-hooks/exec/command"
	"github.com/theus-hooks/theus-hooks/exec/session"
	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/response"
)

// A Job is a hook to run in the background and all that is needed for it.
type Job struct {
	Hook    response.Hook
	Event   string // by its name
	Command command.Job
	// Rewake: an exit code 2 wakes the agent.
	Rewake bool
	// Once: a run that succeeds is the only one of the session.
	Once bool

	// EnvFile is what the hook may write exports to, removed when it has ended.
	// "": it has none.
	EnvFile string
	// Parent and Settings are the environment that exports are evaluated in:
	// below and above those of the session.
	Parent   []string
	Settings []envfile.Change
	// Restricted: the hook comes with a repository.
	Restricted bool

	// Left is a command that runs already, in place of Command. Nil: it is to be
	// started.
	Left *command.Left
}

// maxJob bounds a job as it is handed over, in bytes.
const maxJob = 256 << 20

// jobJSON is a job on its way to another process, with the session it belongs
// to. What may hold any bytes is base64.
type jobJSON struct {
	State      string        `json:"state"`
	Run        string        `json:"run"`
	Hook       hookJSON      `json:"hook"`
	Event      string        `json:"event"`
	Rewake     bool          `json:"rewake"`
	Once       bool          `json:"once"`
	EnvFile    []byte        `json:"envFile"`
	Parent     [][]byte      `json:"parent"`
	Settings   [][2][]byte   `json:"settings"`
	Restricted bool          `json:"restricted"`
	Command    commandJSON   `json:"command"`
	Timeout    time.Duration `json:"timeout"` // in nanoseconds
	Left       *leftJSON     `json:"left,omitempty"`
}

// leftJSON is a command that runs already; its files are inherited.
type leftJSON struct {
	Pid     int           `json:"pid"`
	Tag     string        `json:"tag"`
	Stdout  []byte        `json:"stdout"`
	Stderr  []byte        `json:"stderr"`
	Unfed   []byte        `json:"unfed"`
	Files   int           `json:"files"`
	Timeout time.Duration `json:"timeout"` // in nanoseconds
}

type hookJSON struct {
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Type    string          `json:"type"`
	Source  response.Source `json:"source"`
	Observe bool            `json:"observe"`
}

type commandJSON struct {
	Command []byte   `json:"command"`
	Args    [][]byte `json:"args"`
	Exec    bool     `json:"exec"`
	Shell   string   `json:"shell"`
	Pty     bool     `json:"pty"`
	Rows    uint16   `json:"rows"`
	Columns uint16   `json:"columns"`
	Dir     []byte   `json:"dir"`
	Env     [][]byte `json:"env"`
	Stdin   []byte   `json:"stdin"`
}

// encode writes the job for another process. state is the session's folder and
// run the announced run, "" without a session.
func (j Job) encode(state, run string) ([]byte, error) {
	c := j.Command
	out := jobJSON{
		State: state, Run: run, Event: j.Event, Rewake: j.Rewake, Once: j.Once, Restricted: j.Restricted,
		Hook:    hookJSON{j.Hook.ID, j.Hook.Name, j.Hook.Type, j.Hook.Source, j.Hook.Observe},
		EnvFile: []byte(j.EnvFile), Parent: raw(j.Parent), Timeout: c.Timeout,
		Command: commandJSON{[]byte(c.Command), raw(c.Args), c.Exec, c.Shell, c.Pty, c.Window.Rows, c.Window.Columns, []byte(c.Dir), raw(c.Env), c.Stdin},
	}
	for _, v := range j.Settings {
		out.Settings = append(out.Settings, [2][]byte{[]byte(v.Name), []byte(v.Value)})
	}
	if l := j.Left; l != nil {
		out.Command = commandJSON{Dir: []byte(c.Dir)} // where its exports are evaluated
		out.Left = &leftJSON{l.Pid, l.Tag, l.Stdout, l.Stderr, l.Unfed, len(l.Files()), l.Timeout}
	}
	return jsontext.Marshal(out)
}

func raw(list []string) [][]byte {
	out := make([][]byte, len(list))
	for i, s := range list {
		out[i] = []byte(s)
	}
	return out
}

var errJob = errors.New("the job of a background hook cannot be read")

// decodeJob reads what encode wrote. files are those of a command that runs
// already, as many as the job says.
func decodeJob(in io.Reader, files func(n int) []*os.File) (j Job, state, run string, err error) {
	text, err := io.ReadAll(io.LimitReader(in, maxJob))
	if err != nil {
		return j, "", "", err
	}
	v, err := jsontext.Parse(text, jsontext.Limits{Bytes: maxJob, Depth: 8})
	if err != nil {
		return j, "", "", errors.Join(errJob, err)
	}
	d := &jobReader{}
	hook, at, c := v.Get("hook"), v.Path("hook", "source"), v.Get("command")
	j = Job{
		Hook: response.Hook{
			ID: hook.Get("id").Text(), Name: hook.Get("name").Text(), Type: hook.Get("type").Text(), Observe: hook.Get("observe").Bool(),
			Source: response.Source{Scope: at.Get("scope").Text(), File: at.Get("file").Text(), Line: int(at.Get("line").Float()), Path: at.Get("path").Text()},
		},
		Event: v.Get("event").Text(), Rewake: v.Get("rewake").Bool(), Once: v.Get("once").Bool(), Restricted: v.Get("restricted").Bool(),
		EnvFile: d.bytes(v.Get("envFile")), Parent: d.list(v.Get("parent")),
		Command: command.Job{
			Command: d.bytes(c.Get("command")), Args: d.list(c.Get("args")), Exec: c.Get("exec").Bool(), Shell: c.Get("shell").Text(),
			Pty: c.Get("pty").Bool(), Dir: d.bytes(c.Get("dir")), Env: d.list(c.Get("env")), Stdin: []byte(d.bytes(c.Get("stdin"))),
			Window:  command.Window{Rows: uint16(c.Get("rows").Float()), Columns: uint16(c.Get("columns").Float())},
			Timeout: time.Duration(v.Get("timeout").Float()),
		},
	}
	for _, pair := range v.Get("settings").Elements() {
		if both := d.list(pair); len(both) == 2 {
			j.Settings = append(j.Settings, envfile.Change{Name: both[0], Value: both[1]})
		}
	}
	if left := v.Get("left"); left.Exists() {
		j.Left = &command.Left{
			Pid: int(left.Get("pid").Float()), Tag: left.Get("tag").Text(), Timeout: time.Duration(left.Get("timeout").Float()),
			Stdout: []byte(d.bytes(left.Get("stdout"))), Stderr: []byte(d.bytes(left.Get("stderr"))), Unfed: []byte(d.bytes(left.Get("unfed"))),
		}
	}
	return j, v.Get("state").Text(), v.Get("run").Text(), d.take(j.Left, files(int(v.Path("left", "files").Float())))
}

// take gives a command that runs already its files.
func (d *jobReader) take(l *command.Left, files []*os.File) error {
	switch {
	case l == nil || d.err != nil:
		return d.err
	case l.Pid <= 1 || len(files) < 2:
		return errJob
	}
	l.Out, l.Err = files[0], files[1]
	if len(files) > 2 {
		l.In = files[2]
	}
	return nil
}

// A jobReader decodes base64 and remembers what could not be.
type jobReader struct{ err error }

func (d *jobReader) bytes(v jsontext.Value) string {
	data, err := base64.StdEncoding.DecodeString(v.Text())
	if err != nil {
		d.err = errors.Join(errJob, err)
	}
	return string(data)
}

func (d *jobReader) list(v jsontext.Value) []string {
	var list []string
	for _, e := range v.Elements() {
		list = append(list, d.bytes(e))
	}
	return list
}

// removeEnvFile takes the file for exports away.
func (j Job) removeEnvFile() {
	if j.EnvFile != "" {
		_ = session.RemoveEnvFile(j.EnvFile) // best effort: the sweep of old sessions takes what stays
	}
}
