package tagged

import (
	"bytes"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// This file matches tags in the spelling of the call.

// matchOwnTag matches the tag at the beginning of rest, in the spelling of the call. The closing tag of an element that is
// named after the tool is the end of the call.
func (r *Reader) matchOwnTag(rest []byte) (markup.Tag, markup.Verdict) {
	t, v := r.call.Spelling.MatchTag(rest, r.in.EOF)
	if v == markup.Match {
		r.call.asDeclared(&t, rest)
	}
	if r.call.Element != "" && v == markup.Match && t.Closing && string(t.Full) == r.call.Element {
		t.Name = []byte("invoke")
	}
	return t, v
}

// asDeclared reads all of the element t, which begins rest, as a name if the tool declares that name: <first name>, <a/b>.
func (c *OpenCall) asDeclared(t *markup.Tag, rest []byte) {
	if t.Spelling != nil || len(t.Attributes) == 0 && !t.Empty || c.Schema == nil {
		return
	}
	name := bytes.TrimPrefix(rest[1:t.Len-1], []byte("/"))
	if !bytes.Equal(name, t.Full) && c.Schema.Declares(name) {
		t.Full, t.Name, t.Attributes, t.Empty = name, name, nil, false
	}
}

// endsWithin reports whether the text was cut inside the tag at the beginning of rest.
func (r *Reader) endsWithin(rest []byte) bool {
	_, v := r.call.Spelling.MatchTag(rest, false)
	return v == markup.NeedMore
}

// MatchTag does what matchOwnTag does, where only tags of a call can follow. There, if the spelling is
// [markup.Spelling.Plain], closing tags of the attribute format match as well.
func (r *Reader) MatchTag(rest []byte) (markup.Tag, markup.Verdict) {
	t, v := r.matchOwnTag(rest)
	if g := r.call.Spelling; v == markup.Match && g != nil && g.Plain && len(t.Name) == 0 && t.Closing {
		plain, _ := markup.MatchTag(rest, true)
		if plain.Is("invoke") || plain.Is("parameter") || plain.IsWrapper() {
			plain.Spelling, plain.Slip = g, messages.ReasonTagSpelling
			return plain, v
		}
	}
	return t, v
}

// respell may change the spelling of the call. The first tag of a call, such as <function name="book">, may belong
// to several spellings. t is the first tag inside the call. If t opens a parameter in another of these spellings,
// and not in the current one, the call continues in that spelling. respell returns false if it needs more text.
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
