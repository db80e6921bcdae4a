package held

import (
	"bytes"
	"strings"

	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// LiteralScan follows calls far enough to find their end: it counts brackets and skips strings. It never reads a
// part of something that it cannot decide on yet.
type LiteralScan struct {
	Syntax format.LiteralSyntax
	Depth  int       // number of open brackets
	Quote  string    // the quote that opened the current string; "" outside strings
	Opened int       // number of open brackets at the start of the last string
	atName bool      // a member name may be next, or is open
	after  valuePart // what the last byte other than white space belongs to
}

// maxBlanks is the maximum white space after the end of a string, or of a call.
const maxBlanks = 256

// valuePart says what a byte outside strings belongs to.
type valuePart uint8

const (
	noValue   valuePart = iota
	wordValue           // a value without quotes: an apostrophe opens no string here, and a Gemma delimiter ends one
	pastValue           // a string has ended, and no separator has followed yet
)

// Scan reads s, the next part of a call, and returns how many bytes of s belong to the call. The verdict is Match
// at the end of the last bracket. It is NoMatch at a `<` that begins no string: a tag there shows that the end of
// the call is missing.
func (l *LiteralScan) Scan(s []byte, eof bool) (n int, v markup.Verdict) {
	for n < len(s) {
		if l.Quote != "" {
			end, v := l.skipString(s[n:], eof)
			if n += end; v == markup.NeedMore {
				return n, v
			}
			l.Quote, l.after = "", pastValue
			continue
		}
		quote, v := l.matchQuote(s[n:], eof)
		switch {
		case v == markup.NeedMore:
			return n, v
		case v == markup.Match && l.after == wordValue && quote[0] == '<': // the string before lacks its opening delimiter
			l.after = pastValue
			n += len(quote)
			continue
		case v == markup.Match:
			l.Quote, l.Opened = quote, l.Depth
			n += len(quote)
			continue
		case s[n] == '<':
			return n, markup.NoMatch
		}
		if l.step(s[n]); l.Depth == 0 && bytes.IndexByte([]byte(")]}"), s[n]) >= 0 {
			return n + 1, markup.Match
		}
		n++
	}
	return n, markup.NeedMore
}

// step reads one byte outside strings.
func (l *LiteralScan) step(c byte) {
	switch c {
	case '(', '[', '{':
		l.Depth++
	case ')', ']', '}':
		l.Depth--
	}
	switch {
	case bytes.IndexByte([]byte("([{,:="), c) >= 0:
		l.after, l.atName = noValue, c == '(' || c == '{' || c == ','
	case !markup.IsBlank(c) && l.after == noValue:
		l.after = wordValue
	}
}

// matchQuote matches the opening quote of a string.
func (l *LiteralScan) matchQuote(s []byte, eof bool) (quote string, v markup.Verdict) {
	for _, quote := range format.QuotesOf[l.Syntax] {
		switch {
		case l.Syntax == format.GemmaLiteral && quote == "'" && l.after != noValue:
		case markup.HasPrefix(s, quote):
			return quote, markup.Match
		case markup.IsPrefixOf(s, quote) && !eof:
			return "", markup.NeedMore
		}
	}
	return "", markup.NoMatch
}

// skipString returns the index after the end of the open string. If the end has not come, the verdict is NeedMore,
// and the string goes on at least to the index.
func (l *LiteralScan) skipString(s []byte, eof bool) (n int, v markup.Verdict) {
	stops := l.Quote[:1] + `\`
	switch {
	case l.Quote[0] == '<':
		stops = "<"
	case l.Syntax == format.GemmaLiteral && l.Quote == "'":
		stops = "'<"
	case l.Syntax == format.GemmaLiteral:
		stops += "<"
	}
	for {
		i := bytes.IndexAny(s[n:], stops)
		if i < 0 {
			return len(s), markup.NeedMore
		}
		n += i
		if s[n] == '\\' {
			if n+1 == len(s) && !eof {
				return n, markup.NeedMore
			}
			n = min(n+2, len(s))
			continue
		}
		end, v := l.matchStringEnd(s[n:], eof)
		if v != markup.NoMatch {
			return n + end, v
		}
		n++
	}
}

// matchStringEnd matches the end of the open string. In Gemma literals, a delimiter may follow another quote, or
// replace it. An apostrophe ends a string only where a value may end, because such a string has no escapes.
func (l *LiteralScan) matchStringEnd(s []byte, eof bool) (n int, v markup.Verdict) {
	if l.Syntax == format.GemmaLiteral && l.Quote[0] != '<' {
		if s[0] == l.Quote[0] {
			n = 1
		}
		switch i := markup.SkipBlanks(s, n, min(len(s), n+maxBlanks)); {
		case markup.HasPrefix(s[n:], format.GemmaQuote):
			return n + len(format.GemmaQuote), markup.Match
		case !eof && (l.Quote == "'" && n > 0 && i == len(s) || markup.IsPrefixOf(s[n:], format.GemmaQuote)):
			return 0, markup.NeedMore
		case n > 0 && (l.Quote == `"` || i == len(s) || bytes.IndexByte([]byte(",}])"), s[i]) >= 0 || l.atName && (s[i] == ':' || s[i] == '=')):
			return n, markup.Match
		}
		return 0, markup.NoMatch
	}
	switch {
	case markup.HasPrefix(s, l.Quote):
		return len(l.Quote), markup.Match
	case markup.IsPrefixOf(s, l.Quote) && !eof:
		return 0, markup.NeedMore
	}
	return 0, markup.NoMatch
}

// withoutEnd returns the text of a Gemma string without its end: see matchStringEnd.
func (l *LiteralScan) withoutEnd(text string) string {
	if text, delimited := strings.CutSuffix(text, format.GemmaQuote); delimited && l.Quote[0] != '<' {
		if l.Quote == `"` && strings.HasSuffix(text, `\"`) { // the quote belongs to the string
			return text
		}
		return strings.TrimSuffix(text, l.Quote)
	}
	return strings.TrimSuffix(text, l.Quote)
}
