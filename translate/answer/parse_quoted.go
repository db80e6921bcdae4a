package answer

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
)

// A call in a Markdown code fence. It is text, since it is quoted. Some models fence the calls that
// they mean, though: where Target.QuotedCalls says so, and in an answer that has nothing but such fences and calls, a
// call that fills the fence is one, if it is whole, its tool is offered, and it has all that the tool requires. From the
// back-ticks on the text is held until that is certain.

// readsFences reports whether a call in a code fence may be one where the parser is.
func (p *parser) readsFences() bool {
	return p.readsQuoted || !p.text.said && p.mayCall && p.text.thinkingTag == "" && p.text.prefill == ""
}

// readBackTick reads a back-tick in text, which rest begins with: as text or, before a call in a code
// fence, as its beginning (inWrapper, atInvoke; inRehearsal in thinking). The mark then stands before the fence.
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

// mayBeUnfenced reports whether the tag t, in a code fence, may begin a call that is meant: at the start of a line. It is
// meant if it ends the answer, so that the fence was never closed.
func (p *parser) mayBeUnfenced(t markup.TextTag) bool {
	code := &p.text.code
	return p.mayCall && p.text.thinkingTag == "" && code.fence > 0 && !code.info && !code.midLine && !t.Closing &&
		(t.Kind == markup.KindWrapper && len(t.Attributes) == 0 || t.Kind == markup.KindInvoke)
}

// beginFenced begins the call of the tag t, which stands n bytes behind the back-ticks that open a fence (inWrapper,
// atInvoke).
func (p *parser) beginFenced(t markup.TextTag, n, ticks int) state {
	p.call.MustBeWhole, p.call.Quoted, p.call.onlyFence = true, ticks, !p.readsQuoted
	p.in.Take(n, completion.SpanMarkup)
	if t.Kind == markup.KindWrapper {
		p.openWrapper(t.Tag)
		p.in.Take(t.Len, completion.SpanMarkup)
		return inWrapper
	}
	return atInvoke
}

// matchQuotedCall matches the line that opens a code fence and the tag of a call after it, which
// begins at rest[n].
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

// closeQuoted is closeCall for a call in a code fence: the fence has to end, too (atFenceEnd).
func (p *parser) closeQuoted(reason string) state {
	if reason != "" || !p.out.HasMembers(p.call.Schema.Required) {
		return p.giveBack()
	}
	p.call.NoteReason("quoted_call")
	return atFenceEnd
}

// readFenceEnd is the state atFenceEnd: a whole call in a code fence has been read. The end of its
// wrapper has to follow, and then that of the fence or of the text (betweenCalls, afterAnswer): a
// model that is stopped at the end of its calls does not come to end the fence. Before anything else
// the call is given back.
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
		return p.giveBack()
	}
	if p.call.WrapperOpen {
		t, v := p.matchOpener(rest[i:])
		switch {
		case v == markup.NeedMore:
			return wait
		case v == markup.NoMatch || !t.Closing || !t.IsWrapper():
			return p.giveBack()
		}
		p.in.Take(i+t.Len, completion.SpanMarkup)
		p.call.WrapperOpen = false
		return atFenceEnd
	}
	if p.call.openFence {
		return p.giveBack()
	}
	n, v := p.matchFenceEnd(rest, i)
	switch v {
	case markup.NeedMore:
		return wait
	case markup.NoMatch:
		return p.giveBack()
	}
	switch v := p.matchNothingElse(rest, n); {
	case !p.call.onlyFence:
	case v == markup.NeedMore:
		return wait
	case v == markup.NoMatch:
		return p.giveBack()
	}
	p.in.Take(n, completion.SpanMarkup)
	return p.finishCall()
}

// matchNothingElse matches the end of the answer behind a fence, or another call or fence with one, at rest[i].
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

// readNextFence reads the beginning of another call in a code fence.
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

// matchFenceEnd matches the line that ends the code fence of the call. i is the index after the white
// space that rest begins with, n that after the back-ticks.
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
