package answer

import (
	"bytes"
	"cmp"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/emit"
	"dragoman/translate/answer/tagged"
	"dragoman/translate/messages"
)

// How a call ends. The parser closes a whole call. It breaks off a call that was cut off, is doubtful or cannot be
// read: it leaves the JSON of the call open, so that no client runs half of it. The functions return the next
// state: betweenCalls, afterAnswer, or a state of giveBackCall.

// closeCall closes a call that was read to its end. If the end was malformed, reason says how.
func (p *parser) closeCall(reason messages.Reason) state {
	call := &p.call
	if call.IsUnreadable() {
		return p.closeUnreadable()
	}
	switch {
	case call.Quoted > 0:
		return p.closeQuoted(reason)
	case p.out.Pending && len(call.attributes) > 0 && len(call.Parameters) == 0 && !call.JSONInput && p.readAttributes():
		p.call.NoteReason(messages.ReasonAttributes)
	case p.out.Pending && call.Unread && p.lacksArguments():
		if call.Bare {
			return p.giveBackCall(messages.ReasonNoArgumentsRead)
		}
		return p.refuse()
	case call.Bare && !p.out.HasMembers(call.Schema.Required):
		return p.giveBackCall(messages.ReasonBareCall)
	case call.Bare:
		p.call.NoteReason(messages.ReasonBareCall)
	}
	if reason != messages.ReasonNone {
		p.call.NoteReason(reason)
	}
	if call.line != nil && p.out.Pending {
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
	held := p.out.Pending
	if held && p.isRepeat() {
		return p.dropRepeat()
	}
	if p.openCall(); p.ended {
		return afterAnswer
	}
	p.out.CloseToolUse()
	if !held && len(p.out.Kept) < emit.MaxCompared {
		p.countText(p.out.Kept)
	}
	p.calls.fromServer = p.calls.fromServer || call.fromServer
	if p.text.beganAgain && p.calls.whole == 0 {
		p.call.NoteReason(messages.ReasonRestarted)
	}
	p.noteOutcome(p.outcome())
	p.calls.whole++
	p.calls.unclosed = call.Reason == messages.ReasonMissingCloser && len(call.Parameters) > 0
	p.calls.closed = !call.Spelling.HasWrapper() && call.Spelling.Ends() // the end of such a call also ends its block
	p.call = callSeen{begun: true, OpenCall: tagged.OpenCall{WrapperOpen: call.WrapperOpen}}
	if p.req.ToolChoice.DisableParallelToolUse {
		p.calls.closed = true
		return afterAnswer
	}
	return betweenCalls
}

// outcome returns the outcome of the call, which has been closed.
func (p *parser) outcome() messages.Outcome {
	call := &p.call
	o := messages.Outcome{Tool: call.Tool}
	o.Kind, o.Reason = p.judge()
	switch {
	case call.continued:
		o.Kind, o.Reason = messages.OutcomeContinued, cmp.Or(call.Misfit, call.Reason)
	case o.Kind == messages.OutcomeUnknownTool || o.Kind == messages.OutcomeInvalid:
	case p.copiesExample():
		o.Kind, o.Reason = messages.OutcomeInvalid, messages.ReasonExampleCopied
	case o.Kind == messages.OutcomeTypeFallback:
	case call.Reason != messages.ReasonNone || call.Slip != messages.ReasonNone:
		o.Kind, o.Reason = messages.OutcomeRepaired, cmp.Or(call.Reason, call.Slip)
	}
	return o
}

// breakOff ends a call that was not read to its end, and with it the answer. callsRead.stopReason has the stop
// reason for the client. A pending call is given back instead. If the client has nothing of the call yet and the
// call cannot be read, it is refused.
func (p *parser) breakOff() state {
	if p.tags.IsPending() {
		return p.giveBackCall(messages.ReasonIncomplete)
	}
	if p.endedByModel() {
		p.call.NoteReason(messages.ReasonMissingCloser)
		if p.out.Pending {
			p.calls.incomplete = p.in.EOF && p.call.Reason != messages.ReasonAmbiguous
			return p.refuse()
		}
	}
	return p.cutCall()
}

// cutCall ends a call that was cut off, or that the client already has in part. It also ends the answer.
func (p *parser) cutCall() state {
	if p.openCall(); p.ended {
		return afterAnswer
	}
	p.out.CutToolUse()
	o := messages.Outcome{Kind: messages.OutcomeIncomplete, Tool: p.call.Tool, Reason: p.call.Reason, Unread: p.endedByModel()}
	switch {
	case o.Unread && (!p.in.EOF || o.Reason == messages.ReasonAmbiguous):
		o.Kind = messages.OutcomeRefused
	case o.Reason == messages.ReasonAmbiguous:
		o.Reason = messages.ReasonCutValue
	}
	p.noteOutcome(o)
	p.calls.incomplete = true
	return afterAnswer
}

// closeDoubtful breaks off a call if the end of one of its values is uncertain: see tagged/doubt.go.
func (p *parser) closeDoubtful() state {
	p.call.Reason = messages.ReasonAmbiguous
	return p.breakOff()
}

// closeTooLong breaks off a call that exceeds the limits on held text: too many parameters, or one that is too
// long.
func (p *parser) closeTooLong() state {
	p.json.held = nil
	p.call.Reason = messages.ReasonTooLong
	return p.breakOff()
}

// closeUnreadable ends a call with text that cannot be read. If the client already has the start of the block, the
// call is broken off, and a text block with the unreadable text follows.
func (p *parser) closeUnreadable() state {
	if p.out.Pending {
		return p.refuse()
	}
	stray := p.call.Stray
	p.in.Seen.RestoreStray()
	p.out.CutToolUse()
	p.noteOutcome(messages.Outcome{Kind: messages.OutcomeRefused, Tool: p.call.Tool, Reason: p.call.Reason, Unread: true})
	p.calls.incomplete = true
	p.call = callSeen{begun: true, OpenCall: tagged.OpenCall{WrapperOpen: p.call.WrapperOpen}}
	p.writeText(p.unescaped(bytes.TrimSpace(stray)))
	if len(stray) > completion.MaxUndecided {
		return afterAnswer
	}
	return betweenCalls
}

// closeStray ends a call with too much stray text. It works like closeUnreadable, and the rest of the call becomes
// text.
func (p *parser) closeStray() state {
	if p.out.Pending {
		p.refuse()
		return inBrokenCall
	}
	stray := p.call.Stray
	p.call.Stray = nil
	p.in.Seen.RestoreBlanks()
	p.closeUnreadable()
	p.writeText(p.unescaped(bytes.TrimLeft(stray, " \t\r\n")))
	return inBrokenCall
}
