// Package response owns what comes back from hooks: the result of one run, the
// verdict that it amounts to by the rules of its event, the outcome of all
// verdicts together, and the answer that tells a caller.
//
//	result ──Decode──► verdict ──Combine──► outcome ──Encode──► answer
//
// Every step is a pure function of its arguments: same results in, same bytes
// out, whatever finished first. Nothing here runs, reads or prints.
//
// The shortest use:
//
//	v := response.Decode(ev, hook, result)
//	out := response.Combine(ev, []response.Verdict{v})
//	ans := out.Answer()
package response
