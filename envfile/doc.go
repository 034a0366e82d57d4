// Package envfile turns what a hook wrote to its environment file into changes
// of the environment, and writes such changes for shells and programs.
//
// The file is a shell script. Assignments, export, unset, readonly and
// declare -x with quoting, tilde and the usual parameter expansions are
// evaluated here, over the syntax tree, with the results bash gives; as under
// set -a, a plain A=1 is an export. Anything more is given to the machine's
// bash (else sh) in a process of its own, under a time limit; on a machine
// without one it is reported by line while the rest applies.
//
// Its limits: a text of MaxText bytes, values of MaxValue bytes; functions and
// arrays are not exported; a byte order mark and carriage returns before line
// feeds are dropped with a problem. Dotenv files are none of its business,
// except that Format can write one.
//
// The shortest use:
//
//	text, err := envfile.Read(path)
//	…
//	changes, problems, err := envfile.Evaluate(ctx, text, envfile.Options{Env: env})
//	…
//	env = envfile.Apply(env, changes)
//
// Several files of one event are evaluated one after the other, each with the
// environment that the ones before it left, and joined by Merge.
package envfile
