package upstream

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// texts makes strings of the pieces of an answer, in blocks of memory that many of them
// share: a piece is a few bytes long, and takes no allocation of its own.
type texts struct {
	block   strings.Builder
	scratch []byte // of unquote, reused
}

// The sizes of blocks, in bytes: that of the first one, and the largest. A stream that has only begun,
// and may be slow, has a small one. A text that is longer than the first stands alone.
const firstTextBlock, textBlock = textBlock / 8, 2 << 10

// of returns a string with the bytes of a text.
func (t *texts) of(text []byte) string {
	if len(text) > firstTextBlock { // it would leave much of a block empty
		return string(text)
	}
	if t.block.Cap()-t.block.Len() < len(text) {
		size := min(max(2*t.block.Cap(), firstTextBlock), textBlock)
		t.block = strings.Builder{}
		t.block.Grow(size)
	}
	start := t.block.Len()
	t.block.Write(text)
	return t.block.String()[start:]
}

// unquote returns what the JSON string says that data begins with, and how long that
// string is with its quotation marks. It is false if data begins with no string, or with
// one that is broken. The text is valid until the next call, and no longer than data.
func (t *texts) unquote(data []byte) (text []byte, length int, ok bool) {
	if len(data) == 0 || data[0] != '"' {
		return nil, 0, false
	}
	for length = 1; length < len(data); length++ {
		switch c := data[length]; {
		case c == '"': // without an escape, which is nearly always so
			return data[1:length], length + 1, true
		case c < ' ' || c == '\\' || c >= utf8.RuneSelf:
			length = stringEnd(data)
			text, err := jsontext.AppendUnquote(t.scratch[:0], data[:length])
			t.scratch = text
			return text, length, err == nil
		}
	}
	return nil, 0, false
}
