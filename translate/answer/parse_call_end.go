package answer

import (
	"bytes"
	"cmp"
	"slices"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// How a call ends: it closes if it is whole; it is broken off if it was cut, is doubtful or cannot be
// read. The JSON of a call that is broken off is left open, so that no client runs half of it. The
// functions return the next state: betweenCalls, afterAnswer, or one of giveBackCall.

// closeCall closes a call that was read to its end. If reason is not "", it says how the end was
// malformed.
func (p *parser) closeCall(reason string) state {
	call := &p.call
	if p.doubt.cut {
		return p.closeDoubtful()
	}
	if len(call.stray) > 0 && (len(call.parameters) == 0 || call.strayTag) {
		return p.closeUnreadable()
	}
	if len(call.ends) > 0 {
		return p.closeDoubtful() // the reading that was settled on goes on
	}
	if len(call.keys) > 0 {
		return p.closeDoubtful() // there are fewer values than names
	}
	if call.begunTwice && (len(call.parameters) == 0 && !call.jsonInput || reason == "missing_closer") {
		return p.closeDoubtful() // or it is two calls, the first of which has no parameters
	}
	switch {
	case call.quoted > 0:
		return p.closeQuoted(reason)
	case p.out.pending && len(call.attributes) > 0 && len(call.parameters) == 0 && !call.jsonInput && p.readAttributes():
		p.noteReason("attributes")
	case p.out.pending && call.unread && p.lacksArguments():
		if call.bare {
			return p.giveBackCall(messages.ReasonNoArgumentsRead)
		}
		return p.refuse()
	case call.bare && !p.out.hasMembers(call.schema.Required):
		return p.giveBackCall("bare_call")
	case call.bare:
		p.noteReason("bare_call")
	}
	if reason != "" {
		p.noteReason(reason)
	}
	if call.inSentence && p.out.pending && p.listEnd == "" {
		return atLineEnd
	}
	return p.finishCall()
}

// finishCall closes a call that is certain.
func (p *parser) finishCall() state {
	call := &p.call
	if p.isEcho() {
		return p.leakEcho()
	}
	held := p.out.pending
	if held && p.isRepeat() {
		return p.dropRepeat()
	}
	if p.openCall(); p.ended {
		return afterAnswer
	}
	p.out.closeToolUse()
	if !held && len(p.out.kept) < maxCompared {
		p.countText(p.out.kept)
	}
	p.calls.fromServer = p.calls.fromServer || call.fromServer
	if p.text.beganAgain && p.calls.whole == 0 {
		p.noteReason("restarted")
	}
	p.noteOutcome(p.outcome())
	p.calls.whole++
	p.calls.unclosed = call.reason == "missing_closer" && len(call.parameters) > 0
	p.calls.closed = !call.spelling.HasWrapper() && call.spelling.Ends() // the end of such a call is that of its block, too
	p.call = callSeen{begun: true, wrapperOpen: call.wrapperOpen}
	if p.req.ToolChoice.DisableParallelToolUse {
		p.calls.closed = true
		return afterAnswer
	}
	return betweenCalls
}

// outcome returns how the call was read, which has been closed.
func (p *parser) outcome() messages.Outcome {
	call := &p.call
	o := messages.Outcome{Tool: call.tool, Kind: messages.OutcomeClean}
	invalid := p.misfit()
	if invalid == "" && p.copiesExample() {
		invalid = messages.ReasonExampleCopied
	}
	switch {
	case call.continued:
		o.Kind, o.Reason = messages.OutcomeContinued, cmp.Or(call.misfit, call.reason)
	case call.unoffered:
		o.Kind = messages.OutcomeUnknownTool
	case invalid != "":
		o.Kind, o.Reason = messages.OutcomeInvalid, invalid
	case call.misfit != "":
		o.Kind, o.Reason = messages.OutcomeTypeFallback, call.misfit
	case call.reason != "":
		o.Kind, o.Reason = messages.OutcomeRepaired, call.reason
	}
	return o
}

// closeAtEOF ends a call where the text ends between its parameters. The call is whole if the model
// has only left out its last closing tags: the upstream did not cut the text, and the tool has all that it
// requires. So it is where a stray closing tag stands in place of the end of a call without parameters: no
// text that was cut ends so.
func (p *parser) closeAtEOF() state {
	if p.lacksInput() && !p.cutShort {
		return p.closeCall("missing_input")
	}
	given := len(p.call.parameters) > 0 || p.call.jsonInput
	if !p.cutShort && !given && p.call.reason == "stray_closer" && !p.call.mustBeWhole && len(p.call.schema.Properties) == 0 {
		return p.closeCall("")
	}
	if p.cutShort || !given || (p.call.parametersOpen || p.call.attributeForm) && !p.hasRequired() {
		return p.breakOff()
	}
	return p.closeCall("missing_closer")
}

// hasRequired reports whether the call stands in its wrapper, its tool is offered, and all that it requires was given.
func (p *parser) hasRequired() bool {
	call := &p.call
	return call.wrapperOpen && !call.unoffered && !slices.ContainsFunc(call.schema.Required, func(name string) bool {
		return !call.parameters[name] && !slices.Contains(call.members, name)
	})
}

// lacksInput reports whether the call has nothing in place of its input, which ends it, and its tool
// requires nothing.
func (p *parser) lacksInput() bool {
	call := &p.call
	return call.isInput() && !call.spelling.Ends() && !call.jsonInput && len(call.stray) == 0 && !call.unoffered && len(call.schema.Required) == 0
}

// breakOff ends a call that was not read to its end, and with it the answer: see callsRead.stopReason
// for what the client is told. A pending call is given back instead, and one that cannot be read is refused,
// if nothing of it was sent.
func (p *parser) breakOff() state {
	if p.isPending() {
		return p.giveBackCall("incomplete")
	}
	if p.endedByModel() {
		p.noteReason("missing_closer")
		if p.out.pending {
			p.calls.incomplete = p.in.eof && p.call.reason != messages.ReasonAmbiguous
			return p.refuse()
		}
	}
	return p.cutCall()
}

// cutCall ends a call whose text was cut, or of which parameters were sent, and with it the answer.
func (p *parser) cutCall() state {
	if p.openCall(); p.ended {
		return afterAnswer
	}
	p.out.cutToolUse()
	o := messages.Outcome{Kind: messages.OutcomeIncomplete, Tool: p.call.tool, Reason: p.call.reason, Unread: p.endedByModel()}
	switch {
	case o.Unread && (!p.in.eof || o.Reason == messages.ReasonAmbiguous):
		o.Kind = messages.OutcomeRefused
	case o.Reason == messages.ReasonAmbiguous:
		o.Reason = "cut_value"
	}
	p.noteOutcome(o)
	p.calls.incomplete = true
	return afterAnswer
}

// closeDoubtful breaks off a call in which it is not certain where a value ends: see parse_doubt.go.
func (p *parser) closeDoubtful() state {
	p.call.reason = messages.ReasonAmbiguous
	return p.breakOff()
}

// closeTooLong breaks off a call that has more parameters or a longer one than is held.
func (p *parser) closeTooLong() state {
	p.value.held, p.value.open = nil, false
	p.call.reason = "too_long"
	return p.breakOff()
}

// breakOffValue breaks off a call whose text ends within a value. A string is sent up to where it was
// cut. Of an object that is the whole input, the members that came whole are sent.
func (p *parser) breakOffValue() state {
	p.in.takeAll(SpanDropped)
	if p.value.text.Schema == nil {
		p.out.writeCutObject(markup.Unescape(string(p.value.held), p.escaped, ""))
	}
	p.noteReason("cut_value")
	if p.isPending() {
		return p.giveBackCall("incomplete")
	}
	return p.cutCall()
}

// closeUnreadable ends a call that holds text that cannot be read. If its block is open, and cannot be taken
// back, the call is broken off, and the text that cannot be read follows it in a text block.
func (p *parser) closeUnreadable() state {
	if p.out.pending {
		return p.refuse()
	}
	stray := p.call.stray
	p.in.seen.restoreStray()
	p.out.cutToolUse()
	p.noteOutcome(messages.Outcome{Kind: messages.OutcomeRefused, Tool: p.call.tool, Reason: p.call.reason, Unread: true})
	p.calls.incomplete = true
	p.call = callSeen{begun: true, wrapperOpen: p.call.wrapperOpen}
	p.writeText(p.unescaped(bytes.TrimSpace(stray)))
	if len(stray) > MaxUndecided {
		return afterAnswer
	}
	return betweenCalls
}
