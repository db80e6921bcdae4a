package answer

import (
	"bytes"
	"slices"

	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// Which objects are calls if the answer has nothing else? The first of them decides, with the others behind it:
//
//   - A whole call of an offered tool is a call. In lists and code fences, and behind a comma, the others have to be
//     calls too.
//   - A call of a tool that is not offered, or without a required parameter, is a call beside whole ones. All objects
//     then have nothing but a name and arguments.
//   - Anything else is data that the model shows.

// matchCallKey reports whether rest begins like the object of a call. If not, the client gets the JSON as text,
// without delay.
func (p *parser) matchCallKey(rest []byte) markup.Verdict {
	const most = 64
	i := markup.SkipBlanks(rest, 1, most)
	if i < len(rest) && rest[i] == '{' {
		i = markup.SkipBlanks(rest, i+1, most)
	}
	switch {
	case i == len(rest):
		return p.in.NeedMore()
	case rest[i] != '"' && rest[i] != '\'':
		return markup.NoMatch
	}
	key := rest[i+1 : min(len(rest), i+most)]
	switch n := bytes.IndexByte(key, rest[i]); {
	case n >= 0:
		return markup.VerdictOf(slices.Contains(held.ObjectKeys, string(key[:n])))
	case len(key) == most-1:
		return markup.NoMatch
	}
	return p.in.NeedMore()
}

// matchUnoffered reports whether rest, an object that begins with a name, begins like the call of a tool that is not
// offered: arguments follow the name. If not, the client gets the JSON as text, without delay.
func (p *parser) matchUnoffered(name string, rest []byte) (v markup.Verdict) {
	if !format.IsToolName(name) {
		return markup.NoMatch
	}
	const quotes = 4 // around the key and the name
	i := 0
	for range quotes {
		i += bytes.IndexByte(rest[i:], '"') + 1
	}
	for _, key := range [...]string{`"arguments"`, `"parameters"`, `"input"`} {
		_, more := p.matchTokens(rest[i:], []string{",", key, ":", "{"})
		v = max(v, more)
	}
	return v
}

// objectsSeen is what the objects of an answer have in common.
type objectsSeen struct {
	apart bool // a list or a code fence is around them, or a comma behind the first
	calls bool // each is a call
	plain bool // each has nothing but a name and arguments
	whole bool // one is a whole call of an offered tool
}

// maySearch reports whether a search may read rest, up to the end of the answer, and counts it. A search may fail and
// begin again at the next call, so all searches together may read an answer eight times.
func (p *parser) maySearch(rest []byte) bool {
	p.calls.searched += len(rest)
	return p.calls.searched <= 8*(p.in.Offset()+len(p.in.Rest()))
}

// matchOnlyCalls reports whether the rest of the text has only objects that may follow the first call, and what
// betweenCalls reads between and after them. end is what has to end before other text may follow. It checks this once,
// after the first call, and needs the whole text to do so. Whole calls show that a first call is meant which would not
// count alone.
func (p *parser) matchOnlyCalls(rest []byte, end string) markup.Verdict {
	switch {
	case p.calls.whole > 0:
		return markup.Match
	case !p.in.EOF:
		return markup.NeedMore
	case !p.maySearch(rest):
		return markup.NoMatch
	}
	seen := objectsSeen{apart: p.call.Fence != "" || end != "" || rest[0] == ',', calls: true, plain: p.json.plain}
	if p.matchObjects(rest, end, &seen) == markup.NoMatch || seen.apart && !seen.calls {
		return markup.NoMatch
	}
	if seen.plain && seen.whole && (p.call.Unoffered || !p.out.HasMembers(p.call.Schema.Required)) {
		p.call.Bare = false
	}
	return markup.Match
}

// matchObjects is matchOnlyCalls without the conditions on the objects. It records in seen what they are.
func (p *parser) matchObjects(rest []byte, end string, seen *objectsSeen) markup.Verdict {
	for i := markup.SkipBlanks(rest, 0, len(rest)); i < len(rest); i = markup.SkipBlanks(rest, i, len(rest)) {
		n, v := 1, markup.Match
		switch c := rest[i]; {
		case end != "" && c == end[0]:
			end = end[1:]
		case c == ',' || c == ';':
			next := markup.SkipBlanks(rest, i+1, len(rest))
			v = markup.VerdictOf(next == len(rest) || rest[next] == '{' || p.BeginsTag(rest[next]))
			if next < len(rest) && v == markup.NoMatch {
				_, v = p.matchStrayElement(rest[next:], end)
			}
		case c == '`':
			seen.apart = true
			if n, v = p.in.MatchFenceLine(rest[i:]); end != "" {
				v = markup.NoMatch
			}
		case c == '[' && end == "":
			seen.apart = true
			if n, end, v = p.matchList(rest[i:]); v != markup.Match && p.isCutList(rest[i:]) {
				return markup.Match
			}
		case c == '{':
			object := held.DepthOf(rest[i:])
			if n, v = object.ReadObject(rest[i:]); v == markup.NeedMore && p.in.CutShort {
				return markup.Match
			}
			var is held.Seen
			if v == markup.Match {
				is = held.See(rest[i:i+n], &p.tools, p.schemas.Of)
			}
			if is.Tool == "" {
				if broken := p.brokenEnd(rest[i:]); broken > 0 {
					n, v = broken, markup.Match
					break
				}
			}
			switch {
			case v == markup.NeedMore && !p.call.alone: // a call that has no end is the last in its wrapper
				return p.matchOrphan(rest[i:])
			case v == markup.NeedMore:
				return markup.NoMatch
			}
			if end != "" && held.IsNameless(rest[i:i+n]) {
				break
			}
			seen.note(is)
			if next := markup.SkipBlanks(rest, i+n, len(rest)); next < len(rest) && rest[next] == '}' { // one too many
				n = next + 1 - i
			}
		case end == "" && !p.call.alone: // behind a list in a wrapper
			return markup.VerdictOf(c != '"' && c != '}' && c != ']')
		default:
			if n, v = p.matchStrayElement(rest[i:], end); v != markup.Match {
				return p.matchAfterAll(rest, i, "")
			}
		}
		if v != markup.Match {
			return markup.NoMatch
		}
		i += n
	}
	return markup.Match
}

// note records another object.
func (s *objectsSeen) note(o held.Seen) {
	s.calls = s.calls && (o.Offered || o.Plain)
	s.plain = s.plain && o.Plain
	s.whole = s.whole || o.Whole
}

// isCutList reports whether the answer was cut behind the bracket of a list, with which rest begins.
func (p *parser) isCutList(rest []byte) bool {
	return p.in.EOF && p.in.CutShort && markup.SkipBlanks(rest, 1, len(rest)) == len(rest)
}
