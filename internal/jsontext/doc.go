// Package jsontext is the one place where this module reads and edits JSON.
//
// It stands in front of tidwall/gjson and tidwall/sjson and closes what they
// leave open: text is validated and bounded in size and depth before gjson
// walks it, strings are decoded here (gjson swallows the escape that follows a
// lone surrogate), doubled keys are visible, and every key is escaped before
// sjson sees it. Numbers and strings keep their exact bytes until a caller
// asks for a decoded value.
//
// The shortest use:
//
//	v, err := jsontext.Parse(data, jsontext.Limits{Bytes: 1 << 20, Depth: 100})
//	if err != nil {
//		return err // a *SyntaxError or a *LimitError, with the place
//	}
//	name := v.Get("tool_name").Text()
//
// Parse is strict (RFC 8259). ParseRelaxed also forgives what people write in
// settings files (a byte order mark, comments, trailing commas) and says where.
package jsontext
