package translate

import (
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// What all that reads of a call asks: it begins as text that may be given back, its block opens
// once it is certain to be one, and what is found of it is taken down.

// beginCall marks where text begins that may become a call, with the tag t.
func (p *parser) beginCall(t markup.Tag) {
	p.out.holdInput()
	p.in.setMark()
	p.call = callSeen{begun: true, namespace: t.Namespace()}
}

// beginNextCall is beginCall behind another one, in the same wrapper if that is open.
func (p *parser) beginNextCall(t markup.Tag) {
	wrapperOpen := p.call.wrapperOpen
	p.calls.closed = false
	p.beginCall(t)
	p.call.wrapperOpen = wrapperOpen
}

// repair takes down how the call is malformed, though its meaning is certain. What is found
// first is told.
func (p *parser) noteReason(reason string) {
	if p.call.reason == "" {
		p.call.reason = reason
	}
}

// openCall opens the block of the call, unless it is open: from here on it is one, and cannot
// be given back.
func (p *parser) openCall() {
	if !p.out.pending {
		return
	}
	p.in.unmark()
	p.dropBlank()
	p.out.openToolUse(p.call.tool)
}

// openOffered opens the block of a call to an offered tool. The block of any other opens when
// all of it has been read.
func (p *parser) openOffered() {
	if !p.call.unoffered {
		p.openCall()
	}
}

// Bounds on what is held of an answer (G6). Models write less than a tenth of that.
const (
	maxHeld       = 16 << 20 // bytes of a parameter that is sent when it is whole: beyond it the call is incomplete
	maxParameters = 10_000   // of a call, likewise
	maxOutcomes   = 20_000   // of an answer: more are not counted
)

// note takes down how a call was read.
func (p *parser) noteOutcome(o messages.Outcome) {
	if len(p.outcomes) < maxOutcomes {
		p.outcomes = append(p.outcomes, o)
	}
}

// endedByModel reports whether what is read had been ended by the model, so that it can be asked to
// write it again, and not by the upstream.
func (p *parser) endedByModel() bool { return !p.in.eof || !p.cutShort }

// holdsTooMuch reports whether a parameter is too long to be held.
func (p *parser) holdsTooMuch() bool {
	return len(p.value.held) > maxHeld || p.out.holdsValues && p.out.gathered() > maxHeld
}
