package answer

import (
	"bytes"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"strings"
)

// Messages on channels: <|channel|>analysis<|message|> begins thinking, one to a tool is a call, and
// any other is text. Where a server has erased the markers, the words of a header are left: see
// parse_channels_erased.go.

// header is what stands before a message.
type header struct {
	len     int    // in bytes
	role    string // who writes it; "" for the model
	channel string
	tool    string // to which it goes; "" for none
	bare    bool   // it has lost its markers
}

// maxHeader bounds a header, in bytes.
const maxHeader = 512

// matchHeader matches a header with its markers at the beginning of s, and before a call the white space
// up to its input, which has to begin there.
func matchHeader(s []byte, eof bool) (h header, v markup.Verdict) {
	more := markup.NeedMore
	if eof || len(s) >= maxHeader {
		more, s = markup.NoMatch, s[:min(len(s), maxHeader)]
	}
	marker := ""
	for _, m := range [...]string{"<|start|>", "<|channel|>"} {
		if markup.HasPrefix(s, m) {
			marker = m
		} else if markup.IsPrefixOf(s, m) {
			v = more
		}
	}
	if marker == "" {
		return h, v
	}
	i := 0
	for marker != "<|message|>" {
		i += len(marker)
		n := bytes.IndexAny(s[i:], "<{")
		if n < 0 {
			return h, more
		}
		h.note(marker, string(s[i:i+n]))
		i += n
		if s[i] == '{' && h.tool != "" {
			break
		}
		if marker, v = matchMarker(s[i:], more); v != markup.Match {
			return h, v
		}
	}
	if marker == "<|message|>" && s[i] != '{' {
		i += len(marker)
	}
	h.len = i
	if h.tool == "" {
		return h, markup.Match
	}
	h.len = markup.SkipBlanks(s, i, len(s))
	if h.len == len(s) {
		return h, more
	}
	return h, markup.VerdictOf(s[h.len] == '{')
}

// matchMarker matches a marker within a header.
func matchMarker(s []byte, more markup.Verdict) (marker string, v markup.Verdict) {
	for _, m := range [...]string{"<|channel|>", "<|constrain|>", "<|message|>"} {
		switch {
		case markup.HasPrefix(s, m):
			return m, markup.Match
		case markup.IsPrefixOf(s, m):
			v = more
		}
	}
	return "", v
}

// note notes the words that stand behind a marker.
func (h *header) note(marker, text string) {
	for i, word := range strings.Fields(text) {
		switch to, found := strings.CutPrefix(word, format.HeaderTo); {
		case found:
			h.tool = to
		case marker == "<|start|>" && i == 0 && word != "assistant":
			h.role = word
		case marker == "<|channel|>" && h.channel == "":
			h.channel = word
		}
	}
	if h.role != "" || h.tool == "assistant" { // the result of a call
		h.tool = ""
	}
}

// readChannel reads a header, or the marker behind a message, that rest begins with in prose. The verdict
// is NoMatch if there is none.
func (p *parser) readChannel(rest []byte) (next state, v markup.Verdict) {
	text := &p.text
	if text.channel != "" {
		if t, v := format.HarmonySpelling.MatchListed(rest, p.in.eof); v == markup.NeedMore {
			return wait, v
		} else if v == markup.Match && t.Closing {
			return p.endMessage(t.Len), v
		}
	}
	h, v := matchHeader(rest, p.in.eof)
	if v != markup.Match {
		return wait, v
	}
	if text.code.settle(); text.code.fence > 0 || text.code.inline > 0 {
		return wait, markup.NoMatch
	}
	if text.thinkingTag == format.Analysis {
		return p.endMessage(0), v
	}
	text.channel = h.channel
	switch {
	case h.role != "":
		p.noteOutcome(messages.Outcome{Kind: messages.OutcomeRepaired, Reason: "invented_results"})
		return afterAnswer, v
	case h.tool != "":
		return p.beginChannelCall(h), v
	case h.channel == format.Analysis:
		return p.beginAnalysis(h.len), v
	}
	p.in.take(h.len, SpanMarkup)
	return inText, v
}

// beginAnalysis begins a message of thinking with its header, of n bytes.
func (p *parser) beginAnalysis(n int) state {
	t := markup.TextTag{Tag: markup.Tag{Len: n}, Kind: markup.KindThinking, Name: format.Analysis}
	if p.readThinkingTag(t) {
		return afterThinking
	}
	p.noteThinking(t)
	return p.takeText(n)
}

// endMessage ends a message at a marker of n bytes, or before the header of the next.
func (p *parser) endMessage(n int) state {
	t := markup.TextTag{Tag: markup.Tag{Len: n, Closing: true}, Kind: markup.KindThinking, Name: format.Analysis}
	thought := p.text.thinkingTag == format.Analysis
	if p.readThinkingTag(t) {
		return afterThinking
	}
	p.noteThinking(t)
	if thought { // its header is text, too
		return p.takeText(n)
	}
	p.in.take(n, SpanMarkup)
	return inText
}

// beginChannelCall begins the call that a header names. Its input, a JSON object, is next.
func (p *parser) beginChannelCall(h header) state {
	if p.call.begun {
		p.beginNextCall(markup.Tag{Spelling: format.HarmonySpelling})
	} else {
		p.beginCall(markup.Tag{Spelling: format.HarmonySpelling})
	}
	p.call.mustBeWhole, p.call.bare, p.call.attributeForm = h.bare, h.bare, true
	p.in.take(h.len, SpanMarkup)
	if next, ok := p.nameTool(strings.TrimPrefix(h.tool, "functions.")); !ok {
		return next
	}
	p.holdOffered()
	p.value = valueSeen{}
	return inJSONCall
}

// matchMessageEnd matches what ends a message: the marker behind it, or the header of the next.
func (p *parser) matchMessageEnd(rest []byte) markup.Verdict {
	if t, v := format.HarmonySpelling.MatchListed(rest, p.in.eof); v == markup.NeedMore || v == markup.Match && t.Closing {
		return v
	}
	_, v := matchHeader(rest, p.in.eof)
	return v
}
