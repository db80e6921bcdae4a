// Package completion holds the text of a completion while it is read: what has come of it, how far it has been read,
// and what each part was read as.
package completion

import (
	"bytes"
	"unicode/utf8"

	"dragoman/translate/markup"
)

// Text is the text of a completion, as it arrives in pieces of any size, and how far it has been
// read. It alone touches the buffer: a state looks at rest, and calls take for the bytes that it
// has decided on.
//
// Text that may become a call is read before that is certain. A mark stands where it begins, so
// that the parser can give it back as text if it turns out to be none:
//
//	Use <function_calls> for calls.
//	    ^mark            ^pos       the next byte is no call: buf[mark:pos] is given back
//
// Let fed be all text that was added, with U+FFFD in place of bytes that are not UTF-8. Between any
// two calls these hold:
//
//	fed = what was forgotten + buf + partial   except as replaceNext says
//	0 <= pos <= len(buf)                   buf[:pos] has been read, buf[pos:] has not
//	mark == -1 or 0 <= mark <= pos         buf[mark:pos] has been read and may be given back
//	hidden >= 0                            with a mark: buf[mark:mark+hidden] is from a prefill
//	len(partial) < utf8.UTFMax             partial is the beginning of one character
//	eof implies len(partial) == 0          no more text will come
//
// and after compact, which is called after every piece:
//
//	mark == -1 implies pos == 0            what was read is forgotten
//	mark != -1 implies mark == 0           except what may be given back
//	len(buf) < MaxUndecided + maxPiece     since the parser gives back when the input isFull
type Text struct {
	buf           []byte
	pos           int
	mark          int // -1 for none
	hidden        int
	unseen        int // how many of the next bytes are from a prefill, and no mark stands before them
	partial       []byte
	EOF           bool
	CutShort      bool // the upstream stopped before the model had ended its answer
	ampersandSent bool // the & that is next has been written: see readEntity

	forgotten int // how many bytes were forgotten: see offset

	ShowsTokens bool // white space between tags may be the tokens for it: see [markup.HoldsBlankToken]

	Seen *Spans // what each byte was read as; nil unless a Trace is kept
}

// New returns a text of which nothing has come.
func New() Text { return Text{mark: -1} }

// MaxPiece bounds how much text is added at once, and so the size of buffers and of deltas.
const MaxPiece = 16 << 10

// MaxUndecided bounds the text after a mark, which may yet become a call (G6). Of the calls that
// models write, less than a tenth of that is read before they are certain to be calls.
const MaxUndecided = 1 << 20

// Rest returns the text that has not been read. It is valid until the input changes.
func (in *Text) Rest() []byte { return in.buf[in.pos:] }

// Offset returns how many bytes have been read of all that was fed.
func (in *Text) Offset() int { return in.forgotten + in.pos }

// Since returns what has been read since an offset behind the mark. It is valid until the input changes.
func (in *Text) Since(offset int) []byte { return in.buf[offset-in.forgotten : in.pos] }

// Take marks the next n bytes as read. kind is what they are read as, for a Trace.
func (in *Text) Take(n int, kind SpanKind) {
	in.pos += n
	if in.Seen != nil {
		in.note(n, kind)
	}
}

// note notes what the last n bytes were read as.
func (in *Text) note(n int, kind SpanKind) { in.Seen.note(in.Offset()-n, in.Offset(), kind) }

// TakeAll marks all bytes as read.
func (in *Text) TakeAll(kind SpanKind) { in.Take(len(in.buf)-in.pos, kind) }

// SkipBlanks takes white space between tags, and reports whether text follows it.
func (in *Text) SkipBlanks() bool {
	from := in.Offset()
	in.pos = in.skipFrom(in.buf, in.pos, len(in.buf))
	if in.Seen != nil {
		in.Seen.noteBlanks(from, in.Offset())
	}
	return in.pos < len(in.buf)
}

// skipFrom is [markup.SkipBlanks] for text of the input.
func (in *Text) skipFrom(text []byte, i, limit int) int {
	if in.ShowsTokens {
		return markup.SkipBlankTokens(text, i, limit)
	}
	return markup.SkipBlanks(text, i, limit)
}

// TakeStray is take for text that has no place in a call.
func (in *Text) TakeStray(n int) {
	if in.Seen != nil {
		in.Seen.noteStray(in.Offset(), in.Rest()[:n])
	}
	in.pos += n
}

// Reread notes that all that was read from an offset on is of another kind than it was read as.
func (in *Text) Reread(from int, kind SpanKind) {
	if in.Seen != nil {
		in.Seen.note(from, in.Offset(), kind)
	}
}

// Drop marks all bytes as read, and removes the mark: they are no part of the answer, and neither is
// what was read after the mark.
func (in *Text) Drop() {
	from := in.Offset()
	if in.IsMarked() {
		from = in.MarkOffset()
	}
	in.TakeAll(SpanDropped)
	in.Reread(from, SpanDropped)
	in.Unmark()
}

// IsAllRead reports whether all text has been read: no state is waiting for the rest of a tag, nor
// the input for the rest of a character.
func (in *Text) IsAllRead() bool { return in.pos == len(in.buf) && len(in.partial) == 0 }

// IsMarked reports whether a mark is set, so that what was read after it may be given back.
func (in *Text) IsMarked() bool { return in.mark >= 0 }

// Marked returns what has been read since the mark, which is set. It is valid until the input changes.
func (in *Text) Marked() []byte { return in.buf[in.mark:in.pos] }

// MarkOffset returns how many bytes stand before the mark, which is set, in all that was fed.
func (in *Text) MarkOffset() int { return in.forgotten + in.mark }

// Size returns how many bytes there is room for.
func (in *Text) Size() int { return cap(in.buf) + cap(in.partial) }

// SetMark sets the mark before the next byte: from here on text may have to be given back.
func (in *Text) SetMark() { in.mark, in.hidden, in.unseen = in.pos, in.unseen, 0 }

// Unmark removes the mark: what was read will not be given back.
func (in *Text) Unmark() { in.mark, in.hidden = -1, 0 }

// Hide records that the first n bytes after the mark are from a prefill that the client never saw:
// giveBack leaves them out. Without a mark they are what is not read yet, of which notSeen tells.
func (in *Text) Hide(n int) {
	switch {
	case in.IsMarked():
		in.hidden = n
	case len(in.Rest()) == n:
		in.unseen = n
	}
}

// NotSeen returns how many of the next n bytes, which are text, are from such a prefill.
func (in *Text) NotSeen(n int) int {
	n = min(n, in.unseen)
	in.unseen -= n
	return n
}

// Rewind removes the mark and makes the text after it unread again.
func (in *Text) Rewind() {
	in.pos, in.mark = in.mark, -1
	in.Reread(in.Offset(), SpanHeld)
}

// GiveBack removes the mark and returns a copy of the text that was read after it, without what is
// from a prefill.
func (in *Text) GiveBack() []byte {
	from := in.mark + in.hidden
	in.pos = max(in.pos, from)
	raw := bytes.Clone(in.buf[from:in.pos])
	in.Reread(in.forgotten+from, SpanText)
	in.Unmark()
	return raw
}

// Room returns how many bytes can be added at once. While a mark is set, that gets less as the
// buffer fills, down to one byte, so that the input isFull after the same byte whatever the pieces
// of the completion were (G2).
func (in *Text) Room() int {
	if !in.IsMarked() {
		return MaxPiece
	}
	const most = len("\uFFFD") // the most bytes that one added byte becomes
	return max(1, min(MaxPiece, (MaxUndecided-len(in.buf))/most))
}

// IsFull reports whether there is too much text after the mark. The parser then gives it back.
func (in *Text) IsFull() bool { return in.IsMarked() && len(in.buf) >= MaxUndecided }

// Compact forgets what was read, except what may be given back.
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

// Add adds text to the buffer, with U+FFFD in place of each byte that is not UTF-8. If s ends
// within a character, its bytes stay in partial until the rest of it is added.
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

// End records that no more text will come. A character that was cut becomes U+FFFD.
func (in *Text) End() {
	in.EOF = true
	in.Add("")
}

// partialRune returns how many bytes at the end of s are the beginning of a character that is
// longer; 0 if s ends with a whole one or with bytes that are not UTF-8.
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

// replaceNext replaces the next unread byte. It lets readEntity pass over the middle of a run of
// entities that it has written already, and go on as if the run began here.
func (in *Text) replaceNext(c byte) { in.buf[in.pos] = c }
