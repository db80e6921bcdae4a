package rawjson

import (
	"bytes"
	"strconv"
)

// SurrogateLen is the length of an escape such as \ud83d.
const SurrogateLen = len(`\ud83d`)

// LoneSurrogate is the escape of half a surrogate pair in a JSON string, without the other half.
type LoneSurrogate struct {
	At            int  // index of its backslash
	First         bool // the first half of a pair
	AtStringBegin bool
	AtStringEnd   bool
}

// LoneSurrogates returns the lone surrogates in the strings of JSON text, in order.
func LoneSurrogates(text []byte) (list []LoneSurrogate) {
	escapeEnd := 0 // end of the last escape
	for at := 0; ; at = escapeEnd {
		n := bytes.IndexByte(text[at:], '\\')
		if n < 0 {
			return list
		}
		at += n
		afterEscape := at == escapeEnd
		first, second := halfAt(text, at)
		switch {
		case !first && !second:
			escapeEnd = min(at+2, len(text)) // the digits of any other \u contain no backslash
			continue
		case first:
			if _, paired := halfAt(text, at+SurrogateLen); paired {
				escapeEnd = at + 2*SurrogateLen
				continue
			}
		}
		escapeEnd = at + SurrogateLen
		list = append(list, LoneSurrogate{
			At: at, First: first,
			AtStringBegin: at > 0 && text[at-1] == '"' && !afterEscape,
			AtStringEnd:   escapeEnd < len(text) && text[escapeEnd] == '"',
		})
	}
}

// halfAt reports whether text has the escape of a first or second half of a surrogate pair at this
// index.
func halfAt(text []byte, at int) (first, second bool) {
	if len(text)-at < SurrogateLen || text[at] != '\\' || text[at+1] != 'u' || text[at+2]|0x20 != 'd' {
		return false, false
	}
	half, err := strconv.ParseUint(string(text[at+2:at+SurrogateLen]), 16, 16)
	if err != nil {
		return false, false
	}
	return half >= 0xd800 && half < 0xdc00, half >= 0xdc00
}

// ReplaceLoneSurrogates replaces each lone surrogate in JSON text with the escape of U+FFFD. If
// there is none, it returns text itself.
func ReplaceLoneSurrogates(text []byte) []byte {
	list := LoneSurrogates(text)
	if len(list) == 0 {
		return text
	}
	text = bytes.Clone(text)
	for _, half := range list {
		copy(text[half.At:], `\ufffd`)
	}
	return text
}
