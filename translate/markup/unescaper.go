package markup

import "bytes"

// Unescaper takes one level of escaping off a text that comes in pieces: see [Unescape]. It holds back an `&` until
// what follows tells whether that begins an escape.
type Unescaper struct {
	Escapes Escapes // those that were written

	held []byte // the end of the text, from an `&` on
	sent bool   // the `&` at its beginning is one that was appended: see Append
}

// Append appends what the next piece of the text stands for, up to what is held. end says that it is the last.
//
// A run of `amp;` has no bound, and is not held: of `&amp;amp;` the first five bytes are certain. The `;` among them is
// then taken for the `&` of the rest, which was appended.
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
