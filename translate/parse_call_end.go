package translate

import (
	"bytes"
	"cmp"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// How a call closes: whole, or broken off where it is cut, in doubt or cannot be read. The block
// of a call that is broken off is open already, and its input stays open where it is.

// closeCall closes a call that was read to its end, which is malformed if repair is not "".
func (p *parser) closeCall(reason string) state {
	call := &p.call
	if len(call.stray) > 0 && (len(call.parameters) == 0 || call.strayTag) {
		return p.closeUnread()
	}
	for _, s := range call.swallowed {
		if !call.parameters[s.name] {
			p.out.wholeTo = s.from
			return p.closeDoubtful()
		}
	}
	if reason != "" {
		p.noteReason(reason)
	}
	p.openCall()
	p.out.closeToolUse()
	p.noteOutcome(p.outcome())
	p.calls.whole++
	p.call = callSeen{begun: true, wrapperOpen: call.wrapperOpen}
	if p.req.ToolChoice.DisableParallelToolUse {
		p.calls.closed = true
		return afterAnswer
	}
	return betweenCalls
}

// outcome is how the call was read that has closed.
func (p *parser) outcome() messages.Outcome {
	call := &p.call
	o := messages.Outcome{Tool: call.tool, Kind: messages.OutcomeClean}
	switch {
	case call.continued:
		o.Kind, o.Reason = messages.OutcomeContinued, cmp.Or(call.misfit, call.reason)
	case call.unoffered:
		o.Kind = messages.OutcomeUnknownTool
	case call.misfit != "":
		o.Kind, o.Reason = messages.OutcomeTypeFallback, call.misfit
	case call.reason != "":
		o.Kind, o.Reason = messages.OutcomeRepaired, call.reason
	}
	return o
}

// closeAtEOF closes a call whose text has ended between its parameters. It is whole if the
// model had come to its end, which no closing tag tells.
func (p *parser) closeAtEOF() state {
	given := len(p.call.parameters) > 0 || p.call.jsonInput
	if p.cutShort || p.call.parametersOpen || p.call.attributeForm || !given {
		return p.breakOff()
	}
	return p.closeCall("missing_closer")
}

// breakOff ends a call that was not read to its end; the message's stop_reason says so too.
func (p *parser) breakOff() state {
	if p.out.pending {
		return p.giveBackCall("incomplete")
	}
	p.out.cutToolUse()
	p.noteOutcome(messages.Outcome{Kind: messages.OutcomeIncomplete, Tool: p.call.tool, Reason: p.call.reason, Unread: p.endedByModel()})
	p.calls.incomplete = true
	return afterAnswer
}

// closeDoubtful breaks a call off with a value that is not certain.
func (p *parser) closeDoubtful() state {
	p.call.reason = "doubtful_value"
	return p.breakOff()
}

// closeTooLong breaks a call off that holds more than is read of one.
func (p *parser) closeTooLong() state {
	p.value.held, p.value.open = nil, false
	p.call.reason = "too_long"
	return p.breakOff()
}

// breakOffValue breaks a call off in a value that the text ended in. A string stays open where it
// was cut; of an object that is the whole input, the members that came whole count.
func (p *parser) breakOffValue() state {
	p.in.takeAll()
	if p.value.schema == nil {
		p.writeOpenObject(markup.Unescape(string(p.value.held), p.escaped, ""))
	}
	p.noteReason("cut_value")
	return p.breakOff()
}

// writeOpenObject takes over the members that came whole of an input in JSON that was cut.
func (p *parser) writeOpenObject(text string) {
	p.out.writeCutObject(text)
}

// closeUnread closes a call whose parameters could not be read. Its block is open and cannot be
// taken back, so it counts as incomplete; what was not read follows as text.
func (p *parser) closeUnread() state {
	stray := p.call.stray
	p.out.cutToolUse()
	p.noteOutcome(messages.Outcome{Kind: messages.OutcomeIncomplete, Tool: p.call.tool, Reason: p.call.reason, Unread: true})
	p.calls.incomplete = true
	p.call = callSeen{begun: true, wrapperOpen: p.call.wrapperOpen}
	p.writeText(bytes.TrimSpace(stray))
	if len(stray) > maxUndecided {
		return afterAnswer
	}
	return betweenCalls
}
