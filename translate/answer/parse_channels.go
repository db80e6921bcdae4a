package answer

import (
	"strings"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Messages on channels. <|channel|>analysis<|message|> begins thinking, a message to a tool is a call, and any
// other message is text. If a server has erased the markers, only the words of the header remain: see
// held/header_erased.go.

// readChannel reads a header, or the marker after a message, at the start of rest in prose. The verdict is NoMatch
// if there is neither.
func (p *parser) readChannel(rest []byte) (next state, v markup.Verdict) {
	text := &p.text
	if text.channel != "" {
		if t, v := format.HarmonySpelling.MatchListed(rest, p.in.EOF); v == markup.NeedMore {
			return wait, v
		} else if v == markup.Match && t.Closing {
			return p.endMessage(t.Len), v
		}
	}
	h, v := held.MatchHeader(rest, p.in.EOF)
	prose := v == markup.NoMatch && h.Tool != "" && 0 < h.Len && h.Len < len(rest) && !text.code.midLine // the input is no object
	if v != markup.Match && !prose {
		return wait, v
	}
	if text.code.settle(); text.code.fence > 0 || text.code.inline > 0 {
		return wait, markup.NoMatch
	}
	if prose {
		p.noteOutcome(messages.Outcome{Kind: messages.OutcomeLeaked, Tool: strings.TrimPrefix(h.Tool, "functions."), Reason: messages.ReasonInvalidJSON, InText: true})
		return p.takeText(h.Len), markup.Match
	}
	if text.thinkingTag == format.Analysis {
		return p.endMessage(0), v
	}
	if h.Ended {
		if text.code.midLine {
			return wait, markup.NoMatch
		}
		p.in.Take(h.Len, completion.SpanDropped)
		return inText, v
	}
	text.channel = h.Channel
	switch {
	case h.Role != "":
		p.noteOutcome(messages.Outcome{Kind: messages.OutcomeRepaired, Reason: messages.ReasonInventedResults})
		return afterAnswer, v
	case h.Tool != "":
		return p.beginChannelCall(h), v
	case h.Channel == format.Analysis:
		return p.beginAnalysis(h.Len), v
	}
	p.in.Take(h.Len, completion.SpanMarkup)
	return inText, v
}

// beginAnalysis begins a thinking message. Its header has n bytes.
func (p *parser) beginAnalysis(n int) state {
	t := markup.TextTag{Tag: markup.Tag{Len: n}, Kind: markup.KindThinking, Name: format.Analysis}
	if p.readThinkingTag(t) {
		return afterThinking
	}
	p.noteThinking(t)
	return p.takeText(n)
}

// endMessage ends a message at a marker of n bytes, or (n is 0) before the header of the next message.
func (p *parser) endMessage(n int) state {
	t := markup.TextTag{Tag: markup.Tag{Len: n, Closing: true}, Kind: markup.KindThinking, Name: format.Analysis}
	thought := p.text.thinkingTag == format.Analysis
	if p.readThinkingTag(t) {
		return afterThinking
	}
	p.noteThinking(t)
	if thought { // the header of the thinking is text, and so is its end marker
		return p.takeText(n)
	}
	p.in.Take(n, completion.SpanMarkup)
	return inText
}

// beginChannelCall begins the call that a header names. Its input, a JSON object, is next.
func (p *parser) beginChannelCall(h held.Header) state {
	if p.call.begun {
		p.beginNextCall(markup.Tag{Spelling: format.HarmonySpelling})
	} else {
		p.beginCall(markup.Tag{Spelling: format.HarmonySpelling})
		if !h.Erased {
			p.call.line = p.textBefore(nil)
		}
	}
	p.call.MustBeWhole, p.call.Bare, p.call.AttributeForm = h.Erased, h.Erased, true
	p.in.Take(h.Len, completion.SpanMarkup)
	if next, ok := p.nameTool(strings.TrimPrefix(h.Tool, "functions.")); !ok {
		return next
	}
	p.holdOffered()
	p.json = jsonSeen{held: []byte(h.Input)}
	if h.Empty {
		return p.endJSONCall()
	}
	return inJSONCall
}

// matchMessageEnd matches the end of a message: the marker after it, or the header of the next message.
func (p *parser) matchMessageEnd(rest []byte) markup.Verdict {
	if t, v := format.HarmonySpelling.MatchListed(rest, p.in.EOF); v == markup.NeedMore || v == markup.Match && t.Closing {
		return v
	}
	_, v := held.MatchHeader(rest, p.in.EOF)
	return v
}

// readErasedHeader reads a header without markers at the start of rest: the header of a call, analysisWe… at the
// start of the answer, or assistantfinal after it. The verdict is NoMatch if rest has no such header.
func (p *parser) readErasedHeader(rest []byte) (next state, v markup.Verdict) {
	text := &p.text
	h, v := held.MatchErasedHeader(rest, p.in.NeedMore(), &p.tools)
	switch {
	case v == markup.NeedMore:
		return wait, v
	case v == markup.Match && text.thinkingTag == format.Analysis:
		return p.endMessage(0), v
	case v == markup.Match && !text.code.isOpen() && text.thinkingTag == "":
		return p.beginChannelCall(h), v
	case v == markup.Match && !text.code.isOpen() && text.thinkingTag == fromTemplate:
		p.beginCall(markup.Tag{Spelling: format.HarmonySpelling})
		return inRehearsal, v
	case text.joined && markup.HasPrefix(rest, "assistantfinal") && text.thinkingTag == format.Analysis:
		text.joined = false
		return p.endMessage(len("assistantfinal")), markup.Match
	}
	begun := p.out.TextBegun || text.prefill != "" || text.code.midLine || text.joined
	switch {
	case begun:
	case held.BeginsJoined(rest, format.Analysis):
		text.joined, text.channel = true, format.Analysis
		return p.beginAnalysis(len(format.Analysis)), markup.Match
	case held.BeginsJoined(rest, "commentary"): // models write commentary before a call
		text.joined = true
	}
	return wait, markup.NoMatch
}
