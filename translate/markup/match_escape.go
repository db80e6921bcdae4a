package markup

// This file finds what the escape policy wrote, so that it can be undone.

// EscapeMatch is an escape that [MatchEscape] found. Its first Len bytes stand for Plain.
type EscapeMatch struct {
	Verdict Verdict
	tag     TagSet // the name that was escaped
	level   int    // how often it was escaped
	Len     int    // of the part of the text to replace, in bytes
	Plain   string // the text in its place
}

// MatchEscape matches, at the beginning of s, an escape that [Escaper] wrote for one of names:
// `&`, any number of `amp;`, and `lt;` before a protected name, the entity of a bracket before one,
// or that of the first letter of a turn marker. Len and Plain take off one level of escaping. parameter is as in
// [Unescape]; eof says that no more text follows: the verdict is then never NeedMore.
func MatchEscape[S text](s S, names TagSet, parameter string, eof bool) EscapeMatch {
	more := EscapeMatch{Verdict: NeedMore}
	if eof {
		more.Verdict = NoMatch
	}
	i, level := 1, 1
	for HasPrefix(s[i:], "amp;") {
		i, level = i+4, level+1
	}
	rest := s[i:]
	plain, tag, v := "", TagSet(0), NoMatch
	switch {
	case HasPrefix(rest, "lt;"):
		plain, i = "<", i+3
		tag, v = matchName(s[i:], names, parameter, eof)
	case names&TagTurn != 0 && isTurnEntity(rest, "#72;", "uman:"):
		plain, i, tag, v = "H", i+4, TagTurn, Match
	case names&TagTurn != 0 && isTurnEntity(rest, "#104;", "uman:"):
		plain, i, tag, v = "h", i+5, TagTurn, Match
	case names&TagTurn != 0 && isTurnEntity(rest, "#65;", "ssistant:"):
		plain, i, tag, v = "A", i+4, TagTurn, Match
	case names&TagTurn != 0 && isTurnEntity(rest, "#97;", "ssistant:"):
		plain, i, tag, v = "a", i+4, TagTurn, Match
	case names&inBrackets != 0 && HasPrefix(rest, bracketEntity[1:]):
		plain, i = "[", i+len(bracketEntity)-1
		tag, _, v = matchInBrackets(s[i:], names, eof)
	case !eof && mayBecomeEscape(rest, names):
		return more
	}
	if v == NeedMore {
		return more
	}
	if v == NoMatch {
		return EscapeMatch{}
	}
	if level > 1 {
		return EscapeMatch{Verdict: Match, tag: tag, level: level, Len: 5, Plain: "&"}
	}
	return EscapeMatch{Verdict: Match, tag: tag, level: level, Len: i, Plain: plain}
}

// MayBeEscape reports whether an `&` before the byte c may begin an escape.
func MayBeEscape(c byte) bool { return c == 'a' || c == 'l' || c == '#' }

// mayBecomeEscape reports whether rest, which stands behind an `&`, is the beginning of an
// escape.
func mayBecomeEscape[S text](rest S, names TagSet) bool {
	if IsPrefixOf(rest, "amp;") || IsPrefixOf(rest, "lt;") || names&inBrackets != 0 && IsPrefixOf(rest, bracketEntity[1:]) {
		return true
	}
	return names&TagTurn != 0 && (isPrefixFoldOf(rest, "#72;uman:") || isPrefixFoldOf(rest, "#104;uman:") ||
		isPrefixFoldOf(rest, "#65;ssistant:") || isPrefixFoldOf(rest, "#97;ssistant:"))
}

// isTurnEntity reports whether s is the entity of a letter and the rest of a turn marker.
func isTurnEntity[S text](s S, entity, rest string) bool {
	return HasPrefix(s, entity) && hasPrefixFold(s[len(entity):], rest)
}

// bracketEntity is the entity of the bracket before a name.
const bracketEntity = "&#91;"

// turnEntity returns the entity of the first letter of a turn marker.
func turnEntity(letter byte) string {
	switch letter {
	case 'H':
		return "&#72;"
	case 'h':
		return "&#104;"
	case 'A':
		return "&#65;"
	default:
		return "&#97;"
	}
}
