package markup

import (
	"bytes"
	"strings"
)

// This file matches the tags of a spelling.

// MatchTag does what the function [MatchTag] does, in this spelling. If a tag is not in Tags, or is
// not written as declared, its Name is nil.
func (g *Spelling) MatchTag(s []byte, eof bool) (Tag, Verdict) {
	if g == nil {
		return MatchTag(s, eof)
	}
	t, v := g.MatchListed(s, eof)
	if v == NoMatch && s[0] == '<' && !g.lacksKey(s) {
		t, v = MatchTag(s, eof)
		t.Name, t.Spelling = nil, g
	}
	return t, v
}

// lacksKey reports whether s begins with the tag of a parameter that has lost its label.
func (g *Spelling) lacksKey(s []byte) bool {
	tag, _, v := g.listed(s, 1, true)
	return v == Match && tag.Means == Parameter && tag.Label == LabelAfter
}

// MatchListed does what MatchTag does, but only for the tags in Tags.
func (g *Spelling) MatchListed(s []byte, eof bool) (t Tag, v Verdict) {
	if g.Marker != "" {
		if s[0] != '<' {
			return t, NoMatch
		}
		n, closing, v := matchMarker(s[1:], g.Marker, eof)
		if v == Match {
			return g.matchNamed(s, 1+n, closing, eof)
		}
		return t, v
	}
	for _, closing := range [...]bool{false, true} {
		for _, begin := range g.begins(closing) {
			switch {
			case HasPrefix(s, begin):
				found, more := g.matchNamed(s, len(begin), closing, eof)
				if more == Match {
					return found, more
				}
				v = max(v, more)
			case IsPrefixOf(s, begin) && !eof:
				v = NeedMore
			}
		}
	}
	return t, v
}

// MatchUnbracketed does what MatchListed does, for a tag that has lost its `<` or `</`: invoke
// name="book">. If the spelling is nil, it matches the tags of the attribute format.
func (g *Spelling) MatchUnbracketed(s []byte, eof bool) (t Tag, v Verdict) {
	spelled := g
	if g == nil {
		spelled = attributeTags
	}
	if v = spelled.beginsName(bytes.TrimPrefix(s, []byte("/")), eof); v != Match {
		return t, v
	}
	for _, begin := range [...]string{"<", "</"} {
		text := append([]byte(begin), s[:min(len(s), MaxTagLen)]...)
		t, v = spelled.MatchListed(text, eof || len(s) > MaxTagLen)
		t.Len -= len(begin)
		t.Spelling = g
		if v != NoMatch {
			break
		}
	}
	return t, v
}

// beginsName reports whether s begins with the name of a tag in Tags. It does not find names after
// a marker.
func (g *Spelling) beginsName(s []byte, eof bool) (v Verdict) {
	if g.Marker != "" {
		return Match
	}
	for i := range g.Tags {
		switch name := g.Tags[i].Name; {
		case HasPrefix(s, name):
			return Match
		case IsPrefixOf(s, name) && !eof:
			v = NeedMore
		}
	}
	return v
}

// attributeTags are the tags of calls in the attribute format.
var attributeTags = &Spelling{Tags: []Spelled{
	{Name: "invoke", Means: Invoke, Label: LabelAttribute},
	{Name: "parameter", Means: Parameter, Label: LabelAttribute},
}}

// MatchName reports whether s may begin with a tag in Tags. It is fast, and sometimes true for
// other text.
func (g *Spelling) MatchName(s []byte, eof bool) (v Verdict) {
	if g == nil {
		return NoMatch
	}
	if g.Begins == nil && g.Closes == nil && len(s) > 1 { // called for each `<` of a text
		i := 1
		switch {
		case s[0] != '<':
			return NoMatch
		case s[1] == '/':
			i = 2
		}
		_, _, v = g.listed(s, i, eof)
		return v
	}
	if g.Marker != "" {
		if s[0] != '<' {
			return NoMatch
		}
		n, _, v := matchMarker(s[1:], g.Marker, eof)
		if v == Match {
			_, _, v = g.listed(s, 1+n, eof)
		}
		return v
	}
	for _, closing := range [...]bool{false, true} {
		for _, begin := range g.begins(closing) {
			n := min(len(s), len(begin))
			switch {
			case s[n-1] != begin[n-1]:
			case HasPrefix(s, begin):
				_, _, more := g.listed(s, len(begin), eof)
				v = max(v, more)
			case IsPrefixOf(s, begin) && !eof:
				v = max(v, NeedMore)
			}
		}
	}
	return v
}

// listed finds the tag in Tags with the name at s[i], and returns the index after the name.
func (g *Spelling) listed(s []byte, i int, eof bool) (tag *Spelled, after int, v Verdict) {
	more := NeedMore
	if eof {
		more = NoMatch
	}
	for k := range g.Tags {
		name := g.Tags[k].Name
		if i < len(s) && s[i] != name[0] && !g.Signs {
			continue
		}
		n, found := g.matchPrefix(s[i:], name, more)
		switch {
		case found != Match:
			v = max(v, found)
		case i+n == len(s):
			v = max(v, more)
		case !IsTagByte(s[i+n]) || !IsTagByte(name[len(name)-1]) || HasPrefix(s[i+n:], g.end()):
			if v == NeedMore { // a longer name is possible
				return nil, 0, v
			}
			return &g.Tags[k], i + n, Match
		}
	}
	return nil, 0, v
}

// matchNamed matches the rest of a tag. Its name begins at s[i].
func (g *Spelling) matchNamed(s []byte, i int, closing, eof bool) (t Tag, v Verdict) {
	begun := i
	tag, i, v := g.listed(s, i, eof)
	if v != Match {
		return t, v
	}
	t = Tag{Name: tag.Means.name(), Full: s[begun:i], Spelling: g, Closing: closing || tag.Closing, nameEnd: i}
	if tag.Label == LabelAssigned {
		switch at := SkipBlanks(s, i, MaxTagBlanks); {
		case at == len(s) && at-i < MaxTagBlanks && !eof:
			return t, NeedMore
		case at < len(s) && s[at] == '=':
			return t.assigned(s, at+1, eof)
		}
	}
	if t.Closing && tag.Label == LabelAssigned {
		if v := unended(s, i, eof); v != NoMatch {
			t.Len = i
			return t, v
		}
	}
	n, v := g.matchEnd(s, i, eof)
	if v != Match {
		return t, v
	}
	t.Attributes = bytes.TrimSpace(s[i:n])
	t.Len = n + len(g.end())
	switch {
	case t.Closing && string(t.Attributes) == "/": // </parameter/>
		t.Attributes = nil
		return t, Match
	case t.Closing:
		return t, VerdictOf(len(t.Attributes) == 0)
	case tag.Label == LabelAfter:
		return t.labelled(tag, s, eof)
	case tag.Label != NoLabel:
		if rest, ok := bytes.CutSuffix(t.Attributes, []byte("/")); ok {
			t.Attributes, t.Empty = bytes.TrimSpace(rest), true
		}
		if tag.Attribute != "" {
			label, _ := t.Attribute(tag.Attribute)
			t.label = []byte(attributeText.Replace(label))
		}
		_, ok := t.NameAttribute()
		return t, VerdictOf(ok)
	}
	return t, VerdictOf(len(t.Attributes) == 0 || tag.Means == Parameters)
}

// attributeText undoes the escapes in attributes.
var attributeText = strings.NewReplacer("&quot;", `"`, "&amp;", "&")

// unended reports whether a closing tag has lost its end: the line ends after its name, at s[i],
// and another tag begins the next line.
func unended(s []byte, i int, eof bool) Verdict {
	next := SkipBlanks(s, i, MaxTagBlanks)
	switch {
	case next == len(s) && !eof && next-i < MaxTagBlanks:
		return NeedMore
	case next == len(s) || next == i || s[next] != '<':
		return NoMatch
	}
	return VerdictOf(bytes.IndexByte(s[i:next], '\n') >= 0)
}

// matchEnd returns the index of the end of a tag, from i on.
func (g *Spelling) matchEnd(s []byte, i int, eof bool) (n int, v Verdict) {
	end := g.end()
	if i < len(s) && !IsBlank(s[i]) && s[i] != '/' && !HasPrefix(s[i:], end) && !IsPrefixOf(s[i:], end) {
		return 0, NoMatch
	}
	var quoted byte
	for ; i < len(s) && i < MaxTagLen; i++ {
		switch c := s[i]; {
		case quoted != 0:
			if c == quoted {
				quoted = 0
			}
		case HasPrefix(s[i:], end):
			return i, Match
		case IsPrefixOf(s[i:], end) && !eof:
			return 0, NeedMore
		case c == '<':
			return 0, NoMatch
		case c == '"' || c == '\'':
			quoted = c
		}
	}
	if i >= MaxTagLen || eof {
		return 0, NoMatch
	}
	return 0, NeedMore
}
