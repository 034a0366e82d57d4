// Package jsonedit changes a JSON text that people keep by hand in the smallest
// way: it adds, removes or replaces one value and leaves every other byte as it
// was, comments, trailing commas, line ends and a byte order mark included.
//
//	text, _, err := jsonedit.Parse(data, limits)
//	data = text.Append(text.Root(), jsonedit.Item{Key: "hooks", Raw: `{}`})
//
// What Append added last, Remove takes out again without a trace, and nothing
// is kept beside the text for that: it shows in the text itself. An item that
// is put into an empty container stands right behind its bracket; a container
// that Append lays out has white space there (see Loose). So whoever removes
// the last item of a container knows whether the container was there before.
package jsonedit
