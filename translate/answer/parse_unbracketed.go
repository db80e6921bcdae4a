package answer

import (
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Tags of calls without their first characters, `<` or `</`. Either the model left them out, or a server
// took them for a special token.
//
//	<tool_call>function=book>
//	invoke name="book">
//	parameter name="note">xparameter>
//	invoke>
//
// If a call begins with such a tag, its values may end with such a tag, too. A value that contains a `<`
// may not: then the model did not lose all of them, and the parser reads the value as usual.

// matchUnbracketed matches a tag without its bracket that begins a call, in a wrapper or at the start of a
// line.
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

// matchUnbracketedIn does what matchUnbracketed does, for the tags of one spelling. If the text is cut off
// inside a tag, the verdict is NeedMore.
func (p *parser) matchUnbracketedIn(g *markup.Spelling, rest []byte) (t markup.Tag, v markup.Verdict) {
	t, v = g.MatchUnbracketed(rest, p.in.EOF && !p.in.CutShort)
	if v == markup.Match {
		v = markup.VerdictOf(t.Is("invoke") && !t.Closing)
	}
	return t, v
}

// beginUnbracketed begins the pending call with its tag t, which is next in the input.
func (p *parser) beginUnbracketed(t markup.Tag) state {
	p.call.Spelling, p.call.Unbracketed = t.Spelling, true
	p.call.NoteReason(messages.ReasonTagBracket)
	return p.beginNamed(t)
}
