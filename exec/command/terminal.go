package command

import (
	"bytes"
	"regexp"
	"sync"
)

// plain makes what was written to a terminal what a pipe would have held. Line
// ends are those of files, also where the command changed the terminal's mode.
// JSON, which programs like to colour on a terminal, loses its colours; text
// keeps them.
func plain(out []byte) []byte {
	out = bytes.ReplaceAll(out, []byte("\r\n"), []byte("\n"))
	if bytes.IndexByte(out, esc) < 0 {
		return out
	}
	bare := sequences().ReplaceAll(out, nil)
	if bytes.HasPrefix(bytes.TrimSpace(bare), []byte("{")) {
		return bare
	}
	return out
}

const esc = 0x1b

// sequences matches what steers a terminal: ESC [ … (colours, cursor), ESC ] …
// up to BEL or ESC \ (titles), and other characters behind an ESC. It is
// compiled when it is first needed: few hooks have a terminal.
var sequences = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-Z\\^-~]`)
})
