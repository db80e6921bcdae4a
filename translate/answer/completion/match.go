package completion

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"dragoman/translate/markup"
)

// This file matches what is not a tag: white space, line ends, prose and Markdown code fences.

// MaxGap limits the white space between a tag of a call's structure and the text that must follow it, in bytes.
const MaxGap = 256

// MatchBlanks matches the white space that begins at rest[i], and returns the index after it. The verdict is
// NoMatch if limit bytes or more are white space; the limit bounds how much text Dragoman holds. The verdict is
// NeedMore if more white space may arrive.
func (in *Text) MatchBlanks(rest []byte, i, limit int) (int, markup.Verdict) {
	end := i + limit
	i = in.skipFrom(rest, i, limit)
	switch {
	case i >= end:
		return i, markup.NoMatch
	case i == len(rest) && !in.EOF:
		return i, markup.NeedMore
	}
	return i, markup.Match
}

// NeedMore returns the verdict NeedMore, or NoMatch if no more text will arrive.
func (in *Text) NeedMore() markup.Verdict {
	if in.EOF {
		return markup.NoMatch
	}
	return markup.NeedMore
}

// MatchLineEnd matches the end of a line at the beginning of rest. The end of the text does not count as the end
// of a line.
func (in *Text) MatchLineEnd(rest []byte) markup.Verdict {
	switch {
	case len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r'):
		return markup.Match
	case len(rest) == 0 && !in.EOF:
		return markup.NeedMore
	}
	return markup.NoMatch
}

// MatchSentence matches the beginning of a sentence: a letter that is not lower-case. A lower-case letter
// continues the sentence before.
func (in *Text) MatchSentence(rest []byte) markup.Verdict {
	if !utf8.FullRune(rest) && !in.EOF {
		return markup.NeedMore
	}
	r, _ := utf8.DecodeRune(rest)
	return markup.VerdictOf(r != utf8.RuneError && unicode.IsLetter(r) && !unicode.IsLower(r))
}

// MaxInfo limits the line that opens a code fence, in bytes.
const MaxInfo = 128

// Fence is the shortest mark that opens or closes a Markdown code fence.
var Fence = []byte("```")

// MatchFenceLine is MatchFence for a line that may also end a fence. The end of the text ends it, too.
func (in *Text) MatchFenceLine(rest []byte) (n int, v markup.Verdict) {
	if n, v = in.MatchFence(rest); v == markup.NoMatch && in.EOF && len(rest) < MaxInfo && bytes.HasPrefix(rest, Fence) {
		n, v = len(rest), markup.VerdictOf(len(bytes.TrimRight(bytes.TrimLeft(rest, "`"), " \t\r\n")) == 0)
	}
	return n, v
}

// MatchFence matches the line that opens a Markdown code fence at the beginning of rest: three or more back-ticks,
// then at most one word. n is the index of the end of the line.
func (in *Text) MatchFence(rest []byte) (n int, v markup.Verdict) {
	for n < len(rest) && n < MaxInfo && rest[n] == '`' {
		n++
	}
	ticks := n
	if ticks < 3 && n < len(rest) {
		return 0, markup.NoMatch
	}
	for n < len(rest) && n < MaxInfo && bytes.IndexByte([]byte("`\n<{[ \t"), rest[n]) < 0 {
		n++
	}
	for n < len(rest) && n < MaxInfo && (rest[n] == ' ' || rest[n] == '\t') {
		n++
	}
	switch {
	case n == len(rest) && n < MaxInfo:
		return 0, in.NeedMore()
	case ticks < 3 || n == MaxInfo || rest[n] != '\n':
		return 0, markup.NoMatch
	}
	return n, markup.Match
}

// IndexEither returns the index of the first a or b in s[i:], counted from the start of s. If there is neither, it
// returns len(s).
func IndexEither(s []byte, i int, a, b byte) int {
	for i < len(s) && s[i] != a && s[i] != b {
		i++
	}
	return i
}
