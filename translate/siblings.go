package translate

import (
	"bytes"

	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// siblings follows the tags of other parameters in a value. If they do not pair up, the value is
// doubtful (see parse_doubt.go).
type siblings struct {
	depth          map[string]int // how many elements are open, by tag
	closedUnopened bool           // one was closed that was not open
	doubt          bool           // one was opened after that
	opened         []string       // the parameters that were opened in the attribute form
}

// Bounds on what is recorded of a value. A value with more is doubtful.
const (
	maxOpenTags = 256 // different tags
	maxOpened   = 64  // parameters in the attribute form
)

// noteOpening records an opening tag.
func (s *siblings) noteOpening(tag string) {
	s.doubt = s.doubt || s.closedUnopened
	if s.depth == nil {
		s.depth = map[string]int{}
	}
	if s.depth[tag]++; len(s.depth) > maxOpenTags {
		s.doubt = true
	}
}

// noteClosing records a closing tag.
func (s *siblings) noteClosing(tag string) {
	if s.depth[tag] == 0 {
		s.closedUnopened = true
		return
	}
	s.depth[tag]--
}

// matchSibling matches `<b>` or `</b>` at the start of rest, for a parameter b other than own.
func matchSibling(s *schema.Schema, rest []byte, own string, eof bool) (tag string, closing bool, v markup.Verdict) {
	i := 1
	if len(rest) > 1 && rest[1] == '/' {
		closing = true
		i++
	}
	start := i
	for i < len(rest) && i-start < markup.MaxParamTagLen && markup.IsTagByte(rest[i]) {
		i++
	}
	switch {
	case i == len(rest) && !eof && i-start < markup.MaxParamTagLen:
		return "", closing, markup.NeedMore
	case i == len(rest) || rest[i] != '>' || i == start || rest[start] == '!' || rest[start] == '?':
		return "", closing, markup.NoMatch
	}
	if !s.MayBeProperty(rest[start:i]) { // most tags in values are markup of the model's own text
		return "", closing, markup.NoMatch
	}
	tag = string(rest[start:i])
	_, other := otherProperty(s, tag, own)
	return tag, closing, markup.VerdictOf(other)
}

// otherProperty returns the name of the property that a tag stands for, and reports whether that is
// a property that the tool can have, other than own.
func otherProperty(s *schema.Schema, tag, own string) (name string, other bool) {
	name, _, declared := s.PropertyByTag(tag)
	return name, name != own && (declared || s.AdditionalProperties != nil)
}

// wouldBeDoubtful reports whether the parser would find text doubtful as the value of the property
// own, whose schema is ps. The renderer asks, since what it writes has to be read as the same (G5).
func wouldBeDoubtful(s *schema.Schema, text, own string, ps *schema.Schema) bool {
	var inside siblings
	for rest := []byte(text); ; rest = rest[1:] {
		i := bytes.IndexByte(rest, '<')
		if i < 0 {
			return inside.doubt || inside.depth != nil && !fitsText(ps, text)
		}
		rest = rest[i:]
		if tag, closing, v := matchSibling(s, rest, own, true); v == markup.Match && closing {
			inside.noteClosing(tag)
		} else if v == markup.Match {
			inside.noteOpening(tag)
		}
	}
}

// fitsText reports whether a value that is written as text fits its schema.
func fitsText(s *schema.Schema, text string) bool {
	_, fits := schema.AppendTyped(nil, s, text)
	return fits
}
