package translate

import (
	"bytes"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Behind a call, and behind what looked like one and is none: that is given back as text.

// readBetweenCalls reads after a call: another one, the end of the calls, or text, which was
// written without their results and ends the answer.
func (p *parser) readBetweenCalls() state {
	if !p.in.skipBlanks() {
		return wait
	}
	rest := p.in.rest()
	t, v := markup.MatchTag(rest, p.in.eof)
	switch {
	case rest[0] == '{' && p.call.wrapperOpen:
		p.beginNextCall(markup.Tag{})
		return atJSONName
	case p.endsInTag():
		p.calls.incomplete = true
		return afterAnswer
	case rest[0] != '<' || v == markup.NoMatch:
		return p.runOn()
	case v == markup.NeedMore:
		return wait
	case t.Is("invoke") && !t.Closing:
		p.beginNextCall(t)
		return atInvoke
	case t.IsWrapper() && t.Closing:
		p.in.take(t.Len)
		p.call.wrapperOpen, p.calls.closed = false, true
		return betweenCalls
	case t.IsWrapper():
		p.beginNextCall(t)
		p.call.wrapperOpen = true
		p.in.take(t.Len)
		return inWrapper
	case t.Closing && (t.Is("invoke") || t.Is("parameters")):
		p.in.take(t.Len)
		return betweenCalls
	}
	return p.runOn()
}

// endsInTag reports whether the text ends in the tag of another call.
func (p *parser) endsInTag() bool {
	rest := p.in.rest()
	if !p.in.eof || rest[0] != '<' || bytes.IndexByte(rest, '>') >= 0 {
		return false
	}
	t, v := markup.MatchTextTag(rest, false)
	return v == markup.NeedMore && (t.Kind == 0 || t.Kind == markup.KindInvoke || t.Kind == markup.KindWrapper)
}

// runOn ends the answer where the model goes on behind its calls.
func (p *parser) runOn() state {
	p.dropBlank()
	if n := len(p.outcomes); n > 0 && p.outcomes[n-1].Kind == messages.OutcomeClean {
		p.outcomes[n-1].Kind, p.outcomes[n-1].Reason = messages.OutcomeRepaired, "ran_on"
	}
	p.calls.closed = true
	return afterAnswer
}

// giveBack turns what was read since the mark into text: it was no call. Behind calls it is prose,
// which ends the answer.
func (p *parser) giveBack() state {
	if p.calls.whole > 0 {
		return p.runOn()
	}
	p.giveBackText()
	return inText
}

// giveBackText writes what was read since the mark as text.
func (p *parser) giveBackText() {
	raw := p.in.giveBack()
	p.out.dropInput()
	p.call = callSeen{}
	if len(raw) > 0 {
		p.writeText(raw)
	}
}

// giveBackCall is giveBack for text that has named a tool, or tried to.
func (p *parser) giveBackCall(reason string) state {
	p.noteOutcome(messages.Outcome{Kind: messages.OutcomeLeaked, Tool: p.call.tool, Reason: reason, Unread: p.endedByModel()})
	wrapperOpen := p.call.wrapperOpen
	switch {
	case p.calls.whole > 0 && !wrapperOpen:
		return p.runOn()
	case p.calls.whole > 0:
		p.giveBackText()
		p.call = callSeen{begun: true, wrapperOpen: true}
		return inBrokenCall
	}
	p.giveBackText()
	return inText
}

// waitOrGiveBack waits for more text, or gives back if there is none.
func (p *parser) waitOrGiveBack() state {
	if p.in.eof {
		return p.giveBack()
	}
	return wait
}

// readBrokenCall reads the rest of a call among others that was given back: it is text, up to the
// next call or the end of the calls.
func (p *parser) readBrokenCall() state {
	if p.readTextUpTo(func(t markup.Tag) bool { return t.Is("invoke") && !t.Closing || t.IsWrapper() && t.Closing }) {
		return betweenCalls
	}
	return wait
}

// readForeignBlock reads a block that holds something else than calls, as text up to its end: what
// looks like a call in it may be part of a value.
func (p *parser) readForeignBlock() state {
	if p.readTextUpTo(func(t markup.Tag) bool { return t.IsWrapper() && t.Closing }) {
		return inText
	}
	return wait
}

// readTextUpTo reads text up to a tag that ends it, and reports whether that has come.
func (p *parser) readTextUpTo(ends func(markup.Tag) bool) bool {
	for {
		rest := p.in.rest()
		n := bytes.IndexByte(rest, '<')
		if n < 0 {
			n = len(rest)
		}
		if n > 0 {
			p.writeText(rest[:n])
			p.in.take(n)
		}
		if n == len(rest) {
			return false
		}
		t, v := markup.MatchTag(rest[n:], p.in.eof)
		switch {
		case v == markup.NeedMore:
			return false
		case v == markup.Match && ends(t):
			return true
		}
		p.writeText(rest[n : n+1])
		p.in.take(1)
	}
}
