// Package settings reads one settings file: its hooks as groups and handlers in
// the order of the text, its policy keys, and what is wrong with it, each with
// line, column and JSON path.
//
// Reading is tolerant on purpose: what is broken costs the smallest part that
// holds it (a field, else the entry, the group, the event, the file), and what
// can be read in one way only is read that way and reported. A guard must not
// die of a comma. Keys that are not ours are never interpreted.
//
// Its limits: one file at a time (package precedence finds and merges them),
// 16 MiB and 200 levels each.
//
// The shortest use:
//
//	file := settings.Parse("settings.json", data)
//	for _, p := range file.Problems {
//		log.Println(p)
//	}
//	for _, g := range file.Groups { … }
package settings
