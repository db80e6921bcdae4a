package answer

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
)

// Whether the object of a call goes on behind what looks like its last brace.

// matchGoingOn reports whether the object of a call goes on behind its last brace: a brace too many stands in
// it, and what follows that would be lost, or stands too high.
func (p *parser) matchGoingOn(rest []byte) markup.Verdict {
	switch rest[0] {
	case ':': // that was the name of a member
		return markup.Match
	case '}':
		return markup.VerdictOf(p.call.nested)
	case ',':
		i, v := p.in.MatchBlanks(rest, 1, completion.MaxGap)
		if v == markup.Match {
			v = markup.VerdictOf(i < len(rest) && rest[i] == '"' || i == len(rest) && p.in.CutShort && p.call.IsInput())
		}
		return v
	}
	if p.call.alone { // matchAloneEnd has said that nothing of it follows
		return markup.NoMatch
	}
	return p.matchMember(rest)
}

// matchMember matches the name of a member, with a quote behind it and maybe before, and a colon: "note": It is
// one, too, where it begins with a quote and is cut.
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
