package answer

import (
	"dragoman/translate/answer/tagged"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// What the states of a call share: how it begins as text that may be given back, how its block
// opens, what is recorded of it, and how much of it is held at most.

// beginCall begins a call with the tag t, which is next. The mark is set before it, or stands before the
// prose between it and the last call, and the call is pending.
func (p *parser) beginCall(t markup.Tag) {
	p.out.HoldInput()
	if p.proseBetween == nil {
		p.in.SetMark()
	}
	p.in.Seen.BeginCall(p.in.Offset())
	p.in.ShowsTokens = false
	p.call = callSeen{begun: true, Call: tagged.Call{
		Namespace: t.Namespace(), Spelling: t.Spelling,
		Opening: p.text.opening != "" && p.calls.whole == 0, AfterOpen: p.calls.unclosed,
	}}
	p.tags.Begin()
	p.call.Bare = t.Spelling.IsUnsure()
	p.call.MustBeWhole = p.call.Bare || p.calls.fromServer // else it may come twice: see isRepeat
}

// beginNextCall is beginCall after another call. It is in the same wrapper if that is still open.
func (p *parser) beginNextCall(t markup.Tag) {
	wrapperOpen := p.call.WrapperOpen
	p.calls.closed = false
	p.beginCall(t)
	p.call.WrapperOpen = wrapperOpen
	p.call.prose, p.proseBetween = p.proseBetween, nil
}

// noteReasons notes the first of several.
func (p *parser) noteReasons(reasons []string) {
	for _, reason := range reasons {
		p.call.NoteReason(reason)
	}
}

// openCall opens the block of the call, unless it is open. From here on the text is a call, and
// cannot be given back. If tool_choice does not let the call come, the answer ends before it.
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
		p.noteOutcome(messages.Outcome{Kind: messages.OutcomeLeaked, Tool: p.call.Tool, Reason: reasonChoice, InText: true})
		p.out.Cut()
		p.ended = true
		return
	}
	p.calls.opened = true
	p.out.OpenToolUse(p.call.Tool)
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
		return !p.calls.opened || p.call.Tool == choice.Name
	default:
		return choice.Type != messages.ChoiceNone
	}
}

// holdOffered records that the text is a call, if the tool is offered, and the call need not be whole. Its
// block opens with its first parameter (openOffered), or when it is whole: until then all of it can be
// refused.
func (p *parser) holdOffered() {
	switch {
	case !p.out.Pending || p.call.Unoffered || p.call.MustBeWhole:
	case p.mayOpen():
		p.call.Certain = true
	default:
		p.openCall()
	}
}

// openOffered is openCall if the tool is offered, and the call need not be whole. A call to any other
// tool may be an example in prose, so its block opens when all of the call has been read (closeCall). A
// call to the tool of the prompt's own example opens when it differs from that (openUnlessEcho).
func (p *parser) openOffered() {
	switch {
	case p.call.Unoffered || p.call.MustBeWhole:
	case p.mayEcho(), p.call.inSentence:
		p.holdOffered()
	default:
		p.openCall()
	}
}

// maxOutcomes bounds the outcomes of an answer: more are not counted.
const maxOutcomes = 20_000

// noteOutcome records how a call was read.
func (p *parser) noteOutcome(o messages.Outcome) {
	o.FromServer = o.FromServer || p.call.fromServer
	if len(p.outcomes) < maxOutcomes {
		p.outcomes = append(p.outcomes, o)
	}
}

// endedByModel reports whether the text was not cut by the upstream. A call that cannot be read is
// then the model's mistake, and the model can be asked to make it again.
func (p *parser) endedByModel() bool { return !p.in.EOF || !p.in.CutShort }
