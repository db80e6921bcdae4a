package translate

import (
	"bytes"
	"slices"

	"dragoman/translate/markup"
)

// Headers of channels whose markers a server has erased, all or some. The words that are left count only if they
// name an offered tool before an object that has all it requires.

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
		case h.tool == "" && markup.HasPrefix(s[i:], headerTo):
			n := i + len(headerTo)
			for n < len(s) && markup.IsNameByte(s[n]) {
				n++
			}
			if n == len(s) {
				return h, more
			}
			h.tool = p.tools.inHeader(string(s[i+len(headerTo) : n]))
			i = n
			continue
		case markup.IsPrefixOf(s[i:], headerTo):
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

// beginsHeader reports whether text may begin a header that has lost its markers.
func beginsHeader(text []byte) bool {
	for _, word := range [...]string{"assistant", "commentary", analysis, headerTo + "functions."} {
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
	case v == markup.Match && !text.code.isOpen() && text.thinkingTag == fromTemplate:
		p.beginCall(markup.Tag{Spelling: harmonySpelling})
		return inRehearsal, v
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

// matchErasedEnd matches what may follow a call whose header has lost its markers: the end of the line or of the
// text, a marker, another brace, or the header of the next message. Before anything else it is prose about a call.
func (p *parser) matchErasedEnd(rest []byte) markup.Verdict {
	i := 0
	for i < len(rest) && (rest[i] == ' ' || rest[i] == '\t') {
		i++
	}
	switch {
	case i == len(rest) && !p.in.eof:
		return markup.NeedMore
	case i == len(rest):
		return markup.Match
	case bytes.IndexByte([]byte("\r\n<}"), rest[i]) >= 0:
		return markup.Match
	}
	v := markup.NoMatch
	for _, word := range [...]string{"assistant", "commentary", analysis, headerTo} {
		switch {
		case markup.HasPrefix(rest[i:], word):
			return markup.Match
		case markup.IsPrefixOf(rest[i:], word):
			v = p.in.needMore()
		}
	}
	return v
}
