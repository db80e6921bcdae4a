package answer

import (
	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// Thinking in the text before calls. What looks like a call in it is text if the thinking is closed, and a
// call if it never is. The template of a model's server may have opened it, so that the completion begins
// in it and shows only where it ends (docs/reference/formats.md §0.4).

// think is the name of most tags of thinking, and of the marks that stand for them. fromTemplate stands for
// the tag where the template of the server has opened thinking, or may have: most open it with that one.
const (
	think        = "think"
	fromTemplate = "<think>"
)

// matchThinking matches a tag of thinking that rest begins with.
func (p *parser) matchThinking(rest []byte, eof bool) (t markup.TextTag, v markup.Verdict) {
	if t, v = p.matchThinkingMark(rest, eof); v != markup.NoMatch || rest[0] != '<' {
		return t, v
	}
	if t, v = markup.MatchTextTag(rest, eof); v == markup.Match && t.Kind != markup.KindThinking {
		v = markup.NoMatch
	}
	return t, v
}

// matchThinkingMark is matchThinking for the marks of formats.
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

// matchMark matches a mark that rest begins with.
func matchMark(rest []byte, mark string, eof bool) markup.Verdict {
	switch {
	case mark == "" || len(rest) > 1 && rest[1] != mark[1]: // as that of most brackets in a text
	case markup.HasPrefix(rest, mark):
		return markup.Match
	case !eof && markup.IsPrefixOf(rest, mark):
		return markup.NeedMore
	}
	return markup.NoMatch
}

// mayMarkThinking reports whether the byte that text begins with may begin a mark of thinking.
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

// matchOtherEnd matches t, which rest begins with, as the end of a block of thinking by a tag of another name
// (<think>…</thinking>): at the end of its line, and if that tag was not opened within the thinking.
func (p *parser) matchOtherEnd(rest []byte, t markup.TextTag) markup.Verdict {
	if !p.text.inThinking || !t.Closing || p.text.innerTag == t.Name || p.endsThinking(t) {
		return markup.NoMatch
	}
	return p.in.MatchLineEnd(rest[t.Len:])
}

// beginOpened decides by the first text of the answer whether that is thinking which the template of the
// server has opened: it is, unless a tag opens thinking there, or a call that may as well be the answer: no
// thinking begins with one. It becomes a block where that is sure.
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

// matchFirst matches what an answer begins with, at rest[i] behind white space: a mark of thinking, or what
// else only an answer begins with, a call above all.
func (p *parser) matchFirst(rest []byte, i int) (thinks, call bool, v markup.Verdict) {
	if p.BeginsTag(rest[i]) {
		t, v := p.matchTextTag(rest[i:])
		if v != markup.NoMatch {
			return t.Kind == markup.KindThinking && !t.Closing, !t.Closing, v
		}
	}
	if p.ReadsChannels { // a header tells where its message begins
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

// readThinkingTag reads a tag that begins or ends a block of thinking. There is one if thinking is no text
// ([textSeen.takesThinking]) and the answer begins with it: before any text, without a prefill. It reports
// whether t is such a tag, and reads nothing else. Within the block, Markdown code that was never
// closed does not hide the closing tag.
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

// matchLoneEnd matches t, which rest begins with, as the end of thinking that no mark has opened: the template
// of the server did, or the answer says nothing of it. Where thinking becomes blocks, such a mark is not shown.
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

// readLoneEnd reads such a mark. What follows it is a text block of its own.
func (p *parser) readLoneEnd(t markup.TextTag) state {
	p.text.thinkingTag, p.text.endsThought, p.text.code = "", true, code{}
	p.dropBlank()
	p.out.StopBlock()
	p.in.Take(t.Len, completion.SpanMarkup)
	return afterThinking
}

// readAfterThinking is the state afterThinking: the opening or the closing tag of a block of
// thinking has been read. It drops white space, up to the first other byte (inText, atAnswer).
func (p *parser) readAfterThinking() state {
	if !p.in.SkipBlanks() {
		return wait
	}
	return p.nextText()
}

// noteThinking records a tag of thinking that is text. Of nested ones, the outermost counts.
func (p *parser) noteThinking(t markup.TextTag) {
	text := &p.text
	switch {
	case p.endsThinking(t):
		text.thinkingTag = ""
	case !t.Closing && text.thinkingTag == "" && !text.neverClosed:
		text.thinkingTag = t.Name
	}
}

// noteQuotes records whether the client's prefill leaves Markdown code or thinking open, in which
// the completion then begins.
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

// readRehearsal is the state inRehearsal: text in thinking has been read, up to a tag that would
// open a call, before which the mark stands. A model that thinks may rehearse its call:
//
//	<thinking>I'll write <invoke> … </invoke> then.</thinking>
//
// If the thinking is closed, or the answer cut in it, all of that is given back as text (inText). If it is
// never closed, the text after the mark is read again, and what looks like a call in it is one (inText, too; atAnswer before
// one that may be the whole answer).
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
				p.keepRehearsed()
				return p.giveBack()
			}
		}
		t, v := p.matchThinking(rest, p.in.EOF)
		switch {
		case v == markup.NeedMore:
			return wait
		case v == markup.Match && p.endsThinking(t) && !text.inCall:
			p.keepRehearsed()
			if text.inThinking { // inText reads the tag, and closes the block
				return p.giveBack()
			}
			text.thinkingTag = ""
			p.in.Take(t.Len, completion.SpanText)
			if next := p.giveBack(); next != inText {
				return next
			}
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

// endRehearsal ends thinking that the text ends in.
func (p *parser) endRehearsal() state {
	text := &p.text
	if p.in.CutShort && (text.thinkingTag != fromTemplate || text.surelyOpened || text.talksOn) { // what would have closed it was cut
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

// matchConsidered matches a tag that begins or ends a call in such thinking, and records whether one is open
// behind it: what looks like the end of thinking in a value is none.
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
