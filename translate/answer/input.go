package answer

import (
	"bytes"
	"unicode/utf8"

	"dragoman/translate/markup"
)

// input is the text of a completion, as it arrives in pieces of any size, and how far it has been
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
type input struct {
	buf     []byte
	pos     int
	mark    int // -1 for none
	hidden  int
	unseen  int // how many of the next bytes are from a prefill, and no mark stands before them
	partial []byte
	eof     bool

	forgotten int // how many bytes were forgotten: see offset

	showsTokens bool // white space between tags may be the tokens for it: see [markup.HoldsBlankToken]

	seen *spans // what each byte was read as; nil unless a Trace is kept
}

// maxPiece bounds how much text is added at once, and so the size of buffers and of deltas.
const maxPiece = 16 << 10

// MaxUndecided bounds the text after a mark, which may yet become a call (G6). Of the calls that
// models write, less than a tenth of that is read before they are certain to be calls.
const MaxUndecided = 1 << 20

// rest returns the text that has not been read. It is valid until the input changes.
func (in *input) rest() []byte { return in.buf[in.pos:] }

// offset returns how many bytes have been read of all that was fed.
func (in *input) offset() int { return in.forgotten + in.pos }

// since returns what has been read since an offset behind the mark. It is valid until the input changes.
func (in *input) since(offset int) []byte { return in.buf[offset-in.forgotten : in.pos] }

// take marks the next n bytes as read. kind is what they are read as, for a Trace.
func (in *input) take(n int, kind SpanKind) {
	in.pos += n
	if in.seen != nil {
		in.note(n, kind)
	}
}

// note notes what the last n bytes were read as.
func (in *input) note(n int, kind SpanKind) { in.seen.note(in.offset()-n, in.offset(), kind) }

// takeAll marks all bytes as read.
func (in *input) takeAll(kind SpanKind) { in.take(len(in.buf)-in.pos, kind) }

// skipBlanks takes white space between tags, and reports whether text follows it.
func (in *input) skipBlanks() bool {
	from := in.offset()
	in.pos = in.skipFrom(in.buf, in.pos, len(in.buf))
	if in.seen != nil {
		in.seen.noteBlanks(from, in.offset())
	}
	return in.pos < len(in.buf)
}

// skipFrom is [markup.SkipBlanks] for text of the input.
func (in *input) skipFrom(text []byte, i, limit int) int {
	if in.showsTokens {
		return markup.SkipBlankTokens(text, i, limit)
	}
	return markup.SkipBlanks(text, i, limit)
}

// takeStray is take for text that has no place in a call.
func (in *input) takeStray(n int) {
	if in.seen != nil {
		in.seen.noteStray(in.offset(), in.rest()[:n])
	}
	in.pos += n
}

// reread notes that all that was read from an offset on is of another kind than it was read as.
func (in *input) reread(from int, kind SpanKind) {
	if in.seen != nil {
		in.seen.note(from, in.offset(), kind)
	}
}

// drop marks all bytes as read, and removes the mark: they are no part of the answer, and neither is
// what was read after the mark.
func (in *input) drop() {
	from := in.offset()
	if in.isMarked() {
		from = in.forgotten + in.mark
	}
	in.takeAll(SpanDropped)
	in.reread(from, SpanDropped)
	in.unmark()
}

// isAllRead reports whether all text has been read: no state is waiting for the rest of a tag, nor
// the input for the rest of a character.
func (in *input) isAllRead() bool { return in.pos == len(in.buf) && len(in.partial) == 0 }

// isMarked reports whether a mark is set, so that what was read after it may be given back.
func (in *input) isMarked() bool { return in.mark >= 0 }

// setMark sets the mark before the next byte: from here on text may have to be given back.
func (in *input) setMark() { in.mark, in.hidden, in.unseen = in.pos, in.unseen, 0 }

// unmark removes the mark: what was read will not be given back.
func (in *input) unmark() { in.mark, in.hidden = -1, 0 }

// hide records that the first n bytes after the mark are from a prefill that the client never saw:
// giveBack leaves them out. Without a mark they are what is not read yet, of which notSeen tells.
func (in *input) hide(n int) {
	switch {
	case in.isMarked():
		in.hidden = n
	case len(in.rest()) == n:
		in.unseen = n
	}
}

// notSeen returns how many of the next n bytes, which are text, are from such a prefill.
func (in *input) notSeen(n int) int {
	n = min(n, in.unseen)
	in.unseen -= n
	return n
}

// rewind removes the mark and makes the text after it unread again.
func (in *input) rewind() {
	in.pos, in.mark = in.mark, -1
	in.reread(in.offset(), SpanHeld)
}

// giveBack removes the mark and returns a copy of the text that was read after it, without what is
// from a prefill.
func (in *input) giveBack() []byte {
	from := in.mark + in.hidden
	in.pos = max(in.pos, from)
	raw := bytes.Clone(in.buf[from:in.pos])
	in.reread(in.forgotten+from, SpanText)
	in.unmark()
	return raw
}

// room returns how many bytes can be added at once. While a mark is set, that gets less as the
// buffer fills, down to one byte, so that the input isFull after the same byte whatever the pieces
// of the completion were (G2).
func (in *input) room() int {
	if !in.isMarked() {
		return maxPiece
	}
	const most = len("\uFFFD") // the most bytes that one added byte becomes
	return max(1, min(maxPiece, (MaxUndecided-len(in.buf))/most))
}

// isFull reports whether there is too much text after the mark. The parser then gives it back.
func (in *input) isFull() bool { return in.isMarked() && len(in.buf) >= MaxUndecided }

// compact forgets what was read, except what may be given back.
func (in *input) compact() {
	keep := in.pos
	if in.isMarked() {
		keep = in.mark
		in.mark = 0
	}
	if keep > 0 {
		in.buf = in.buf[:copy(in.buf, in.buf[keep:])]
		in.pos -= keep
		in.forgotten += keep
	}
}

// add adds text to the buffer, with U+FFFD in place of each byte that is not UTF-8. If s ends
// within a character, its bytes stay in partial until the rest of it is added.
func (in *input) add(s string) {
	for len(in.partial) > 0 {
		switch {
		case in.eof && s == "" || utf8.FullRune(in.partial):
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

// end records that no more text will come. A character that was cut becomes U+FFFD.
func (in *input) end() {
	in.eof = true
	in.add("")
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

// matchBlanks matches white space that begins at rest[i], of fewer than limit bytes, and returns the
// index after it. The verdict is NoMatch if there are limit bytes of it or more, which bounds how
// much text is held, and NeedMore if more of it may come.
func (in *input) matchBlanks(rest []byte, i, limit int) (int, markup.Verdict) {
	end := i + limit
	i = in.skipFrom(rest, i, limit)
	switch {
	case i >= end:
		return i, markup.NoMatch
	case i == len(rest) && !in.eof:
		return i, markup.NeedMore
	}
	return i, markup.Match
}

// needMore returns NeedMore, or NoMatch if no more text will come.
func (in *input) needMore() markup.Verdict {
	if in.eof {
		return markup.NoMatch
	}
	return markup.NeedMore
}

// replaceNext replaces the next unread byte. It lets readEntity pass over the middle of a run of
// entities that it has written already, and go on as if the run began here.
func (in *input) replaceNext(c byte) { in.buf[in.pos] = c }

// matchLineEnd matches the end of a line at the beginning of rest. The end of the text is none.
func (in *input) matchLineEnd(rest []byte) markup.Verdict {
	switch {
	case len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r'):
		return markup.Match
	case len(rest) == 0 && !in.eof:
		return markup.NeedMore
	}
	return markup.NoMatch
}

// maxInfo bounds the text after the back-ticks that open a code fence, in bytes.
const maxInfo = 128

// matchFence matches the line that opens a Markdown code fence at the beginning of rest: three
// back-ticks or more, and any other text. n is the index of its end.
func (in *input) matchFence(rest []byte) (n int, v markup.Verdict) {
	for n < len(rest) && n < maxInfo && rest[n] == '`' {
		n++
	}
	ticks := n
	if ticks < 3 && n < len(rest) {
		return 0, markup.NoMatch
	}
	for n < len(rest) && n < maxInfo && rest[n] != '`' && rest[n] != '\n' && rest[n] != '<' {
		n++
	}
	switch {
	case n == len(rest) && n < maxInfo:
		return 0, in.needMore()
	case ticks < 3 || n == maxInfo || rest[n] != '\n':
		return 0, markup.NoMatch
	}
	return n, markup.Match
}

// indexEither returns the index, from i on, of the first byte of s that is a or b, or len(s).
func indexEither(s []byte, i int, a, b byte) int {
	for i < len(s) && s[i] != a && s[i] != b {
		i++
	}
	return i
}
