package tagged

import (
	"bytes"

	"dragoman/translate/markup"
)

// Values in a CDATA section. All in it is text up to `]]>`. In a format whose models forget that, the
// closing tag of the value ends it as well, where no `]]>` comes any more:
//
//	<param name="note"><![CDATA[a < b</param><param name="count">3</param></function>
//
// Until it is known that none comes, the text from such a tag on is held.

// section is what is known of the text behind the beginning of a CDATA section.
type section struct {
	end    int // the offset of the next ]]>, if that was found
	looked int // how much text from a closing tag on was searched for it in vain
}

// maxSection bounds the text that is held because a section may not be ended, in bytes.
const maxSection = 64 << 10

// nextInSection is nextSpecial for a value in a section.
func (r *Reader) nextInSection(rest []byte, n int) int {
	special := "]"
	switch g := r.call.Spelling; {
	case g != nil && g.CDATA && r.escaped.Tags != 0:
		special = "]<&"
	case g != nil && g.CDATA:
		special = "]<"
	case r.escaped.Tags != 0:
		special = "]&"
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

// decideInSection decides on the closing tag that begins at rest[n], in a section. n is the length of the
// tag where it ends the value.
func (r *Reader) decideInSection(rest []byte, n int) (end int, d decision) {
	v, at := &r.value, r.in.Offset()+n
	rest = rest[n:]
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
		v.ambiguous = v.ambiguous || bytes.Contains(rest[:from+i], []byte(cdataBegins)) // another section is ended by that
		return 0, isValue
	case len(rest) >= maxSection, r.in.EOF && r.in.CutShort:
		return 0, isValue
	case !r.in.EOF:
		v.section.looked = len(rest)
		return 0, needsMore
	}
	r.call.NoteReason("missing_closer")
	return t.Len, endsValue
}
