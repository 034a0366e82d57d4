package agent

import "github.com/theus-hooks/theus-hooks/internal/jsontext"

// object writes a JSON object member by member. The zero object is empty.
type object struct{ text []byte }

func (o *object) set(key, raw string) {
	separator := byte(',')
	if len(o.text) == 0 {
		separator = '{'
	}
	o.text = append(append(append(append(o.text, separator), jsontext.Quote(key)...), ':'), raw...)
}

func (o *object) string() string {
	if len(o.text) == 0 {
		return "{}"
	}
	return string(append(o.text, '}'))
}
