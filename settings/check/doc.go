// Package check is the linter of settings files: what package settings reports
// while it reads, and the mistakes that show only when events, tools, scripts
// and the other sources are looked at too.
//
// Every rule has a stable id, a severity and a page of its own (docs/checks.md,
// generated from the table here). An error is a part that cannot be read or used
// as written; a warning is read but likely does not do what was meant. Severities
// are those of a linter: at run time a broken part costs only itself.
//
// Its limits: nothing is run, no network is used, and of a script only its text
// is read. Where a script is not there, it is only missed if the directory that
// should hold it is there, so that a file can be checked away from its project.
//
// The shortest use:
//
//	cfg := precedence.Load(precedence.Options{Env: os.Environ(), Dir: dir})
//	for _, p := range check.Sources(cfg, check.Options{Env: os.Environ()}) {
//		fmt.Println(p)
//	}
package check
