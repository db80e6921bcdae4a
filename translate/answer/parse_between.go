package answer

import (
	"cmp"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/tagged"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// After a call, and after text that looked like a call and is none: that is given back as text.

// readBetweenCalls is the state betweenCalls: a call has been closed, or its wrapper after it. The next
// call follows (atInvoke, inWrapper, inTags, atJSONName, inLiteral), maybe after prose, or the end of the
// wrapper. Anything else ends the answer (afterAnswer): the model wrote it without having seen the results
// of its calls (docs/reference/legacy-format.md §12 row 2).
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

// endsInTag reports whether the text was cut within a tag that would have begun another call, with which
// rest begins.
func (p *parser) endsInTag(rest []byte) bool {
	if !p.in.EOF || !p.BeginsTag(rest[0]) {
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

// runOn ends the answer where the model went on writing after its calls. After a call that was refused, and
// no other, it is text.
func (p *parser) runOn() state {
	if p.holdsRefused() {
		if p.proseBetween = nil; p.in.IsMarked() {
			p.giveBackText()
		}
		p.call = callSeen{}
		return inText
	}
	p.noteAfterCall("ran_on")
	p.calls.closed = true
	return afterAnswer
}

// noteAfterCall records that something stands after the last call that has no place there.
func (p *parser) noteAfterCall(reason string) {
	if n := len(p.outcomes); n > 0 && p.outcomes[n-1].Kind == messages.OutcomeClean {
		p.outcomes[n-1].Kind, p.outcomes[n-1].Reason = messages.OutcomeRepaired, reason
	}
}

// cutNextCall ends the answer where the text ends in the opening of a call that follows others: what
// there is of it is dropped.
func (p *parser) cutNextCall() state {
	p.calls.incomplete = true
	return afterAnswer
}

// giveBack writes what was read after the mark as text, since it is no call (inText). After calls it
// is prose, or the opening of a call that was cut: either ends the answer (afterAnswer). So does such
// an opening that tool_choice does not let come.
func (p *parser) giveBack() state {
	switch {
	case p.in.EOF && p.in.CutShort && p.isBarred():
		p.openCall()
		return afterAnswer
	case p.calls.whole > 0 && p.in.EOF && !p.isInProse(): // more text could have made a call of it
		return p.cutNextCall()
	case p.calls.whole > 0:
		return p.runOn()
	}
	p.giveBackText()
	return inText
}

// giveBackText writes what was read after the mark as text, and forgets the call.
func (p *parser) giveBackText() {
	raw := p.unescaped(p.in.GiveBack())
	p.out.DropInput()
	p.call = callSeen{}
	p.tags.Begin()
	if len(raw) > 0 {
		p.writeText(raw)
	}
}

// giveBackCall is giveBack for a call that has named its tool, or has tried to, so that it counts as
// an outcome; a quoted one does not, since it need not be meant as a call. After other calls, in a
// wrapper or where its tags are those of calls alone, the rest of the call is text, too (inBrokenCall).
func (p *parser) giveBackCall(reason string) state {
	switch {
	case p.call.Quoted > 0:
		return p.giveBack()
	case p.in.EOF && reason == "incomplete" && p.isBarred():
		p.openCall()
		return afterAnswer
	}
	wrapperOpen := p.call.WrapperOpen
	o := messages.Outcome{Kind: messages.OutcomeLeaked, Tool: p.call.Tool, Reason: reason, Unread: p.endedByModel(), InText: true}
	if o.Unread && (wrapperOpen && reason != "incomplete" || reason == messages.ReasonNoArgumentsRead) {
		o.Kind = messages.OutcomeRefused
		if reason == "tool_name" {
			o.Reason = messages.ReasonNoToolFits
		}
	}
	p.noteOutcome(o)
	certain := wrapperOpen || p.call.Spelling != nil && !p.call.Unoffered
	if p.in.EOF && p.in.CutShort && reason == "incomplete" { // what looks like calls may stand in a value
		p.in.TakeAll(completion.SpanText)
	}
	cut := p.calls.whole > 0 && p.in.EOF && reason == "incomplete"
	switch {
	case cut && !wrapperOpen && !p.isInProse():
		return p.cutNextCall()
	case p.calls.whole > 0 && !certain:
		return p.runOn()
	case p.calls.whole > 0:
		p.calls.incomplete = cut
		p.giveBackText()
		p.call = callSeen{begun: true, Call: tagged.Call{WrapperOpen: wrapperOpen}}
		return inBrokenCall
	}
	p.giveBackText()
	return inText
}

// isInProse reports whether the call stands behind prose in an answer that is whole, so that what is no call
// is a word about one.
func (p *parser) isInProse() bool { return p.call.prose != nil && !p.in.CutShort }

// isBarred reports whether the call that the text ends in is none to be given back, since tool_choice
// lets no call come: openCall then ends the answer before it. A quoted one is text.
func (p *parser) isBarred() bool {
	return p.calls.whole == 0 && p.call.Quoted == 0 && p.out.Pending && !p.mayOpen()
}

// waitOrGiveBack waits for more text; if no more will come, it gives back what was read.
func (p *parser) waitOrGiveBack() state {
	if p.in.EOF {
		return p.giveBack()
	}
	return wait
}

// readBrokenCall is the state inBrokenCall: the beginning of a call was given back, in a wrapper that
// has other calls, or a call was broken off by its stray text. The rest of it is text, too, up to the
// next <invoke> or the end of the wrapper (betweenCalls). Of a call in JSON it is up to its own end.
func (p *parser) readBrokenCall() state {
	g := p.call.Spelling
	if p.readTextUpTo(func(t markup.Tag) bool {
		return t.Is("invoke") && t.Closing == (g != nil) && t.Spelling == cmp.Or(g, t.Spelling) || t.IsWrapper() && t.Closing
	}) {
		return betweenCalls
	}
	return wait
}

// readForeignBlock is the state inForeignBlock: a wrapper has been given back, because its first tag
// is not that of a call, or its JSON cannot be read. All in it is text, up to its closing tag (inText):
// what looks like a call there may be part of a value, as in <function_calls><write><text><invoke>….
func (p *parser) readForeignBlock() state {
	if p.readTextUpTo(func(t markup.Tag) bool {
		return t.IsWrapper() && t.Closing && (p.wrapperSpelling != nil || string(t.Name) == p.tags.Wrapper)
	}) {
		return inText
	}
	return wait
}

// readTextUpTo writes text up to a tag for which ends is true, and reports whether that tag is next.
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
