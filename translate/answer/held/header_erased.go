package held

import (
	"bytes"
	"slices"

	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// Channel headers without markers, because a server has erased all or some of them. The remaining words count only
// if they name an offered tool, and an object with every required parameter follows.

// MatchErasedHeader matches the header of a call without its markers, and the white space before the input:
// commentary to=functions.book json. The header may also lack only its first marker, because the prompt ended with
// it. more is the verdict if the header may go on.
func MatchErasedHeader(s []byte, more markup.Verdict, tools *format.ToolNames) (h Header, v markup.Verdict) {
	if len(s) >= maxHeader {
		more, s = markup.NoMatch, s[:maxHeader]
	}
	for i := 0; ; {
		if h.Tool != "" || i > 0 {
			i = markup.SkipBlanks(s, i, len(s))
		}
		switch {
		case i == len(s):
			return h, more
		case s[i] == '{':
			h.Len, h.Erased = i, true
			tool, _ := tools.Find(h.Tool)
			return h, markup.VerdictOf(tool != nil)
		case h.Tool == "" && markup.HasPrefix(s[i:], format.HeaderTo):
			n := i + len(format.HeaderTo)
			for n < len(s) && markup.IsNameByte(s[n]) {
				n++
			}
			if n == len(s) {
				return h, more
			}
			h.Tool = tools.InHeader(string(s[i+len(format.HeaderTo) : n]))
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

// BeginsHeader reports whether text may begin a header without markers.
func BeginsHeader(text []byte) bool {
	for _, word := range [...]string{"assistant", "commentary", format.Analysis, format.HeaderTo + "functions."} {
		if markup.HasPrefix(text, word) || markup.IsPrefixOf(text, word) {
			return true
		}
	}
	return false
}

// BeginsJoined reports whether text begins with a channel name that is joined to its message: analysisWe…
func BeginsJoined(text []byte, channel string) bool {
	return len(text) > len(channel) && markup.HasPrefix(text, channel) && text[len(channel)] >= 'A' && text[len(channel)] <= 'Z'
}

// NextJoined returns the index in text of the possible first word of a header, joined to the message before it, or
// len(text).
func NextJoined(text []byte) int {
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

// MatchErasedEnd matches what may follow a call after a header without markers. That is the end of the line or of
// the text, a marker, another brace, or the header of the next message. Before other text, the call is only part of
// prose about calls.
func MatchErasedEnd(rest []byte, eof bool) markup.Verdict {
	i := 0
	for i < len(rest) && (rest[i] == ' ' || rest[i] == '\t') {
		i++
	}
	switch {
	case i == len(rest) && !eof:
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
		case !eof && markup.IsPrefixOf(rest[i:], word):
			v = markup.NeedMore
		}
	}
	return v
}
