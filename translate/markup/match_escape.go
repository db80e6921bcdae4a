package markup

import "strconv"

// This file finds the escapes that the policy wrote, so that they can be undone.

// EscapeMatch is an escape that [MatchEscape] found. Plain replaces its first Len bytes.
type EscapeMatch struct {
	Verdict Verdict
	tag     TagSet // what was escaped
	level   int    // how many times it was escaped
	Len     int    // bytes to replace
	Plain   string // the text to put in their place
	inTag   int    // where the text after an escaped `<` begins; 0 for other escapes
	end     int    // where an opener ends
}

// MatchEscape matches an escape at the start of s that an [Escaper] has written: `&`, any number of
// `amp;`, then `lt;` or the number of another character, and then the rest of a protected text. Len
// and Plain remove one level of escaping. parameter is as in [Unescape]. eof: no more text follows;
// the verdict is then never NeedMore.
func MatchEscape[S text](s S, escapes Escapes, parameter string, eof bool) (m EscapeMatch) {
	i, level := 1, 1
	for HasPrefix(s[i:], "amp;") {
		i, level = i+4, level+1
	}
	c, n := readEntity(s[i:])
	if n == 0 {
		if !eof && mayBecomeEntity(s[i:]) {
			m.Verdict = NeedMore
		}
		return m
	}
	i += n
	if c == '<' {
		m.inTag = i
		m.tag, m.Verdict = matchName(s[i:], escapes.Tags, parameter, eof)
	}
	if c == '[' && escapes.Tags&TagBracket != 0 {
		m.tag, m.Verdict = TagBracket, matchBracketed(s[i:], eof)
	}
	if escapes.Tags&TagTurn != 0 && m.Verdict == NoMatch {
		m.tag, m.Verdict = TagTurn, turnMarker(c, s[i:], eof)
	}
	if escapes.Tags&TagOpener != 0 && m.Verdict != Match {
		if found, v := matchOpener(escapes.Openers, c, s[i:], eof); v > m.Verdict {
			m.tag, m.Verdict, m.end = TagOpener, v, i+found.end
		}
	}
	if m.Verdict != Match {
		return EscapeMatch{Verdict: m.Verdict}
	}
	m.level, m.Len, m.Plain = level, i, string(rune(c))
	if level > 1 {
		m.Len, m.Plain = len("&amp;"), "&"
	}
	return m
}

// MayBeEscape reports whether an `&` before the byte c may begin an escape.
func MayBeEscape(c byte) bool { return c == 'a' || c == 'l' || c == '#' }

// readEntity reads an entity that appendEntity writes; s begins after its `&`. c is the byte that
// the entity encodes. n is its length in s, or 0 if there is none.
func readEntity[S text](s S) (c byte, n int) {
	if HasPrefix(s, "lt;") {
		return '<', len("lt;")
	}
	if len(s) == 0 || s[0] != '#' || len(s) > 1 && s[1] == '0' {
		return 0, 0
	}
	number := 0
	for n = 1; n < len(s) && n <= maxDigits && s[n] >= '0' && s[n] <= '9'; n++ {
		number = 10*number + int(s[n]-'0')
	}
	if n == 1 || n == len(s) || s[n] != ';' || number >= 0x80 || number == '<' || number == '&' {
		return 0, 0
	}
	return byte(number), n + 1
}

// maxDigits is the most digits in the number of an ASCII character.
const maxDigits = 3

// mayBecomeEntity reports whether s, the text after an `&`, may become an escape.
func mayBecomeEntity[S text](s S) bool {
	if IsPrefixOf(s, "amp;") || IsPrefixOf(s, "lt;") {
		return true
	}
	if len(s) == 0 || len(s) > 1+maxDigits || s[0] != '#' {
		return false
	}
	for i := 1; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// appendEntity appends the entity of an ASCII byte.
func appendEntity(dst []byte, c byte) []byte {
	if c == '<' {
		return append(dst, "&lt;"...)
	}
	return append(strconv.AppendUint(append(dst, "&#"...), uint64(c), 10), ';')
}

// turnMarker matches a turn marker that begins with c and continues with s.
func turnMarker[S text](c byte, s S, eof bool) Verdict {
	rest := ""
	switch c {
	case 'H', 'h':
		rest = "uman:"
	case 'A', 'a':
		rest = "ssistant:"
	case 'U', 'u':
		rest = "ser:"
	}
	switch {
	case rest == "":
		return NoMatch
	case hasPrefixFold(s, rest):
		return Match
	case !eof && isPrefixFoldOf(s, rest):
		return NeedMore
	}
	return NoMatch
}
