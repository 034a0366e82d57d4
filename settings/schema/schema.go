// Package schema holds the JSON Schemas (2020-12) of what theus-hooks reads and
// writes: settings files, events, the output of hooks, outcomes.
//
// They are generated from the table of events, the fields that package settings
// reads and the types of package response, by this package's tests, which fail
// when a file is not current:
//
//	go test ./settings/schema -update
//
// Their limits: they say what a value looks like, not what it means. Keys that
// are not ours are allowed everywhere in settings, events and output, since
// other tools keep theirs there; in an outcome, which only we write, they are
// not.
package schema

import _ "embed"

var (
	//go:embed settings.schema.json
	settingsText string
	//go:embed input.schema.json
	inputText string
	//go:embed output.schema.json
	outputText string
	//go:embed outcome.schema.json
	outcomeText string
)

// Names lists the schemas that Text has.
func Names() []string { return []string{"settings", "input", "output", "outcome"} }

// Text is the schema of that name, as JSON.
func Text(name string) ([]byte, bool) {
	switch name {
	case "settings":
		return []byte(settingsText), true
	case "input":
		return []byte(inputText), true
	case "output":
		return []byte(outputText), true
	case "outcome":
		return []byte(outcomeText), true
	}
	return nil, false
}
