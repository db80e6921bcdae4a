// Package completion holds the text of a completion while the parser reads it: the text that has arrived, how far
// the parser has read, and what each part was read as.
package completion

import (
	"bytes"
	"unicode/utf8"

	"dragoman/translate/markup"
)

// Text is the text of a completion, which arrives in pieces of any size, and the position up to which it has been
// read. Only Text changes the buffer. A state of the parser looks at Rest, and calls Take for the bytes that it
// has decided on.
//
// The parser reads text that may become a call before it is certain that the text is a call. A mark records where
// such text begins. If the text is not a call, the parser gives it back as text:
//
//	Use <function_calls> for calls.
//	    ^mark            ^pos       the next byte shows that this is no call: buf[mark:pos] is given back
//
// Let fed be all text that was added, with U+FFFD in place of bytes that are not UTF-8. Between any two calls of
// methods these hold:
//
//	fed = what was forgotten + buf + partial   except for the byte that replaceNext changes
//	0 <= pos <= len(buf)                   buf[:pos] has been read, buf[pos:] has not
//	mark == -1 or 0 <= mark <= pos         buf[mark:pos] has been read and may be given back
//	hidden >= 0                            with a mark: buf[mark:mark+hidden] is from a prefill
//	len(partial) < utf8.UTFMax             partial is the beginning of one character
//	EOF implies len(partial) == 0          no more text will arrive
//
// and after Compact, which the parser calls after every piece:
//
//	mark == -1 implies pos == 0            the text that was read is forgotten …
//	mark != -1 implies mark == 0           … except the text that may be given back
//	len(buf) < MaxUndecided + MaxPiece     because the parser gives text back when IsFull returns true
type Text struct {
	buf           []byte
	pos           int
	mark          int // -1 if no mark is set
	hidden        int
	unseen        int // how many of the next bytes are from a prefill, if no mark stands before them
	partial       []byte
	EOF           bool // no more text will arrive
	CutShort      bool // the upstream stopped before the model had finished its answer
	ampersandSent bool // the next character, &, has already been written: see ReadEntity

	forgotten int // how many bytes Compact has removed: see Offset

	ShowsTokens bool // white space between tags may be written as tokens: see [markup.HoldsBlankToken]

	Seen *Spans // what each byte was read as; nil if no trace is kept
}

// New returns an empty text.
func New() Text { return Text{mark: -1} }

// MaxPiece limits how much text is added at once. So it limits the size of buffers and of deltas.
const MaxPiece = 16 << 10

// MaxUndecided limits the text after a mark, which may yet become a call (G6). In the calls that models write, the
// parser is certain after less than a tenth of this limit.
const MaxUndecided = 1 << 20

// Rest returns the text that has not been read. It is valid until the Text changes.
func (in *Text) Rest() []byte { return in.buf[in.pos:] }

// Offset returns how many bytes of the completion have been read.
func (in *Text) Offset() int { return in.forgotten + in.pos }

// Since returns the text that has been read since an offset, which must not lie before the mark. It is valid until
// the Text changes.
func (in *Text) Since(offset int) []byte { return in.buf[offset-in.forgotten : in.pos] }

// Take marks the next n bytes as read. kind is what they are read as.
func (in *Text) Take(n int, kind SpanKind) {
	in.pos += n
	if in.Seen != nil {
		in.note(n, kind)
	}
}

// note records what the last n bytes were read as.
func (in *Text) note(n int, kind SpanKind) { in.Seen.note(in.Offset()-n, in.Offset(), kind) }

// TakeAll marks all bytes as read.
func (in *Text) TakeAll(kind SpanKind) { in.Take(len(in.buf)-in.pos, kind) }

// SkipBlanks reads white space between tags, and reports whether text follows it.
func (in *Text) SkipBlanks() bool {
	from := in.Offset()
	in.pos = in.skipFrom(in.buf, in.pos, len(in.buf))
	if in.Seen != nil {
		in.Seen.noteBlanks(from, in.Offset())
	}
	return in.pos < len(in.buf)
}

// skipFrom does what [markup.SkipBlanks] does. If ShowsTokens is set, it also skips tokens for white space.
func (in *Text) skipFrom(text []byte, i, limit int) int {
	if in.ShowsTokens {
		return markup.SkipBlankTokens(text, i, limit)
	}
	return markup.SkipBlanks(text, i, limit)
}

// TakeStray does what Take does, for stray text in a call.
func (in *Text) TakeStray(n int) {
	if in.Seen != nil {
		in.Seen.noteStray(in.Offset(), in.Rest()[:n])
	}
	in.pos += n
}

// Reread changes the kind of all bytes that were read from an offset on.
func (in *Text) Reread(from int, kind SpanKind) {
	if in.Seen != nil {
		in.Seen.note(from, in.Offset(), kind)
	}
}

// Drop marks all bytes as read and removes the mark. Neither these bytes nor the bytes after the mark are part of
// the answer.
func (in *Text) Drop() {
	from := in.Offset()
	if in.IsMarked() {
		from = in.MarkOffset()
	}
	in.TakeAll(SpanDropped)
	in.Reread(from, SpanDropped)
	in.Unmark()
}

// IsAllRead reports whether all text has been read: no state waits for the rest of a tag, and no character is
// incomplete.
func (in *Text) IsAllRead() bool { return in.pos == len(in.buf) && len(in.partial) == 0 }

// IsMarked reports whether a mark is set, so that the text after it may be given back.
func (in *Text) IsMarked() bool { return in.mark >= 0 }

// Marked returns the text that has been read since the mark, which must be set. It is valid until the Text
// changes.
func (in *Text) Marked() []byte { return in.buf[in.mark:in.pos] }

// MarkOffset returns how many bytes of the completion stand before the mark, which must be set.
func (in *Text) MarkOffset() int { return in.forgotten + in.mark }

// Size returns the capacity of the buffers in bytes.
func (in *Text) Size() int { return cap(in.buf) + cap(in.partial) }

// SetMark sets the mark before the next byte: the text from there on may have to be given back.
func (in *Text) SetMark() { in.mark, in.hidden, in.unseen = in.pos, in.unseen, 0 }

// Unmark removes the mark: the text that was read will not be given back.
func (in *Text) Unmark() { in.mark, in.hidden = -1, 0 }

// Hide records that the first n bytes after the mark are from a prefill that the client never saw. GiveBack omits
// them. If no mark is set and exactly n bytes are unread, Hide records that these are from the prefill: see
// NotSeen.
func (in *Text) Hide(n int) {
	switch {
	case in.IsMarked():
		in.hidden = n
	case len(in.Rest()) == n:
		in.unseen = n
	}
}

// NotSeen returns how many of the next n bytes are from a prefill that the client never saw. The next n bytes must
// be text of the answer.
func (in *Text) NotSeen(n int) int {
	n = min(n, in.unseen)
	in.unseen -= n
	return n
}

// Rewind removes the mark, and makes the text after it unread again.
func (in *Text) Rewind() {
	in.pos, in.mark = in.mark, -1
	in.Reread(in.Offset(), SpanHeld)
}

// Unread makes the last n bytes unread again. The mark must stand before them.
func (in *Text) Unread(n int) {
	in.Reread(in.Offset()-n, SpanHeld)
	in.pos -= n
}

// GiveBack removes the mark and returns a copy of the text that was read after it, without the text of a prefill.
func (in *Text) GiveBack() []byte {
	from := in.mark + in.hidden
	in.pos = max(in.pos, from)
	raw := bytes.Clone(in.buf[from:in.pos])
	in.Reread(in.forgotten+from, SpanText)
	in.Unmark()
	return raw
}

// Room returns how many bytes can be added at once. While a mark is set, the room shrinks as the buffer fills,
// down to one byte. So IsFull becomes true after the same byte, however the completion was split into pieces (G2).
func (in *Text) Room() int {
	if !in.IsMarked() {
		return MaxPiece
	}
	const most = len("\uFFFD") // the most bytes that one added byte can become
	return max(1, min(MaxPiece, (MaxUndecided-len(in.buf))/most))
}

// IsFull reports whether too much text stands after the mark. The parser then gives it back.
func (in *Text) IsFull() bool { return in.IsMarked() && len(in.buf) >= MaxUndecided }

// Compact forgets the text that was read, except the text that may be given back.
func (in *Text) Compact() {
	keep := in.pos
	if in.IsMarked() {
		keep = in.mark
		in.mark = 0
	}
	if keep > 0 {
		in.buf = in.buf[:copy(in.buf, in.buf[keep:])]
		in.pos -= keep
		in.forgotten += keep
	}
}

// Add adds text to the buffer, with U+FFFD in place of each byte that is not UTF-8. If s ends within a character,
// the bytes of that character stay in partial until the rest arrives.
func (in *Text) Add(s string) {
	for len(in.partial) > 0 {
		switch {
		case in.EOF && s == "" || utf8.FullRune(in.partial):
			r, n := utf8.DecodeRune(in.partial)
			in.buf = utf8.AppendRune(in.buf, r)
			in.partial = in.partial[:copy(in.partial, in.partial[n:])]
		case s == "":
			return
		default:
			in.partial = append(in.partial, s[0])
			s = s[1:]
		}
	}
	if n := partialRune(s); n > 0 {
		in.partial = append(in.partial, s[len(s)-n:]...)
		s = s[:len(s)-n]
	}
	if utf8.ValidString(s) {
		in.buf = append(in.buf, s...)
		return
	}
	for _, r := range s {
		in.buf = utf8.AppendRune(in.buf, r)
	}
}

// End records that no more text will arrive. A character that was cut becomes U+FFFD.
func (in *Text) End() {
	in.EOF = true
	in.Add("")
}

// partialRune returns how many bytes at the end of s are the beginning of a longer character. It returns 0 if s
// ends with a whole character, or with bytes that are not UTF-8.
func partialRune(s string) int {
	if s == "" || s[len(s)-1] < utf8.RuneSelf {
		return 0
	}
	for i := 1; i < utf8.UTFMax && i <= len(s); i++ {
		if utf8.RuneStart(s[len(s)-i]) {
			if utf8.FullRuneInString(s[len(s)-i:]) {
				return 0
			}
			return i
		}
	}
	return 0
}

// replaceNext replaces the next unread byte. ReadEntity uses it to skip entities in the middle of a run that it
// has already written, and to continue as if the run began here.
func (in *Text) replaceNext(c byte) { in.buf[in.pos] = c }
