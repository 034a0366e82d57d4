package jq

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// documents splits a stream of JSON values, which must still be read: text that
// is no JSON comes out as a document that is none. Values stand apart by white
// space or end with a bracket or a quote.
func documents(data []byte) [][]byte {
	var docs [][]byte
	for {
		data = bytes.TrimLeft(data, " \t\r\n")
		if len(data) == 0 {
			return docs
		}
		n := documentEnd(data)
		docs = append(docs, data[:n])
		data = data[n:]
	}
}

// documentEnd is where the value at the start of data ends.
func documentEnd(data []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
			if !quoted && depth == 0 {
				return i + 1
			}
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth <= 0 {
				return i + 1
			}
		case depth == 0 && strings.IndexByte(" \t\r\n", c) >= 0:
			return i
		}
	}
	return len(data)
}

// lines are what -R makes of the input.
func lines(data []byte) []string {
	text := string(data)
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// plain reports whether jq takes the text as it is: bytes that are not UTF-8
// are replaced, and not by every version alike, and so are lone surrogates, of
// which a decoder leaves this sign.
func plain(s string) bool {
	return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 && !strings.ContainsRune(s, utf8.RuneError)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
