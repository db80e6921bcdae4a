package translate

import (
	"bytes"
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// The text before calls. A tag in it may begin a call, begin or end thinking, or begin results that
// the model makes up. In Markdown code and in thinking, the tags of a call are text
// (docs/reference/legacy-format.md §12 row 7).

// readText is the state inText: nothing has been read, or text. It writes text up to a tag that
// means something. Before a tag that may open a call it sets the mark (atInvoke, inWrapper,
// inRehearsal). The others are tags of thinking (afterThinking) and results that the model made up,
// which end the answer (afterAnswer).
func (p *parser) readText() state {
	rest := p.in.rest()
	if len(rest) == 0 {
		if !p.readsQuoted && p.in.seen == nil {
			p.writePlain = (*parser).writeText
		}
		return wait
	}
	n := len(rest)
	if p.escaped != 0 { // before tags are looked for: those behind it would be looked for again
		n = nextEntity(rest, min(n, maxPiece)) // rest is longer where it is read again, after thinking
	}
	if p.mayCall || p.text.thinkingAsked {
		n = p.nextTextTag(rest[:n])
	}
	if p.mayCall {
		n = p.nextLiteral(rest[:n])
	}
	if p.readsQuoted {
		if i := bytes.IndexByte(rest[:n], '`'); i >= 0 {
			n = i
		}
	}
	if n > 0 {
		return p.takeText(n)
	}
	if rest[0] == '`' {
		return p.readBackTick(rest)
	}
	if rest[0] == '&' {
		if p.readEntity("", p.writeText) {
			return inText
		}
		return wait
	}
	if rest[0] != '<' && p.mayCall && p.readsLiterals() {
		return p.readTextLiteral(rest)
	}
	return p.readTextMarkup(rest)
}

// nextTextTag returns the index of the first byte that may begin a tag which means something in text, or
// a list of calls in Python, or len(text).
func (p *parser) nextTextTag(text []byte) int {
	for at := p.nextTagStart(text, 0); at < len(text); at = p.nextTagStart(text, at+1) {
		if at+1 < len(text) && text[at+1] == '<' {
			continue
		}
		switch rest := text[at:]; {
		case rest[0] == '<' && !markup.IsText(rest), rest[0] == '[' && p.beginsList(rest), p.maySpell(rest):
			return at
		}
	}
	return len(text)
}

// nextEntity returns the index of the first `&` among the first n bytes of text that may begin an
// escape of ours, or n.
func nextEntity(text []byte, n int) int {
	for at := 0; ; at++ {
		i := bytes.IndexByte(text[at:n], '&')
		if i < 0 {
			return n
		}
		if at += i; at+1 == len(text) || markup.MayBeEscape(text[at+1]) {
			return at
		}
	}
}

// takeText writes the next n bytes as text.
func (p *parser) takeText(n int) state {
	p.writeText(p.in.rest()[p.in.notSeen(n):n])
	p.in.take(n, SpanText)
	return inText
}

// readTextMarkup reads the byte that rest begins with: as text, or as the beginning of a tag that
// means something.
func (p *parser) readTextMarkup(rest []byte) state {
	if p.readsChannels && p.mayCall {
		if next, v := p.readChannel(rest); v != markup.NoMatch {
			return next
		}
	}
	t, v := p.matchTextTag(rest)
	if v == markup.NeedMore {
		return wait
	}
	code := &p.text.code
	code.settle()
	if v == markup.Match && t.Kind == markup.KindThinking {
		if p.readThinkingTag(t) {
			return afterThinking
		}
	}
	if v == markup.NoMatch || code.fence > 0 || !p.mayCall {
		return p.takeText(1)
	}
	// In a code span the tag is text. But where its line ends after it, a block of calls begins, and
	// the back-tick before it opened no code span.
	if code.inline > 0 {
		if v = p.in.matchLineEnd(rest[t.Len:]); v == markup.NeedMore {
			return wait
		} else if v == markup.NoMatch {
			return p.takeText(1)
		}
	}
	switch t.Kind {
	case markup.KindThinking:
		p.noteThinking(t)
		p.takeText(t.Len)
		return p.nextText()
	case markup.KindResults:
		return p.readInventedResults(rest, t)
	}
	p.beginCall(t.Tag)
	switch {
	case p.text.thinkingTag != "":
		return inRehearsal
	case t.Kind == markup.KindWrapper:
		p.openWrapper(t.Tag)
		p.in.take(t.Len, SpanMarkup)
		return inWrapper
	}
	p.noteBare()
	return atInvoke
}

// readThinkingTag reads a tag that begins or ends a block of thinking. There is one if the client
// asked for thinking and the answer begins with it: before any text, without a prefill. It reports
// whether t is such a tag, and reads nothing else. Within the block, Markdown code that was never
// closed does not hide the closing tag.
func (p *parser) readThinkingTag(t markup.TextTag) bool {
	text := &p.text
	switch {
	case text.inThinking && t.Closing && t.Name == text.thinkingTag:
		text.thinkingTag, text.inThinking, text.code = "", false, code{}
		p.dropBlank()
		p.out.stopBlock()
	case text.thinkingAsked && !text.inThinking && !t.Closing && !p.out.textBegun && text.opening == "" && text.prefill == "":
		text.thinkingTag, text.inThinking = t.Name, true
		p.dropBlank()
		p.out.openBlock(messages.BlockThinking)
	default:
		return false
	}
	p.in.take(t.Len, SpanMarkup)
	return true
}

// readAfterThinking is the state afterThinking: the opening or the closing tag of a block of
// thinking has been read. It drops white space, up to the first other byte (inText, atAnswer).
func (p *parser) readAfterThinking() state {
	if !p.in.skipBlanks() {
		return wait
	}
	return p.nextText()
}

// noteThinking records a tag of thinking that is text. Of nested ones, the outermost counts.
func (p *parser) noteThinking(t markup.TextTag) {
	text := &p.text
	switch {
	case t.Closing && t.Name == text.thinkingTag:
		text.thinkingTag = ""
	case !t.Closing && text.thinkingTag == "" && !text.neverClosed:
		text.thinkingTag = t.Name
	}
}

// noteQuotes records whether the client's prefill leaves Markdown code or thinking open, in which
// the completion then begins.
func (p *parser) noteQuotes(prefill string) {
	for prefill != "" && p.mayCall {
		text := prefill
		if i := strings.IndexByte(prefill, '<'); i >= 0 {
			text = prefill[:max(i, 1)]
		}
		if prefill[0] == '<' {
			if t, v := markup.MatchTextTag([]byte(prefill), true); v == markup.Match && t.Kind == markup.KindThinking && !p.text.code.isOpen() {
				p.noteThinking(t)
			}
		}
		p.text.code.advance([]byte(text))
		prefill = prefill[len(text):]
	}
}

// readInventedResults ends the answer if the model begins to write the results of its calls itself:
// at <function_results> at the start of a line, with an element in it. Other such tags are text
// (docs/reference/legacy-format.md §12 row 2).
func (p *parser) readInventedResults(rest []byte, t markup.TextTag) state {
	i, v := p.in.matchBlanks(rest, t.Len, maxGap)
	switch {
	case v == markup.NeedMore:
		return wait
	case t.Closing || p.text.code.midLine || v == markup.NoMatch || i == len(rest) || rest[i] != '<':
		return p.takeText(1)
	}
	o := messages.Outcome{Kind: messages.OutcomeRepaired, Reason: "invented_results"}
	if !p.req.MayCall() {
		o.Kind, o.Reason = messages.OutcomeLeaked, reasonChoice
	}
	p.noteOutcome(o)
	return afterAnswer
}

// readRehearsal is the state inRehearsal: text in thinking has been read, up to a tag that would
// open a call, before which the mark stands. A model that thinks may rehearse its call:
//
//	<thinking>I'll write <invoke> … </invoke> then.</thinking>
//
// If the thinking is closed, all of that is given back as text (inText). If it is never closed, the
// text after the mark is read again, and what looks like a call in it is one (inText, too).
func (p *parser) readRehearsal() state {
	text := &p.text
	rest := p.in.rest()
	for i := bytes.IndexByte(rest, '<'); i >= 0; i = bytes.IndexByte(rest, '<') {
		p.in.take(i, SpanText)
		rest = rest[i:]
		if text.thinkingTag == analysis {
			switch v := p.matchMessageEnd(rest); v {
			case markup.NeedMore:
				return wait
			case markup.Match:
				return p.giveBack()
			}
		}
		t, v := markup.MatchTextTag(rest, p.in.eof)
		switch {
		case v == markup.NeedMore:
			return wait
		case v == markup.Match && t.Closing && t.Name == text.thinkingTag:
			if text.inThinking { // inText reads the tag, and closes the block
				return p.giveBack()
			}
			text.thinkingTag = ""
			p.in.take(t.Len, SpanText)
			return p.giveBack()
		}
		p.in.take(1, SpanText)
		rest = rest[1:]
	}
	p.in.takeAll(SpanText)
	if !p.in.eof {
		return wait
	}
	p.in.rewind()
	p.out.dropInput()
	p.call.begun = false
	text.thinkingTag, text.neverClosed, text.inThinking = "", true, false
	return inText
}

// readAfterAnswer is the state afterAnswer: all of the answer has been read. What follows is
// dropped, and the reader leaves the upstream. Where text may follow the calls (Rescue), it is read
// as text, in which there are no calls any more (inText).
func (p *parser) readAfterAnswer() state {
	if p.textMayFollow {
		p.mayCall = false
		if p.in.isMarked() { // what looked like another call
			p.in.rewind()
			p.out.dropInput()
		}
		return inText
	}
	p.ended = true
	p.in.drop()
	return wait
}
