package answer

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Calls in literal syntax: [book(note="a"), ping()], call:book{count:3}. The parser reads them as a whole, at their
// last bracket. Without a wrapper, such text is a call only if it meets some conditions. The calls must end with
// their line, and close all brackets. They must name offered tools, with all required parameters. A call without
// arguments must begin its line.

// literalSeen is the state of calls in literal syntax.
type literalSeen struct {
	held.Literals
	scan   held.LiteralScan
	from   int  // where the calls begin: see completion.Text.Offset
	whole  bool // the last bracket has been read
	erased bool // the strings may have lost their quotes: see [held.Literals.ReadErased]
}

// readLiteral is the state inLiteral: the parser has read nothing, or a part, of calls in literal syntax. The mark
// is before the calls. When they are whole, readLiteral writes them all (betweenCalls, afterAnswer). If they are no
// calls, or have no end, it gives them back.
func (p *parser) readLiteral() state {
	l := &p.literal
	if l.erased {
		return p.readErasedCalls()
	}
	if !l.whole {
		n, v := l.scan.Scan(p.in.Rest(), p.in.EOF)
		p.in.Take(n, completion.SpanValue)
		switch {
		case v == markup.NoMatch:
			return p.closeUnbalanced()
		case v == markup.NeedMore && !p.in.EOF:
			return wait
		case v == markup.NeedMore:
			return p.cutLiteral()
		}
		l.whole = true
	}
	if !l.Bare && !l.Unclosed {
		switch p.matchGoingOnLiteral() {
		case markup.NeedMore:
			return wait
		case markup.Match:
			return p.giveBackLiteral(messages.ReasonInvalidLiteral)
		}
	}
	if l.Bare {
		switch p.matchAfterLiteral() {
		case markup.NeedMore:
			return wait
		case markup.NoMatch:
			return p.leakLiteral()
		}
	}
	if _, v := p.matchShown(p.in.Rest()); v == markup.NeedMore {
		return wait
	}
	extra, v := p.matchLiteralEnd()
	if v == markup.NeedMore {
		return wait
	}
	l.Ended = l.Unclosed || v == markup.Match
	calls, ok := l.Read(p.literalText())
	switch {
	case !ok && !l.MayCall(p.call.Tool):
		p.call.Tool = ""
		return p.giveBackLiteral(messages.ReasonToolName)
	case !ok:
		return p.giveBackLiteral(messages.ReasonInvalidLiteral)
	}
	p.in.Take(extra, completion.SpanDropped)
	return p.writeLiterals(calls)
}

// matchLiteralEnd skips extra brackets before the end of the wrapper of a Gemma call, or before the next wrapper. n
// is the index after the brackets.
func (p *parser) matchLiteralEnd() (n int, v markup.Verdict) {
	if p.literal.Bare || p.literal.Unclosed || p.literal.Syntax != format.GemmaLiteral {
		return 0, markup.NoMatch
	}
	rest := p.in.Rest()
	for n < len(rest) && n < completion.MaxGap && (markup.IsBlank(rest[n]) || bytes.IndexByte([]byte("})]"), rest[n]) >= 0) {
		n++
	}
	switch {
	case n == len(rest) && p.in.EOF:
		return 0, markup.VerdictOf(!p.in.CutShort)
	case n == len(rest):
		return 0, markup.NeedMore
	case rest[n] != '<':
		return 0, markup.NoMatch
	}
	t, v := p.matchOpener(rest[n:])
	switch {
	case v == markup.Match && !t.IsWrapper():
		v = markup.NoMatch
	case v == markup.Match && t.Closing:
		return n, v
	}
	return 0, v
}

// readErasedCalls is readLiteral for strings that may have lost their quotes. Such a call could end anywhere, so
// the parser reads it at the end of the text, if the text was not cut off.
func (p *parser) readErasedCalls() state {
	p.in.TakeAll(completion.SpanValue)
	if !p.in.EOF {
		return wait
	}
	if calls, ok := p.literal.ReadErased(p.literalText()); ok && !p.in.CutShort {
		return p.writeLiterals(calls)
	}
	return p.giveBackCall(messages.ReasonIncomplete)
}

// leakLiteral gives back whole calls without a wrapper, because something else follows them, or because they were cut
// off: more of the line may be missing. Each call gets an outcome.
func (p *parser) leakLiteral() state {
	reason := messages.ReasonDiscussed
	if rest := p.in.Rest(); p.in.EOF && p.in.CutShort && markup.SkipBlanks(rest, 0, len(rest)) == len(rest) {
		reason = messages.ReasonIncomplete
	}
	if p.literal.Syntax == format.PythonLiteral && !p.literal.Objects {
		p.literal.Ended = true
		calls, _ := p.literal.Read(p.literalText())
		for i := range calls {
			if tool, _ := p.tools.Find(calls[i].Name); tool != nil {
				p.noteOutcome(messages.Outcome{Kind: messages.OutcomeLeaked, Tool: tool.Name, Reason: reason, InText: true})
			}
		}
	}
	return p.giveBackLiteral(messages.ReasonBareCall)
}

// giveBackLiteral gives calls back. In prose, it records no outcome, because the text need not be meant as calls.
func (p *parser) giveBackLiteral(reason messages.Reason) state {
	if p.literal.Bare && p.literal.Syntax == format.GemmaLiteral {
		p.literal.erased = true
		return inLiteral
	}
	if p.literal.Bare && (p.literal.MidLine || reason == messages.ReasonBareCall) {
		return p.giveBack()
	}
	return p.giveBackCall(reason)
}

// matchGoingOnLiteral is matchGoingOn for calls in a wrapper. After a comma, another such call may follow.
func (p *parser) matchGoingOnLiteral() markup.Verdict {
	rest := p.in.Rest()
	i, v := p.in.MatchBlanks(rest, 0, completion.MaxGap)
	switch {
	case v == markup.NeedMore:
		return v
	case v == markup.NoMatch || i == len(rest):
		return markup.NoMatch
	case p.literal.Syntax == format.GemmaLiteral && held.GemmaDelimiter(rest[i:]) != "": // the string before continues
		return markup.Match
	case p.literal.Syntax == format.GemmaLiteral && markup.IsPrefixOf(rest[i:], format.GemmaQuote):
		return p.in.NeedMore()
	case rest[i] != ',':
		return markup.VerdictOf(rest[i] == '}' && held.ClosesWithin(p.literalText()))
	}
	switch _, v = p.matchSeparator(rest[i:]); v {
	case markup.Match:
		return markup.NoMatch
	case markup.NoMatch:
		return markup.Match
	}
	return v
}

// matchAfterLiteral matches what may follow calls without a wrapper. That is the end of the line, the end of a text
// that was not cut off, another call, or an unpaired closing tag of a wrapper. If the format has no literal syntax,
// only the end of the text may follow, because other text is probably about calls.
func (p *parser) matchAfterLiteral() markup.Verdict {
	rest := p.in.Rest()
	if p.literal.Objects {
		i, v := p.in.MatchBlanks(rest, 0, completion.MaxGap)
		if v == markup.Match {
			v = markup.VerdictOf(i == len(rest) && !p.in.CutShort)
		}
		return v
	}
	i := 0
	for i < len(rest) && i < completion.MaxGap && (rest[i] == ' ' || rest[i] == '\t') {
		i++
	}
	n, v := held.MatchEndMark(rest[i:], p.in.EOF)
	switch i += n; {
	case v == markup.NeedMore:
		return v
	case v == markup.NoMatch && i < len(rest) && rest[i] == '<':
		t, v := p.matchOpener(rest[i:])
		if v == markup.Match {
			v = markup.VerdictOf(t.IsWrapper() && t.Closing)
		}
		return v
	}
	if p.literal.Syntax == format.GemmaLiteral && i < len(rest) {
		head, more := p.headOf(rest[i:])
		if _, _, v := p.literal.MatchGemma(head, more); v != markup.NoMatch {
			return v
		}
	}
	if i == len(rest) && p.in.EOF { // if the text was cut off, more of the line may be missing
		return markup.VerdictOf(!p.in.CutShort)
	}
	return p.in.MatchLineEnd(rest[i:])
}

// closeUnbalanced reads calls that end at a tag before their last bracket. If only one bracket is missing and the
// tag ends the wrapper, it reads the calls as if the bracket were there.
func (p *parser) closeUnbalanced() state {
	t, v := p.matchOpener(p.in.Rest())
	switch {
	case v == markup.NeedMore:
		return wait
	case v == markup.Match && t.IsWrapper() && t.Closing && t.Spelling == p.wrapperSpelling && (p.literal.scan.Depth == 1 || p.literal.scan.Depth == 0 && p.literal.Syntax == format.GemmaLiteral) && !p.literal.Bare:
		p.literal.Unclosed, p.literal.whole = true, true
		return inLiteral
	case p.in.EOF && p.in.CutShort && (p.endsInTag(p.in.Rest()) || markup.IsPrefixOf(p.in.Rest(), format.GemmaQuote)):
		return p.cutLiteral()
	}
	return p.giveBackLiteral(messages.ReasonInvalidLiteral)
}
