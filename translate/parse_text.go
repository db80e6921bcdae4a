package translate

import (
	"bytes"
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// The text between calls. Markup in it may begin a call, thinking, or results that the model
// makes up; in Markdown code, and in thinking, it is quoted.

// readText reads text between calls, up to markup that means something: to a call, to the end of
// thinking, or to the end of the answer.
func (p *parser) readText() state {
	rest := p.in.rest()
	if len(rest) == 0 {
		p.writePlain = (*parser).writeText
		return wait
	}
	n := len(rest)
	if p.mayCall || p.text.thinkingAsked {
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
		return p.takeText(n)
	}
	if rest[0] == '&' {
		if p.readEntity("", p.writeText) {
			return inText
		}
		return wait
	}
	return p.readTextMarkup(rest)
}

// takeText reads n bytes as text.
func (p *parser) takeText(n int) state {
	p.writeText(p.in.rest()[:n])
	p.in.take(n)
	return inText
}

// readTextMarkup reads the `<` that rest begins with, and the tag if it means something.
func (p *parser) readTextMarkup(rest []byte) state {
	t, v := markup.MatchTextTag(rest, p.in.eof)
	if v == markup.NeedMore {
		return wait
	}
	code := &p.text.code
	code.settle()
	if v == markup.Match && t.Kind == markup.KindThinking {
		if next := p.readThinkingTag(t); next != wait {
			return next
		}
	}
	if v == markup.NoMatch || code.fence > 0 || !p.mayCall {
		return p.takeText(1)
	}
	if code.inline > 0 { // markup in a code span; a block of calls is none
		if v = p.in.matchLineEnd(rest[t.Len:]); v == markup.NeedMore {
			return wait
		} else if v == markup.NoMatch {
			return p.takeText(1)
		}
	}
	switch t.Kind {
	case markup.KindThinking:
		p.noteThinking(t)
		return p.takeText(t.Len)
	case markup.KindResults:
		return p.readInventedResults(rest, t)
	}
	p.beginCall(t.Tag)
	switch {
	case p.text.thinkingTag != "":
		return inRehearsal
	case t.Kind == markup.KindWrapper:
		p.call.wrapperOpen = true
		p.in.take(t.Len)
		return inWrapper
	}
	return atInvoke
}

// readThinkingTag reads a tag that begins or ends the thinking that the client asked for: the
// first thing that the model writes. It returns wait for any other. Code that thinking leaves
// open does not hide its end.
func (p *parser) readThinkingTag(t markup.TextTag) state {
	text := &p.text
	switch {
	case text.inThinking && t.Closing && t.Name == text.thinkingTag:
		text.thinkingTag, text.inThinking, text.code = "", false, code{}
		p.dropBlank()
		p.out.closeBlock()
	case text.thinkingAsked && !text.inThinking && !t.Closing && !p.out.textBegun && text.opening == "" && text.prefill == "":
		text.thinkingTag, text.inThinking = t.Name, true
		p.dropBlank()
		p.out.openBlock(messages.BlockThinking)
	default:
		return wait
	}
	p.in.take(t.Len)
	return afterThinking
}

// readAfterThinking passes over the white space around thinking.
func (p *parser) readAfterThinking() state {
	if !p.in.skipBlanks() {
		return wait
	}
	return inText
}

// noteThinking takes down a tag of thinking that is text: the outermost one counts.
func (p *parser) noteThinking(t markup.TextTag) {
	text := &p.text
	switch {
	case t.Closing && t.Name == text.thinkingTag:
		text.thinkingTag = ""
	case !t.Closing && text.thinkingTag == "" && !text.neverClosed:
		text.thinkingTag = t.Name
	}
}

// noteQuotes takes down what the client's prefill leaves open: code, or thinking.
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

// readInventedResults ends the answer where the model begins to write the results itself:
// <function_results> at the start of a line, with an element in it.
func (p *parser) readInventedResults(rest []byte, t markup.TextTag) state {
	i, v := p.in.matchBlanks(rest, t.Len, maxGap)
	switch {
	case v == markup.NeedMore:
		return wait
	case t.Closing || p.text.code.midLine || v == markup.NoMatch || i == len(rest) || rest[i] != '<':
		return p.takeText(1)
	}
	p.noteOutcome(messages.Outcome{Kind: messages.OutcomeRepaired, Reason: "invented_results"})
	return afterAnswer
}

// readRehearsal reads a call within thinking, up to the end of the thinking: then it is text. It
// is a call if the thinking is never closed.
func (p *parser) readRehearsal() state {
	text := &p.text
	rest := p.in.rest()
	for i := bytes.IndexByte(rest, '<'); i >= 0; i = bytes.IndexByte(rest, '<') {
		p.in.take(i)
		rest = rest[i:]
		t, v := markup.MatchTextTag(rest, p.in.eof)
		switch {
		case v == markup.NeedMore:
			return wait
		case v == markup.Match && t.Closing && t.Name == text.thinkingTag:
			if text.inThinking { // its end is read as such
				return p.giveBack()
			}
			text.thinkingTag = ""
			p.in.take(t.Len)
			return p.giveBack()
		}
		p.in.take(1)
		rest = rest[1:]
	}
	p.in.takeAll()
	if !p.in.eof {
		return wait
	}
	p.in.rewind()
	p.call.begun, p.out.pending = false, false
	text.thinkingTag, text.neverClosed, text.inThinking = "", true, false
	return inText
}

// readAfterAnswer reads what follows the answer: nothing of it counts. A model that may go on has
// only ended its calls, and text follows.
func (p *parser) readAfterAnswer() state {
	if p.textMayFollow {
		p.mayCall = false
		p.in.unmark()
		return inText
	}
	p.ended = true
	p.in.takeAll()
	p.in.unmark()
	return wait
}
