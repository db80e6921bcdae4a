package answer

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// The text before calls. A tag in it may begin a call, begin or end thinking, or begin results that the
// model invents. In Markdown code and in thinking, the tags of a call are text
// (docs/reference/legacy-format.md §12 row 7).

// maxSearch limits how far readText looks for the start of a tag before it reads what comes first. A second reading has
// all of the text, and a name at each line would search the lines behind it again.
const maxSearch = 256

// readText is the state inText: nothing has been read, or text. It writes text up to a tag with a meaning.
// If the tag may open a call, readText sets the mark before it (atInvoke, inWrapper, inRehearsal). Other
// tags begin or end thinking (afterThinking), or begin invented results, which end the answer
// (afterAnswer).
func (p *parser) readText() state {
	rest := p.in.Rest()
	if len(rest) == 0 {
		if p.text.opened == "" && !p.readsFences() && p.in.Seen == nil {
			p.writePlain = (*parser).writeText
		}
		return wait
	}
	if p.text.opened != "" {
		return p.beginOpened()
	}
	n := min(len(rest), maxSearch)
	if p.escaped.Tags != 0 {
		n = completion.NextEntity(rest, n)
	}
	if p.readsFences() {
		if i := bytes.IndexByte(rest[:n], '`'); i >= 0 {
			n = i
		}
	}
	if p.mayCall || p.text.takesThinking {
		n = p.nextTextTag(rest[:n])
	}
	if p.mayCall {
		n = p.nextLiteral(rest[:n])
	}
	if n > 0 {
		return p.takeText(n)
	}
	if rest[0] == '`' {
		return p.readBackTick(rest)
	}
	if rest[0] == '&' {
		if p.in.ReadEntity(p.escaped, "", completion.SpanText, p.writeText) {
			return inText
		}
		return wait
	}
	if rest[0] != '<' && p.mayCall && p.readsLiterals() {
		return p.readTextLiteral(rest)
	}
	return p.readTextMarkup(rest)
}

// nextTextTag returns the index of the first byte that may begin a tag with a meaning in text, or a list of
// calls in Python. If there is none, it returns len(text).
func (p *parser) nextTextTag(text []byte) int {
	for at := p.nextTagStart(text, 0); at < len(text); at = p.nextTagStart(text, at+1) {
		if at+1 < len(text) && (text[at+1] == '<') != (text[at] == markup.Mark[0]) {
			continue
		}
		switch rest := text[at:]; {
		case rest[0] == '<' && !markup.IsText(rest), rest[0] == '[' && p.beginsList(rest), p.MaySpell(rest), p.mayMarkThinking(rest):
			return at
		}
	}
	return len(text)
}

// takeText writes the next n bytes as text.
func (p *parser) takeText(n int) state {
	p.writeText(p.in.Rest()[p.in.NotSeen(n):n])
	p.in.Take(n, completion.SpanText)
	return inText
}

// readTextMarkup reads the first byte of rest as text, or as the start of a tag with a meaning.
func (p *parser) readTextMarkup(rest []byte) state {
	if p.ReadsChannels && p.mayCall {
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
		other, lone := p.matchOtherEnd(rest, t), p.matchLoneEnd(rest, t)
		switch {
		case other == markup.NeedMore || lone == markup.NeedMore:
			return wait
		case lone == markup.Match:
			return p.readLoneEnd(t)
		case other == markup.Match:
			t.Name = p.text.thinkingTag
		}
		if p.readThinkingTag(t) {
			return afterThinking
		}
		if p.text.thinkingTag == fromTemplate && p.endsThinking(t) && !code.midLine { // unclosed code hides no end of thinking
			code.reset()
		}
	}
	if v == markup.Match && p.mayBeUnfenced(t) {
		p.beginCall(t.Tag)
		p.call.openFence = true
		return p.beginFenced(t, 0, code.fence)
	}
	if v == markup.NoMatch || code.fence > 0 || !p.mayCall {
		return p.takeText(1)
	}
	// A tag in a code span is text. But if the line ends after the tag, a block of calls begins, and the
	// back-tick before it was only a back-tick.
	if code.inline > 0 {
		if v = p.in.MatchLineEnd(rest[t.Len:]); v == markup.NeedMore {
			return wait
		} else if v == markup.NoMatch {
			return p.takeText(1)
		}
	}
	switch t.Kind {
	case markup.KindThinking:
		answered := p.text.answered // the tag is no prose
		p.noteThinking(t)
		p.takeText(t.Len)
		p.text.answered = answered
		return p.nextText()
	case markup.KindResults:
		return p.readInventedResults(rest, t)
	}
	named := p.matchNamedWrapper(rest, &t.Tag)
	switch {
	case named == markup.NeedMore:
		return wait
	case named == markup.NoMatch && t.Kind == markup.KindWrapper && len(t.Attributes) > 0:
		return p.takeText(1)
	}
	p.beginCall(t.Tag)
	p.call.line = p.textBefore(nil)
	switch {
	case p.text.thinkingTag != "":
		return inRehearsal
	case named == markup.Match:
		return p.beginNamedWrapper(t.Tag)
	case t.Kind == markup.KindWrapper:
		p.openWrapper(t.Tag)
		p.in.Take(t.Len, completion.SpanMarkup)
		return inWrapper
	}
	p.call.NoteBare()
	return atInvoke
}

// readInventedResults ends the answer if the model begins to write the results of its own calls. It
// recognizes <function_results> at the start of a line, with an element inside. Other such tags are text
// (docs/reference/legacy-format.md §12 row 2).
func (p *parser) readInventedResults(rest []byte, t markup.TextTag) state {
	i, v := p.in.MatchBlanks(rest, t.Len, completion.MaxGap)
	switch {
	case v == markup.NeedMore:
		return wait
	case t.Closing || p.text.code.midLine || v == markup.NoMatch || i == len(rest) || rest[i] != '<':
		return p.takeText(1)
	}
	o := messages.Outcome{Kind: messages.OutcomeRepaired, Reason: messages.ReasonInventedResults}
	if !p.req.MayCall() {
		o.Kind, o.Reason = messages.OutcomeLeaked, messages.ReasonToolChoice
		o.InText = true
	}
	p.noteOutcome(o)
	return afterAnswer
}

// readAfterAnswer is the state afterAnswer: the whole answer has been read. The parser drops everything
// after it, and the reader disconnects from the upstream.
func (p *parser) readAfterAnswer() state {
	p.ended = true
	p.in.Drop()
	return wait
}
