package response

import (
	"slices"
	"strconv"
	"strings"
)

// oscAllowed are the operating system commands a hook may send to the
// terminal: titles (0, 1, 2) and notifications (9, 99, 777).
var oscAllowed = []int{0, 1, 2, 9, 99, 777}

// checkTerminal says what is wrong with a terminalSequence, "" when it holds
// only bells and allowed commands, each ended by BEL or ST.
func checkTerminal(s string) string {
	for s != "" {
		if s[0] == '\a' {
			s = s[1:]
			continue
		}
		rest, ok := strings.CutPrefix(s, "\x1b]")
		if !ok {
			return "only BEL and OSC sequences are passed on"
		}
		body, after, ok := cutOSC(rest)
		if !ok {
			return "an OSC sequence must end with BEL or ST and hold no other control character"
		}
		number, _, _ := strings.Cut(body, ";")
		if n, err := strconv.Atoi(number); err != nil || strconv.Itoa(n) != number || !slices.Contains(oscAllowed, n) {
			return "OSC " + strconv.Quote(clip(number, 20)) + " is not one of 0, 1, 2, 9, 99, 777"
		}
		s = after
	}
	return ""
}

// cutOSC splits behind the terminator of an OSC sequence whose start is gone.
func cutOSC(s string) (body, after string, ok bool) {
	end := strings.IndexFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 })
	switch {
	case end < 0:
		return "", "", false
	case s[end] == '\a':
		return s[:end], s[end+1:], true
	case strings.HasPrefix(s[end:], "\x1b\\"):
		return s[:end], s[end+2:], true
	}
	return "", "", false
}
