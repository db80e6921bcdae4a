package held

import (
	"bytes"
	"slices"
	"strings"

	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// Headers of messages on channels: <|start|>assistant<|channel|>commentary to=functions.book<|message|>{"count":3}.

// Header is the header of a message.
type Header struct {
	Len     int    // in bytes
	Role    string // author of the message; "" for the model
	Channel string
	Tool    string // recipient of the message; "" for none
	Erased  bool   // the header has lost its markers
	Input   string // an input that is no object, if Empty is set
	Empty   bool   // no input follows the header of a call, or one of emptyInputs
	Ended   bool   // the message ends within its header, which says nothing
}

// maxHeader is the maximum length of a header in bytes.
const maxHeader = 512

// MatchHeader matches a header with its markers at the start of s. In the header of a call, it includes the white
// space before the input, which must begin there.
func MatchHeader(s []byte, eof bool) (h Header, v markup.Verdict) {
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
		if s[i] == '{' && h.Tool != "" {
			break
		}
		if marker, v = matchMarker(s[i:], more); v != markup.Match {
			if n, end := matchMessageEnd(s[i:], more); v == markup.NoMatch && end != markup.NoMatch {
				return Header{Len: i + n, Ended: true}, end
			}
			return h, v
		}
	}
	if marker == "<|message|>" && s[i] != '{' {
		i += len(marker)
	}
	h.Len = i
	if h.Tool == "" {
		return h, markup.Match
	}
	h.Len = markup.SkipBlanks(s, i, len(s))
	if h.Len < len(s) && s[h.Len] == '{' {
		return h, markup.Match
	}
	n, v := matchEmptyInput(s[h.Len:], more)
	if v == markup.Match {
		h.Input, h.Empty, h.Len = strings.TrimSpace(string(s[h.Len:h.Len+n])), true, h.Len+n
	}
	return h, v
}

// matchEmptyInput matches an empty input before the end of a message, or of the text. n is the index of that end.
func matchEmptyInput(s []byte, more markup.Verdict) (n int, v markup.Verdict) {
	const most = 32
	if n = bytes.IndexByte(s[:min(len(s), most)], '<'); n < 0 {
		n = min(len(s), most)
	}
	text := strings.TrimSpace(string(s[:n]))
	switch is := isEmptyInput(text); {
	case n == len(s) && more == markup.NeedMore && begins(emptyInputs, strings.Trim(text, `" `)):
		return n, more
	case !is || n == len(s): // without any text, the answer may have been cut off
		return n, markup.VerdictOf(is && n > 0)
	}
	_, v = matchMessageEnd(s[n:], more)
	return n, v
}

// begins reports whether one of list begins with text.
func begins(list []string, text string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(s, text) })
}

// matchMessageEnd matches the marker after a message.
func matchMessageEnd(s []byte, more markup.Verdict) (n int, v markup.Verdict) {
	for _, m := range [...]string{"<|end|>", "<|return|>", "<|call|>"} {
		switch {
		case markup.HasPrefix(s, m):
			return len(m), markup.Match
		case markup.IsPrefixOf(s, m):
			v = more
		}
	}
	return 0, v
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

// note records the words after a marker.
func (h *Header) note(marker, text string) {
	for i, word := range strings.Fields(text) {
		switch to, found := strings.CutPrefix(word, format.HeaderTo); {
		case found:
			h.Tool = to
		case marker == "<|start|>" && i == 0 && word != "assistant":
			h.Role = word
		case marker == "<|channel|>" && h.Channel == "":
			h.Channel = word
		}
	}
	if h.Role != "" || h.Tool == "assistant" { // the result of a call
		h.Tool = ""
	}
}
