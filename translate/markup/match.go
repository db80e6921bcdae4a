package markup

import "strings"

// verdict is what a matcher says of text that may go on.
type Verdict uint8

const (
	NoMatch  Verdict = iota
	NeedMore         // undecided: more text is needed
	Match
)

// verdictOf is the verdict on what is decided.
func VerdictOf(yes bool) Verdict {
	if yes {
		return Match
	}
	return NoMatch
}

// escapeMatch is what matchEscape found: plain stands for the first n bytes,
// one level down.
type EscapeMatch struct {
	Verdict Verdict
	tag     TagSet
	level   int
	Len     int
	Plain   string
}

// matchEscape matches `&` `amp;`* and then `lt;` before a protected name or a
// turn marker with an entity. It reports how to take one level off: of the
// entities only the first `amp;` or the last entity changes. At the end of the
// text (eof) there is no matchMore.
func MatchEscape[S text](s S, names TagSet, own string, eof bool) EscapeMatch {
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
		tag, v = matchName(s[i:], names, own, eof)
	case names&TagTurn != 0 && isTurnEntity(rest, "#72;", "uman:"):
		plain, i, tag, v = "H", i+4, TagTurn, Match
	case names&TagTurn != 0 && isTurnEntity(rest, "#104;", "uman:"):
		plain, i, tag, v = "h", i+5, TagTurn, Match
	case names&TagTurn != 0 && isTurnEntity(rest, "#65;", "ssistant:"):
		plain, i, tag, v = "A", i+4, TagTurn, Match
	case names&TagTurn != 0 && isTurnEntity(rest, "#97;", "ssistant:"):
		plain, i, tag, v = "a", i+4, TagTurn, Match
	case !eof && mayBegin(rest, names):
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

// mayBegin tells whether text after `&amp;…` may yet become an escape.
func mayBegin[S text](rest S, names TagSet) bool {
	if IsPrefixOf(rest, "amp;") || IsPrefixOf(rest, "lt;") {
		return true
	}
	return names&TagTurn != 0 && (isPrefixFoldOf(rest, "#72;uman:") || isPrefixFoldOf(rest, "#104;uman:") ||
		isPrefixFoldOf(rest, "#65;ssistant:") || isPrefixFoldOf(rest, "#97;ssistant:"))
}

func isTurnEntity[S text](s S, entity, rest string) bool {
	return HasPrefix(s, entity) && hasPrefixFold(s[len(entity):], rest)
}

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

// Bounds on what may stand between `<` and the name: they bound the look-ahead.
const (
	MaxTagBlanks = 8
	maxNamespace = 32
)

// matchName matches what follows a `<`: blanks, a slash, blanks, a namespace,
// and one of the names with nothing after it that would make it another name.
func matchName[S text](s S, names TagSet, own string, eof bool) (TagSet, Verdict) {
	i := SkipBlanks(s, 0, MaxTagBlanks)
	if i < len(s) && s[i] == '/' {
		i = SkipBlanks(s, i+1, MaxTagBlanks)
	}
	best := NoMatch
	for range 2 {
		tag, v := matchBareName(s[i:], names, own, eof)
		if v == Match {
			return tag, v
		}
		best = max(best, v)
		ns := i
		for ns < len(s) && ns-i < maxNamespace && (IsNameByte(s[ns]) || s[ns] == '%') && s[ns] != ':' {
			ns++
		}
		if ns == len(s) && !eof {
			return 0, NeedMore
		}
		if ns == i || ns == len(s) || s[ns] != ':' {
			break
		}
		i = ns + 1
	}
	return 0, best
}

func matchBareName[S text](s S, names TagSet, own string, eof bool) (TagSet, Verdict) {
	if len(s) == 0 {
		if eof {
			return 0, NoMatch
		}
		return 0, NeedMore
	}
	best := NoMatch
	for i := range tagNames {
		if t := &tagNames[i]; names&t.tag != 0 && t.name[0] == s[0]|0x20 {
			v := matchWhole(s, t.name, eof)
			if v == Match {
				return t.tag, v
			}
			best = max(best, v)
		}
	}
	if names&TagCDATA != 0 && s[0] == '!' {
		if HasPrefix(s, "![CDATA[") {
			return TagCDATA, Match
		}
		if !eof && IsPrefixOf(s, "![CDATA[") {
			best = NeedMore
		}
	}
	if names&TagOwnParameter != 0 && own != "" {
		v := matchWhole(s, own, eof)
		if v == Match {
			return TagOwnParameter, v
		}
		best = max(best, v)
	}
	return 0, best
}

// matchWhole matches name, in any case, followed by the end or a byte that no name holds.
func matchWhole[S text](s S, name string, eof bool) Verdict {
	switch {
	case len(s) < len(name):
		if !eof && isPrefixFoldOf(s, name) {
			return NeedMore
		}
		return NoMatch
	case !hasPrefixFold(s, name):
		return NoMatch
	case len(s) == len(name):
		if eof {
			return Match
		}
		return NeedMore
	case IsNameByte(s[len(name)]), s[len(name)] == '%': // paramTag escapes with %
		return NoMatch
	}
	return Match
}

// atLineStart tells whether only blanks stand between the start of the line and s[i].
func atLineStart(s string, i int) bool {
	line := strings.TrimRight(s[:i], " \t\u00a0\u200b\ufeff")
	if line == "" {
		return true
	}
	for _, br := range []string{"\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029"} {
		if strings.HasSuffix(line, br) {
			return true
		}
	}
	return false
}
