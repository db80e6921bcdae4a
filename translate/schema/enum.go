package schema

import (
	"github.com/go-json-experiment/json"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// This file reads text as a member of an enum.

// appendEnum appends the enum member that the text spells: exactly, without white space around it,
// without quotes, or escaped as in the tool's description. orString: the text may also mean a
// string, so only JSON's quotes are removed.
func appendEnum(dst []byte, s *Schema, r *typedText, orString bool) ([]byte, bool) {
	for i := range 5 {
		spelling := r.text
		switch {
		case i == 1:
			spelling = r.trimmed
		case i == 2:
			spelling = rawjson.UnquoteLoose(r.trimmed)
		case i == 3:
			spelling = markup.Unescape(r.trimmed, markup.Escapes{Tags: markup.InTools}, "")
		case i == 4 && !orString:
			spelling = withoutQuotes(r.trimmed)
		}
		if len(spelling) > s.longestEnumText {
			continue
		}
		isString, ok := s.enumTexts[spelling]
		switch {
		case ok && isString:
			return rawjson.AppendString(dst, spelling), true
		case ok:
			return append(dst, spelling...), true
		}
	}
	return dst, false
}

// withoutQuotes returns the text inside one pair of double or single quotes, if text is that.
func withoutQuotes(text string) string {
	if n := len(text) - 1; n > 0 && (text[0] == '"' || text[0] == '\'') && text[n] == text[0] {
		return text[1:n]
	}
	return text
}

// indexEnum fills enumTexts. A key is a text that spells a member: the text of a string, or the
// compact JSON of another value. The value says whether the member is a string. If two members have
// the same spelling, the first counts.
func (s *Schema) indexEnum() {
	s.enumTexts = make(map[string]bool, len(s.enum))
	for _, e := range s.enum {
		spelling, isString := "", e.Kind() == '"'
		if !isString {
			spelling = rawjson.CompactString(e)
		} else if json.Unmarshal(e, &spelling) != nil {
			continue
		}
		s.longestEnumText = max(s.longestEnumText, len(spelling))
		if _, ok := s.enumTexts[spelling]; !ok {
			s.enumTexts[spelling] = isString
		}
	}
}
