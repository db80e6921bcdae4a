package schema

import (
	"github.com/go-json-experiment/json"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// This file reads text as a member of an enum.

// appendEnum appends the member of the enum of s that the text spells: as it is, without white
// space around it, without quotes, or as it was escaped in the tool's description.
func appendEnum(dst []byte, s *Schema, r *typedText) ([]byte, bool) {
	for i := range 4 {
		spelling := r.text
		switch i {
		case 1:
			spelling = r.trimmed
		case 2:
			spelling = rawjson.UnquoteLoose(r.trimmed)
		case 3:
			spelling = markup.Unescape(r.trimmed, markup.InTools, "")
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

// indexEnum fills enumTexts: the texts that spell a member of the enum, and whether that member
// is a string; any other is spelled as its compact JSON. Of two with one spelling the first
// counts.
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
