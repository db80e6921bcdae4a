package answer

import (
	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// Thinking in the text before calls. If text in thinking looks like a call, it is text if the thinking is
// closed later, and a call if the thinking is never closed. The chat template of the model's server may
// have opened the thinking. Then the completion begins inside thinking and shows only its end
// (docs/reference/formats.md §0.4).

// think is the name of most thinking tags, and of the marks of formats that act as such tags. fromTemplate
// is the name in thinkingTag if the server's template has opened the thinking, or may have. Most templates
// open it with <think>.
const (
	think        = "think"
	fromTemplate = "<think>"
)

// matchThinking matches a thinking tag at the start of rest.
func (p *parser) matchThinking(rest []byte, eof bool) (t markup.TextTag, v markup.Verdict) {
	if t, v = p.matchThinkingMark(rest, eof); v != markup.NoMatch || rest[0] != '<' {
		return t, v
	}
	if t, v = markup.MatchTextTag(rest, eof); v == markup.Match && t.Kind != markup.KindThinking {
		v = markup.NoMatch
	}
	return t, v
}

// matchThinkingMark does what matchThinking does, for the marks of formats.
func (p *parser) matchThinkingMark(rest []byte, eof bool) (t markup.TextTag, v markup.Verdict) {
	for i := range p.Thinking {
		marks := &p.Thinking[i]
		for closing, mark := range [...]string{marks.Opens, marks.Closes} {
			switch matchMark(rest, mark, eof) {
			case markup.Match:
				return thinkingTag(len(mark), closing > 0, think), markup.Match
			case markup.NeedMore:
				v = markup.NeedMore
			}
		}
		for _, mark := range marks.Answers {
			switch {
			case p.text.thinkingTag == "":
			case matchMark(rest, mark, eof) == markup.Match:
				return thinkingTag(len(mark), true, p.text.thinkingTag), markup.Match
			case matchMark(rest, mark, eof) == markup.NeedMore:
				v = markup.NeedMore
			}
		}
	}
	return t, v
}

// matchMark matches a mark at the start of rest.
func matchMark(rest []byte, mark string, eof bool) markup.Verdict {
	switch {
	case mark == "" || len(rest) > 1 && rest[1] != mark[1]: // most brackets in a text fail here
	case markup.HasPrefix(rest, mark):
		return markup.Match
	case !eof && markup.IsPrefixOf(rest, mark):
		return markup.NeedMore
	}
	return markup.NoMatch
}

// mayMarkThinking reports whether the first byte of text may begin a mark of thinking.
func (p *parser) mayMarkThinking(text []byte) bool {
	if len(p.Thinking) == 0 {
		return false
	}
	_, v := p.matchThinkingMark(text, false)
	return v != markup.NoMatch
}

// thinkingTag returns a tag of n bytes that begins or ends thinking.
func thinkingTag(n int, closing bool, name string) markup.TextTag {
	return markup.TextTag{Tag: markup.Tag{Len: n, Closing: closing}, Kind: markup.KindThinking, Name: name}
}

// endsThinking reports whether t ends the thinking that is open.
func (p *parser) endsThinking(t markup.TextTag) bool {
	open := p.text.thinkingTag
	return t.Closing && (t.Name == open || t.Name == think && open == fromTemplate)
}

// matchOtherEnd matches t, the tag at the start of rest, if it ends a block of thinking that a tag of
// another name has opened: <think>…</thinking>. The line has to end after t, and no tag named like t was
// opened inside the thinking.
func (p *parser) matchOtherEnd(rest []byte, t markup.TextTag) markup.Verdict {
	if !p.text.inThinking || !t.Closing || p.text.innerTag == t.Name || p.endsThinking(t) {
		return markup.NoMatch
	}
	return p.in.MatchLineEnd(rest[t.Len:])
}

// beginOpened decides whether the answer begins inside thinking that the server's template has opened. It
// does, with two exceptions: the answer opens thinking itself, or begins with a call while it is only
// possible that the template opened thinking. Thinking does not begin with a call. The thinking becomes a
// block if the template certainly opened it.
func (p *parser) beginOpened() state {
	rest := p.in.Rest()
	i, v := p.in.MatchBlanks(rest, 0, completion.MaxGap)
	if v == markup.NeedMore {
		return wait
	}
	thinks, call := false, false
	v = markup.NoMatch
	if i < len(rest) {
		thinks, call, v = p.matchFirst(rest, i)
	}
	switch {
	case v == markup.NeedMore:
		return wait
	case v == markup.Match && (thinks || call && p.text.opened == format.ThinkingMaybe):
		p.text.opened = ""
		return p.nextText()
	}
	p.text.inThinking = p.text.takesThinking && p.text.opened == format.ThinkingOpen
	p.text.surelyOpened = p.text.opened == format.ThinkingOpen
	p.text.opened, p.text.thinkingTag = "", fromTemplate
	if p.text.inThinking {
		p.in.Take(i, completion.SpanMarkup)
	}
	if len(p.Alone) > 0 {
		return atAnswer
	}
	return inText
}

// matchFirst matches the start of an answer, at rest[i] after white space. thinks: a thinking tag opens
// there. call: text begins there that only an answer begins with, mostly a call.
func (p *parser) matchFirst(rest []byte, i int) (thinks, call bool, v markup.Verdict) {
	if p.BeginsTag(rest[i]) {
		t, v := p.matchTextTag(rest[i:])
		if v != markup.NoMatch {
			return t.Kind == markup.KindThinking && !t.Closing, !t.Closing, v
		}
	}
	if rest[i] == '`' {
		_, _, v = p.matchQuotedCall(rest[i:])
		return false, v == markup.Match, v
	}
	if p.ReadsChannels { // the header of a message
		if _, v = held.MatchErasedHeader(rest[i:], p.in.NeedMore(), &p.tools); v != markup.NoMatch {
			return false, true, v
		}
		if held.BeginsJoined(rest[i:], format.Analysis) || held.BeginsJoined(rest[i:], "commentary") {
			return false, true, markup.Match
		}
	}
	if len(p.Alone) > 0 {
		if _, v = p.matchAlone(rest, false); v != markup.NoMatch {
			return false, true, v
		}
	}
	if rest[i] == '[' && p.ReadsLiteral[format.PythonLiteral] {
		_, name, v := p.matchLiteral(rest[i:])
		tool, _ := p.tools.Find(name)
		return false, tool != nil, v
	}
	return false, false, markup.NoMatch
}

// readThinkingTag reads t if it begins or ends a block of thinking, and reports whether it did. Such a
// block exists only if thinking becomes blocks ([textSeen.takesThinking]) and the answer begins with it:
// before any text, and without a prefill. Inside the block, unclosed Markdown code does not hide the
// closing tag.
func (p *parser) readThinkingTag(t markup.TextTag) bool {
	text := &p.text
	switch {
	case text.inThinking && p.endsThinking(t):
		text.thinkingTag, text.innerTag, text.inThinking, text.code = "", "", false, code{}
		p.dropBlank()
		p.out.StopBlock()
	case text.inThinking:
		if text.innerTag = t.Name; t.Closing {
			text.innerTag = ""
		}
		return false
	case text.takesThinking && !t.Closing && !p.out.TextBegun && text.opening == "" && text.prefill == "":
		text.thinkingTag, text.inThinking = t.Name, true
		p.dropBlank()
	default:
		return false
	}
	p.in.Take(t.Len, completion.SpanMarkup)
	return true
}

// matchLoneEnd matches t, the tag at the start of rest, if it ends thinking without an opening mark. Either
// the server's template opened the thinking, or nothing in the answer shows where it began. If thinking
// becomes blocks, the client does not see the mark.
func (p *parser) matchLoneEnd(rest []byte, t markup.TextTag) markup.Verdict {
	text := &p.text
	switch {
	case !text.takesThinking || text.inThinking || !t.Closing:
		return markup.NoMatch
	case text.thinkingTag == fromTemplate && p.endsThinking(t):
		return markup.Match
	case text.thinkingTag != "" || text.endsThought || text.code.midLine || text.code.isOpen():
		return markup.NoMatch
	}
	return p.in.MatchLineEnd(rest[t.Len:])
}

// readLoneEnd reads a mark that matchLoneEnd has matched. The text after it is a block of its own.
func (p *parser) readLoneEnd(t markup.TextTag) state {
	p.text.thinkingTag, p.text.endsThought, p.text.said, p.text.code = "", true, false, code{}
	p.dropBlank()
	p.out.StopBlock()
	p.in.Take(t.Len, completion.SpanMarkup)
	return afterThinking
}

// readAfterThinking is the state afterThinking: the opening or the closing tag of a block of thinking has
// been read. It drops white space (inText, atAnswer).
func (p *parser) readAfterThinking() state {
	if !p.in.SkipBlanks() {
		return wait
	}
	return p.nextText()
}

// noteThinking records a thinking tag that is text. Of nested thinking tags, only the outermost counts.
func (p *parser) noteThinking(t markup.TextTag) {
	text := &p.text
	switch {
	case p.endsThinking(t):
		text.thinkingTag = ""
	case !t.Closing && text.thinkingTag == "" && !text.neverClosed:
		text.thinkingTag = t.Name
	}
}

// noteQuotes records whether the client's prefill leaves Markdown code or thinking open. The completion
// then begins inside it.
func (p *parser) noteQuotes(prefill string) {
	rest := []byte(prefill)
	for len(rest) > 0 && p.mayCall {
		n := p.nextTagStart(rest, 0)
		if n == 0 {
			if t, v := p.matchThinking(rest, true); v == markup.Match && !p.text.code.isOpen() {
				p.noteThinking(t)
			}
			n = 1
		}
		p.text.code.advance(rest[:n])
		rest = rest[n:]
	}
}

// readRehearsal is the state inRehearsal: text in thinking has been read, up to a tag that would open a
// call. The mark stands before the tag. A model that thinks may rehearse its call:
//
//	<thinking>I'll write <invoke> … </invoke> then.</thinking>
//
// If the thinking is closed, or the answer is cut off inside it, all of this text is given back (inText).
// If the thinking is never closed, the parser reads the text after the mark again, and text that looks like
// a call is a call (inText; atAnswer if the call may be the whole answer).
func (p *parser) readRehearsal() state {
	text := &p.text
	rest := p.in.Rest()
	for i := p.nextTagStart(rest, 0); i < len(rest); i = p.nextTagStart(rest, 0) {
		text.talksOn = text.talksOn || !text.inCall && markup.SkipBlanks(rest, 0, i) < i
		p.in.Take(i, completion.SpanText)
		rest = rest[i:]
		if text.thinkingTag == fromTemplate {
			switch n, v := p.matchConsidered(rest); v {
			case markup.NeedMore:
				return wait
			case markup.Match:
				p.in.Take(n, completion.SpanText)
				rest = rest[n:]
				continue
			}
		}
		if text.thinkingTag == format.Analysis {
			switch v := p.matchMessageEnd(rest); v {
			case markup.NeedMore:
				return wait
			case markup.Match:
				p.keepRehearsed(false)
				return p.giveBack()
			}
		}
		t, v := p.matchThinking(rest, p.in.EOF)
		switch {
		case v == markup.NeedMore:
			return wait
		case v == markup.Match && p.endsThinking(t) && !text.inCall:
			p.keepRehearsed(false)
			if text.inThinking { // inText will read the tag and close the block
				return p.giveBack()
			}
			answered := text.answered // thinking is no prose
			text.thinkingTag = ""
			p.in.Take(t.Len, completion.SpanText)
			if next := p.giveBack(); next != inText {
				return next
			}
			text.answered = answered
			return p.nextText()
		}
		p.in.Take(1, completion.SpanText)
		rest = rest[1:]
	}
	text.talksOn = text.talksOn || !text.inCall && markup.SkipBlanks(rest, 0, len(rest)) < len(rest)
	p.in.TakeAll(completion.SpanText)
	if !p.in.EOF {
		return wait
	}
	return p.endRehearsal()
}

// endRehearsal ends thinking that is still open at the end of the text.
func (p *parser) endRehearsal() state {
	text := &p.text
	if p.in.CutShort && (text.thinkingTag != fromTemplate || text.surelyOpened || text.talksOn) { // the closing tag may have been cut off
		p.keepRehearsed(true)
		p.giveBackText()
		return inText
	}
	alone := p.call.alone
	p.in.Rewind()
	p.out.DropInput()
	p.call = callSeen{}
	text.thinkingTag, text.neverClosed, text.inThinking = "", true, false
	if alone {
		return atAnswer
	}
	return inText
}

// matchConsidered matches a tag that begins or ends a call in thinking that the server's template has
// opened, and records whether a call is open after it. Inside an open call, a tag that ends thinking is
// part of a value.
func (p *parser) matchConsidered(rest []byte) (n int, v markup.Verdict) {
	t, v := p.call.Spelling.MatchTag(rest, p.in.EOF)
	if v == markup.Match && !t.Is("invoke") && !t.IsWrapper() {
		v = markup.NoMatch
	}
	if v == markup.Match {
		p.text.inCall, p.text.talksOn = !t.Closing && p.call.Spelling.Ends(), false
	}
	return t.Len, v
}
