package completion

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"dragoman/translate/markup"
)

// What states match besides tags.

// MaxGap bounds the white space between a tag of a call's structure and what must follow it, in bytes.
const MaxGap = 256

// MatchBlanks matches white space that begins at rest[i], of fewer than limit bytes, and returns the
// index after it. The verdict is NoMatch if there are limit bytes of it or more, which bounds how
// much text is held, and NeedMore if more of it may come.
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

// NeedMore returns NeedMore, or NoMatch if no more text will come.
func (in *Text) NeedMore() markup.Verdict {
	if in.EOF {
		return markup.NoMatch
	}
	return markup.NeedMore
}

// MatchLineEnd matches the end of a line at the beginning of rest. The end of the text is none.
func (in *Text) MatchLineEnd(rest []byte) markup.Verdict {
	switch {
	case len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r'):
		return markup.Match
	case len(rest) == 0 && !in.EOF:
		return markup.NeedMore
	}
	return markup.NoMatch
}

// MatchWords matches text that goes on with a sentence, or ends a quotation: a mark of a quotation or, before the line
// ends, a small letter or a digit. A capital begins another sentence; marks, as those of bold type, tell
// nothing, nor does a tag.
func (in *Text) MatchWords(rest []byte) markup.Verdict {
	switch rest[0] {
	case '<':
		return markup.NoMatch
	case '"', '\'':
		return markup.Match
	}
	line, _, ends := bytes.Cut(rest[:min(len(rest), MaxGap)], []byte("\n"))
	for len(line) > 0 && utf8.FullRune(line) {
		r, n := utf8.DecodeRune(line)
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return markup.VerdictOf(unicode.IsLower(r) || unicode.IsDigit(r))
		}
		line = line[n:]
	}
	if ends || len(rest) >= MaxGap {
		return markup.NoMatch
	}
	return in.NeedMore()
}

// MatchSentence matches the beginning of a sentence: a letter that is not lower-case. A lower-case one goes on with the
// sentence before.
func (in *Text) MatchSentence(rest []byte) markup.Verdict {
	if !utf8.FullRune(rest) && !in.EOF {
		return markup.NeedMore
	}
	r, _ := utf8.DecodeRune(rest)
	return markup.VerdictOf(r != utf8.RuneError && unicode.IsLetter(r) && !unicode.IsLower(r))
}

// MaxInfo bounds the text after the back-ticks that open a code fence, in bytes.
const MaxInfo = 128

// Fence opens and ends a Markdown code fence.
var Fence = []byte("```")

// MatchFence matches the line that opens a Markdown code fence at the beginning of rest: three
// back-ticks or more, and any other text. n is the index of its end.
func (in *Text) MatchFence(rest []byte) (n int, v markup.Verdict) {
	for n < len(rest) && n < MaxInfo && rest[n] == '`' {
		n++
	}
	ticks := n
	if ticks < 3 && n < len(rest) {
		return 0, markup.NoMatch
	}
	for n < len(rest) && n < MaxInfo && rest[n] != '`' && rest[n] != '\n' && rest[n] != '<' {
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

// IndexEither returns the index, from i on, of the first byte of s that is a or b, or len(s).
func IndexEither(s []byte, i int, a, b byte) int {
	for i < len(s) && s[i] != a && s[i] != b {
		i++
	}
	return i
}
