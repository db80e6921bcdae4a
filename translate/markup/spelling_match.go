package markup

import (
	"bytes"
	"unicode/utf8"
)

// This file matches the tags of a spelling: first in their own forms, then as the slips of the
// family write them, then as the slips of all families do.

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

// MatchListed does what MatchTag does, but only for the tags in Tags and Slips.
func (g *Spelling) MatchListed(s []byte, eof bool) (t Tag, v Verdict) {
	if v = g.MatchName(s, eof); v != Match { // most text
		return t, v
	}
	m := matcher{spelling: g, s: s, eof: eof}
	if t, v = m.tag(matcher.readTail); v != NoMatch {
		return t, v
	}
	for i := range Slips {
		if t, v = Slips[i].match(m); v != NoMatch {
			t.Slip = Slips[i].Name
			return t, v
		}
	}
	return Tag{}, NoMatch
}

// MatchName reports whether s may begin with a tag in Tags or Slips. It is fast, because it is
// called for each `<` of a text, and sometimes true for other text.
func (g *Spelling) MatchName(s []byte, eof bool) (v Verdict) {
	if g == nil || g.mayNotBegin(s) {
		return NoMatch
	}
	m := matcher{spelling: g, s: s, eof: eof, signs: g.Signs}
	for _, begin := range g.begins() {
		n, found := m.prefix(0, begin)
		if found == Match {
			_, _, found = m.name(n)
		}
		v = max(v, found)
	}
	n, found := m.escapedClose()
	if found == Match {
		_, _, found = m.name(n)
	}
	return max(v, found)
}

// mayNotBegin reports whether s certainly begins with no tag. It is fast, because most `<` begin none.
func (g *Spelling) mayNotBegin(s []byte) bool {
	i := afterSlash(s)
	switch {
	case len(s) > 0 && s[0] != '<' && (g.Begin == "" || s[0] != g.Begin[0]):
		return true
	case i >= len(s) || g.Begin != "" && !g.Signs:
		return false
	case g.Signs: // only spaces come before a bar
		for i < min(len(s), maxBars+len(`<\/`)) && s[i] == ' ' {
			i++
		}
		return i < len(s) && s[i] < utf8.RuneSelf && s[i] != '|'
	}
	for k := range g.Tags {
		if mayBegin(s[i:], g.Tags[k].Name) {
			return false
		}
	}
	for k := range g.Slips {
		if mayBegin(s[i:], g.Slips[k].Form.Name) {
			return false
		}
	}
	return true
}

// mayBegin reports whether s, which is not empty, begins with name or is the start of it. The first byte is compared
// first, because it mostly differs.
func mayBegin(s []byte, name string) bool {
	n := min(len(s), len(name))
	return s[0] == name[0] && string(s[:n]) == name[:n]
}

// MatchUnbracketed does what MatchListed does, for a tag that has lost its `<` or `</`: invoke
// name="book">. If the spelling is nil, it matches the tags of the attribute format.
func (g *Spelling) MatchUnbracketed(s []byte, eof bool) (t Tag, v Verdict) {
	spelled := g
	if g == nil {
		spelled = attributeTags
	}
	m := matcher{spelling: spelled, s: bytes.TrimPrefix(s, []byte("/")), eof: eof, signs: spelled.Signs}
	n, v := m.prefix(0, spelled.begins()[0][1:])
	if v == Match {
		_, _, v = m.name(n)
	}
	if v != Match {
		return t, v
	}
	for _, bracket := range [...]string{"<", "</"} {
		text := append([]byte(bracket), s[:min(len(s), MaxTagLen)]...)
		t, v = spelled.MatchListed(text, eof || len(s) > MaxTagLen)
		t.Len -= len(bracket)
		t.Spelling = g
		if v != NoMatch {
			break
		}
	}
	return t, v
}

// attributeTags are the tags of calls in the attribute format.
var attributeTags = &Spelling{Tags: []Form{
	{Name: "invoke", Means: Invoke, Label: LabelAttribute},
	{Name: "parameter", Means: Parameter, Label: LabelAttribute},
}}

// MatchLone matches the label of a parameter whose value comes later, at the start of s: see [Key].
// n is the index of the next label.
func (g *Spelling) MatchLone(s []byte) (label string, n int, ok bool) {
	m := matcher{spelling: g, s: s, eof: true}
	for i := range g.Slips {
		if f := &g.Slips[i].Form; f.Means == Key {
			begun := len(g.begins()[0])
			after, v := m.formName(f, begun)
			if v != Match || !HasPrefix(s, g.begins()[0]) {
				continue
			}
			if t, v := m.readTail(f, Tag{nameEnd: begun + after}); v == Match {
				return string(t.label), SkipBlanks(s, t.Len, maxLabel), true
			}
		}
	}
	return "", 0, false
}

// lacksKey reports whether s begins with the tag of a parameter that has lost its label.
func (g *Spelling) lacksKey(s []byte) bool {
	m := matcher{spelling: g, s: s, eof: true}
	f, _, v := m.name(1)
	return v == Match && f.Means == Parameter && f.After != nil
}

// matcher matches the tag at the start of s.
type matcher struct {
	spelling *Spelling
	s        []byte
	eof      bool // no more text follows s
	signs    bool // the signs in names may be others: see [Spelling.Signs]
}

// more is the verdict at the end of s.
func (m matcher) more() Verdict {
	if m.eof {
		return NoMatch
	}
	return NeedMore
}

// prefix matches text at s[i], and returns its length there.
func (m matcher) prefix(i int, text string) (n int, v Verdict) {
	return matchSigns(m.s[i:], text, m.signs, m.more())
}

// tag matches a tag. tail reads the rest of the tag after its name, in one form of the tag.
func (m matcher) tag(tail func(matcher, *Form, Tag) (Tag, Verdict)) (t Tag, v Verdict) {
	for i, begin := range m.spelling.begins() {
		n, found := m.prefix(0, begin)
		if found == Match {
			if t, found = m.named(n, i == 1, tail); found == Match {
				return t, found
			}
		}
		v = max(v, found)
	}
	return Tag{}, v
}

// named matches the tag whose name begins at s[i].
func (m matcher) named(i int, closing bool, tail func(matcher, *Form, Tag) (Tag, Verdict)) (t Tag, v Verdict) {
	for k := range m.spelling.forms() {
		f, slip := m.spelling.form(k)
		n, v := m.formName(f, i)
		if v == Match && f.Means != Key {
			end := i + n
			t = Tag{Name: f.Means.name(), Full: bytes.TrimPrefix(m.s[i:end], []byte("/")), Spelling: m.spelling, Slip: slip,
				Closing: closing || f.Closing, nameEnd: end}
			t, v = tail(m, f, t)
			if v != NoMatch {
				return t, v
			}
		}
		if v == NeedMore {
			return t, v
		}
	}
	return t, NoMatch
}

// name finds the first form whose name is at s[i], and returns the index after the name.
func (m matcher) name(i int) (f *Form, after int, v Verdict) {
	for k := range m.spelling.forms() {
		f, _ := m.spelling.form(k)
		if !m.signs && i < len(m.s) && m.s[i] != f.Name[0] { // most tags
			continue
		}
		if n, v := m.formName(f, i); v != NoMatch {
			return f, i + n, v
		}
	}
	return nil, 0, NoMatch
}

// formName matches the name of f at s[i], and returns the length of the name there.
func (m matcher) formName(f *Form, i int) (n int, v Verdict) {
	if n, v = m.prefix(i, f.Name); v != Match {
		return n, v
	}
	switch rest := m.s[i+n:]; {
	case len(rest) == 0:
		return n, m.more()
	case rest[0] == ':' && f.Label == LabelAssigned: // see otherAssignment
	case IsTagByte(rest[0]) && IsTagByte(f.Name[len(f.Name)-1]) && !HasPrefix(rest, m.spelling.end()):
		return n, NoMatch
	}
	return n, Match
}
