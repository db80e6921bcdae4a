package answer

import (
	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
)

// Calls in JSON that stand in a list, in a wrapper or alone:
//
//	<tool_call>[{"name":…,"arguments":{…}},{"name":…,"arguments":{…}}]</tool_call>

// matchList matches what begins a list of calls in JSON: its bracket, or also an object whose only member it
// is, {"tool_calls": [. n is the index of the first call, and end is what has to end the list.
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

// matchTokens matches tokens with white space behind each of them.
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

// matchSeparator matches what stands after a call in JSON, or a literal, in a wrapper: a comma or a semicolon before
// the next one, or the end of their list.
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
