package answer

import (
	"bytes"

	"dragoman/translate/markup"
)

// Text where only tags belong in a call.

// readStrayText reads text where only tags belong. A JSON object is the whole input, in a code fence
// or not. If the call is pending, other text shows that it is none, and the call is given back.
// Otherwise the text is dropped, unless it may have been meant as the input: then it is held. That is
// known of a line when it is whole.
func (p *parser) readStrayText(rest []byte) state {
	call := &p.call
	if rest[0] == '{' && p.mayBeObject() {
		p.holdOffered()
		return p.beginObject()
	}
	if p.mayBeObject() {
		switch n, v := p.matchFencedInput(rest); v {
		case markup.NeedMore:
			return wait
		case markup.Match:
			call.fence = string(rest[:n])
			p.in.take(n, SpanMarkup)
			if call.spelling.IsJSON() {
				return inCall
			}
			return p.beginObject()
		}
	}
	if p.isPending() {
		return p.giveBackCall("stray_text")
	}
	n := bytes.IndexAny(rest[1:], "<\n{") + 1 // an object may begin a line
	if n == 0 {
		n = len(rest)
	}
	call.inLine, call.strayText, call.unread = true, true, true
	json := rest[0] == '{' // it may be arguments, so it cannot be dropped
	call.strayTag = call.strayTag || json && len(call.parameters) > 0
	if len(call.stray) == 0 { // all that follows held text is held with it
		call.strayLine = !p.mayBeInput()
	}
	call.strayLine = call.strayLine && !json
	call.stray = append(call.stray, rest[:n]...)
	p.in.takeStray(n)
	p.noteReason("stray_text")
	return inCall
}

// MaxStray bounds the text without a place in a call that is held until the call ends (G6).
const MaxStray = 32 << 10

// straysTooFar reports whether the stray text of the call is longer than MaxStray with the white
// space that follows it. Where its line may be dropped, that is up to the end of the line: however the
// text is cut, a line that is too long does not come to be dropped (G2).
func (p *parser) straysTooFar(blank []byte) bool {
	if len(p.call.stray) == 0 {
		return false
	}
	if p.call.strayLine {
		blank, _, _ = bytes.Cut(blank, []byte("\n"))
	}
	return len(p.call.stray)+len(blank) > MaxStray
}

// closeStray ends a call with too much text that has no place in it, as closeUnreadable does, and
// passes the rest of it on as text.
func (p *parser) closeStray(blank []byte) state {
	if p.out.pending {
		p.refuse()
		return inBrokenCall
	}
	stray := append(p.call.stray, blank...)
	p.call.stray = nil
	p.in.seen.restoreBlanks()
	p.closeUnreadable()
	p.writeText(p.unescaped(bytes.TrimLeft(stray, " \t\r\n")))
	return inBrokenCall
}

// mayBeObject reports whether a { may begin the whole input: it begins a line, or follows a tag, and
// nothing but lines of text has come before it.
func (p *parser) mayBeObject() bool {
	call := &p.call
	prose := bytes.TrimRight(call.stray, " \t")
	return len(call.parameters) == 0 && !call.jsonInput && !call.strayTag && !call.inLine &&
		(len(prose) == 0 || prose[len(prose)-1] == '\n' && bytes.IndexByte(prose, '{') < 0)
}

// mayBeInput reports whether text may have been meant as the input of the call: no other input has
// come, the parameters are not closed, and the tool takes text.
func (p *parser) mayBeInput() bool {
	call := &p.call
	return len(call.parameters) == 0 && !call.jsonInput && !call.parametersClosed && call.schema.TakesText()
}
