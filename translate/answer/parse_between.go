package answer

import (
	"cmp"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/tagged"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// This file reads the text after a call. It also gives back text that looked like a call but is not a call.

// readBetweenCalls is the state betweenCalls: a call, and maybe its wrapper, has ended. The next call may follow,
// maybe after prose (atInvoke, inWrapper, inTags, atJSONName, inLiteral), or the end of the wrapper. Anything else
// ends the answer (afterAnswer), because the model wrote it without the results of its calls
// (docs/reference/legacy-format.md §12 row 2).
func (p *parser) readBetweenCalls() state {
	blank := p.in.Rest()
	more := p.in.SkipBlanks()
	if p.holdsRefused() {
		p.writeText(blank[:len(blank)-len(p.in.Rest())])
	}
	if !more {
		return wait
	}
	rest := p.in.Rest()
	for _, read := range mayComeFirst {
		if next, v := read(p, rest); v != markup.NoMatch {
			return next
		}
	}
	t, opens := p.matchOpener(rest)
	switch {
	case rest[0] == '{' && p.call.WrapperOpen:
		p.beginNextCall(markup.Tag{Spelling: p.wrapperSpelling})
		return atJSONName
	case p.endsInTag(rest) && (p.in.CutShort || p.proseBetween == nil):
		return p.cutNextCall()
	}
	for _, read := range mayComeNext {
		if next, v := read(p, rest); v != markup.NoMatch {
			return next
		}
	}
	switch opens {
	case markup.NeedMore:
		return wait
	case markup.Match:
		return p.readNextTag(t)
	}
	if next, v := p.readNextHeadless(rest); v != markup.NoMatch {
		return next
	}
	switch p.readProseBetween(rest) {
	case markup.NeedMore:
		return wait
	case markup.Match:
		return betweenCalls
	}
	return p.runOn()
}

// endsInTag reports whether the text was cut off within a tag that would have begun another call, at the start of
// rest.
func (p *parser) endsInTag(rest []byte) bool {
	if !p.in.EOF || !p.BeginsTag(rest[0]) || p.listEnd != "" && rest[0] == p.listEnd[0] {
		return false
	}
	for _, g := range p.Spellings {
		if _, v := g.MatchListed(rest, false); v == markup.NeedMore {
			return true
		}
	}
	if rest[0] != '<' {
		return false
	}
	t, v := markup.MatchTextTag(rest, false)
	return v == markup.NeedMore && (t.Kind == 0 || t.Kind == markup.KindInvoke || t.Kind == markup.KindWrapper)
}

// runOn ends the answer if the model wrote more text after its calls. If all calls so far were refused, that text
// belongs to the answer.
func (p *parser) runOn() state {
	if p.holdsRefused() {
		if p.proseBetween = nil; p.in.IsMarked() {
			p.giveBackText()
		}
		p.call = callSeen{}
		return inText
	}
	p.noteAfterCall(messages.ReasonRanOn)
	p.calls.closed = true
	return afterAnswer
}

// noteAfterCall records why what follows the last call does not belong there; reason is "" if it does.
func (p *parser) noteAfterCall(reason messages.Reason) {
	if n := len(p.outcomes); reason != messages.ReasonNone && n > 0 && p.outcomes[n-1].Kind == messages.OutcomeClean {
		p.outcomes[n-1].Kind, p.outcomes[n-1].Reason = messages.OutcomeRepaired, reason
	}
}

// cutNextCall ends the answer if the text was cut off in the beginning of a further call. It drops that beginning.
func (p *parser) cutNextCall() state {
	p.calls.incomplete = true
	return afterAnswer
}

// giveBack writes the text after the mark as plain text, because it is no call (inText). After other calls, such
// text is prose, or the beginning of a call that was cut off: both end the answer (afterAnswer). A beginning that
// tool_choice does not allow ends it too.
func (p *parser) giveBack() state {
	switch {
	case p.in.EOF && p.in.CutShort && p.isBarred():
		p.openCall()
		return afterAnswer
	case p.calls.whole > 0 && p.in.EOF && !p.isInProse(): // more text could have made this a call
		return p.cutNextCall()
	case p.calls.whole > 0:
		return p.runOn()
	}
	p.giveBackText()
	return inText
}

// giveBackText writes the text after the mark as plain text, and forgets the call.
func (p *parser) giveBackText() {
	raw := p.unescaped(p.in.GiveBack())
	p.out.DropInput()
	p.call = callSeen{}
	p.tags.Begin()
	if len(raw) > 0 {
		p.writeText(raw)
	}
}

// giveBackCall is giveBack for a call that has named its tool, or has tried to. It records an outcome, except for a
// quoted call, which need not be meant as one. After other calls, if the call is in a wrapper or its tags occur
// only in calls, the rest of the call becomes text too (inBrokenCall).
func (p *parser) giveBackCall(reason messages.Reason) state {
	switch {
	case p.call.Quoted > 0:
		return p.giveBack()
	case p.in.EOF && reason == messages.ReasonIncomplete && p.isBarred():
		p.openCall()
		return afterAnswer
	}
	wrapperOpen := p.call.WrapperOpen
	o := messages.Outcome{Kind: messages.OutcomeLeaked, Tool: p.call.Tool, Reason: reason, Unread: p.endedByModel(), InText: true}
	if o.Unread && (wrapperOpen && reason != messages.ReasonIncomplete || reason == messages.ReasonNoArgumentsRead) {
		o.Kind = messages.OutcomeRefused
		if reason == messages.ReasonToolName {
			o.Reason = messages.ReasonNoToolFits
		}
	}
	p.noteOutcome(o)
	certain := wrapperOpen || p.call.Spelling != nil && !p.call.Unoffered
	if p.in.EOF && p.in.CutShort && reason == messages.ReasonIncomplete { // the value of a cut call may hold text that looks like calls
		p.in.TakeAll(completion.SpanText)
	}
	cut := p.calls.whole > 0 && p.in.EOF && reason == messages.ReasonIncomplete
	switch {
	case cut && !wrapperOpen && !p.isInProse():
		return p.cutNextCall()
	case p.calls.whole > 0 && !certain:
		return p.runOn()
	case p.calls.whole > 0:
		p.calls.incomplete = cut
		p.giveBackText()
		p.call = callSeen{begun: true, OpenCall: tagged.OpenCall{WrapperOpen: wrapperOpen}}
		return inBrokenCall
	}
	p.giveBackText()
	return inText
}

// isInProse reports whether prose precedes the call in a complete answer. Text that looks like a call there is
// probably only about calls.
func (p *parser) isInProse() bool { return p.call.prose != nil && !p.in.CutShort }

// isBarred reports whether tool_choice does not allow the call at the end of the text. Then openCall ends the
// answer before the call, instead of giving it back. A quoted call is text, and not barred.
func (p *parser) isBarred() bool {
	return p.calls.whole == 0 && p.call.Quoted == 0 && p.out.Pending && !p.mayOpen()
}

// waitOrGiveBack waits for more text. If the text has ended, it gives back what the parser has read.
func (p *parser) waitOrGiveBack() state {
	if p.in.EOF {
		return p.giveBack()
	}
	return wait
}

// readBrokenCall is the state inBrokenCall: after other calls, the parser has given back the beginning of a call,
// or has broken off a call with too much stray text. The rest of the call is text too. It ends at the next <invoke>
// or at the end of the wrapper (betweenCalls). The rest of a JSON call ends at its own closing tag.
func (p *parser) readBrokenCall() state {
	g := p.call.Spelling
	if p.readTextUpTo(func(t markup.Tag) bool {
		return t.Is("invoke") && t.Closing == (g != nil) && t.Spelling == cmp.Or(g, t.Spelling) || t.IsWrapper() && t.Closing
	}) {
		return betweenCalls
	}
	return wait
}

// readForeignBlock is the state inForeignBlock: the parser has given back a wrapper, because its first tag begins
// no call, or its JSON is unreadable. Everything up to its closing tag is text (inText). Text that looks like a
// call may be part of a value there, as in <function_calls><write><text><invoke>….
func (p *parser) readForeignBlock() state {
	if p.readTextUpTo(func(t markup.Tag) bool {
		return t.Closing && (t.IsWrapper() && p.wrapperSpelling != nil || string(t.Name) == p.tags.Wrapper || string(t.Full) == p.tags.Wrapper)
	}) {
		return inText
	}
	return wait
}

// readTextUpTo writes text up to a tag for which ends returns true. It reports whether it has reached such a tag.
func (p *parser) readTextUpTo(ends func(markup.Tag) bool) bool {
	for {
		rest := p.in.Rest()
		n := p.nextTagStart(rest, 0)
		if p.escaped.Tags != 0 {
			n = completion.NextEntity(rest, n)
		}
		if n > 0 {
			p.writeText(rest[:n])
			p.in.Take(n, completion.SpanText)
		}
		if n == len(rest) {
			return false
		}
		if rest[n] == '&' {
			if !p.in.ReadEntity(p.escaped, "", completion.SpanText, p.writeText) {
				return false
			}
			continue
		}
		t, v := p.matchOpener(rest[n:])
		switch {
		case v == markup.NeedMore:
			return false
		case v == markup.Match && ends(t):
			return true
		}
		p.writeText(rest[n : n+1])
		p.in.Take(1, completion.SpanText)
	}
}
