package translate

import (
	"bytes"
	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// Where it is not certain that a value is what the model meant. Values may hold any
// markup, so the tags of another parameter in one prove nothing. These do:
//
//	<a>1 <b>2</b> </parameters>     a has no closing tag, and holds tags
//	<a>1 \n\n </parameters>         or ends in white space that may be layout
//	<a>1</b> <b>2</a>               b is closed in a before it is opened there
//	<parameter name="a">1 <parameter name="b">2</parameter>
//	                                b is opened in a and not closed, or given nowhere else
//
// Such a call ends as incomplete: to guess would be to change it.

// siblings follows the tags of other parameters in a value.
type siblings struct {
	depth  map[string]int // of the elements that are open, by tag
	stray  bool           // one was closed that was not open
	doubt  bool           // one was opened after that
	opened []string       // what was opened in the attribute form
}

// Bounds on what is remembered of a value. Where there is more, it is in doubt.
const (
	maxOpenTags = 256
	maxOpened   = 64

	maxSwallowed = 1024 // of a call
)

func (s *siblings) open(tag string) {
	s.doubt = s.doubt || s.stray
	if s.depth == nil {
		s.depth = map[string]int{}
	}
	if s.depth[tag]++; len(s.depth) > maxOpenTags {
		s.doubt = true
	}
}

func (s *siblings) close(tag string) {
	if s.depth[tag] == 0 {
		s.stray = true
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
	tag = string(rest[start:i])
	_, counts := otherProperty(s, tag, own)
	return tag, closing, markup.VerdictOf(counts)
}

// otherProperty returns the property of a tag, and whether it is another one than own.
func otherProperty(s *schema.Schema, tag, own string) (name string, counts bool) {
	name, _, declared := s.PropertyByTag(tag)
	return name, name != own && (declared || s.AdditionalProperties != nil)
}

// noteSibling follows a tag in the value that does not end it.
func (p *parser) noteSibling(rest []byte) markup.Verdict {
	switch {
	case p.vs == nil || p.cdata:
		return markup.NoMatch
	case !p.child:
		return p.noteParameter(rest)
	}
	tag, closing, v := matchSibling(p.schema, rest, p.name, p.eof)
	switch {
	case v != markup.Match:
		return v
	case closing:
		p.inside.close(tag)
	default:
		p.inside.open(tag)
	}
	return markup.NoMatch
}

// noteParameter is noteSibling for the attribute form, where the tags of all
// parameters are alike.
func (p *parser) noteParameter(rest []byte) markup.Verdict {
	const opening, end = "<parameter", "</parameter"
	switch {
	case markup.HasPrefix(rest, end):
		p.inside.close("")
		return markup.NoMatch
	case !p.eof && (markup.IsPrefixOf(rest, opening) || markup.IsPrefixOf(rest, end)):
		return markup.NeedMore
	case !markup.HasPrefix(rest, opening):
		return markup.NoMatch
	}
	t, v := markup.MatchTag(rest, p.eof)
	if v != markup.Match {
		return v
	}
	tag, ok := t.NameAttribute()
	if !ok {
		return markup.NoMatch
	}
	name, counts := otherProperty(p.schema, tag, p.name)
	if name == p.name { // the next element of a list
		p.inside.stray = false
		return markup.NoMatch
	}
	p.inside.open("")
	if counts {
		p.inside.opened = append(p.inside.opened, name)
		p.inside.doubt = p.inside.doubt || len(p.inside.opened) > maxOpened
	}
	return markup.NoMatch
}

// isDoubtful tells whether a value that was read, and is no JSON, is not certain.
func (p *parser) isDoubtful() bool {
	return p.bare && !p.cdata && (p.tags || p.blankEnd) ||
		p.mixed || p.inside.doubt || len(p.inside.opened) > 0 && p.inside.depth[""] > 0 ||
		len(p.swallowed)+len(p.inside.opened) > maxSwallowed
}

// endDoubtful ends a call with a value that is not certain.
func (p *parser) endDoubtful() state {
	p.repair = "doubtful_value"
	return p.endIncomplete()
}

// holdsTag tells whether text that is read whole holds a tag.
func holdsTag(s []byte) bool {
	for {
		i := bytes.IndexByte(s, '<')
		if i < 0 || i+1 == len(s) {
			return false
		}
		if c := s[i+1]; c == '/' || markup.IsTagByte(c) {
			return true
		}
		s = s[i+1:]
	}
}

// mayHide tells whether text would be in doubt as the value of the property own, whose
// schema is ps.
func mayHide(s *schema.Schema, text, own string, ps *schema.Schema) bool {
	var inside siblings
	for rest := []byte(text); ; rest = rest[1:] {
		i := bytes.IndexByte(rest, '<')
		if i < 0 {
			return inside.doubt || inside.depth != nil && !fitsText(ps, text)
		}
		rest = rest[i:]
		if tag, closing, v := matchSibling(s, rest, own, true); v == markup.Match && closing {
			inside.close(tag)
		} else if v == markup.Match {
			inside.open(tag)
		}
	}
}

// fitsText tells whether a value that is written as text fits its schema.
func fitsText(s *schema.Schema, text string) bool {
	_, fits := schema.AppendTyped(nil, s, text)
	return fits
}
