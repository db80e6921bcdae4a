package tagged

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
)

// Text where only tags belong in a call.

// readStrayText reads text where only tags belong. A JSON object is the whole input, in a code fence
// or not. If the call is pending, other text shows that it is none, and the call is given back.
// Otherwise the text is dropped, unless it may have been meant as the input: then it is held. That is
// known of a line when it is whole.
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
		return r.giveBack("stray_text")
	}
	n := bytes.IndexAny(rest[1:], "<\n{") + 1 // an object may begin a line
	if n == 0 {
		n = len(rest)
	}
	r.open.inLine, r.open.strayText, call.Unread = true, true, true
	json := rest[0] == '{' // it may be arguments, so it cannot be dropped
	call.StrayTag = call.StrayTag || json && len(call.Parameters) > 0
	if len(call.Stray) == 0 { // all that follows held text is held with it
		r.open.strayLine = !r.mayBeInput()
	}
	r.open.strayLine = r.open.strayLine && !json
	call.Stray = append(call.Stray, rest[:n]...)
	r.in.TakeStray(n)
	r.call.NoteReason("stray_text")
	return inCall
}

// MaxStray bounds the text without a place in a call that is held until the call ends (G6).
const MaxStray = 32 << 10

// straysTooFar reports whether the stray text of the call is longer than MaxStray with the white
// space that follows it. Where its line may be dropped, that is up to the end of the line: however the
// text is cut, a line that is too long does not come to be dropped (G2).
func (r *Reader) straysTooFar(blank []byte) bool {
	if len(r.call.Stray) == 0 {
		return false
	}
	if r.open.strayLine {
		blank, _, _ = bytes.Cut(blank, []byte("\n"))
	}
	return len(r.call.Stray)+len(blank) > MaxStray
}

// mayBeObject reports whether a { may begin the whole input: it begins a line, or follows a tag, and
// nothing but lines of text has come before it.
func (r *Reader) mayBeObject() bool {
	call := r.call
	prose := bytes.TrimRight(call.Stray, " \t")
	return len(call.Parameters) == 0 && !call.JSONInput && !call.StrayTag && !r.open.inLine &&
		(len(prose) == 0 || prose[len(prose)-1] == '\n' && bytes.IndexByte(prose, '{') < 0)
}

// mayBeInput reports whether text may have been meant as the input of the call: no other input has
// come, the parameters are not closed, and the tool takes text.
func (r *Reader) mayBeInput() bool {
	call := r.call
	return len(call.Parameters) == 0 && !call.JSONInput && !r.open.parametersClosed && call.Schema.TakesText()
}
