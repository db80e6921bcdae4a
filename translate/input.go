package translate

import (
	"bytes"
	"unicode/utf8"

	"dragoman/translate/markup"
)

// input is the text of a completion as it arrives, in pieces of any size, and how far it has
// been read. It alone touches the buffer; a state looks at rest and takes what it has decided on.
//
// Let fed be all text that was added, with U+FFFD for bytes that are no UTF-8. Between any two
// calls these hold:
//
//	fed = forgotten + buf + partial
//	0 <= pos <= len(buf)                   buf[:pos] has been read, buf[pos:] has not
//	mark == -1 or 0 <= mark <= pos         buf[mark:pos] has been read and may be given back as text
//	hidden >= 0                            buf[mark:mark+hidden] is what a prefill said, not the model
//	len(partial) < utf8.UTFMax             partial is the beginning of one character
//	eof implies partial is empty           no more text will come
//
// and after compact, which is called after every piece:
//
//	mark == -1 implies pos == 0            nothing is kept that was read
//	mark != -1 implies mark == 0
//	len(buf) < maxUndecided + maxPiece     what is undecided for longer is taken for text
type input struct {
	buf     []byte
	pos     int
	mark    int // -1 for none
	hidden  int
	partial []byte
	eof     bool
}

// maxPiece bounds how much text is read at once, and so buffers and deltas.
const maxPiece = 16 << 10

// maxUndecided bounds the text that may yet be a call, or be none (G6). Models write calls of a
// tenth of that before it is clear that they are.
const maxUndecided = 1 << 20

// rest returns the text that has not been read. It is valid until the input changes.
func (in *input) rest() []byte { return in.buf[in.pos:] }

// take reads n bytes.
func (in *input) take(n int) { in.pos += n }

// takeAll reads what there is.
func (in *input) takeAll() { in.pos = len(in.buf) }

// skip reads white space, and reports whether text follows it.
func (in *input) skipBlanks() bool {
	in.pos = markup.SkipBlanks(in.buf, in.pos, len(in.buf))
	return in.pos < len(in.buf)
}

// isAllRead reports whether all text has been read, so that nothing waits for more.
func (in *input) isAllRead() bool { return in.pos == len(in.buf) && len(in.partial) == 0 }

// isMarked reports whether some of what was read may be given back.
func (in *input) isMarked() bool { return in.mark >= 0 }

// setMark marks where text begins that may have to be given back.
func (in *input) setMark() { in.mark = in.pos }

// unmark keeps what was read since the mark: it will not be given back.
func (in *input) unmark() { in.mark, in.hidden = -1, 0 }

// hide takes down that the first n bytes since the mark were said by a prefill.
func (in *input) hide(n int) {
	if in.isMarked() {
		in.hidden = n
	}
}

// rewind makes all text since the mark unread again. What a prefill said of it stays hidden: the
// same call is marked again.
func (in *input) rewind() { in.pos, in.mark = in.mark, -1 }

// giveBack removes the mark and returns a copy of the text that the model wrote since.
func (in *input) giveBack() []byte {
	said := in.mark + in.hidden
	in.pos = max(in.pos, said)
	raw := bytes.Clone(in.buf[said:in.pos])
	in.unmark()
	return raw
}

// room returns how much text can be added at once. Where text is undecided, it leads up to
// maxUndecided byte by byte, so that the bound does not depend on the pieces.
func (in *input) room() int {
	if !in.isMarked() {
		return maxPiece
	}
	const most = len("\uFFFD") // what a byte may become
	return max(1, min(maxPiece, (maxUndecided-len(in.buf))/most))
}

// isFull reports whether text has been undecided for too long.
func (in *input) isFull() bool { return in.isMarked() && len(in.buf) >= maxUndecided }

// compact forgets what was read, but for what may be given back.
func (in *input) compact() {
	keep := in.pos
	if in.isMarked() {
		keep = in.mark
		in.mark = 0
	}
	if keep > 0 {
		in.buf = in.buf[:copy(in.buf, in.buf[keep:])]
		in.pos -= keep
	}
}

// add adds text: whole characters alone, U+FFFD for bytes that are none. The beginning of a
// character stays in partial until the rest of it has come.
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
	end := len(s) - partialRune(s)
	in.partial = append(in.partial, s[end:]...)
	if s = s[:end]; utf8.ValidString(s) {
		in.buf = append(in.buf, s...)
		return
	}
	for _, r := range s {
		in.buf = utf8.AppendRune(in.buf, r)
	}
}

// end takes down that no more text will come.
func (in *input) end() {
	in.eof = true
	in.add("")
}

// partialRune returns how many bytes at the end of s begin a character.
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

// blanks returns where the white space ends that begins at rest[i]. It says No if there is as
// much as limit, which bounds what is held, and More where the text may go on with it.
func (in *input) matchBlanks(rest []byte, i, limit int) (int, markup.Verdict) {
	end := i + limit
	for i < end && i < len(rest) && markup.IsBlank(rest[i]) {
		i++
	}
	switch {
	case i == end:
		return i, markup.NoMatch
	case i == len(rest) && !in.eof:
		return i, markup.NeedMore
	}
	return i, markup.Match
}

// undecided is the verdict on text that could go either way: No once nothing can follow it.
func (in *input) needMore() markup.Verdict {
	if in.eof {
		return markup.NoMatch
	}
	return markup.NeedMore
}

// put replaces the next byte that has not been read.
func (in *input) replaceNext(c byte) { in.buf[in.pos] = c }

// borrow returns text as bytes, in the buffer, which has nothing else in it that is unread. They
// are valid until the input changes.
func (in *input) borrow(s string) []byte {
	in.buf, in.pos = append(in.buf[:0], s...), 0
	b := in.buf
	in.buf = in.buf[:0]
	return b
}

// endsLine reports whether a line ends where rest begins.
func (in *input) matchLineEnd(rest []byte) markup.Verdict {
	switch {
	case len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r'):
		return markup.Match
	case len(rest) == 0 && !in.eof:
		return markup.NeedMore
	}
	return markup.NoMatch
}
