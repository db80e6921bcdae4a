package answer

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"dragoman/translate/markup"
)

// A call behind prose on its line may be meant, or the model talks about it: "I could write <call> here." So the call
// is held. It is meant where its line ends with it, and where another call follows. In a line that is a comment or a
// quotation it is not.

// readLineEnd is the state atLineEnd: a whole call behind prose on its line has been read. The end of its wrapper
// may follow, and then that of the line, or another call (betweenCalls). Before anything else the call is given back.
func (p *parser) readLineEnd() state {
	rest := p.in.rest()
	i, v := p.in.matchBlanks(rest, 0, maxGap)
	if v == markup.NeedMore {
		return wait
	}
	if i == len(rest) || v == markup.NoMatch || endsLine(rest[:i]) && !p.call.wrapperOpen {
		return p.settleDiscussed(true)
	}
	t, v := p.matchOpener(rest[i:])
	switch {
	case v == markup.NeedMore:
		return wait
	case v == markup.NoMatch && endsLine(rest[:i]):
		return p.settleDiscussed(true)
	case v == markup.NoMatch:
		switch p.in.matchWords(rest[i:]) {
		case markup.NeedMore:
			return wait
		case markup.Match:
			return p.settleDiscussed(false)
		}
		return p.settleDiscussed(true)
	case p.call.wrapperOpen && t.Closing && t.IsWrapper():
		p.in.take(i+t.Len, SpanMarkup)
		p.call.wrapperOpen = false
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
	p.call.certain = false
	return p.leakAlone()
}

// matchWords matches text that goes on with a sentence, or ends a quotation: a mark of a quotation or, before the line
// ends, a small letter or a digit. A capital begins another sentence; marks, as those of bold type, tell
// nothing, nor does a tag.
func (in *input) matchWords(rest []byte) markup.Verdict {
	switch rest[0] {
	case '<':
		return markup.NoMatch
	case '"', '\'':
		return markup.Match
	}
	line, _, ends := bytes.Cut(rest[:min(len(rest), maxGap)], []byte("\n"))
	for len(line) > 0 && utf8.FullRune(line) {
		r, n := utf8.DecodeRune(line)
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return markup.VerdictOf(unicode.IsLower(r) || unicode.IsDigit(r))
		}
		line = line[n:]
	}
	if ends || len(rest) >= maxGap {
		return markup.NoMatch
	}
	return in.needMore()
}
