package background

import (
	"fmt"
	"unicode/utf8"

	"github.com/theus-hooks/theus-hooks/exec/session"
	"github.com/theus-hooks/theus-hooks/internal/jsontext"
	"github.com/theus-hooks/theus-hooks/response"
)

// maxText bounds each text of a record, in bytes: many times what an agent is
// ever shown.
const maxText = 256 << 10

type lateJSON struct {
	Status   response.Status    `json:"status"`
	Context  string             `json:"context"`
	Message  string             `json:"message"`
	Failure  string             `json:"failure"`
	Wake     string             `json:"wake"`
	Problems []response.Problem `json:"problems"`
}

func encodeLate(l response.Late) []byte {
	text, _ := jsontext.Marshal(lateJSON{l.Status, cut(l.Context), cut(l.Message), cut(l.Failure), cut(l.Wake), l.Problems}) // strings always encode
	return text
}

func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + fmt.Sprintf("…\n[%d bytes in all; the rest was not kept]", len(text))
}

func decodeLate(record []byte) (response.Late, error) {
	v, err := jsontext.Parse(record, jsontext.Limits{Depth: 8})
	if err != nil {
		return response.Late{}, err
	}
	l := response.Late{
		Status: response.Status(v.Get("status").Text()), Context: v.Get("context").Text(), Message: v.Get("message").Text(),
		Failure: v.Get("failure").Text(), Wake: v.Get("wake").Text(),
	}
	for _, p := range v.Get("problems").Elements() {
		l.Problems = append(l.Problems, response.Problem{
			Severity: p.Get("severity").Text(), Code: p.Get("code").Text(), Message: p.Get("message").Text(),
			File: p.Get("file").Text(), Line: int(p.Get("line").Float()), Column: int(p.Get("column").Float()), Path: p.Get("path").Text(),
		})
	}
	return l, nil
}

// Pending is what hooks in the background had to say at some moment.
type Pending []session.Late

// Look returns what hooks in the background of the session have left to be told
// until now, in the order in which they ended.
func Look(sess *session.Session) (Pending, error) { return sess.Late() }

// Take takes what wanted says yes to. What one caller has taken no other gets.
func (p Pending) Take(wanted func(response.Late) bool) []response.Late {
	var taken []response.Late
	for _, entry := range p {
		late, ok := read(entry)
		if ok && wanted(late) && entry.Take() {
			taken = append(taken, late)
		}
	}
	return taken
}

func read(entry session.Late) (response.Late, bool) {
	if entry.Lost {
		return response.Late{Status: response.Killed, Failure: fmt.Sprintf("hook %s: the process that ran it in the background is gone; what it had to say is lost", entry.Hook)}, true
	}
	record, ok := entry.Read()
	if !ok {
		return response.Late{}, false
	}
	late, err := decodeLate(record)
	if err != nil {
		late.Problems = []response.Problem{{Severity: "warning", Code: "session-state", Message: "what a hook said in the background cannot be read: " + err.Error()}}
	}
	return late, true
}
