package markup

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

// mayBegin tells whether text after `&amp;…` may yet become an escape.
func mayBecomeEscape[S text](rest S, names TagSet) bool {
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
