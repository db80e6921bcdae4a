package answer

import (
	"bytes"

	"dragoman/translate/answer/held"
	"dragoman/translate/markup"
)

// The value of a parameter, from its opening tag up to its end. It is ordinary text, with tags and
// entities as the model wrote them. parse_value_end.go decides where it ends, and
// parse_value_write.go writes it.

// beginValue reads t, the opening tag of a parameter, and begins its value. element is false for
// <parameter name="tag">.
func (p *parser) beginValue(t markup.Tag, property, tag string, element bool) state {
	p.in.take(t.Len, SpanMarkup)
	if ends := p.call.ends; len(ends) > 0 && !t.Empty && ends[0].From != p.in.offset() {
		return p.closeDoubtful() // the tag is none of those that begin a value in the reading
	}
	closer := tag
	if !element {
		closer = "parameter"
	}
	_, s, _ := p.call.schema.PropertyByTag(tag)
	tail := p.value.tail
	p.value = valueSeen{open: true, tag: tag, mode: modeHeld, unbracketed: p.call.unbracketed}
	p.value.layout, p.value.tail = p.call.before, tail[:0]
	p.value.text = held.Value{Property: property, Closer: closer, Element: element, Schema: s}
	p.noteStarts()
	str, nullable := s.IsString()
	if g := p.call.spelling; g != nil && g.Typed != "" && s.AcceptsString() {
		switch is, _ := t.Attribute(g.Typed); is {
		case "true", "string": // so says the model, and the schema has nothing against it
			str, nullable = true, false
		case "false", "number", "integer", "boolean", "null", "object", "array":
			str, p.value.isJSON = false, true
		}
	}
	p.value.wraps = p.wrapsInput(tag)
	if p.value.wraps || p.in.showsTokens { // it is read when it is whole
		str = false
	}
	switch {
	case p.call.parameters[property] && s.ArraySchema() != nil: // or they are elements of one list
		return p.closeDoubtful()
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
	g := p.call.spelling
	switch {
	case g != nil && g.Bare:
	case len(rest) > 0 && rest[0] == '\n':
		n = 1
	case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
		n = 2
	}
	i, v := p.in.matchBlanks(rest, n, markup.MaxTagBlanks)
	switch {
	case g != nil && !g.CDATA && (n > 0 || len(rest) > 0 && string(rest) != "\r"):
	case v == markup.NeedMore, n == 0 && string(rest) == "\r" && !p.in.eof:
		return wait
	case v == markup.Match && markup.HasPrefix(rest[i:], cdataBegins):
		p.value.cdata = true
		p.in.take(i+len(cdataBegins), SpanMarkup)
		return inValue
	case v == markup.Match && markup.IsPrefixOf(rest[i:], cdataBegins) && !p.in.eof:
		return wait
	}
	p.in.take(n, SpanMarkup)
	p.value.text.From = p.in.offset()
	p.value.layout.padded = n > 0
	p.value.atStart = n > 0 && p.value.layout.indent
	return inValue
}

// readValue is the state inValue: nothing, or a part, of a value has been read. It writes the value
// up to its end (inCall). If the text is cut before that end, the call is broken off (afterAnswer).
// What was still undecided when the text was cut may be the beginning of a tag, or layout, and is
// left out of the value: so readValue takes back what readValueText writes at the end of the text.
func (p *parser) readValue() state { return p.readValueBy((*parser).readValueText) }

// readValueBy is readValue with what writes the value as far as it is decided.
func (p *parser) readValueBy(read func(*parser) state) state {
	if !p.in.eof {
		return read(p)
	}
	before, gathered, from := p.value, p.out.gathered(), p.in.offset()
	next := read(p)
	for next == p.state {
		next = read(p)
	}
	if next != wait {
		return next
	}
	p.value = before
	p.out.truncate(gathered)
	p.in.reread(from, SpanDropped)
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
		if ends := p.call.ends; len(ends) > 0 && ends[0].Again && ends[0].At == p.in.offset() {
			p.call.ends = ends[1:]
			p.noteReason("restarted")
			p.in.take(ends[0].Len, SpanMarkup)
			return atValue
		}
		n, end, d := p.scanValue(rest)
		if n > 0 {
			p.writeValue(rest[:n])
			p.in.take(n, SpanValue)
		}
		switch {
		case d == endsValue:
			return p.endValue(end)
		case d == needsMore:
			return wait
		case d == isDoubt:
			return p.beginDoubt()
		case n < len(rest) && rest[n] == ']' && v.cdata:
			return p.readCDATAEnd(rest[n:])
		case n < len(rest) && rest[n] == '&' && p.escaped.Tags != 0 && !p.readEntity(v.tag, p.writeValue):
			return wait
		}
	}
	if v.mode == modeText && !v.cdata && !v.unbracketed && !p.in.isMarked() && p.in.seen == nil {
		p.writePlain = (*parser).writeStringValue
	}
	return wait
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
		p.in.take(len(cdataEnds)+len(cdataBegins), SpanMarkup)
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
	p.in.take(1, SpanValue)
	return inValue
}

// wouldBeText reports whether tag, if it stood after the text so far, would be text of a value or of
// a string of a call in JSON. The upstream may have stopped at it although the model meant it so.
func (p *parser) wouldBeText(tag string) bool {
	return p.value.open && p.wouldBeValue(tag) || p.value.json.InString || p.state == inLiteral && p.literal.scan.Quote != ""
}

// wouldBeValue reports whether tag would be text of the value that is open. It would not be if the
// value is whole without its closing tag, or if tag ends the value.
func (p *parser) wouldBeValue(tag string) bool {
	s := p.value.text.Schema
	if s == nil && p.value.json.IsWhole() || s != nil && p.isWhole() {
		return false
	}
	if p.state == inNestedValue {
		return !bytes.HasSuffix(p.in.rest(), []byte(markup.Mark))
	}
	if p.state == inDoubt {
		return p.doubt.search.IsText()
	}
	before := p.value
	p.value.text = p.value.text.Clone()
	defer func() { p.value = before }()
	rest := append(bytes.Clone(p.in.rest()), tag...)
	if p.value.cdata && markup.HasPrefix(rest, cdataEnds) {
		_, ends := p.matchAfterCDATA(rest)
		return ends != markup.Match
	}
	_, _, ends := p.scanValue(rest)
	return ends != endsValue
}
