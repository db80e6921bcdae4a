package markup

import "bytes"

// Unescaper removes one level of escaping from a text that comes in pieces: see [Unescape]. It
// holds back an `&` until the next bytes show whether an escape begins there.
type Unescaper struct {
	Escapes Escapes // the escapes in the text

	held []byte // the end of the text, from an `&` on
	sent bool   // the `&` at the start of held is already appended: see Append
}

// Append unescapes the next piece of the text and appends it to dst, except for the end that it
// holds back. end: this is the last piece.
//
// A run of `amp;` can be long, so it is not held: in `&amp;amp;` the first five bytes are certain.
// Append writes them, and treats the `;` as the `&` of the rest, which it has already appended.
func (u *Unescaper) Append(dst []byte, piece string, end bool) []byte {
	if u.Escapes.Tags == 0 {
		return append(dst, piece...)
	}
	rest := append(u.held, piece...)
	for len(rest) > 0 {
		n := bytes.IndexByte(rest, '&')
		if n < 0 {
			n = len(rest)
		}
		if dst, rest = append(dst, rest[:n]...), rest[n:]; len(rest) == 0 {
			break
		}
		plain, n, run := "&", 1, false
		switch m := MatchEscape(rest, u.Escapes, "", end); {
		case m.Verdict == Match:
			plain, n = m.Plain, m.Len
		case m.Verdict == NeedMore && HasPrefix(rest, "&amp;amp;"):
			plain, n, run = "&amp;", len("&amp"), true
		case m.Verdict == NeedMore:
			u.held = append(u.held[:0], rest...)
			return dst
		}
		if u.sent {
			plain = plain[1:]
		}
		dst, rest = append(dst, plain...), rest[n:]
		if u.sent = run; run {
			rest[0] = '&'
		}
	}
	u.held = u.held[:0]
	return dst
}
