package answer

import (
	"dragoman/translate/answer/completion"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// A call after prose on its line may be meant, or may be an example: "I could write <call> here." The parser holds
// the call until it knows. The model means the call if the line ends after it, or if another call follows. It does
// not mean the call if the line is a comment or a quotation.

// readLineEnd is the state atLineEnd: the parser has read a whole call after prose on its line. Its end and the end of
// its wrapper may follow, and then the end of the line, or another call (betweenCalls). If anything else follows, the
// parser gives the call back.
func (p *parser) readLineEnd() state {
	rest := p.in.Rest()
	i, v := p.in.MatchBlanks(rest, 0, completion.MaxGap)
	if v == markup.NeedMore {
		return wait
	}
	if i == len(rest) || v == markup.NoMatch || endsLine(rest[:i]) && !p.call.WrapperOpen {
		return p.settleDiscussed(true)
	}
	t, v := p.matchOpener(rest[i:])
	switch {
	case v == markup.NeedMore:
		return wait
	case v == markup.NoMatch && endsLine(rest[:i]):
		return p.settleDiscussed(true)
	case v == markup.NoMatch:
		switch p.in.MatchWords(rest[i:]) {
		case markup.NeedMore:
			return wait
		case markup.Match:
			return p.settleDiscussed(false)
		}
		return p.settleDiscussed(true)
	case t.Closing && t.IsWrapper() && (p.call.WrapperOpen || t.Spelling == format.HarmonySpelling): // a header is no wrapper
		p.in.Take(i+t.Len, completion.SpanMarkup)
		p.call.WrapperOpen = false
		return atLineEnd
	}
	return p.settleDiscussed(true)
}

// settleDiscussed finishes the call if it is meant and its line is no comment. Otherwise it gives the call back.
func (p *parser) settleDiscussed(meant bool) state {
	p.call.inSentence = false
	if meant && !p.text.code.isComment() {
		return p.finishCall()
	}
	p.call.Certain = false
	return p.leakAlone()
}
