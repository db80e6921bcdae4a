package translate

import (
	"bytes"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// What looked like a call and was none is text.

// giveBack turns what was read since the mark into text: it was no call. After
// calls it is prose, which ends the answer.
func (p *parser) giveBack() state {
	if p.calls > 0 {
		return p.runOn()
	}
	p.giveBackText()
	return textState
}

func (p *parser) giveBackText() {
	said := p.mark + p.hidden
	p.pos = max(p.pos, said)
	raw := bytes.Clone(p.in[said:p.pos])
	p.mark, p.hidden = -1, 0
	p.out = p.out[:0]
	p.currentCall = currentCall{}
	if len(raw) > 0 {
		p.text(raw)
	}
}

// giveBackCall is giveBack for text that has named a tool, or tried to.
func (p *parser) giveBackCall(reason string) state {
	p.note(messages.Outcome{Kind: messages.OutcomeLeaked, Tool: p.tool, Reason: reason, Unread: !p.eof || !p.cutShort})
	wrapped := p.wrapped
	switch {
	case p.calls > 0 && !wrapped:
		return p.runOn()
	case p.calls > 0:
		p.giveBackText()
		p.currentCall = currentCall{inCall: true, wrapped: true}
		return brokenCallState
	}
	p.giveBackText()
	return textState
}

// brokenCallState reads the rest of a call among others that was given back: it
// is text, up to the next call.
func brokenCallState(p *parser) state {
	if p.textUpTo(func(t markup.Tag) bool { return t.Is("invoke") && !t.Closing || isWrapper(t) && t.Closing }) {
		return betweenCallsState
	}
	return nil
}

// textUpTo reads text up to a tag that ends it, and tells whether that has come.
func (p *parser) textUpTo(ends func(markup.Tag) bool) bool {
	for {
		rest := p.rest()
		n := bytes.IndexByte(rest, '<')
		if n < 0 {
			n = len(rest)
		}
		if n > 0 {
			p.text(rest[:n])
			p.pos += n
		}
		if n == len(rest) {
			return false
		}
		t, v := markup.MatchTag(rest[n:], p.eof)
		switch {
		case v == markup.NeedMore:
			return false
		case v == markup.Match && ends(t):
			return true
		}
		p.text(rest[n : n+1])
		p.pos++
	}
}

// foreignBlockState reads a block that holds something else than calls, as text to
// its end: what looks like a call in it may be part of a value.
func foreignBlockState(p *parser) state {
	if p.textUpTo(func(t markup.Tag) bool { return isWrapper(t) && t.Closing }) {
		return textState
	}
	return nil
}

// orGiveBack waits for more text, or gives back if there is none.
func (p *parser) orGiveBack() state {
	if p.eof {
		return p.giveBack()
	}
	return nil
}
