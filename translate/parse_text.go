package translate

import (
	"bytes"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// textState reads text between calls.
func textState(p *parser) state {
	rest := p.rest()
	if len(rest) == 0 {
		p.direct = (*parser).text
		return nil
	}
	n := len(rest)
	if p.offers || p.thinks {
		if i := bytes.IndexByte(rest, '<'); i >= 0 {
			n = i
		}
	}
	if p.escaped != 0 {
		if i := bytes.IndexByte(rest[:n], '&'); i >= 0 {
			n = i
		}
	}
	if n > 0 {
		p.text(rest[:n])
		p.pos += n
		return textState
	}
	if rest[0] == '&' {
		if p.entity("", p.text) {
			return textState
		}
		return nil
	}
	return p.textMarkup(rest)
}

// textMarkup reads a `<` in text, with what it begins if that matters.
func (p *parser) textMarkup(rest []byte) state {
	t, v := markup.MatchTextTag(rest, p.eof)
	if v == markup.NeedMore {
		return nil
	}
	p.quote.settle()
	if v == markup.Match && t.Kind == markup.KindThinking {
		if next := p.reasoning(t); next != nil {
			return next
		}
	}
	if v == markup.NoMatch || p.quote.fence > 0 || !p.offers {
		return p.plain(1)
	}
	if p.quote.inline > 0 { // markup in a code span; a block of calls is none
		if v = p.newlineAfter(rest[t.Len:]); v == markup.NeedMore {
			return nil
		} else if v == markup.NoMatch {
			return p.plain(1)
		}
	}
	switch t.Kind {
	case markup.KindThinking:
		p.rehearses(t)
		return p.plain(t.Len)
	case markup.KindResults:
		return p.inventedResults(rest, t)
	}
	if p.thinking != "" {
		p.startCall(t)
		return rehearsalState
	}
	p.startCall(t)
	if t.Kind == markup.KindWrapper {
		p.wrapped = true
		p.pos += t.Len
		return wrapperState
	}
	return invokeState
}

// reasoning reads a tag that begins or ends the thinking that the client asked for:
// the first thing that the model writes. It returns nil for any other. Code that
// thinking leaves open does not hide its end.
func (p *parser) reasoning(t markup.TextTag) state {
	switch {
	case p.reasons && t.Closing && t.Name == p.thinking:
		p.thinking, p.reasons, p.quote = "", false, quote{}
		p.blank = p.blank[:0]
		p.closeBlock()
	case p.thinks && !p.reasons && !t.Closing && !p.spoken && p.opening == "" && p.prefill == "":
		p.thinking, p.reasons = t.Name, true
		p.blank = p.blank[:0]
		p.openBlock(messages.ContentBlock{Type: messages.BlockThinking})
	default:
		return nil
	}
	p.pos += t.Len
	return afterThoughtState
}

// afterThoughtState passes over the white space around thinking.
func afterThoughtState(p *parser) state {
	if !p.skip() {
		return nil
	}
	return textState
}

// rehearses notes a tag of thinking: the outermost one counts.
func (p *parser) rehearses(t markup.TextTag) {
	switch {
	case t.Closing && t.Name == p.thinking:
		p.thinking = ""
	case !t.Closing && p.thinking == "" && !p.relapsed:
		p.thinking = t.Name
	}
}

// newlineAfter tells whether a line ends where rest begins.
func (p *parser) newlineAfter(rest []byte) markup.Verdict {
	switch {
	case len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r'):
		return markup.Match
	case len(rest) == 0 && !p.eof:
		return markup.NeedMore
	}
	return markup.NoMatch
}

// plain reads n bytes as text.
func (p *parser) plain(n int) state {
	p.text(p.rest()[:n])
	p.pos += n
	return textState
}

// inventedResults ends the answer where the model begins to write the results
// itself: <function_results> at the start of a line, with an element in it.
func (p *parser) inventedResults(rest []byte, t markup.TextTag) state {
	i, v := p.blanks(rest, t.Len, maxGap)
	switch {
	case v == markup.NeedMore:
		return nil
	case t.Closing || p.quote.midLine || v == markup.NoMatch || i == len(rest) || rest[i] != '<':
		return p.plain(1)
	}
	p.note(messages.Outcome{Kind: messages.OutcomeRepaired, Reason: "invented_results"})
	return cutState
}

// rehearsalState reads a call within thinking: text, if the thinking is closed
// after it; a call, if it never is.
func rehearsalState(p *parser) state {
	rest := p.rest()
	for i := bytes.IndexByte(rest, '<'); i >= 0; i = bytes.IndexByte(rest, '<') {
		p.pos += i
		rest = rest[i:]
		t, v := markup.MatchTextTag(rest, p.eof)
		switch {
		case v == markup.NeedMore:
			return nil
		case v == markup.Match && t.Closing && t.Name == p.thinking:
			if p.reasons { // its end is read as such
				return p.giveBack()
			}
			p.thinking = ""
			p.pos += t.Len
			return p.giveBack()
		}
		p.pos++
		rest = rest[1:]
	}
	p.pos = len(p.in)
	if !p.eof {
		return nil
	}
	p.pos, p.mark = p.mark, -1
	p.inCall, p.tentative = false, false
	p.thinking, p.relapsed, p.reasons = "", true, false
	return textState
}

// maxBlank bounds the white space that is held because a call may follow it.
const maxBlank = 4 << 10

// text adds to the answer's text. White space at its end is held: before a call
// it is layout.
func (p *parser) text(s []byte) {
	if p.offers {
		p.quote.advance(s)
	}
	if p.reasons && p.req.Thinking == messages.ThinkingOmitted {
		return
	}
	n, kind := len(s), p.kind()
	if p.offers || p.open != kind {
		for n > 0 && markup.IsBlank(s[n-1]) {
			n--
		}
	}
	if n > 0 {
		if p.open != kind {
			p.openBlock(messages.ContentBlock{Type: kind})
		}
		p.out = append(append(p.out, p.blank...), s[:n]...)
		p.blank = p.blank[:0]
	}
	p.blank = append(p.blank, s[n:]...)
	for len(p.blank) > maxBlank {
		if p.open != kind {
			p.openBlock(messages.ContentBlock{Type: kind})
		}
		p.out = append(p.out, p.blank[:maxBlank]...)
		p.blank = p.blank[:copy(p.blank, p.blank[maxBlank:])]
	}
}

// kind is the type of block that text belongs in.
func (p *parser) kind() string {
	if p.reasons {
		return messages.BlockThinking
	}
	return messages.BlockText
}

// inText opens a text block for what is no text, unless one is open.
func (p *parser) inText() {
	if p.open != messages.BlockText {
		p.openBlock(messages.ContentBlock{Type: messages.BlockText})
	}
	p.out = append(p.out, p.blank...)
	p.blank = p.blank[:0]
	p.flush()
}

// endText sends the white space at the end of the answer.
func (p *parser) endText() {
	if p.open == messages.BlockText && !p.cut {
		p.out = append(p.out, p.blank...)
		p.flush()
	}
}

// entity reads an `&` and undoes our escape if it is one; the bytes go to emit.
// It reports whether it could decide.
//
// Of `&amp;amp;…` the first entity is out before the end is known, since it
// stays either way: pos then stands at an & that is already out (deep), so that
// no run of them is ever held.
func (p *parser) entity(own string, emit func([]byte)) bool {
	names := p.escaped
	if own == "" {
		names &^= markup.TagOwnParameter
	}
	rest := p.rest()
	m := markup.MatchEscape(rest, names, own, p.eof)
	out, n := rest[:1], 1
	switch {
	case m.Verdict == markup.Match:
		out, n = []byte(m.Plain), m.Len
	case m.Verdict == markup.NeedMore && p.mark < 0 && markup.HasPrefix(rest, "&amp;amp;"):
		if !p.deep {
			emit(rest[:1])
		}
		emit(rest[1:5])
		rest[4], p.deep = '&', true
		p.pos += 4
		return true
	case m.Verdict == markup.NeedMore:
		return false
	}
	if p.deep {
		out, p.deep = out[1:], false
	}
	if len(out) > 0 {
		emit(out)
	}
	p.pos += n
	return true
}
