package answer

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// JSON calls in a list, with or without a wrapper:
//
//	<tool_call>[{"name":…,"arguments":{…}},{"name":…,"arguments":{…}}]</tool_call>

// matchList matches the beginning of a list of JSON calls. This is the bracket [, or an object with the list as its
// only member, as in {"tool_calls": [. n is the index of the first call, and end is the closing brackets of the
// list.
func (p *parser) matchList(rest []byte) (n int, end string, v markup.Verdict) {
	for _, list := range [...]struct {
		begin []string
		end   string
	}{{[]string{"["}, "]"}, {[]string{"{", `"tool_calls"`, ":", "["}, "]}"}} {
		n, v := p.matchTokens(rest, list.begin)
		for v == markup.Match && n < len(rest) { // the first elements may be no calls
			size, stray := p.matchStrayElement(rest[n:], list.end)
			if stray == markup.NeedMore {
				return 0, "", stray
			} else if stray == markup.NoMatch || rest[n+size] != ',' {
				break
			}
			n, v = p.in.MatchBlanks(rest, n+size+1, completion.MaxGap)
		}
		if v == markup.Match {
			v = markup.VerdictOf(n < len(rest) && rest[n] == '{')
		}
		if v != markup.NoMatch {
			return n, list.end, v
		}
	}
	return 0, "", markup.NoMatch
}

// takeList reads the first n bytes of a list: see matchList.
func (p *parser) takeList(n int, end string) {
	if bytes.HasSuffix(bytes.TrimRight(p.in.Rest()[:n], " \t\r\n"), []byte(",")) {
		p.call.NoteReason(messages.ReasonStrayText)
	}
	p.listEnd = end
	p.in.Take(n, completion.SpanMarkup)
}

// matchStrayElement matches an element of a list that is no call, such as null, "a" or {}. The brackets end close the list.
func (p *parser) matchStrayElement(rest []byte, end string) (n int, v markup.Verdict) {
	if end == "" {
		return 0, markup.NoMatch
	}
	head := rest[:min(len(rest), maxAside)]
	if n = held.SkipElement(head); n < 0 {
		return 0, markup.NoMatch
	}
	switch i := markup.SkipBlanks(head, n, len(head)); {
	case n > 0 && i < len(head):
		return i, markup.VerdictOf(head[i] == ',' || head[i] == end[0])
	case len(head) < maxAside:
		return 0, p.in.NeedMore()
	}
	return 0, markup.NoMatch
}

// matchTokens matches tokens, each followed by optional white space.
func (p *parser) matchTokens(rest []byte, tokens []string) (n int, v markup.Verdict) {
	for _, token := range tokens {
		switch {
		case markup.IsPrefixOf(rest[n:], token):
			return n, p.in.NeedMore()
		case !markup.HasPrefix(rest[n:], token):
			return n, markup.NoMatch
		}
		if n, v = p.in.MatchBlanks(rest, n+len(token), completion.MaxGap); v != markup.Match {
			return n, v
		}
	}
	return n, markup.Match
}

// matchSeparator matches what may follow a JSON or literal call in a wrapper: a comma or a semicolon before the
// next call, or the end of the list.
func (p *parser) matchSeparator(rest []byte) (n int, v markup.Verdict) {
	switch c := rest[0]; {
	case c == ']' || c == '}':
		return 1, markup.VerdictOf(p.listEnd != "" && p.listEnd[0] == c)
	case c != ',' && c != ';':
		return 0, markup.NoMatch
	}
	i, v := p.in.MatchBlanks(rest, 1, completion.MaxGap)
	if v == markup.Match && i < len(rest) {
		if _, _, next := p.matchWrapped(rest[i:]); next != markup.NoMatch {
			return 1, next
		}
	}
	if v == markup.Match && i < len(rest) && rest[i] != '{' {
		if _, left := p.matchStrayElement(rest[i:], p.listEnd); left != markup.NoMatch {
			return 1, left
		}
	}
	if v == markup.Match {
		v = markup.VerdictOf(i == len(rest) || rest[i] == '{' || rest[i] == ']' && p.listEnd != "" || p.BeginsTag(rest[i]))
	}
	return 1, v
}
