package completion

import (
	"bytes"

	"dragoman/translate/markup"
)

// This file reads the escapes that Dragoman writes into prompts, where a model copies them into its completion.

// NextEntity returns the index of the first `&` in text[:n] that may begin one of Dragoman's escapes. If there is
// no such `&`, it returns n.
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

// ReadEntity reads the next character, which is `&`. If one of Dragoman's escapes begins there, ReadEntity removes
// one level of escaping. It passes the result to write. It returns false if it needs more text to decide.
//
// names are the escapes that the prompt used. If the `&` is in a value, own is the tag of its parameter; in text,
// own is "". The bytes are recorded as kind.
//
// A run such as `&amp;amp;amp;…` can have any length, and only its end shows whether it is an escape. ReadEntity
// does not wait for the end. Removing one level drops one `amp;` and keeps the rest, so it writes the first
// `&amp;` at once:
//
//	&amp;amp;amp;x    written: &amp;
//	    &amp;amp;x    replaceNext replaces the ; of the first entity with &, and ampersandSent records
//	                  that this & has been written
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
