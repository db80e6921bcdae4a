package translate

import (
	"dragoman/translate/markup"
)

// When it is doubtful that a value is what the model meant. Values may hold any markup, so the tags
// of another parameter in a value are no reason alone. These are:
//
//	<a>1 <b>2</b> </parameters>     a has no closing tag, and holds tags: is b a parameter?
//	<a>1 \n\n </parameters>         a has no closing tag, and ends in white space: is that layout?
//	<a>1</b> <b>2</a>               b is closed in a before it is opened: are </b> and </a> swapped?
//	<parameter name="a">1 <parameter name="b">2</parameter>
//	                                b is opened in a and not closed, or it is closed there and given
//	                                nowhere else in the call: is b text of a, or a parameter?
//
// Such a call is broken off (closeDoubtful): to guess would be to change what the model asked for.

// maxSwallowed bounds the swallowed parameters that are recorded of a call. A value with which there
// are more is doubtful.
const maxSwallowed = 1024

// noteSibling records the tag at rest, which does not end the value, if it is that of another
// parameter. The verdict is NeedMore while that is open, else NoMatch, which says that the value
// goes on.
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

// noteParameter is noteSibling for the attribute form, where every parameter has the tag
// <parameter>. So the tags are counted under one name, "".
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

// noteSwallowed records the parameters that were opened in the value that has ended. They are text of
// it if they are given again, outside it: closeCall asks.
func (p *parser) noteSwallowed() {
	for _, property := range p.value.siblings.opened {
		p.call.swallowed = append(p.call.swallowed, swallowed{property, p.out.wholeTo})
	}
}

// isDoubtful reports whether the value that has ended is doubtful. It is not asked for a typed
// value that is valid JSON, which proves where the value ends.
func (p *parser) isDoubtful() bool {
	v := &p.value
	return v.unclosed && !v.cdata && (v.hasTags || v.endsBlank) ||
		v.ambiguous || v.siblings.doubt || len(v.siblings.opened) > 0 && v.siblings.depth[""] > 0 ||
		len(p.call.swallowed)+len(v.siblings.opened) > maxSwallowed
}
