package translate

import (
	"dragoman/translate/markup"
)

// Where it is not certain that a value is what the model meant. Values may hold any markup, so the
// tags of another parameter in one prove nothing. These do:
//
//	<a>1 <b>2</b> </parameters>     a has no closing tag, and holds tags
//	<a>1 \n\n </parameters>         or ends in white space that may be layout
//	<a>1</b> <b>2</a>               b is closed in a before it is opened there
//	<parameter name="a">1 <parameter name="b">2</parameter>
//	                                b is opened in a and not closed, or given nowhere else
//
// Such a call closes as incomplete: to guess would be to change it.

// maxSwallowed bounds the parameters of a call that may be text of another's value. Where there
// are more, it is in doubt.
const maxSwallowed = 1024

// noteSibling takes down a tag in the value that does not end it. The verdict is never Yes.
func (p *parser) noteSibling(rest []byte) markup.Verdict {
	v := &p.value
	switch {
	case v.schema == nil || v.cdata:
		return markup.NoMatch
	case !v.element:
		return p.noteParameter(rest)
	}
	tag, closing, verdict := matchSibling(p.call.schema, rest, v.property, p.in.eof)
	switch {
	case verdict != markup.Match:
		return verdict
	case closing:
		v.siblings.noteClosing(tag)
	default:
		v.siblings.noteOpening(tag)
	}
	return markup.NoMatch
}

// noteParameter is noteSibling for the attribute form, where the tags of all parameters are alike.
func (p *parser) noteParameter(rest []byte) markup.Verdict {
	const opening, closing = "<parameter", "</parameter"
	inside := &p.value.siblings
	switch {
	case markup.HasPrefix(rest, closing):
		inside.noteClosing("")
		return markup.NoMatch
	case !p.in.eof && (markup.IsPrefixOf(rest, opening) || markup.IsPrefixOf(rest, closing)):
		return markup.NeedMore
	case !markup.HasPrefix(rest, opening):
		return markup.NoMatch
	}
	t, v := markup.MatchTag(rest, p.in.eof)
	if v != markup.Match {
		return v
	}
	tag, ok := t.NameAttribute()
	if !ok {
		return markup.NoMatch
	}
	property, other := otherProperty(p.call.schema, tag, p.value.property)
	if property == p.value.property { // the next element of a list
		inside.closedUnopened = false
		return markup.NoMatch
	}
	inside.noteOpening("")
	if other {
		inside.opened = append(inside.opened, property)
		inside.doubt = inside.doubt || len(inside.opened) > maxOpened
	}
	return markup.NoMatch
}

// noteSwallowed takes down the parameters that may be text of the value that has ended: they are,
// if they are given once more.
func (p *parser) noteSwallowed() {
	for _, property := range p.value.siblings.opened {
		p.call.swallowed = append(p.call.swallowed, swallowed{property, p.out.wholeTo})
	}
}

// isDoubtful reports whether a value that has ended, and is no JSON, is not certain.
func (p *parser) isDoubtful() bool {
	v := &p.value
	return v.unclosed && !v.cdata && (v.hasTags || v.endsBlank) ||
		v.ambiguous || v.siblings.doubt || len(v.siblings.opened) > 0 && v.siblings.depth[""] > 0 ||
		len(p.call.swallowed)+len(v.siblings.opened) > maxSwallowed
}
