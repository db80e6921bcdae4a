package tagged

import (
	"bytes"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// This file reads values in a CDATA section. Everything up to `]]>` is text. Models of some formats forget the
// `]]>`. In these formats, the closing tag of the value ends the section if no `]]>` follows:
//
//	<param name="note"><![CDATA[a < b</param><param name="count">3</param></function>
//
// The reader holds the text from such a tag on until it knows whether a `]]>` follows.

// section records what is known of the text of a CDATA section.
type section struct {
	end    int  // the offset of the next ]]>, if it was found
	looked int  // how many bytes from a closing tag on were searched without finding ]]>
	ended  bool // a ]]> was taken for text, because other text follows it: it may have ended the section
}

// maxSection limits the text that is held while a section may lack its end, in bytes.
const maxSection = 64 << 10

// nextInSection does what nextSpecial does, for a value in a section.
func (r *Reader) nextInSection(rest []byte, n int) int {
	special := "]"
	if g := r.call.Spelling; g != nil && g.CDATA || r.value.section.ended {
		special += "<"
	}
	if r.escaped.Tags != 0 {
		special += "&"
	}
	for ; n < len(rest); n++ {
		i := bytes.IndexAny(rest[n:], special)
		if i < 0 {
			return len(rest)
		}
		if n += i; n+1 == len(rest) || rest[n] == ']' || rest[n] == '<' && rest[n+1] == '/' || rest[n] == '&' && markup.MayBeEscape(rest[n+1]) {
			return n
		}
	}
	return n
}

// decideInSection decides what the closing tag at rest[n] is, inside a section. If the tag ends the value, end is
// its length.
func (r *Reader) decideInSection(rest []byte, n int) (end int, d decision) {
	v, at := &r.value, r.in.Offset()+n
	rest = rest[n:]
	if v.section.ended && !v.ambiguous {
		follows := r.matchOwnEnd(rest)
		if follows == markup.NeedMore {
			return 0, needsMore
		}
		v.ambiguous = follows == markup.Match
	}
	if g := r.call.Spelling; g == nil || !g.CDATA {
		return 0, isValue
	}
	looked := v.section.looked
	v.section.looked = 0
	if at < v.section.end {
		return 0, isValue
	}
	t, verdict := r.matchOwnTag(rest)
	if verdict == markup.Match {
		verdict = markup.VerdictOf(t.Closing && t.Is("parameter"))
	}
	if verdict == markup.Match && looked == 0 {
		verdict = r.mayFollow(rest[t.Len:], false)
	}
	if verdict != markup.Match {
		return 0, decided(verdict)
	}
	from := max(0, looked-len(cdataEnds))
	i := bytes.Index(rest[from:], []byte(cdataEnds))
	switch {
	case i >= 0:
		v.section.end = at + from + i
		v.ambiguous = v.ambiguous || bytes.Contains(rest[:from+i], []byte(cdataBegins)) // that ]]> ends another section
		return 0, isValue
	case len(rest) >= maxSection, r.in.EOF && r.in.CutShort:
		return 0, isValue
	case !r.in.EOF:
		v.section.looked = len(rest)
		return 0, needsMore
	}
	r.call.NoteReason(messages.ReasonMissingCloser)
	return t.Len, endsValue
}

// matchOwnEnd matches the value's own closing tag at the start of rest, if the text after it can follow a value.
func (r *Reader) matchOwnEnd(rest []byte) markup.Verdict {
	t, v := r.matchValueTag(rest)
	switch {
	case v != markup.Match:
		return v
	case !t.Closes(r.value.text.Closer):
		return markup.NoMatch
	}
	return r.mayFollow(rest[t.Len:], false)
}
