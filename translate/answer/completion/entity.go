package completion

import (
	"bytes"

	"dragoman/translate/markup"
)

// Escapes of ours in the text.

// NextEntity returns the index of the first `&` among the first n bytes of text that may begin an
// escape of ours, or n.
func NextEntity(text []byte, n int) int {
	for at := 0; ; at++ {
		i := bytes.IndexByte(text[at:n], '&')
		if i < 0 {
			return n
		}
		if at += i; at+1 == len(text) || markup.MayBeEscape(text[at+1]) {
			return at
		}
	}
}

// ReadEntity reads the `&` that is next, in text or, with own, in the value of the parameter that has
// this tag. names are what the prompt has escaped, and kind is what the text is read as. If it begins an escape of ours, one level of escaping is taken off. The text goes to
// write. It reports false if more text has to come before that can be decided.
//
// In `&amp;amp;amp;…` nothing is certain before the run ends, and a run has no bound. But taking off
// one level drops one `amp;` of it and keeps the rest, so the first `&amp;` can be written at once:
//
//	&amp;amp;amp;x    written: &amp;
//	    &amp;amp;x    the ; of the first entity, which is next, is replaced by & (replaceNext), and
//	                  ampersandSent records that this & has been written
func (in *Text) ReadEntity(names markup.Escapes, own string, kind SpanKind, write func([]byte)) bool {
	if own == "" {
		names.Tags &^= markup.TagOwnParameter
	}
	rest := in.Rest()
	m := markup.MatchEscape(rest, names, own, in.EOF)
	plain, n := rest[:1], 1
	switch {
	case m.Verdict == markup.Match:
		plain, n = []byte(m.Plain), m.Len
	case m.Verdict == markup.NeedMore && !in.IsMarked() && markup.HasPrefix(rest, "&amp;amp;"):
		if !in.ampersandSent {
			write(rest[:1])
		}
		write(rest[1:5])
		in.Take(4, kind)
		in.replaceNext('&')
		in.ampersandSent = true
		return true
	case m.Verdict == markup.NeedMore:
		return false
	}
	if in.ampersandSent {
		plain, in.ampersandSent = plain[1:], false
	}
	if len(plain) > 0 {
		write(plain)
	}
	in.Take(n, kind)
	return true
}
