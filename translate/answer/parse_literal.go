package answer

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// Calls that are literals of a language: [book(note="a"), ping()], call:book{count:3}. They are read when
// they are whole, up to the end of their last bracket. In a wrapper that is all; without one they are
// calls only if nothing speaks against it: they end with their line and, if they have no arguments, begin
// one; they close, name offered tools and carry what those require.

// literalSeen is what has been seen of calls that are literals.
type literalSeen struct {
	held.Literals
	scan   held.LiteralScan
	from   int  // where they begin: see input.offset
	whole  bool // the last bracket has been read
	erased bool // their strings may have lost what stood around them: see [held.Literals.ReadErased]
}

// readLiteral is the state inLiteral: nothing, or a part, of calls that are literals has been read. The
// mark stands before them. When they are whole, it writes them all (betweenCalls, afterAnswer). If they
// are no calls, or do not come to their end, they are given back.
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
			return p.giveBackLiteral("invalid_literal")
		}
	}
	if l.Bare {
		switch p.matchAfterLiteral() {
		case markup.NeedMore:
			return wait
		case markup.NoMatch:
			return p.giveBackLiteral("bare_call")
		}
	}
	extra, v := p.matchLiteralEnd()
	if v == markup.NeedMore {
		return wait
	}
	l.Ended = l.Unclosed || v == markup.Match
	calls, ok := l.Read(p.literalText())
	if !ok {
		return p.giveBackLiteral("invalid_literal")
	}
	p.in.Take(extra, completion.SpanDropped)
	return p.writeLiterals(calls)
}

// matchLiteralEnd matches the end of the wrapper of a call of Gemma's, or the beginning of the next, behind
// brackets that are too many: n is the index after those.
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

// readErasedCalls is readLiteral for calls that may have lost the quotes of their strings, and so may end
// anywhere: they are read with the end of the text, unless that was cut.
func (p *parser) readErasedCalls() state {
	p.in.TakeAll(completion.SpanValue)
	if !p.in.EOF {
		return wait
	}
	if calls, ok := p.literal.ReadErased(p.literalText()); ok && !p.in.CutShort {
		return p.writeLiterals(calls)
	}
	return p.giveBackCall("incomplete")
}

// giveBackLiteral gives calls back. In prose they need not be meant as calls.
func (p *parser) giveBackLiteral(reason string) state {
	if p.literal.Bare && p.literal.Syntax == format.GemmaLiteral {
		p.literal.erased = true
		return inLiteral
	}
	if p.literal.Bare && (p.literal.MidLine || reason == "bare_call") {
		return p.giveBack()
	}
	return p.giveBackCall(reason)
}

// matchGoingOnLiteral is matchGoingOn for calls in a wrapper. Behind a comma another of them may stand.
func (p *parser) matchGoingOnLiteral() markup.Verdict {
	rest := p.in.Rest()
	i, v := p.in.MatchBlanks(rest, 0, completion.MaxGap)
	switch {
	case v == markup.NeedMore:
		return v
	case v == markup.NoMatch || i == len(rest):
		return markup.NoMatch
	case p.literal.Syntax == format.GemmaLiteral && held.GemmaDelimiter(rest[i:]) != "": // the string before went on
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

// matchAfterLiteral matches what may stand behind calls without a wrapper: the end of the line or of the
// text, if that was not cut, another call, or the closing tag of a wrapper that is not there. Where literals are not read,
// it is the end of the text alone: else it is a text about calls.
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
	if i == len(rest) && p.in.EOF { // text may have been cut that would have followed
		return markup.VerdictOf(!p.in.CutShort)
	}
	return p.in.MatchLineEnd(rest[i:])
}

// closeUnbalanced reads calls that end at a tag before their last bracket: one that is missing there is
// read as if it stood there, if the tag ends the wrapper.
func (p *parser) closeUnbalanced() state {
	t, v := p.matchOpener(p.in.Rest())
	switch {
	case v == markup.NeedMore:
		return wait
	case v == markup.Match && t.IsWrapper() && t.Closing && t.Spelling == p.wrapperSpelling && p.literal.scan.Depth == 1 && !p.literal.Bare:
		p.literal.Unclosed, p.literal.whole = true, true
		return inLiteral
	case p.in.EOF && p.in.CutShort && (p.endsInTag(p.in.Rest()) || markup.IsPrefixOf(p.in.Rest(), format.GemmaQuote)):
		return p.cutLiteral()
	}
	return p.giveBackLiteral("invalid_literal")
}
