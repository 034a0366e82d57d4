// Package httphook will run hooks of type http: the event as the body of a POST,
// the answer as a command's standard output would be.
//
// It is not built yet. Until it is, a hook of that type ends as could-not-start,
// which `onFailure: block` turns into a block. It belongs to theus-hooks-host,
// since net/http is too heavy for the hot path.
package httphook
