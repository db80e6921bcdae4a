package answer

import (
	"bytes"

	"dragoman/translate/markup"
)

// Within a call, between its parameters: the tags of the next parameter or of the call's own
// structure, and what models write there although it has no place, which is called stray
// (docs/reference/legacy-format.md §12 row 10).

// readCall is the state inCall: the name of the tool has been read, or a parameter, or a tag of the
// call's structure. It reads one of
//
//	<p>, <parameter name="p">      the opening tag of a parameter (atValue)
//	{                              an input that is one JSON object (inValue)
//	</invoke>, </function_calls>   the end of the call (betweenCalls, afterAnswer)
//	<invoke>, <function_calls>     the next call: this one was not closed (betweenCalls)
//	<parameters>, </parameters>    a tag of the structure (inCall)
//	<!-- … -->                     a comment (inCall)
//	parameter name="p">, /invoke>  one of these tags that has lost what it begins with: see parse_unbracketed.go
//	anything else                  stray text: held, or the call is given back if it is pending (inCall, …)
func (p *parser) readCall() state {
	call := &p.call
	if call.spelling.IsNested() {
		return p.readNested()
	}
	blank := p.in.rest()
	more := p.in.skipBlanks()
	blank = blank[:len(blank)-len(p.in.rest())]
	call.gap.note(blank)
	if p.straysTooFar(blank) {
		return p.closeStray(blank)
	}
	call.inLine = call.inLine && bytes.IndexByte(blank, '\n') < 0
	if call.strayLine && (more && p.in.rest()[0] == '<' || !more && p.in.eof || bytes.IndexByte(blank, '\n') >= 0) {
		call.stray, call.strayLine = nil, false
	}
	if len(call.stray) > 0 {
		call.stray = append(call.stray, blank...)
	}
	if !more {
		if !p.in.eof {
			return wait
		}
		return p.closeAtEOF()
	}
	rest := p.in.rest()
	if rest[0] != '<' {
		return p.readBeforeTag(rest)
	}
	switch n, v := markup.MatchComment(rest, p.in.eof); v {
	case markup.NeedMore:
		return wait
	case markup.Match:
		call.inLine = false
		return p.readComment(n)
	}
	t, v := p.matchTag(rest)
	if v == markup.NeedMore {
		return wait
	}
	if v == markup.NoMatch {
		if p.in.eof && (bytes.IndexByte(rest, '>') < 0 || p.cutShort && p.endsWithin(rest)) { // the text was cut within a tag
			p.in.takeAll(SpanMarkup)
			return p.breakOff()
		}
		if p.readLoneKey(rest) {
			return inCall
		}
		return p.readStrayText(rest)
	}
	if !p.respell(&t) {
		return wait
	}
	call.before, call.gap, call.inLine = call.gap, layout{}, false
	unopened := call.strayText && call.spelling != nil && !call.strayTag && !p.isPending()
	if call.strayText = false; unopened && t.Closing && t.Is("parameter") {
		return p.closeDoubtful() // the text was a value, whose opening tag cannot be read
	}
	if t.Closing {
		return p.readClosingTag(t)
	}
	return p.readOpeningTag(t)
}

// readBeforeTag reads what begins with no `<`: the JSON of an input, a tag of another form, at which this call
// may end, a tag that has lost its bracket, or stray text.
func (p *parser) readBeforeTag(rest []byte) state {
	call := &p.call
	if (rest[0] == '{' || rest[0] == '"') && call.spelling.IsJSON() && p.mayBeObject() {
		p.holdOffered()
		p.value = valueSeen{}
		return inJSONCall
	}
	if p.beginsTag(rest[0]) && p.lacksInput() {
		switch t, v := p.matchTag(rest); {
		case v == markup.NeedMore:
			return wait
		case v == markup.Match && p.isOpening() && !call.restarted && p.opensAgain(t):
			call.restarted = true
			p.noteReason("restarted")
			p.in.take(t.Len, SpanMarkup)
			return inCall
		case v == markup.Match && !t.Closing:
			return p.closeCall("missing_input")
		}
	}
	if !call.inLine { // stray text goes on to the end of its line, however it is cut
		switch next, v := p.readUnbracketed(rest); v {
		case markup.NeedMore:
			return wait
		case markup.Match:
			return next
		}
	}
	return p.readStrayText(rest)
}

// readComment reads a comment of n bytes, which is passed over unless it follows held text.
func (p *parser) readComment(n int) state {
	if call := &p.call; len(call.stray) > 0 {
		call.stray = append(call.stray, p.in.rest()[:n]...)
	}
	p.noteReason("stray_text")
	p.in.take(n, SpanDropped)
	return inCall
}

// readClosingTag reads a closing tag between parameters: the end of the call or of its parameters,
// or a stray one.
func (p *parser) readClosingTag(t markup.Tag) state {
	call, kind := &p.call, SpanMarkup
	switch {
	case t.Is("invoke"):
		p.in.take(t.Len, SpanMarkup)
		if p.call.parametersOpen {
			p.noteReason("missing_closer")
		}
		return p.closeCall("")
	case t.IsWrapper():
		return p.closeCall("missing_closer")
	case t.Is("parameters"):
		p.call.parametersOpen, p.call.parametersClosed = false, true
	case p.isPending() && !(call.spelling != nil && !call.unoffered && t.Is("parameter")):
		return p.giveBackCall("stray_closer")
	case t.Is("parameter") && p.calls.unclosed && len(p.call.parameters) == 0: // it closes the value before, which holds the end of its call
		return p.closeDoubtful()
	default:
		if len(p.call.stray) > 0 {
			p.call.stray = append(p.call.stray, p.in.rest()[:t.Len]...)
		}
		p.noteReason("stray_closer")
		kind = SpanDropped
	}
	p.in.take(t.Len, kind)
	return inCall
}

// readOpeningTag reads an opening tag between parameters: that of a parameter, of the call's own
// structure, or a stray one.
func (p *parser) readOpeningTag(t markup.Tag) state {
	call := &p.call
	tag, element := string(t.Full), true
	if t.Is("parameter") {
		name, ok := t.NameAttribute()
		switch {
		case len(call.keys) > 0:
			if name, ok = p.nextKey(name); !ok {
				return p.readStrayTag(t)
			}
			tag, element = name, false
		case ok:
			tag, element = name, false
		case t.Spelling != nil: // <arg_value> without a key
			return p.readStrayTag(t)
		}
	}
	property, _, declared := call.schema.PropertyByTag(tag)
	if element && !call.strayTag {
		reading := asStructure
		if (declared || p.mayBeDeclared(tag)) && (t.Spelling == nil || !t.Is("parameters")) {
			reading = p.readingOf(&t)
		}
		switch reading {
		case undecided:
			return wait
		case asEither:
			return p.closeDoubtful()
		case asStructure:
			if next, ok := p.readStructure(t); ok {
				return next
			}
		}
	}
	switch {
	case t.Spelling != nil && element && !declared: // parameters have tags of their own
		return p.readStrayTag(t)
	case t.Empty && t.HasValues(): // <parameter name="a" value="x"/>
		return p.readStrayTag(t)
	case call.jsonInput, call.strayTag, element && !declared && len(call.stray) > 0, bytes.IndexByte(call.stray, '{') >= 0:
		return p.readStrayTag(t)
	case len(call.parameters) == MaxParameters:
		return p.closeTooLong()
	case call.wrapperOpen, !element, call.parametersOpen, declared:
		p.openOffered()
	}
	if element && !call.parametersOpen {
		p.noteReason("no_parameters_tag")
	}
	call.stray = nil // text before a parameter was not meant as the input
	if element && len(t.Attributes) > 0 {
		p.noteReason("attributes")
	}
	return p.beginValue(t, property, tag, element)
}

// readStrayTag reads an opening tag that has no place in the call. A call with one cannot be read to
// its end: closeCall ends it as unreadable.
func (p *parser) readStrayTag(t markup.Tag) state {
	if p.isPending() {
		return p.giveBackCall("stray_text")
	}
	p.call.stray = append(p.call.stray, p.in.rest()[:t.Len]...)
	p.call.strayTag, p.call.unread = true, true
	p.noteReason("stray_text")
	p.in.take(t.Len, SpanDropped)
	return inCall
}

// matchFencedInput matches the line that opens a Markdown code fence, before a JSON object, or
// a string with one where the format has it: n is the index of that. Only the input of a call that is offered stands so, and only in a wrapper.
func (p *parser) matchFencedInput(rest []byte) (n int, v markup.Verdict) {
	if p.call.unoffered || rest[0] != '`' {
		return 0, markup.NoMatch
	}
	if n, v = p.matchFencedLine(rest); v != markup.NoMatch {
		return n, v
	}
	n, v = p.in.matchFence(rest)
	if v != markup.Match {
		return 0, v
	}
	n, v = p.in.matchBlanks(rest, n, maxGap)
	if v == markup.Match {
		v = markup.VerdictOf(n < len(rest) && p.beginsInput(rest[n]))
	}
	return n, v
}

// matchFencedLine is matchFencedInput for an input that begins on the line that opens the fence: ```json {"count":3}```.
func (p *parser) matchFencedLine(rest []byte) (n int, v markup.Verdict) {
	ticks := 0
	for ticks < len(rest) && ticks < maxInfo && rest[ticks] == '`' {
		ticks++
	}
	n = ticks
	for n < len(rest) && n < maxInfo && (rest[n]|0x20 >= 'a' && rest[n]|0x20 <= 'z') {
		n++
	}
	for n < len(rest) && n < maxInfo && (rest[n] == ' ' || rest[n] == '\t') {
		n++
	}
	switch {
	case n == len(rest) && n < maxInfo:
		return 0, p.in.needMore()
	case ticks < len(fence) || n == maxInfo:
		return 0, markup.NoMatch
	}
	return n, markup.VerdictOf(p.beginsInput(rest[n]))
}

// beginsInput reports whether the input of the call may begin with c.
func (p *parser) beginsInput(c byte) bool { return c == '{' || c == '"' && p.call.spelling.IsJSON() }
