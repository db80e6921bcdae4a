package answer

import (
	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
)

// A call behind prose on its line may be meant, or the model talks about it: "I could write <call> here." So the call
// is held. It is meant where its line ends with it, and where another call follows. In a line that is a comment or a
// quotation it is not.

// readLineEnd is the state atLineEnd: a whole call behind prose on its line has been read. The end of its wrapper
// may follow, and then that of the line, or another call (betweenCalls). Before anything else the call is given back.
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
	case p.call.WrapperOpen && t.Closing && t.IsWrapper():
		p.in.Take(i+t.Len, completion.SpanMarkup)
		p.call.WrapperOpen = false
		return atLineEnd
	}
	return p.settleDiscussed(true)
}

// settleDiscussed finishes the call if it is meant, and its line is no comment; else it gives the call back.
func (p *parser) settleDiscussed(meant bool) state {
	p.call.inSentence = false
	if meant && !p.text.code.isComment() {
		return p.finishCall()
	}
	p.call.Certain = false
	return p.leakAlone()
}
