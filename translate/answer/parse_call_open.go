package answer

import (
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// What the states of a call share: how it begins as text that may be given back, how its block
// opens, what is recorded of it, and how much of it is held at most.

// beginCall begins a call with the tag t, which is next. The mark is set before it, or stands before the
// prose between it and the last call, and the call is pending.
func (p *parser) beginCall(t markup.Tag) {
	p.out.holdInput()
	if p.proseBetween == nil {
		p.in.setMark()
	}
	p.in.seen.beginCall(p.in.offset())
	p.in.showsTokens = false
	p.call = callSeen{begun: true, namespace: t.Namespace(), spelling: t.Spelling}
	p.call.bare = t.Spelling.IsUnsure()
	p.call.mustBeWhole = p.call.bare || p.calls.fromServer // else it may come twice: see isRepeat
}

// beginNextCall is beginCall after another call. It is in the same wrapper if that is still open.
func (p *parser) beginNextCall(t markup.Tag) {
	wrapperOpen := p.call.wrapperOpen
	p.calls.closed = false
	p.beginCall(t)
	p.call.wrapperOpen = wrapperOpen
	p.call.prose, p.proseBetween = p.proseBetween, nil
}

// noteReason records why the outcome of the call is not clean: how the call is malformed, although
// its meaning is certain, or why it is broken off. The first reason counts.
func (p *parser) noteReason(reason string) {
	if p.call.reason == "" {
		p.call.reason = reason
	}
}

// noteReasons notes the first of several.
func (p *parser) noteReasons(reasons []string) {
	for _, reason := range reasons {
		p.noteReason(reason)
	}
}

// openCall opens the block of the call, unless it is open. From here on the text is a call, and
// cannot be given back. If tool_choice does not let the call come, the answer ends before it.
func (p *parser) openCall() {
	if !p.out.pending {
		return
	}
	p.in.unmark()
	if prose := p.call.prose; prose != nil {
		p.out.ensureBlock(messages.BlockText)
		p.out.sendText(p.text.blank)
		p.out.sendText(p.unescaped(prose))
	}
	p.dropBlank()
	if !p.mayOpen() {
		p.noteOutcome(messages.Outcome{Kind: messages.OutcomeLeaked, Tool: p.call.tool, Reason: reasonChoice, InText: true})
		p.out.cut()
		p.ended = true
		return
	}
	p.calls.opened = true
	p.out.openToolUse(p.call.tool)
}

// reasonChoice is the reason of an outcome for what tool_choice does not let come.
const reasonChoice = "tool_choice"

// mayOpen reports whether tool_choice lets the call come. Where it names a tool, the first call may
// be of another one all the same: the model is then asked again (correct.go). A model's own API has
// seen to its calls itself (Rescue).
func (p *parser) mayOpen() bool {
	switch choice := p.req.ToolChoice; {
	case p.textMayFollow:
		return true
	case choice.Type == messages.ChoiceTool:
		return !p.calls.opened || p.call.tool == choice.Name
	default:
		return choice.Type != messages.ChoiceNone
	}
}

// isPending reports whether the call may yet turn out to be none, so that its text is given back.
func (p *parser) isPending() bool { return p.out.pending && !p.call.certain }

// holdOffered records that the text is a call, if the tool is offered, and the call need not be whole. Its
// block opens with its first parameter (openOffered), or when it is whole: until then all of it can be
// refused.
func (p *parser) holdOffered() {
	switch {
	case !p.out.pending || p.call.unoffered || p.call.mustBeWhole:
	case p.mayOpen():
		p.call.certain = true
	default:
		p.openCall()
	}
}

// openOffered is openCall if the tool is offered, and the call need not be whole. A call to any other
// tool may be an example in prose, so its block opens when all of the call has been read (closeCall). A
// call to the tool of the prompt's own example opens when it differs from that (openUnlessEcho).
func (p *parser) openOffered() {
	switch {
	case p.call.unoffered || p.call.mustBeWhole:
	case p.mayEcho(), p.call.inSentence:
		p.holdOffered()
	default:
		p.openCall()
	}
}

// Bounds on what is held of an answer (G6). What models write is less than a tenth of each.
const (
	MaxHeld       = 16 << 20 // bytes of a value that is written or sent when it is whole: with more, the call is broken off
	MaxParameters = 10_000   // of a call: with more, it is broken off
	maxOutcomes   = 20_000   // of an answer: more are not counted
)

// noteOutcome records how a call was read.
func (p *parser) noteOutcome(o messages.Outcome) {
	o.FromServer = o.FromServer || p.call.fromServer
	if len(p.outcomes) < maxOutcomes {
		p.outcomes = append(p.outcomes, o)
	}
}

// endedByModel reports whether the text was not cut by the upstream. A call that cannot be read is
// then the model's mistake, and the model can be asked to make it again.
func (p *parser) endedByModel() bool { return !p.in.eof || !p.cutShort }

// holdsTooMuch reports whether the parameter that is being read is longer than MaxHeld.
func (p *parser) holdsTooMuch() bool {
	return len(p.value.held) > MaxHeld || !p.out.flowsValues && p.out.gathered() > MaxHeld
}
