package tagged

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// This file reads stray text: text in a call where the format allows only tags.

// readStrayText reads text where the format allows only tags. A JSON object there is the whole input, inside a
// code fence or not. If the call is pending, any other text shows that this is no call, and the reader gives it
// back. If not, the reader holds a line that may have been meant as the input, and drops any other line. It
// decides at the end of the line.
func (r *Reader) readStrayText(rest []byte) state {
	call := r.call
	if rest[0] == '{' && r.mayBeObject() {
		r.Hold()
		return r.beginObject()
	}
	if r.mayBeObject() {
		switch n, v := r.MatchFencedInput(rest); v {
		case markup.NeedMore:
			return wait
		case markup.Match:
			call.Fence = string(rest[:n])
			r.in.Take(n, completion.SpanMarkup)
			if call.Spelling.IsJSON() {
				return inCall
			}
			return r.beginObject()
		}
	}
	if r.IsPending() {
		return r.giveBack(messages.ReasonStrayText)
	}
	n := bytes.IndexAny(rest[1:], "<\n{") + 1 // an object may begin a line
	if n == 0 {
		n = len(rest)
	}
	r.open.inLine, r.open.strayText, call.Unread = true, true, true
	json := rest[0] == '{' // it may be the input, so it must not be dropped
	call.StrayTag = call.StrayTag || json && len(call.Parameters) > 0
	if len(call.Stray) == 0 { // once a line is held, all stray text after it is held
		r.open.strayLine = !r.mayBeInput()
	}
	r.open.strayLine = r.open.strayLine && !json
	call.Stray = append(call.Stray, rest[:n]...)
	r.in.TakeStray(n)
	r.call.NoteReason(messages.ReasonStrayText)
	return inCall
}

// MaxStray limits the stray text that is held until the call ends, in bytes (G6).
const MaxStray = 32 << 10

// straysTooFar reports whether the stray text of the call exceeds MaxStray, counted with the white space after it.
// If the line may be dropped, only white space up to the end of the line counts. So the result does not depend on
// how the text was split into pieces: a line that is too long is never dropped (G2).
func (r *Reader) straysTooFar(blank []byte) bool {
	if len(r.call.Stray) == 0 {
		return false
	}
	if r.open.strayLine {
		blank, _, _ = bytes.Cut(blank, []byte("\n"))
	}
	return len(r.call.Stray)+len(blank) > MaxStray
}

// mayBeObject reports whether a { may begin the whole input. It may if it begins a line or follows a tag, and only
// whole lines of text precede it.
func (r *Reader) mayBeObject() bool {
	call := r.call
	prose := bytes.TrimRight(call.Stray, " \t")
	return len(call.Parameters) == 0 && !call.JSONInput && !call.StrayTag && !r.open.inLine &&
		(len(prose) == 0 || prose[len(prose)-1] == '\n' && bytes.IndexByte(prose, '{') < 0)
}

// mayBeInput reports whether text may have been meant as the input of the call: the call has no other input yet,
// its parameters are not closed, and the tool accepts text.
func (r *Reader) mayBeInput() bool {
	call := r.call
	return len(call.Parameters) == 0 && !call.JSONInput && !r.open.parametersClosed && call.Schema.TakesText()
}
