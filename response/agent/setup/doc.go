// Package setup writes calls of theus-hooks into the configuration of an agent,
// and takes them out again.
//
//	s := setup.New(codex, "theus-hooks")
//	file, err := setup.Open(path)
//	change, err := s.Install(file.Text, file.Exists)
//	err = file.Write(change, false)
//
// An entry is known by its command, "theus-hooks run EVENT --agent NAME", and by
// nothing else: no record is kept beside the file. All bytes that are not such
// entries stay as they are, and Remove gives the text back that Install was
// given, unless somebody edited it since.
package setup
