// Package shell reads command text without running it: which simple commands
// stand in it (for permission rules), and which engine can run it faithfully
// (for execution and lint). Both walk the syntax tree of mvdan.cc/sh; text is
// never split by hand.
//
// Its limits: text is read as bash, bounded in length and nesting before the
// parser sees it, and nothing is expanded, so a word that is known only at run
// time is reported as such.
//
// The shortest use:
//
//	script, err := shell.Parse(`git fetch && rm -rf "$DIR"`)
//	if err != nil {
//		// too long, too deep or not bash: nothing is known
//	}
//	for _, c := range script.Commands() { … }
package shell
