package answer

import (
	"bytes"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"slices"
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
			tool, _ := p.tools.Find(h.tool)
			return h, markup.VerdictOf(tool != nil)
		case h.tool == "" && markup.HasPrefix(s[i:], format.HeaderTo):
			n := i + len(format.HeaderTo)
			for n < len(s) && markup.IsNameByte(s[n]) {
				n++
			}
			if n == len(s) {
				return h, more
			}
			h.tool = p.tools.InHeader(string(s[i+len(format.HeaderTo) : n]))
			i = n
			continue
		case markup.IsPrefixOf(s[i:], format.HeaderTo):
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
		k := slices.IndexFunc(format.ChannelWords[:], func(word string) bool { return markup.HasPrefix(s[i:], word) })
		if k < 0 {
			if slices.ContainsFunc(format.ChannelWords[:], func(word string) bool { return markup.IsPrefixOf(s[i:], word) }) {
				return h, more
			}
			return h, markup.NoMatch
		}
		i += len(format.ChannelWords[k])
	}
}

// beginsHeader reports whether text may begin a header that has lost its markers.
func beginsHeader(text []byte) bool {
	for _, word := range [...]string{"assistant", "commentary", format.Analysis, format.HeaderTo + "functions."} {
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
	begun := p.out.textBegun || text.prefill != "" || text.code.midLine || text.joined
	switch {
	case begun:
	case beginsJoined(rest, format.Analysis):
		text.joined, text.channel = true, format.Analysis
		return p.beginAnalysis(len(format.Analysis)), markup.Match
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
	for _, word := range [...]string{"assistant", "commentary", format.Analysis, format.HeaderTo} {
		switch {
		case markup.HasPrefix(rest[i:], word):
			return markup.Match
		case markup.IsPrefixOf(rest[i:], word):
			v = p.in.needMore()
		}
	}
	return v
}
