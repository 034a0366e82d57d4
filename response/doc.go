// Package response owns what comes back from hooks: the result of one run, the
// verdict that it amounts to by the rules of its event, the outcome of all
// verdicts together, and the answer that tells a caller.
//
//	Result ──Decode──► Verdict ──Combine──► Outcome ──Answer──► Answer
//
// Every step is a pure function of its arguments: same results in, same bytes
// out, whatever finished first. Nothing here runs, reads files or prints. The
// rules of an event stand in its row of package event; no event is named here.
//
// Two promises hold for every input, and are tested as properties. A denial is
// never lost: not to a fault in the same output, to another hook's answer, nor
// to the shape it came in. And the answer means to a caller that treats us as
// one hook what all the hooks would have meant to it.
//
// The shortest use:
//
//	v := response.Decode(ev, hook, result)
//	out := response.Combine(ev, []response.Verdict{v})
//	ans := out.Answer(response.AnswerOptions{})
//
// Where the answer's texts would be too long for the model, AnswerOptions.Spill
// keeps them whole; hosts that use an Outcome directly call Bound for the same.
package response
