// Package module will run hook modules: JavaScript and TypeScript files that
// register handlers for the agent's events.
//
// It is not built yet. It belongs to theus-hooks-host, since a JavaScript engine
// is too heavy for the hot path.
package module
