// Package jq does in process what a call of jq does, where that is known to
// come out the same: the filter, the flags and then the values met on the way
// are each on an allow-list, and whatever is not leaves the call to the machine's
// jq. The engine below is itchyny/gojq; what it does otherwise than jq is
// replaced, on the filter's syntax tree, by functions of this package: text of
// objects in jq's order of keys, numbers that every jq prints alike, regular
// expressions that mean the same to both engines.
//
// Nothing is printed before everything is known, so a call that turns out to
// be beyond the list can still be given, with the same input, to the real jq.
// The list is proven against jq 1.6 and leaves out what later versions document
// as changed.
//
// Without a jq on the machine Emulate runs any filter as gojq understands it.
//
//	call, err := jq.Parse([]string{"-r", ".tool_input.command"})
//	if err != nil || !call.Known() {
//		// the real jq
//	}
//	out, err := call.Prove(ctx, stdin, env) // ErrUnproven: the real jq
package jq
