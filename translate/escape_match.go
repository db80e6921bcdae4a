package translate

import "strings"

// verdict is what a matcher says of text that may go on.
type verdict uint8

const (
	matchNo   verdict = iota
	matchMore         // undecided: more text is needed
	matchYes
)

// verdictOf is the verdict on what is decided.
func verdictOf(yes bool) verdict {
	if yes {
		return matchYes
	}
	return matchNo
}

// escapeMatch is what matchEscape found: plain stands for the first n bytes,
// one level down.
type escapeMatch struct {
	verdict verdict
	tag     tagSet
	level   int
	n       int
	plain   string
}

// matchEscape matches `&` `amp;`* and then `lt;` before a protected name or a
// turn marker with an entity. It reports how to take one level off: of the
// entities only the first `amp;` or the last entity changes. At the end of the
// text (eof) there is no matchMore.
func matchEscape[S text](s S, names tagSet, own string, eof bool) escapeMatch {
	more := escapeMatch{verdict: matchMore}
	if eof {
		more.verdict = matchNo
	}
	i, level := 1, 1
	for hasPrefix(s[i:], "amp;") {
		i, level = i+4, level+1
	}
	rest := s[i:]
	plain, tag, v := "", tagSet(0), matchNo
	switch {
	case hasPrefix(rest, "lt;"):
		plain, i = "<", i+3
		tag, v = matchName(s[i:], names, own, eof)
	case names&tagTurn != 0 && isTurnEntity(rest, "#72;", "uman:"):
		plain, i, tag, v = "H", i+4, tagTurn, matchYes
	case names&tagTurn != 0 && isTurnEntity(rest, "#104;", "uman:"):
		plain, i, tag, v = "h", i+5, tagTurn, matchYes
	case names&tagTurn != 0 && isTurnEntity(rest, "#65;", "ssistant:"):
		plain, i, tag, v = "A", i+4, tagTurn, matchYes
	case names&tagTurn != 0 && isTurnEntity(rest, "#97;", "ssistant:"):
		plain, i, tag, v = "a", i+4, tagTurn, matchYes
	case !eof && mayBegin(rest, names):
		return more
	}
	if v == matchMore {
		return more
	}
	if v == matchNo {
		return escapeMatch{}
	}
	if level > 1 {
		return escapeMatch{verdict: matchYes, tag: tag, level: level, n: 5, plain: "&"}
	}
	return escapeMatch{verdict: matchYes, tag: tag, level: level, n: i, plain: plain}
}

// mayBegin tells whether text after `&amp;…` may yet become an escape.
func mayBegin[S text](rest S, names tagSet) bool {
	if isPrefixOf(rest, "amp;") || isPrefixOf(rest, "lt;") {
		return true
	}
	return names&tagTurn != 0 && (isPrefixFoldOf(rest, "#72;uman:") || isPrefixFoldOf(rest, "#104;uman:") ||
		isPrefixFoldOf(rest, "#65;ssistant:") || isPrefixFoldOf(rest, "#97;ssistant:"))
}

func isTurnEntity[S text](s S, entity, rest string) bool {
	return hasPrefix(s, entity) && hasPrefixFold(s[len(entity):], rest)
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
	maxTagBlanks = 8
	maxNamespace = 32
)

// matchName matches what follows a `<`: blanks, a slash, blanks, a namespace,
// and one of the names with nothing after it that would make it another name.
func matchName[S text](s S, names tagSet, own string, eof bool) (tagSet, verdict) {
	i := skipBlanks(s, 0, maxTagBlanks)
	if i < len(s) && s[i] == '/' {
		i = skipBlanks(s, i+1, maxTagBlanks)
	}
	best := matchNo
	for range 2 {
		tag, v := matchBareName(s[i:], names, own, eof)
		if v == matchYes {
			return tag, v
		}
		best = max(best, v)
		ns := i
		for ns < len(s) && ns-i < maxNamespace && (isNameByte(s[ns]) || s[ns] == '%') && s[ns] != ':' {
			ns++
		}
		if ns == len(s) && !eof {
			return 0, matchMore
		}
		if ns == i || ns == len(s) || s[ns] != ':' {
			break
		}
		i = ns + 1
	}
	return 0, best
}

func matchBareName[S text](s S, names tagSet, own string, eof bool) (tagSet, verdict) {
	if len(s) == 0 {
		if eof {
			return 0, matchNo
		}
		return 0, matchMore
	}
	best := matchNo
	for i := range tagNames {
		if t := &tagNames[i]; names&t.tag != 0 && t.name[0] == s[0]|0x20 {
			v := matchWhole(s, t.name, eof)
			if v == matchYes {
				return t.tag, v
			}
			best = max(best, v)
		}
	}
	if names&tagCDATA != 0 && s[0] == '!' {
		if hasPrefix(s, "![CDATA[") {
			return tagCDATA, matchYes
		}
		if !eof && isPrefixOf(s, "![CDATA[") {
			best = matchMore
		}
	}
	if names&tagOwn != 0 && own != "" {
		v := matchWhole(s, own, eof)
		if v == matchYes {
			return tagOwn, v
		}
		best = max(best, v)
	}
	return 0, best
}

// matchWhole matches name, in any case, followed by the end or a byte that no name holds.
func matchWhole[S text](s S, name string, eof bool) verdict {
	switch {
	case len(s) < len(name):
		if !eof && isPrefixFoldOf(s, name) {
			return matchMore
		}
		return matchNo
	case !hasPrefixFold(s, name):
		return matchNo
	case len(s) == len(name):
		if eof {
			return matchYes
		}
		return matchMore
	case isNameByte(s[len(name)]), s[len(name)] == '%': // paramTag escapes with %
		return matchNo
	}
	return matchYes
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
