package answer

import (
	"bytes"
	"slices"
	"strings"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// readNext reads one kind of text that may follow a call, in the state betweenCalls. It returns the next state. If
// it needs more text, it returns wait and NeedMore. If rest begins with something else, the verdict is NoMatch.

type readNext func(p *parser, rest []byte) (next state, v markup.Verdict)

// The parser tries mayComeFirst before any tag, and mayComeNext after checking for a tag that was cut off.
var (
	mayComeFirst = [...]readNext{(*parser).readNextNamed, (*parser).readNextOrphan, (*parser).readStrayElement}
	mayComeNext  = [...]readNext{(*parser).readNextAlone, (*parser).readNextObject, (*parser).readNextLiteral, (*parser).readUnmarked, (*parser).readNextInWrapper, (*parser).readNextComment, (*parser).readNextFence, (*parser).readNextStray, (*parser).readNextHeader, (*parser).readNameless, (*parser).readMisnamedCall}
)

// readNextNamed reads the next call in a wrapper of namedCalls: a tool name before a JSON object.
func (p *parser) readNextNamed(rest []byte) (next state, v markup.Verdict) {
	if !p.call.WrapperOpen || p.wrapperSpelling != namedCalls {
		return wait, markup.NoMatch
	}
	if _, _, v = p.matchNamed(rest); v != markup.Match {
		return wait, v
	}
	p.beginNextCall(markup.Tag{Spelling: namedCalls})
	return p.readNamed(), v
}

// readNextOrphan reads the next call that precedes a closing tag without its opening tag.
func (p *parser) readNextOrphan(rest []byte) (next state, v markup.Verdict) {
	if p.call.WrapperOpen || p.wrapperSpelling != orphanCalls {
		return wait, markup.NoMatch
	}
	return p.readAlone(rest, true)
}

// readStrayElement reads an element of a list that is no call.
func (p *parser) readStrayElement(rest []byte) (next state, v markup.Verdict) {
	return p.leaveOut(p.matchStrayElement(rest, p.listEnd))
}

// readNextAlone reads what may stand between JSON calls that are the whole answer: the end of a code fence, the
// line that opens the next fence, or the beginning of a list.
func (p *parser) readNextAlone(rest []byte) (next state, v markup.Verdict) {
	if p.wrapperSpelling != aloneCalls || !p.call.WrapperOpen {
		return wait, markup.NoMatch
	}
	if rest[0] == '`' {
		n, v := p.in.MatchFenceLine(rest)
		if v != markup.Match {
			return wait, v
		}
		p.in.Take(n, completion.SpanMarkup)
		return betweenCalls, v
	}
	if p.listEnd != "" {
		return wait, markup.NoMatch
	}
	n, end, v := p.matchList(rest)
	switch {
	case rest[0] == '[' && p.isCutList(rest):
		return p.cutNextCall(), markup.Match
	case v != markup.Match:
		return wait, v
	}
	p.takeList(n, end)
	return betweenCalls, v
}

// readNextObject reads a JSON call behind the end of a wrapper, if its first member is the name of an offered tool. It
// is a call if the parser reads JSON without tags, and only calls follow. Otherwise it gets an outcome.
func (p *parser) readNextObject(rest []byte) (next state, v markup.Verdict) {
	if p.call.WrapperOpen || p.holdsRefused() {
		return wait, markup.NoMatch
	}
	if v := p.matchOrphan(rest); v != markup.Match {
		return wait, v
	}
	if slices.Contains(p.Alone, "") {
		return p.beginAlone(aloneStart{spelling: aloneCalls}), markup.Match
	}
	return p.beginAlone(aloneStart{spelling: listedCalls}), markup.Match
}

// readNextLiteral reads the beginning of calls in literal syntax.
func (p *parser) readNextLiteral(rest []byte) (next state, v markup.Verdict) {
	if !p.mayBeLiteral(rest[0]) {
		return wait, markup.NoMatch
	}
	syntax, name, v := p.matchWrapped(rest)
	if v != markup.Match {
		return wait, v
	}
	p.beginNextCall(markup.Tag{})
	p.beginLiteral(syntax, name)
	return inLiteral, v
}

// mayBeLiteral reports whether calls in literal syntax may begin with c. Outside a wrapper, Python calls need a bracket.
func (p *parser) mayBeLiteral(c byte) bool {
	return p.call.WrapperOpen || c == '[' || c == format.GemmaCall[0]
}

// readNextInWrapper reads what may stand between calls in a wrapper: a separator of list elements, the name of a
// tool on a line before its input, an extra brace, or prose.
func (p *parser) readNextInWrapper(rest []byte) (next state, v markup.Verdict) {
	if !p.call.WrapperOpen {
		return wait, markup.NoMatch
	}
	switch n, v := p.matchSeparator(rest); v {
	case markup.NeedMore:
		return wait, v
	case markup.Match:
		p.listEnd = strings.TrimPrefix(p.listEnd, string(rest[:n]))
		p.takeMarkup(n)
		return betweenCalls, v
	}
	switch name, n, v := p.matchNameLine(rest); v {
	case markup.NeedMore:
		return wait, v
	case markup.Match:
		p.beginNextCall(markup.Tag{})
		return p.beginNameLine(name, n), v
	}
	n, v := 1, markup.VerdictOf(rest[0] == '}' && p.literal.whole) // an extra brace
	if v == markup.NoMatch {
		n, v = p.matchAside(rest)
	}
	return p.leaveOut(n, v)
}

// readNextComment reads a comment.
func (p *parser) readNextComment(rest []byte) (next state, v markup.Verdict) {
	return p.leaveOut(markup.MatchComment(rest, p.in.EOF))
}

// readNextStray skips a closing tag that closes nothing, an HTML line break, or closed thinking. Otherwise the
// calls after it would be lost.
func (p *parser) readNextStray(rest []byte) (next state, v markup.Verdict) {
	if p.holdsRefused() || rest[0] != '<' && !p.mayMarkThinking(rest) {
		return wait, markup.NoMatch
	}
	switch t, v := p.matchOpener(rest); {
	case v == markup.NeedMore, v == markup.Match && (t.IsWrapper() || t.Is("invoke") || t.Is("tool_name") || t.Is("parameters") || t.Is("parameter")):
		return wait, markup.NoMatch // the caller decides what it is
	}
	switch t, v := p.matchThinking(rest, p.in.EOF); {
	case v == markup.NeedMore:
		return wait, v
	case v == markup.Match && !t.Closing:
		return p.leaveOut(p.matchClosedThinking(rest, t))
	case rest[0] != '<':
		return wait, markup.NoMatch
	}
	t, v := markup.MatchTag(rest, p.in.EOF)
	if v == markup.Match && (!t.Closing && string(t.Name) != "br" || len(t.Attributes) > 0 || t.Is("function_results")) {
		v = markup.NoMatch
	}
	return p.leaveOut(t.Len, v)
}

// matchClosedThinking matches thinking up to its end. t is its opening tag, at the start of rest.
func (p *parser) matchClosedThinking(rest []byte, t markup.TextTag) (n int, v markup.Verdict) {
	head := rest[:min(len(rest), maxAside)]
	for n = t.Len; n < len(head); n++ {
		if n += p.nextTagStart(head[n:], 0); n == len(head) {
			break
		}
		switch end, v := p.matchThinking(rest[n:], p.in.EOF); {
		case v == markup.NeedMore:
			return n, v
		case v == markup.Match && end.Closing && end.Name == t.Name:
			return n + end.Len, v
		}
	}
	if len(head) < maxAside {
		return n, p.in.NeedMore()
	}
	return n, markup.NoMatch
}

// leaveOut drops n bytes that do not belong after a call, if the verdict is Match.
func (p *parser) leaveOut(n int, v markup.Verdict) (state, markup.Verdict) {
	if v != markup.Match {
		return wait, v
	}
	p.noteAfterCall(messages.ReasonStrayText)
	p.in.Take(n, completion.SpanDropped)
	return betweenCalls, v
}

// readNextHeader reads the header of a message in a channel.
func (p *parser) readNextHeader(rest []byte) (next state, v markup.Verdict) {
	if !p.ReadsChannels {
		return wait, markup.NoMatch
	}
	h, v := held.MatchHeader(rest, p.in.EOF)
	if v == markup.NoMatch {
		h, v = held.MatchErasedHeader(rest, p.in.NeedMore(), &p.tools)
	}
	switch {
	case v != markup.Match:
		return wait, v
	case h.Tool != "":
		return p.beginChannelCall(h), v
	}
	return p.runOn(), v
}

// readNextHeadless reads the beginning of a call that lacks its opening tag.
func (p *parser) readNextHeadless(rest []byte) (next state, v markup.Verdict) {
	t, name, v := p.matchHeadless(rest)
	switch {
	case v == markup.NeedMore && p.in.EOF:
		return p.cutNextCall(), v
	case v != markup.Match:
		return wait, v
	}
	p.beginNextCall(t)
	return p.beginHeadless(t, name), v
}

// readNextTag reads a tag in a place where a call may begin.
func (p *parser) readNextTag(t markup.Tag) state {
	switch {
	case t.Closing && p.holdsRefused():
		return p.readRefusedEnd(t)
	case t.Is("invoke") && !t.Closing:
		p.beginNextCall(t)
		p.call.NoteBare()
		return atInvoke
	case t.Is("tool_name") && !t.Closing && p.call.WrapperOpen:
		p.beginNextCall(t)
		return inWrapper
	case t.IsWrapper() && (t.Closing || t.Empty):
		p.noteAfterCall(t.Slip)
		p.in.Take(t.Len, completion.SpanMarkup)
		p.call.WrapperOpen, p.calls.closed = p.call.WrapperOpen && p.wrapperSpelling == aloneCalls, true // nothing opened that tag
		return betweenCalls
	case t.IsWrapper():
		switch p.matchNamedWrapper(p.in.Rest(), &t) {
		case markup.NeedMore:
			return wait
		case markup.Match:
			p.beginNextCall(t)
			return p.beginNamedWrapper(t)
		}
		p.beginNextCall(t)
		p.openWrapper(t)
		p.in.Take(t.Len, completion.SpanMarkup)
		return inWrapper
	case t.Closing && (t.Is("invoke") || t.Is("parameters") || t.Is("parameter")):
		p.in.Take(t.Len, completion.SpanMarkup)
		return betweenCalls
	}
	return p.readUnknownNext(t)
}

// readUnknownNext reads t, a tag that is in no format, after a call. If another call follows, t is text before that
// call. Within a wrapper, there is no text, and t is left out.
func (p *parser) readUnknownNext(t markup.Tag) state {
	rest := p.in.Rest()
	switch n, v := p.matchProse(rest); {
	case v == markup.NeedMore:
		return wait
	case v == markup.NoMatch || t.Is("function_results"):
	case p.wrapperMayEnd():
		p.takeProse(n)
		return betweenCalls
	case bytes.IndexByte(rest[t.Len:n], '<') < 0:
		next, _ := p.leaveOut(n, v)
		return next
	}
	return p.runOn()
}

// readMisnamedCall refuses a call that begins at rest, if its tag has no name, or is named after an offered tool. The
// calls after it are read.
func (p *parser) readMisnamedCall(rest []byte) (next state, v markup.Verdict) {
	if rest[0] != '<' && !p.BeginsTag(rest[0]) || p.holdsRefused() {
		return wait, markup.NoMatch
	}
	for _, g := range p.Spellings {
		if _, named := g.MatchListed(rest, p.in.EOF); named != markup.NoMatch || g.IsJSON() || g.Labels() {
			continue
		}
		n, found := g.MatchNameless(rest, p.in.EOF)
		if t, is := markup.MatchTag(rest, p.in.EOF); found == markup.NoMatch && is != markup.NoMatch {
			n, found = t.Len, min(is, markup.VerdictOf(is == markup.NeedMore || !t.Closing && p.namesOffered(g, &t)))
		}
		switch {
		case found == markup.NeedMore:
			v = found
		case found == markup.Match:
			if !p.in.IsMarked() {
				p.beginNextCall(markup.Tag{})
			}
			p.call.Spelling = g
			p.in.Take(n, completion.SpanMarkup)
			return p.giveBackCall(messages.ReasonToolName), found
		}
	}
	return wait, v
}
