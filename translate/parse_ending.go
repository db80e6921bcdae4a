package translate

import (
	"bytes"
	"cmp"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// endAtEOF ends a call whose text has ended between its parameters.
func (p *parser) endAtEOF() state {
	read := len(p.seen) > 0 || p.object
	if p.cutShort || p.inParams || p.attribute || !read {
		return p.endIncomplete() // no closing tag tells that the model had come to its end
	}
	return p.endCall("missing_closer")
}

// endCall ends a whole call.
func (p *parser) endCall(repair string) state {
	if len(p.lost) > 0 && (len(p.seen) == 0 || p.lostTag) {
		return p.endUnread()
	}
	for _, s := range p.swallowed {
		if !p.seen[s.name] {
			p.wholeTo = s.from
			return p.endDoubtful()
		}
	}
	if repair != "" {
		p.fix(repair)
	}
	p.commit()
	p.endInput()
	o := messages.Outcome{Tool: p.tool, Kind: messages.OutcomeClean}
	switch {
	case p.continued:
		o.Kind, o.Reason = messages.OutcomeContinued, cmp.Or(p.misfit, p.repair)
	case p.whole:
		o.Kind = messages.OutcomeUnknownTool
	case p.misfit != "":
		o.Kind, o.Reason = messages.OutcomeTypeFallback, p.misfit
	case p.repair != "":
		o.Kind, o.Reason = messages.OutcomeRepaired, p.repair
	}
	p.note(o)
	p.calls++
	p.currentCall = currentCall{inCall: true, wrapped: p.wrapped}
	if p.req.ToolChoice.DisableParallelToolUse {
		p.callsEnded = true
		return cutState
	}
	return betweenCallsState
}

// endInput closes the JSON object of the input, and the block.
func (p *parser) endInput() {
	p.openInput()
	p.out = append(p.out, '}')
	p.cameWhole()
	p.closeBlock()
}

// openInput begins the JSON object of the input, if no parameter has.
func (p *parser) openInput() {
	if p.written+len(p.out) == 0 {
		p.out = append(p.out, '{')
	}
}

// leaveInput stops the block of a call that was not read to its end. The JSON of its
// input stays open where it is: nobody can take it for whole, and run half of it.
func (p *parser) leaveInput() {
	if p.holds {
		p.out = p.out[:max(0, p.wholeTo-p.written)]
	}
	p.openInput()
	p.wholeTo = max(p.wholeTo, len("{"))
	p.flush()
	p.stopBlock(p.wholeTo)
}

// endIncomplete ends a call that was not read to its end; the message's stop_reason
// says so too.
func (p *parser) endIncomplete() state {
	if p.tentative {
		return p.giveBackCall("incomplete")
	}
	p.leaveInput()
	p.note(messages.Outcome{Kind: messages.OutcomeIncomplete, Tool: p.tool, Reason: p.repair, Unread: !p.eof || !p.cutShort})
	p.incomplete = true
	return cutState
}

// endUnread ends a call whose parameters could not be read. Its block is open
// and cannot be taken back, so it counts as incomplete; what was not read follows as text.
func (p *parser) endUnread() state {
	lost := p.lost
	p.leaveInput()
	p.note(messages.Outcome{Kind: messages.OutcomeIncomplete, Tool: p.tool, Reason: p.repair, Unread: true})
	p.incomplete = true
	p.currentCall = currentCall{inCall: true, wrapped: p.wrapped}
	p.text(bytes.TrimSpace(lost))
	if len(lost) > maxUndecided {
		return cutState
	}
	return betweenCallsState
}

// note takes down how a call was read.
func (p *parser) note(o messages.Outcome) {
	if len(p.outcomes) < maxOutcomes {
		p.outcomes = append(p.outcomes, o)
	}
}

// betweenCallsState reads after a call: another one, the end of the calls, or
// text, which was written without their results and ends the answer.
func betweenCallsState(p *parser) state {
	if !p.skip() {
		return nil
	}
	t, v := markup.MatchTag(p.rest(), p.eof)
	switch {
	case p.rest()[0] == '{' && p.wrapped:
		p.startCallAgain(markup.Tag{})
		return jsonNameState
	case p.endsInTag():
		p.incomplete = true
		return cutState
	case p.rest()[0] != '<' || v == markup.NoMatch:
		return p.runOn()
	case v == markup.NeedMore:
		return nil
	case t.Is("invoke") && !t.Closing:
		p.startCallAgain(t)
		return invokeState
	case isWrapper(t) && t.Closing:
		p.pos += t.Len
		p.wrapped, p.callsEnded = false, true
		return betweenCallsState
	case isWrapper(t):
		p.startCallAgain(t)
		p.wrapped = true
		p.pos += t.Len
		return wrapperState
	case t.Closing && (t.Is("invoke") || t.Is("parameters")):
		p.pos += t.Len
		return betweenCallsState
	}
	return p.runOn()
}

// endsInTag tells whether the text ends in the tag of another call.
func (p *parser) endsInTag() bool {
	rest := p.rest()
	if !p.eof || rest[0] != '<' || bytes.IndexByte(rest, '>') >= 0 {
		return false
	}
	t, v := markup.MatchTextTag(rest, false)
	return v == markup.NeedMore && (t.Kind == 0 || t.Kind == markup.KindInvoke || t.Kind == markup.KindWrapper)
}

// startCallAgain is startCall after a call.
func (p *parser) startCallAgain(t markup.Tag) {
	wrapped := p.wrapped
	p.callsEnded = false
	p.startCall(markup.TextTag{Tag: t})
	p.wrapped = wrapped
}

// runOn ends the answer where the model goes on after its calls.
func (p *parser) runOn() state {
	p.blank = p.blank[:0]
	if n := len(p.outcomes); n > 0 && p.outcomes[n-1].Kind == messages.OutcomeClean {
		p.outcomes[n-1].Kind, p.outcomes[n-1].Reason = messages.OutcomeRepaired, "ran_on"
	}
	p.callsEnded = true
	return cutState
}
