package answer

import (
	"dragoman/translate/answer/tagged"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// What the states of a call share: how a call begins as text that the parser may give back, how its block opens,
// and how its outcome is recorded.

// beginCall begins a call at the tag t, which is next. The call is pending. The mark is before t, or before the
// prose between the last call and t.
func (p *parser) beginCall(t markup.Tag) {
	p.out.HoldInput()
	if p.proseBetween == nil {
		p.in.SetMark()
	}
	p.in.Seen.BeginCall(p.in.Offset())
	p.in.ShowsTokens = false
	p.call = callSeen{begun: true, OpenCall: tagged.OpenCall{
		Namespace: t.Namespace(), Spelling: t.Spelling, Slip: t.Slip,
		Opening: p.text.opening != "" && p.calls.whole == 0, AfterOpen: p.calls.unclosed,
	}}
	p.tags.Begin()
	p.call.Bare = t.Spelling.IsUnsure()
	p.call.MustBeWhole = p.call.Bare || p.calls.fromServer // calls from the server may come a second time: see isRepeat
}

// beginNextCall is beginCall after another call. If the wrapper is still open, the call is in it.
func (p *parser) beginNextCall(t markup.Tag) {
	wrapperOpen := p.call.WrapperOpen
	p.calls.closed = false
	p.beginCall(t)
	p.call.WrapperOpen = wrapperOpen
	p.call.prose, p.proseBetween = p.proseBetween, nil
	if p.call.prose != nil && !endsLine(p.in.Marked()) {
		p.call.line = p.textBefore(p.call.prose)
	}
}

// noteReasons passes several reasons to NoteReason, which keeps the first.
func (p *parser) noteReasons(reasons []messages.Reason) {
	for _, reason := range reasons {
		p.call.NoteReason(reason)
	}
}

// openCall opens the block of the call, if it is not open yet. From now on the text is a call, and the parser
// cannot give it back. If tool_choice does not allow the call, the answer ends before it.
func (p *parser) openCall() {
	if !p.out.Pending {
		return
	}
	p.in.Unmark()
	if prose := p.call.prose; prose != nil {
		p.out.EnsureBlock(messages.BlockText)
		p.out.SendText(p.text.blank)
		p.out.SendText(p.unescaped(prose))
	}
	p.dropBlank()
	if !p.mayOpen() {
		p.noteOutcome(messages.Outcome{Kind: messages.OutcomeLeaked, Tool: p.call.Tool, Reason: messages.ReasonToolChoice, InText: true})
		p.out.Cut()
		p.ended = true
		return
	}
	p.calls.opened = true
	p.out.OpenToolUse(p.call.Tool)
}

// mayOpen reports whether tool_choice allows the call. If tool_choice names a tool, the first call may still be to
// another tool: then Dragoman asks the model again (correct.go).
func (p *parser) mayOpen() bool {
	choice := p.req.ToolChoice
	if choice.Type == messages.ChoiceTool {
		return !p.calls.opened || p.call.Tool == choice.Name
	}
	return choice.Type != messages.ChoiceNone
}

// holdOffered records that the text is certainly a call, if the tool is offered and the call need not be whole. The
// block opens with the first parameter (openOffered), or when the call is whole. Until then the parser can refuse
// all of it.
func (p *parser) holdOffered() {
	switch {
	case !p.out.Pending || p.call.Unoffered || p.call.MustBeWhole:
	case p.mayOpen():
		p.call.Certain = true
	default:
		p.openCall()
	}
}

// openOffered makes a call certain at its first parameter, and opens its block if values flow. Otherwise the block opens
// with the first whole parameter (openCertain): until then the parser can refuse the call as text.
func (p *parser) openOffered() {
	if p.holdOffered(); p.out.StreamValues {
		p.openCertain()
	}
}

// openCertain opens the block of a certain call. A call with text before it on its line, or to an unknown tool, may be
// an example, so its block opens at its end (finishCall). A call to the tool of the prompt's example opens when its
// input differs from the example.
func (p *parser) openCertain() {
	if p.out.Pending && p.call.Certain && p.call.line == nil && !p.mayEcho() {
		p.openCall()
	}
}

// maxOutcomes limits the outcomes of an answer. Further outcomes are not counted.
const maxOutcomes = 20_000

// noteOutcome records how a call was read.
func (p *parser) noteOutcome(o messages.Outcome) {
	o.FromServer = o.FromServer || p.call.fromServer
	if len(p.outcomes) < maxOutcomes {
		p.outcomes = append(p.outcomes, o)
	}
}

// endedByModel reports whether the model ended the text itself, so that the upstream did not cut it off. Then an
// unreadable call is the model's mistake, and Dragoman can ask the model to write it again.
func (p *parser) endedByModel() bool { return !p.in.EOF || !p.in.CutShort }
