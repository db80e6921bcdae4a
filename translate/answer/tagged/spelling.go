package tagged

import "dragoman/translate/markup"

// Tags in the spelling of the call.

// matchOwnTag matches the tag that rest begins with, in the spelling of the call.
func (r *Reader) matchOwnTag(rest []byte) (markup.Tag, markup.Verdict) {
	return r.call.Spelling.MatchTag(rest, r.in.EOF)
}

// endsWithin reports whether the text was cut within the tag that rest begins with.
func (r *Reader) endsWithin(rest []byte) bool {
	_, v := r.call.Spelling.MatchTag(rest, false)
	return v == markup.NeedMore
}

// MatchTag is matchOwnTag where nothing but tags of a call can stand: its closing tags may be those of the
// attribute format (see [markup.Spelling.Plain]).
func (r *Reader) MatchTag(rest []byte) (markup.Tag, markup.Verdict) {
	t, v := r.matchOwnTag(rest)
	if g := r.call.Spelling; v == markup.Match && g != nil && g.Plain && len(t.Name) == 0 && t.Closing {
		plain, _ := markup.MatchTag(rest, true)
		if plain.Is("invoke") || plain.Is("parameter") || plain.IsWrapper() {
			plain.Spelling = g
			return plain, v
		}
	}
	return t, v
}

// respell has the call read in the spelling in which t, the first tag in it, opens a parameter, where it is
// none in that of the call: <function name="book"> may begin a call in several. It reports false while
// more text has to come.
func (r *Reader) respell(t *markup.Tag) bool {
	call := r.call
	if call.Spelling == nil || len(t.Name) > 0 || t.Closing || len(call.Parameters) > 0 {
		return true
	}
	for _, g := range r.reads.Spellings {
		if !g.Joins(call.Spelling) {
			continue
		}
		switch other, v := g.MatchListed(r.in.Rest(), r.in.EOF); {
		case v == markup.NeedMore:
			return false
		case v == markup.Match && other.Is("parameter"):
			*t, call.Spelling = other, g
			call.Bare, call.MustBeWhole = false, call.Quoted > 0
			r.call.NoteBare()
			return true
		}
	}
	return true
}
