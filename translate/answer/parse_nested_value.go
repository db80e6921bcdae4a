package answer

import (
	"cmp"

	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// The values of calls whose tags have a mark before them: see parse_nested.go.

// maxElements bounds how deep elements lie in a value.
const maxElements = 64

// readNestedValue is the state inNestedValue: the opening tag of a parameter has been read, or a mark or <invoke>
// where that is missing, or a part of the value. It writes the value up to its end (inCall).
func (p *parser) readNestedValue() state { return p.readValueBy((*parser).readNestedText) }

// readNestedText writes the value as far as it is decided, and ends it if its end is there. It returns wait if
// that has not come.
func (p *parser) readNestedText() state {
	for p.value.open {
		if p.holdsTooMuch() {
			return p.closeTooLong()
		}
		rest := p.in.rest()
		if n := p.nextNested(rest); n > 0 {
			p.takeNested(n)
			continue
		}
		next := wait
		switch {
		case len(rest) == 0:
		case rest[0] == '&':
			if p.readEntity(p.value.tag, p.writeValue) {
				next = inNestedValue
			}
		case rest[0] == '<':
			next = p.readPlainCloser(rest)
		case !mayBeMark(rest):
			next = p.readNestedTag(rest)
		}
		if next != inNestedValue {
			return next
		}
	}
	return inCall
}

// takeNested takes n bytes as text of the value (inNestedValue).
func (p *parser) takeNested(n int) state {
	p.writeValue(p.in.rest()[:n])
	p.in.take(n, SpanValue)
	return inNestedValue
}

// nextNested returns the index of the first byte of rest that may begin a tag of the call, the value's own
// closing tag without a mark, or an escape of ours; or len(rest).
func (p *parser) nextNested(rest []byte) int {
	for from, n := 0, 0; ; n++ {
		from, n = n, indexEither(rest, n, markup.Mark[0], '<')
		if p.escaped.Tags != 0 {
			n = from + nextEntity(rest[from:], n-from)
		}
		if n == len(rest) || rest[n] == '&' || markup.IsPrefixOf(rest[n:], markup.Mark) || markup.HasPrefix(rest[n:], markup.Mark) {
			return n
		}
		if rest[n] == '<' && !p.value.unnamed && mayClose(rest[n:], p.value.text.Closer) {
			return n
		}
	}
}

// mayClose reports whether s, at a `<`, begins with the closing tag of the name, or may go on to it.
func mayClose(s []byte, name string) bool {
	if len(s) > 1 && s[1] != '/' {
		return false
	}
	s = s[min(2, len(s)):]
	return markup.IsPrefixOf(s, name) || markup.HasPrefix(s, name) && (len(s) == len(name) || s[len(name)] == '>')
}

// readNestedTag reads the tag in a value that rest begins with, or may begin with: as one of an element in it
// (inNestedValue), or as its end.
func (p *parser) readNestedTag(rest []byte) state {
	v := &p.value
	t, verdict := p.matchNestedTag(rest)
	depth := len(v.elements)
	switch {
	case verdict == markup.NeedMore:
		return wait
	case verdict == markup.NoMatch && (depth > 0 && v.elements[depth-1] == "" || !p.mayHoldElements()):
		return p.closeDoubtful()
	case verdict == markup.NoMatch: // an element whose opening tag is missing
		p.noteReason("wrong_opener")
		t.len = len(markup.Mark)
		return p.openElement(&t)
	case depth > 0 && t.closing && !t.isStructure() && (t.name == v.elements[depth-1] || v.elements[depth-1] == ""):
		v.elements = v.elements[:depth-1]
		return p.takeNested(t.len)
	case depth > 0 && (t.closing || t.isStructure()):
		return p.closeDoubtful()
	case depth > 0:
		return p.openElement(&t)
	case v.unnamed:
		return p.readUnnamedTag(&t)
	case t.closing && t.name == v.text.Closer:
		return p.endNested(t.len)
	case t.isStructure():
		p.endUnclosed()
		return p.endNested(0)
	case t.closing:
		return p.closeDoubtful()
	case p.mayHoldElements():
		return p.openElement(&t)
	case p.mayBeNext(&t):
		p.endUnclosed()
		return p.endNested(0)
	}
	return p.closeDoubtful()
}

// mayHoldElements reports whether an element may begin in the value: it has others, or is no scalar, and has no text.
func (p *parser) mayHoldElements() bool {
	v := &p.value
	if v.elements != nil {
		return true
	}
	return v.mode == modeHeld && !v.unnamed && !v.text.Schema.IsScalar() && !v.text.Schema.IsEnum() && isBlank(v.held)
}

// openElement reads the opening tag of an element in the value (inNestedValue).
func (p *parser) openElement(t *nestedTag) state {
	if len(p.value.elements) == maxElements {
		return p.closeDoubtful()
	}
	p.value.elements = append(p.value.elements, t.name)
	return p.takeNested(t.len)
}

// mayBeNext reports whether t is of a parameter that the tool has, and the call has not.
func (p *parser) mayBeNext(t *nestedTag) bool {
	property, _, declared := p.call.schema.PropertyByTag(t.name)
	return declared && !p.call.parameters[property] && property != p.value.text.Property
}

// readUnnamedTag is readNestedTag for a value without an opening tag: its closing tag has the name of the
// parameter. With nothing before another tag there is no value.
func (p *parser) readUnnamedTag(t *nestedTag) state {
	held := p.value.held
	switch {
	case isBlank(held) && !(t.closing && !t.isStructure()):
		p.noteReason("stray_text")
		p.value = valueSeen{}
		return inCall
	case !t.closing || t.isStructure() || !p.mayBeNext(t):
		return p.closeDoubtful()
	}
	p.noteReason("wrong_opener")
	p.openOffered()
	property, _, _ := p.call.schema.PropertyByTag(t.name)
	if next := p.beginNamedValue(0, property, t.name, true); next != inNestedValue {
		return next
	}
	p.writeValue(held)
	return p.endNested(t.len)
}

// readPlainCloser reads the value's own closing tag without a mark, which rest begins with, or may begin with.
// It ends the value if no other closing tag can follow: a tag of the call does, or the next parameter.
func (p *parser) readPlainCloser(rest []byte) state {
	n := len("</>") + len(p.value.text.Closer)
	if len(rest) < n {
		return wait
	}
	i, v := p.in.matchBlanks(rest, n, maxGap)
	if len(p.value.elements) > 0 || v == markup.NoMatch {
		return p.takeNested(1)
	}
	switch behind := rest[i:]; {
	case v == markup.NeedMore, mayBeMark(behind):
		return wait
	case !markup.HasPrefix(behind, markup.Mark):
		return p.takeNested(1)
	}
	t, v := p.matchNestedTag(rest[i:])
	switch {
	case v == markup.NeedMore:
		return wait
	case v == markup.Match && (t.isStructure() || !t.closing && p.mayBeNext(&t)):
		p.noteReason("wrong_closer")
		p.value.misclosed = true
		return p.endNested(n)
	}
	return p.takeNested(1)
}

// endNested is endValue for a value that may be made of elements.
func (p *parser) endNested(n int) state {
	v := &p.value
	if v.elements == nil {
		return p.endValue(n)
	}
	p.in.take(n, SpanMarkup)
	v.open = false
	if v.duplicate {
		return inCall
	}
	value, fits, ok := schema.AppendTypedMarked(nil, v.text.Schema, string(v.held))
	if !ok {
		return p.closeDoubtful()
	}
	if !fits {
		p.call.misfit = cmp.Or(p.call.misfit, "type")
	}
	p.beginMember()
	p.out.write(value)
	p.out.markWhole()
	return inCall
}

// isBlank reports whether text is nothing but white space.
func isBlank(text []byte) bool { return markup.SkipBlanks(text, 0, len(text)) == len(text) }

// endUnclosed ends a value before a tag of the call: its own closing tag is missing.
func (p *parser) endUnclosed() decision {
	p.value.unclosed = true
	p.noteReason("missing_closer")
	return endsValue
}
