// Package agent knows the programs that call hooks: what each sends, and what
// it honours of an answer.
//
//	own event ──Decode──► canonical event … Outcome ──Answer──► own answer
//
// Each agent is one file of data: the names of its events and tools, the
// fields that it calls otherwise, and what its events cannot express. Decode and
// Answer read that data, and so does the table that Capabilities prints, so that
// an answer is never degraded in a way that the table does not show. Nothing
// about an agent stands anywhere else.
//
// What an agent does not honour is degraded towards the safer side: a call that
// a hook wanted to stop, to ask about or to change never runs as it was. Each
// degradation is a problem with the code "degraded". The facts behind the data
// are told in docs/agents.md, by the same ids.
//
// The shortest use:
//
//	a, _ := agent.Lookup("gemini")
//	ev, err := a.Decode("BeforeTool", stdin)
//	if err != nil {
//		return a.Refuse(spec, err.Error())
//	}
//	out, err := engine.Fire(ctx, ev.Name, ev.Data)
//	answer, problems := a.Answer(out, ev, response.AnswerOptions{})
package agent
