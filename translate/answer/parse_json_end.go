package answer

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
)

// This file decides whether the object of a call continues after what looks like its last brace.

// matchGoingOn reports whether the object of a call continues after its last brace, because the model wrote an
// extra brace inside it. Otherwise the members after that brace would be lost, or would end up at the wrong level.
func (p *parser) matchGoingOn(rest []byte) markup.Verdict {
	switch rest[0] {
	case ':': // the text before the colon was the name of a member
		return markup.Match
	case '}':
		return markup.VerdictOf(p.call.nested)
	case ',':
		i, v := p.in.MatchBlanks(rest, 1, completion.MaxGap)
		if v == markup.Match && i < len(rest) {
			switch _, stray := p.matchStrayElement(rest[i:], p.listEnd); stray {
			case markup.NeedMore:
				return stray
			case markup.Match: // an element of the list, and no member
				return markup.NoMatch
			}
		}
		if v == markup.Match {
			v = markup.VerdictOf(i < len(rest) && rest[i] == '"' || i == len(rest) && p.in.CutShort && p.call.IsInput())
		}
		return v
	}
	if p.call.alone { // matchAloneEnd has found that nothing of the object follows
		return markup.NoMatch
	}
	return p.matchMember(rest)
}

// matchMember matches the name of a member and a colon: "note": or note":. If the text was cut off, the beginning
// of such a name matches too, if it starts with a quote.
func (p *parser) matchMember(rest []byte) markup.Verdict {
	i := len(rest) - len(bytes.TrimPrefix(rest, []byte(`"`)))
	from := i
	for i < len(rest) && i-from < completion.MaxGap && markup.IsNameByte(rest[i]) {
		i++
	}
	cut := p.in.EOF && p.in.CutShort && rest[0] == '"'
	switch {
	case i == len(rest) && cut:
		return markup.Match
	case i == len(rest):
		return p.in.NeedMore()
	case i == from || rest[i] != '"':
		return markup.NoMatch
	}
	i, v := p.in.MatchBlanks(rest, i+1, completion.MaxGap)
	if v == markup.Match {
		v = markup.VerdictOf(i == len(rest) && cut || i < len(rest) && rest[i] == ':')
	}
	return v
}
