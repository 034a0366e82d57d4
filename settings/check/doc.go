// Package check will be the linter of settings files: what package settings
// reports while reading, and the mistakes that only show when sources, events
// and the file system are seen together.
//
// It is not built yet; until then [github.com/theus-hooks/theus-hooks/settings.Parse]
// reports what reading finds.
package check
