package translate

import (
	"bytes"

	"dragoman/translate/markup"
)

// The value of a parameter, from its opening tag up to its end. It is ordinary text, with tags and
// entities as the model wrote them. parse_value_end.go decides where it ends, and
// parse_value_write.go writes it.

// beginValue reads t, the opening tag of a parameter, and begins its value. element is false for
// <parameter name="tag">.
func (p *parser) beginValue(t markup.Tag, property, tag string, element bool) state {
	p.in.take(t.Len)
	closer := tag
	if !element {
		closer = "parameter"
	}
	_, s, _ := p.call.schema.PropertyByTag(tag)
	p.value = valueSeen{open: true, property: property, tag: tag, element: element, closer: closer, schema: s, mode: modeHeld}
	p.noteStarts()
	switch str, nullable := s.IsString(); {
	case p.call.parameters[property]:
		p.noteReason("duplicate_parameter") // JSON has room for one: the first is out already
		p.value.duplicate = true
	case str && nullable:
		p.value.mode = modeNullable
	case str:
		p.beginText()
	}
	if t.Empty {
		return p.endValue(0)
	}
	return atValue
}

// beginObject begins an input that is written as one JSON object. Its { is next. It is read as a
// value without a schema of its own.
func (p *parser) beginObject() state {
	p.value = valueSeen{open: true, mode: modeHeld}
	p.noteStarts()
	return inValue
}

// readValueStart is the state atValue: the opening tag of a parameter has been read. It drops what
// stands between the tag and the value (inValue): white space before a CDATA section and <![CDATA[
// itself, or else one newline, which is layout.
func (p *parser) readValueStart() state {
	rest := p.in.rest()
	n := 0
	switch {
	case len(rest) > 0 && rest[0] == '\n':
		n = 1
	case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
		n = 2
	}
	i, v := p.in.matchBlanks(rest, n, markup.MaxTagBlanks)
	switch {
	case v == markup.NeedMore, n == 0 && string(rest) == "\r" && !p.in.eof:
		return wait
	case v == markup.Match && markup.HasPrefix(rest[i:], cdataBegins):
		p.value.cdata = true
		p.in.take(i + len(cdataBegins))
		return inValue
	case v == markup.Match && markup.IsPrefixOf(rest[i:], cdataBegins) && !p.in.eof:
		return wait
	}
	p.in.take(n)
	p.value.padded = n > 0
	return inValue
}

// readValue is the state inValue: nothing, or a part, of a value has been read. It writes the value
// up to its end (inCall). If the text is cut before that end, the call is broken off (afterAnswer).
// What was still undecided when the text was cut may be the beginning of a tag, or layout, and is
// left out of the value: so readValue takes back what readValueText writes at the end of the text.
func (p *parser) readValue() state {
	if !p.in.eof {
		return p.readValueText()
	}
	before, gathered := p.value, p.out.gathered()
	if next := p.readValueText(); next != wait {
		return next
	}
	p.value = before
	p.out.truncate(gathered)
	return p.breakOffValue()
}

// readValueText writes the value as far as it is decided, and ends it if its end is there. It returns
// wait if that has not come.
func (p *parser) readValueText() state {
	v := &p.value
	for {
		rest := p.in.rest()
		if len(rest) == 0 {
			break
		}
		if p.holdsTooMuch() {
			return p.closeTooLong()
		}
		n, end, verdict := p.scanValue(rest)
		if n > 0 {
			p.writeValue(rest[:n])
			p.in.take(n)
		}
		switch {
		case verdict == markup.Match:
			return p.endValue(end)
		case verdict == markup.NeedMore:
			return wait
		case n == len(rest), rest[n] == '<':
		case rest[n] == ']':
			return p.readCDATAEnd(rest[n:])
		case !p.readEntity(v.tag, p.writeValue):
			return wait
		}
	}
	if v.mode == modeText && !v.cdata && !p.in.isMarked() {
		p.writePlain = (*parser).writeStringValue
	}
	return wait
}

// scanValue returns how many bytes of rest are text of the value, and what matchValueEnd says of the
// `<` after them. The verdict is NoMatch, without asking, where those n bytes end at the end of rest,
// at an `&` or at a `]`. So it is where a `<` follows text of a value that is held: the caller holds
// that text first, since whether a tag ends the value depends on all of the value before it.
func (p *parser) scanValue(rest []byte) (n, end int, v markup.Verdict) {
	for ; ; n++ {
		n = p.nextSpecial(rest, n)
		if n == len(rest) || rest[n] != '<' || n > 0 && p.value.mode == modeHeld {
			return n, 0, markup.NoMatch
		}
		if end, v = p.matchValueEnd(rest[n:]); v != markup.NoMatch {
			return n, end, v
		}
	}
}

// nextSpecial returns the index, from n on, of the first byte of rest that may be more than text of
// the value, or len(rest): the `<` of `<x` or `</x` where x begins the name of a tag that matters, an
// `&` if the prompt has escaped anything or, within a CDATA section, a `]` in place of the `<`.
func (p *parser) nextSpecial(rest []byte, n int) int {
	v := &p.value
	end := len(rest)
	for at := n; !v.cdata; at++ {
		i := bytes.IndexByte(rest[at:], '<')
		if i < 0 {
			break
		}
		at += i
		if at+1 == len(rest) || v.openerStarts.has(rest[at+1]) || rest[at+1] == '/' && (at+2 == len(rest) || v.closerStarts.has(rest[at+2])) {
			end = at
			break
		}
	}
	if p.escaped != 0 {
		if i := bytes.IndexByte(rest[n:end], '&'); i >= 0 {
			end = n + i
		}
	}
	if v.cdata {
		if i := bytes.IndexByte(rest[n:end], ']'); i >= 0 {
			end = n + i
		}
	}
	return end
}

// noteStarts records the first bytes of all tags that matter in the value, to matchValueEnd and to
// noteSibling, so that nextSpecial can pass over all others without a match.
func (p *parser) noteStarts() {
	v := &p.value
	for _, name := range [...]string{v.closer, v.tag, p.call.namespace, "parameter", "invoke"} {
		if name != "" {
			v.closerStarts.add(name[0])
		}
	}
	if v.schema == nil {
		return
	}
	if !v.element {
		v.openerStarts.add('p')
	}
	sibling := func(c byte) {
		v.closerStarts.add(c)
		if v.element {
			v.openerStarts.add(c)
		}
	}
	properties := p.call.schema.Properties
	for i := range properties {
		sibling(properties[i].Tag[0])
		if name := properties[i].Name; name != "" {
			sibling(name[0])
		}
	}
	if p.call.schema.AdditionalProperties != nil && !p.call.unoffered {
		for c := range 256 {
			if markup.IsTagByte(byte(c)) {
				sibling(byte(c))
			}
		}
	}
}

// readCDATAEnd reads a `]` in a CDATA section. `]]>` ends the section where the end of the value
// follows. Where another section follows at once, as in a]]]]><![CDATA[>b for a]]>b, the value goes
// on in that. Any other `]` is text.
func (p *parser) readCDATAEnd(rest []byte) state {
	switch {
	case markup.IsPrefixOf(rest, cdataEnds) && !p.in.eof:
		return wait
	case markup.IsPrefixOf(rest, cdataEnds):
		return p.breakOffValue()
	case !markup.HasPrefix(rest, cdataEnds):
	case markup.HasPrefix(rest[len(cdataEnds):], cdataBegins):
		p.in.take(len(cdataEnds) + len(cdataBegins))
		return inValue
	case markup.IsPrefixOf(rest[len(cdataEnds):], cdataBegins) && !p.in.eof:
		return wait
	default:
		switch n, v := p.matchAfterCDATA(rest); v {
		case markup.NeedMore:
			return wait
		case markup.Match:
			return p.endValue(n)
		}
		if i, _ := p.in.matchBlanks(rest, len(cdataEnds), markup.MaxTagBlanks); i < len(rest) && rest[i] == '<' {
			p.value.ambiguous = true // ]]> is text, or the tag after it is a wrong closing tag
		}
	}
	p.writeValue(rest[:1])
	p.in.take(1)
	return inValue
}

// wouldBeText reports whether tag, if it stood after the text so far, would be text of a value or of
// a string of a call in JSON. The upstream may have stopped at it although the model meant it so.
func (p *parser) wouldBeText(tag string) bool {
	return p.value.open && p.wouldBeValue(tag) || p.value.json.inString
}

// wouldBeValue reports whether tag would be text of the value that is open. It would not be if the
// value is whole without its closing tag, or if tag ends the value.
func (p *parser) wouldBeValue(tag string) bool {
	s := p.value.schema
	if s == nil && p.value.json.isWhole() || s != nil && p.isScalar() {
		return false
	}
	rest := append(bytes.Clone(p.in.rest()), tag...)
	var ends markup.Verdict
	if p.value.cdata && markup.HasPrefix(rest, cdataEnds) {
		_, ends = p.matchAfterCDATA(rest)
	} else {
		_, _, ends = p.scanValue(rest)
	}
	return ends != markup.Match
}
