package answer

import (
	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
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
		if v == markup.Match {
			v = markup.VerdictOf(n < len(rest) && rest[n] == '{')
		}
		if v != markup.NoMatch {
			return n, list.end, v
		}
	}
	return 0, "", markup.NoMatch
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
	if v == markup.Match {
		v = markup.VerdictOf(i == len(rest) || rest[i] == '{' || rest[i] == ']' && p.listEnd != "" || p.BeginsTag(rest[i]))
	}
	return 1, v
}
