package answer

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Calls in a Markdown code fence. By default, such a call is a quotation, and therefore text. But some
// models put the calls that they mean into fences. So the parser reads a call in a fence as a call in two
// cases: if Target.QuotedCalls is set, or if the answer has nothing but such fences and calls. In both
// cases, the call has to fill the fence, to be complete, to name an offered tool, and to have all required
// parameters. The parser holds the text from the back-ticks on until it knows.

// readsFences reports whether a code fence at the current position may hold a call.
func (p *parser) readsFences() bool {
	first := p.text.thinkingTag == "" || p.text.thinkingTag == fromTemplate && p.out.OpenKind == ""
	return p.quotedCalls || !p.text.said && p.mayCall && first && p.text.prefill == ""
}

// readBackTick reads a back-tick at the start of rest. If a code fence with a call begins there,
// readBackTick sets the mark before the fence and begins the call (inWrapper, atInvoke; in thinking,
// inRehearsal). Otherwise it writes the back-tick as text.
func (p *parser) readBackTick(rest []byte) state {
	code := &p.text.code
	if code.midLine || code.run > 0 || code.fence > 0 || !p.mayCall {
		return p.takeText(1)
	}
	ticks := 0
	for ticks < len(rest) && rest[ticks] == '`' {
		ticks++
	}
	t, n, v := p.matchQuotedCall(rest)
	switch v {
	case markup.NeedMore:
		return wait
	case markup.NoMatch:
		return p.takeText(ticks)
	}
	p.beginCall(t.Tag)
	if p.text.thinkingTag != "" {
		return inRehearsal
	}
	return p.beginFenced(t, n, ticks)
}

// mayBeUnfenced reports whether the tag t, inside a code fence, may begin a call that the model means. The
// tag has to stand at the start of a line. The model means the call if it ends the answer, because then it
// never closed the fence.
func (p *parser) mayBeUnfenced(t markup.TextTag) bool {
	code := &p.text.code
	return p.mayCall && p.text.thinkingTag == "" && code.fence > 0 && !code.info && !code.midLine && !t.Closing &&
		(t.Kind == markup.KindWrapper && len(t.Attributes) == 0 || t.Kind == markup.KindInvoke)
}

// beginFenced begins the call of the tag t (inWrapper, atInvoke). n is the number of bytes before the tag:
// the back-ticks that open the fence, and the text up to the tag. ticks is the number of back-ticks.
func (p *parser) beginFenced(t markup.TextTag, n, ticks int) state {
	p.call.MustBeWhole, p.call.Quoted, p.call.onlyFence = true, ticks, !p.quotedCalls
	p.in.Take(n, completion.SpanMarkup)
	if t.Kind == markup.KindWrapper {
		p.openWrapper(t.Tag)
		p.in.Take(t.Len, completion.SpanMarkup)
		return inWrapper
	}
	return atInvoke
}

// matchQuotedCall matches the line that opens a code fence and the tag of a call after it. The tag begins
// at rest[n].
func (p *parser) matchQuotedCall(rest []byte) (t markup.TextTag, n int, v markup.Verdict) {
	if n, v = p.in.MatchFence(rest); v != markup.Match {
		return t, 0, v
	}
	n, v = p.in.MatchBlanks(rest, n, completion.MaxGap)
	switch {
	case v != markup.Match:
		return t, 0, v
	case n == len(rest) || !p.BeginsTag(rest[n]):
		return t, 0, markup.NoMatch
	}
	t, v = p.matchTextTag(rest[n:])
	if v == markup.Match {
		v = markup.VerdictOf(t.Kind == markup.KindWrapper || t.Kind == markup.KindInvoke)
	}
	return t, n, v
}

// closeQuoted does what closeCall does, for a call in a code fence. The fence still has to end
// (atFenceEnd).
func (p *parser) closeQuoted(reason messages.Reason) state {
	if reason != messages.ReasonNone || !p.out.HasMembers(p.call.Schema.Required) {
		return p.giveBack()
	}
	p.call.NoteReason(messages.ReasonQuotedCall)
	return atFenceEnd
}

// readFenceEnd is the state atFenceEnd: a complete call in a code fence has been read. If a wrapper is
// open, its end must follow. Then the end of the fence or the end of the text must follow (betweenCalls,
// afterAnswer). The text may end there because the upstream stops at the end of calls, before the model
// closes the fence. If anything else follows, the call is given back.
func (p *parser) readFenceEnd() state {
	rest := p.in.Rest()
	i, v := p.in.MatchBlanks(rest, 0, completion.MaxGap)
	switch {
	case v == markup.NeedMore:
		return wait
	case v == markup.Match && i == len(rest) && !p.call.WrapperOpen && !p.in.CutShort:
		p.in.TakeAll(completion.SpanMarkup)
		return p.finishCall()
	case v == markup.NoMatch || i == len(rest):
		return p.leakQuoted()
	}
	if p.call.WrapperOpen {
		t, v := p.matchOpener(rest[i:])
		switch {
		case v == markup.NeedMore:
			return wait
		case v == markup.NoMatch || !t.Closing || !t.IsWrapper():
			return p.leakQuoted()
		}
		p.in.Take(i+t.Len, completion.SpanMarkup)
		p.call.WrapperOpen = false
		return atFenceEnd
	}
	if p.call.openFence {
		return p.leakQuoted()
	}
	n, v := p.matchFenceEnd(rest, i)
	switch v {
	case markup.NeedMore:
		return wait
	case markup.NoMatch:
		return p.leakQuoted()
	}
	switch v := p.matchNothingElse(rest, n); {
	case !p.call.onlyFence:
	case v == markup.NeedMore:
		return wait
	case v == markup.NoMatch:
		return p.leakQuoted()
	}
	p.in.Take(n, completion.SpanMarkup)
	return p.finishCall()
}

// leakQuoted gives back a complete call in a code fence, because something else is in the fence or behind it. After
// other calls, it ends the answer.
func (p *parser) leakQuoted() state {
	if p.calls.whole == 0 {
		return p.giveBack()
	}
	ended := p.endedByModel()
	if ended {
		p.noteAfterCall(messages.ReasonRanOn)
	}
	p.noteOutcome(messages.Outcome{Kind: messages.OutcomeLeaked, Tool: p.call.Tool, Reason: messages.ReasonQuoted, InText: true})
	if ended {
		return p.runOn()
	}
	return p.giveBack()
}

// matchNothingElse matches, at rest[i], what may follow a fence in an answer that has only calls: the end
// of the answer, another call, or another fence with a call.
func (p *parser) matchNothingElse(rest []byte, i int) markup.Verdict {
	i, v := p.in.MatchBlanks(rest, i, completion.MaxGap)
	switch {
	case v != markup.Match:
		return v
	case i == len(rest):
		return markup.VerdictOf(!p.in.CutShort)
	case rest[i] == '`':
		_, _, v = p.matchQuotedCall(rest[i:])
	case p.BeginsTag(rest[i]):
		var t markup.Tag
		if t, v = p.matchOpener(rest[i:]); v == markup.Match {
			v = markup.VerdictOf(!t.Closing && (t.IsWrapper() || t.Is("invoke")))
		}
	default:
		v = markup.NoMatch
	}
	return v
}

// readNextFence reads the start of the next call, if it is in a code fence.
func (p *parser) readNextFence(rest []byte) (next state, v markup.Verdict) {
	if rest[0] != '`' || p.call.WrapperOpen || p.proseBetween != nil {
		return wait, markup.NoMatch
	}
	t, n, v := p.matchQuotedCall(rest)
	if v != markup.Match {
		return wait, v
	}
	p.beginNextCall(t.Tag)
	return p.beginFenced(t, n, len(rest)-len(bytes.TrimLeft(rest, "`"))), v
}

// matchFenceEnd matches the line that ends the code fence of the call. i is the index after the leading
// white space in rest, n is the index after the back-ticks.
func (p *parser) matchFenceEnd(rest []byte, i int) (n int, v markup.Verdict) {
	for n = i; n < len(rest) && rest[n] == '`'; {
		n++
	}
	end := n
	for end < len(rest) && end-n < completion.MaxInfo && (rest[end] == ' ' || rest[end] == '\t') {
		end++
	}
	switch {
	case bytes.IndexByte(rest[:i], '\n') < 0 || end < len(rest) && n-i < p.call.Quoted:
		return 0, markup.NoMatch
	case end < len(rest):
		return n, p.in.MatchLineEnd(rest[end:])
	case !p.in.EOF:
		return 0, markup.NeedMore
	}
	return n, markup.VerdictOf(n-i >= p.call.Quoted && !p.in.CutShort)
}
