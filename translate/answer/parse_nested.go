package answer

import (
	"bytes"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// Calls whose parameters are elements of their own names, with a mark before each tag (markup.Mark):
//
//	]<]minimax[>[<invoke name="book">
//	]<]minimax[>[<note>text]<]minimax[>[</note>
//	]<]minimax[>[<tags>]<]minimax[>[<item>a]<]minimax[>[</item>]<]minimax[>[</tags>
//	]<]minimax[>[</invoke>
//
// No value holds the mark, so that a tag with it is one of the call, and all else is text. What is not
// balanced, or mixes text and elements, is doubtful. The opening tag of a parameter may be missing: the
// value then stands behind the mark, or behind <invoke>, and its closing tag has the name.

// nestedTag is a tag with a mark before it.
type nestedTag struct {
	len       int
	name      string // of an element; of a parameter that has its name as an attribute, that
	closing   bool
	attribute bool // it is such a parameter
	invoke    bool // it opens or closes the call
	wrapper   bool // … or the wrapper
}

// isStructure reports whether t is no tag of a parameter.
func (t *nestedTag) isStructure() bool { return t.invoke || t.wrapper }

// matchNestedTag matches the tag that rest begins with, whose mark is there. The verdict is NoMatch if the mark
// stands alone, or before what is no tag.
func (p *parser) matchNestedTag(rest []byte) (t nestedTag, v markup.Verdict) {
	listed, v := p.call.spelling.MatchListed(rest, false)
	switch {
	case v == markup.NeedMore:
		return t, v
	case v == markup.Match:
		t = nestedTag{listed.Len, string(listed.Full), listed.Closing, false, listed.Is("invoke"), listed.IsWrapper()}
		if name, ok := listed.NameAttribute(); ok && listed.Is("parameter") {
			t.name, t.attribute = name, true
		}
		return t, v
	}
	behind := rest[len(markup.Mark):]
	if behind[0] != '<' {
		return t, markup.NoMatch
	}
	t.len = len(markup.Mark) + 1
	if t.closing = len(behind) > 1 && behind[1] == '/'; t.closing {
		t.len++
	}
	name := rest[t.len:min(len(rest), t.len+markup.MaxParamTagLen)]
	n := bytes.IndexAny(name, "<>\n")
	switch {
	case n < 0 && len(name) < markup.MaxParamTagLen:
		return t, markup.NeedMore
	case n <= 0 || name[n] != '>' || name[n-1] == '/':
		return t, markup.NoMatch
	}
	t.name = string(name[:n])
	t.len += n + 1
	return t, markup.Match
}

// readNested is the state inCall for such a call. It reads the opening tag of a parameter, a mark without
// one, or text as the first thing in the call (inNestedValue), or the end of the call (betweenCalls,
// afterAnswer), maybe that of its wrapper or the next call.
func (p *parser) readNested() state {
	call := &p.call
	more := p.in.skipBlanks()
	rest := p.in.rest()
	switch {
	case !more && !p.in.eof:
		return wait
	case !more:
		return p.closeAtEOF()
	case mayBeMark(rest):
		return p.waitOrCut()
	case !markup.HasPrefix(rest, markup.Mark) && len(call.parameters) == 0:
		return p.beginUnnamed(0)
	case !markup.HasPrefix(rest, markup.Mark):
		return p.closeDoubtful()
	case rest[len(markup.Mark)] != '<':
		return p.beginUnnamed(len(markup.Mark))
	}
	t, v := p.matchNestedTag(rest)
	switch {
	case v == markup.NeedMore:
		return p.waitOrCut()
	case v == markup.NoMatch:
		return p.closeDoubtful()
	case t.invoke && t.closing:
		p.in.take(t.len, SpanMarkup)
		return p.closeCall("")
	case t.isStructure() && (t.closing || len(call.parameters) > 0):
		return p.closeCall("missing_closer")
	case t.isStructure(): // the call may begin again
		return p.closeDoubtful()
	case t.closing:
		return p.passCloser(&t)
	case len(call.parameters) == MaxParameters:
		return p.closeTooLong()
	}
	p.openOffered()
	property, _, _ := call.schema.PropertyByTag(t.name)
	return p.beginNamedValue(t.len, property, t.name, !t.attribute)
}

// beginNamedValue is beginValue for a parameter with a tag of n bytes (inNestedValue).
func (p *parser) beginNamedValue(n int, property, tag string, element bool) state {
	if next := p.beginValue(markup.Tag{Len: n}, property, tag, element); next != atValue {
		return next
	}
	p.value.text.From = p.in.offset()
	return inNestedValue
}

// waitOrCut waits for the rest of a tag between parameters, or breaks off the call that was cut in one.
func (p *parser) waitOrCut() state {
	if !p.in.eof {
		return wait
	}
	p.in.takeAll(SpanMarkup)
	return p.breakOff()
}

// passCloser passes over the closing tag of a parameter that was given: it stands twice.
func (p *parser) passCloser(t *nestedTag) state {
	property, _, _ := p.call.schema.PropertyByTag(t.name)
	if !p.call.parameters[property] {
		return p.closeDoubtful()
	}
	p.noteReason("stray_closer")
	p.in.take(t.len, SpanDropped)
	return inCall
}

// beginUnnamed begins a value whose opening tag is missing, behind a mark of n bytes.
func (p *parser) beginUnnamed(n int) state {
	p.in.take(n, SpanMarkup)
	p.value = valueSeen{open: true, mode: modeHeld, unnamed: true}
	p.value.text.Schema = format.AnyValue
	return inNestedValue
}

// mayBeMark reports whether a mark may begin at the end of the text, or a tag behind one.
func mayBeMark(rest []byte) bool {
	return markup.IsPrefixOf(rest, markup.Mark) || string(rest) == markup.Mark
}
