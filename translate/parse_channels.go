package translate

import (
	"bytes"
	"slices"
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Messages on channels: <|channel|>analysis<|message|> begins thinking, one to a tool is a call, and
// any other is text. Where a server has erased the markers, the words of a header are left, and count
// only if they name an offered tool before an object that has all it requires.

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

// analysis is the channel of thinking.
const analysis = "analysis"

// channelWords are the words of headers. What stands for the name of a tool in one ends before these where
// the markers between them are lost.
var channelWords = [...]string{"assistant", "commentary", analysis, "final", "json", "code"}

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
		switch to, found := strings.CutPrefix(word, "to="); {
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

// matchErasedHeader matches a header of a call that has lost its markers, or the first of them alone, which
// the prompt ends with: commentary to=functions.book json and the white space up to its input.
func (p *parser) matchErasedHeader(s []byte) (h header, v markup.Verdict) {
	more := p.in.needMore()
	if len(s) >= maxHeader {
		more, s = markup.NoMatch, s[:maxHeader]
	}
	for i := 0; ; {
		if h.tool != "" || i > 0 {
			i = markup.SkipBlanks(s, i, len(s))
		}
		switch {
		case i == len(s):
			return h, more
		case s[i] == '{':
			h.len, h.bare = i, true
			tool, _ := p.tools.find(h.tool)
			return h, markup.VerdictOf(tool != nil)
		case h.tool == "" && markup.HasPrefix(s[i:], "to="):
			n := i + len("to=")
			for n < len(s) && markup.IsNameByte(s[n]) {
				n++
			}
			if n == len(s) {
				return h, more
			}
			h.tool = p.nameInHeader(string(s[i+len("to=") : n]))
			i = n
			continue
		case markup.IsPrefixOf(s[i:], "to="):
			return h, more
		}
		if i > 0 && s[i] == '<' {
			marker, v := matchMarker(s[i:], more)
			if v != markup.Match {
				return h, v
			}
			i += len(marker)
			continue
		}
		k := slices.IndexFunc(channelWords[:], func(word string) bool { return markup.HasPrefix(s[i:], word) })
		if k < 0 {
			if slices.ContainsFunc(channelWords[:], func(word string) bool { return markup.IsPrefixOf(s[i:], word) }) {
				return h, more
			}
			return h, markup.NoMatch
		}
		i += len(channelWords[k])
	}
}

// nameInHeader returns the name of a tool to which words of the header may be joined.
func (p *parser) nameInHeader(name string) string {
	for rest := name; ; {
		if tool, _ := p.tools.find(rest); tool != nil {
			return rest
		}
		k := slices.IndexFunc(channelWords[:], func(word string) bool { return strings.HasSuffix(rest, word) })
		if k < 0 {
			return name
		}
		rest = strings.TrimSuffix(rest, channelWords[k])
	}
}

// beginsHeader reports whether text may begin a header that has lost its markers.
func beginsHeader(text []byte) bool {
	for _, word := range [...]string{"assistant", "commentary", analysis, "to=functions."} {
		if markup.HasPrefix(text, word) || markup.IsPrefixOf(text, word) {
			return true
		}
	}
	return false
}

// beginsJoined reports whether text begins with a channel that is joined to a message on it: analysisWe…
func beginsJoined(text []byte, channel string) bool {
	return len(text) > len(channel) && markup.HasPrefix(text, channel) && text[len(channel)] >= 'A' && text[len(channel)] <= 'Z'
}

// nextJoined returns the index in text of what may be the first word of a header, joined to the message
// before it, or len(text).
func nextJoined(text []byte) int {
	const word = "assistant"
	if i := bytes.Index(text, []byte(word)); i >= 0 {
		return i
	}
	for i := max(0, len(text)-len(word)+1); i < len(text); i++ {
		if markup.IsPrefixOf(text[i:], word) {
			return i
		}
	}
	return len(text)
}

// readErasedHeader reads a header that has lost its markers, which rest may begin with: that of a call, or
// analysisWe… at the beginning of the answer, and assistantfinal after it. The verdict is NoMatch if
// there is none.
func (p *parser) readErasedHeader(rest []byte) (next state, v markup.Verdict) {
	text := &p.text
	h, v := p.matchErasedHeader(rest)
	switch {
	case v == markup.NeedMore:
		return wait, v
	case v == markup.Match && text.thinkingTag == analysis:
		return p.endMessage(0), v
	case v == markup.Match && !text.code.isOpen() && text.thinkingTag == "":
		return p.beginChannelCall(h), v
	case text.joined && markup.HasPrefix(rest, "assistantfinal") && text.thinkingTag == analysis:
		text.joined = false
		return p.endMessage(len("assistantfinal")), markup.Match
	}
	begun := p.out.textBegun || text.prefill != "" || text.code.midLine || text.joined
	switch {
	case begun:
	case beginsJoined(rest, analysis):
		text.joined, text.channel = true, analysis
		return p.beginAnalysis(len(analysis)), markup.Match
	case beginsJoined(rest, "commentary"): // what a model says before a call
		text.joined = true
	}
	return wait, markup.NoMatch
}

// readChannel reads a header, or the marker behind a message, that rest begins with in prose. The verdict
// is NoMatch if there is none.
func (p *parser) readChannel(rest []byte) (next state, v markup.Verdict) {
	text := &p.text
	if text.channel != "" {
		if t, v := harmonySpelling.MatchListed(rest, p.in.eof); v == markup.NeedMore {
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
	if text.thinkingTag == analysis {
		return p.endMessage(0), v
	}
	text.channel = h.channel
	switch {
	case h.role != "":
		p.noteOutcome(messages.Outcome{Kind: messages.OutcomeRepaired, Reason: "invented_results"})
		return afterAnswer, v
	case h.tool != "":
		return p.beginChannelCall(h), v
	case h.channel == analysis:
		return p.beginAnalysis(h.len), v
	}
	p.in.take(h.len, SpanMarkup)
	return inText, v
}

// beginAnalysis begins a message of thinking with its header, of n bytes.
func (p *parser) beginAnalysis(n int) state {
	t := markup.TextTag{Tag: markup.Tag{Len: n}, Kind: markup.KindThinking, Name: analysis}
	if p.readThinkingTag(t) {
		return afterThinking
	}
	p.noteThinking(t)
	return p.takeText(n)
}

// endMessage ends a message at a marker of n bytes, or before the header of the next.
func (p *parser) endMessage(n int) state {
	t := markup.TextTag{Tag: markup.Tag{Len: n, Closing: true}, Kind: markup.KindThinking, Name: analysis}
	thought := p.text.thinkingTag == analysis
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
		p.beginNextCall(markup.Tag{Spelling: harmonySpelling})
	} else {
		p.beginCall(markup.Tag{Spelling: harmonySpelling})
	}
	p.call.mustBeWhole, p.call.bare, p.call.attributeForm = h.bare, h.bare, true
	p.in.take(h.len, SpanMarkup)
	if next, ok := p.nameTool(strings.TrimPrefix(h.tool, "functions.")); !ok {
		return next
	}
	p.openOffered()
	p.value = valueSeen{}
	return inJSONCall
}

// matchMessageEnd matches what ends a message: the marker behind it, or the header of the next.
func (p *parser) matchMessageEnd(rest []byte) markup.Verdict {
	if t, v := harmonySpelling.MatchListed(rest, p.in.eof); v == markup.NeedMore || v == markup.Match && t.Closing {
		return v
	}
	_, v := matchHeader(rest, p.in.eof)
	return v
}
