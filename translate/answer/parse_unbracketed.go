package answer

import (
	"bytes"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// Tags of calls that have lost what they begin with, `<` or `</`: a model leaves it out, or a server takes it
// for a special token.
//
//	<tool_call>function=book>
//	invoke name="book">
//	parameter name="note">xparameter>
//	invoke>
//
// Where a call begins with such a tag, values may end with one, too, unless they hold a `<`: then not all of
// them are lost, and the value is read as any other.

// matchUnbracketed matches such a tag that begins a call, in a wrapper or at the beginning of a line.
func (p *parser) matchUnbracketed(rest []byte) (t markup.Tag, v markup.Verdict) {
	if p.Spelled.At[format.PlaceOf(rest[0])] != 0 {
		for _, g := range p.Spellings {
			if g.Labels() {
				continue
			}
			if t, v = p.matchUnbracketedIn(g, rest); v != markup.NoMatch {
				return t, v
			}
		}
	}
	return p.matchUnbracketedIn(nil, rest)
}

// matchUnbracketedIn is matchUnbracketed for the tags of one spelling. Where the text was cut within one, the
// verdict is NeedMore.
func (p *parser) matchUnbracketedIn(g *markup.Spelling, rest []byte) (t markup.Tag, v markup.Verdict) {
	t, v = g.MatchUnbracketed(rest, p.in.eof && !p.cutShort)
	if v == markup.Match {
		v = markup.VerdictOf(t.Is("invoke") && !t.Closing)
	}
	return t, v
}

// beginUnbracketed begins the call, which is pending, with t, which is next.
func (p *parser) beginUnbracketed(t markup.Tag) state {
	p.call.spelling, p.call.unbracketed = t.Spelling, true
	p.noteReason("tag_bracket")
	return p.beginNamed(t)
}

// readUnbracketed reads such a tag in a call, which rest begins with: that of a parameter that the tool
// declares, or a closing one. The verdict is NoMatch if there is none.
func (p *parser) readUnbracketed(rest []byte) (next state, v markup.Verdict) {
	t, v := p.matchUnbracketedTag(rest)
	switch {
	case v == markup.NeedMore && p.in.eof: // the text was cut within the tag
		p.in.takeAll(SpanMarkup)
		return p.breakOff(), markup.Match
	case v != markup.Match:
		return wait, v
	}
	call := &p.call
	p.noteReason("tag_bracket")
	call.before, call.gap, call.unbracketed = call.gap, layout{}, true
	if t.Closing {
		return p.readClosingTag(t), v
	}
	return p.readOpeningTag(t), v
}

// matchUnbracketedTag matches such a tag of the call that is read.
func (p *parser) matchUnbracketedTag(rest []byte) (t markup.Tag, v markup.Verdict) {
	call := &p.call
	if g := call.spelling; !call.attributeForm || call.unoffered || call.jsonInput || g != nil && (g.JSON || g.Labels()) {
		return t, markup.NoMatch
	}
	t, v = call.spelling.MatchUnbracketed(rest, p.in.eof && !p.cutShort)
	if v == markup.Match && !t.Closing {
		name, named := t.NameAttribute()
		_, _, declared := call.schema.PropertyByTag(name)
		v = markup.VerdictOf(named && declared && t.Is("parameter"))
	}
	return t, v
}

// unbracketedMayFollow reports whether such a tag stands behind the closing tag of a value: that of another
// parameter, or of the end of the call.
func (p *parser) unbracketedMayFollow(rest []byte) markup.Verdict {
	t, v := p.matchUnbracketedTag(rest)
	switch {
	case v == markup.NeedMore:
		return p.in.needMore()
	case v == markup.NoMatch:
		return v
	case t.Closing:
		return markup.VerdictOf(t.Is("invoke"))
	}
	return markup.VerdictOf(p.parameterMayFollow(&t, false))
}

// scanUnbracketed is scanValue for a value that may end with such a tag. It reports false where the value
// holds a `<`.
func (p *parser) scanUnbracketed(rest []byte) (n, end int, d decision, ok bool) {
	n, end, d = p.nextUnbracketedEnd(rest)
	if p.value.unbracketed = d != isValue; !p.value.unbracketed {
		return 0, 0, d, false
	}
	if escape := p.nextEscape(rest[:n]); escape < n {
		return escape, 0, isValue, true
	}
	if d == endsValue && n > 0 { // it is held, and comes to this again
		return n, 0, isValue, true
	}
	return n, end, d, true
}

// nextUnbracketedEnd returns how many bytes of rest stand before such a tag that ends the value, or may end
// it, and the length of the tag. The decision is isValue if a `<` stands before it.
func (p *parser) nextUnbracketedEnd(rest []byte) (n, end int, d decision) {
	closer := []byte("parameter>")
	if g := p.call.spelling; g != nil {
		closer = []byte(g.Closer()[len("</"):])
	}
	text, _, tag := bytes.Cut(rest, []byte("<"))
	for at := 0; ; at++ {
		i := bytes.Index(text[at:], closer)
		if i < 0 {
			break
		}
		at += i
		n, end = at, len(closer)
		if n > 0 && text[n-1] == '/' {
			n, end = n-1, end+1
		}
		if d = decided(p.mayFollow(rest[n+end:], false)); d != isValue {
			return n, end, d
		}
	}
	if tag {
		return 0, 0, isValue
	}
	return max(0, len(rest)-len(closer)), 0, needsMore
}
