package answer

import (
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// Tags of calls that have lost what they begin with, `<` or `</`: a model leaves it out, or a server takes it
// for a special token.
//
//	<tool_call>function=book>
//	invoke name="book">
//	parameter name="note">xparameter>
//	invoke>
//
// Where a call begins with such a tag, values may end with one, too, unless they hold a `<`: then not all of
// them are lost, and the value is read as any other.

// matchUnbracketed matches such a tag that begins a call, in a wrapper or at the beginning of a line.
func (p *parser) matchUnbracketed(rest []byte) (t markup.Tag, v markup.Verdict) {
	if p.Spelled.At[format.PlaceOf(rest[0])] != 0 {
		for _, g := range p.Spellings {
			if g.Labels() {
				continue
			}
			if t, v = p.matchUnbracketedIn(g, rest); v != markup.NoMatch {
				return t, v
			}
		}
	}
	return p.matchUnbracketedIn(nil, rest)
}

// matchUnbracketedIn is matchUnbracketed for the tags of one spelling. Where the text was cut within one, the
// verdict is NeedMore.
func (p *parser) matchUnbracketedIn(g *markup.Spelling, rest []byte) (t markup.Tag, v markup.Verdict) {
	t, v = g.MatchUnbracketed(rest, p.in.EOF && !p.in.CutShort)
	if v == markup.Match {
		v = markup.VerdictOf(t.Is("invoke") && !t.Closing)
	}
	return t, v
}

// beginUnbracketed begins the call, which is pending, with t, which is next.
func (p *parser) beginUnbracketed(t markup.Tag) state {
	p.call.Spelling, p.call.Unbracketed = t.Spelling, true
	p.call.NoteReason("tag_bracket")
	return p.beginNamed(t)
}
