package markup

// This file matches a marker before the names of tags, as models write it: <｜DSML｜invoke>,
// <||DSML|| invoke>, < ｜DSML｜ invoke>. It also matches the signs in names: <｜tool▁sep｜>,
// <|tool_sep|>.

// maxBars is the most bytes of bars, and blanks between them, on one side of a marker.
const maxBars = 16

// matchMarker matches the text between the `<` of a tag and its name. s begins after the `<`. It
// returns the index after the text. closing: the text has a slash, before or after the marker.
func matchMarker[S text](s S, marker string, eof bool) (n int, closing bool, v Verdict) {
	more := NeedMore
	if eof {
		more = NoMatch
	}
	i := 0
	if closing = len(s) > 0 && s[0] == '/'; closing {
		i++
	}
	if i, v = skipBars(s, i, more); v != Match {
		return 0, false, v
	}
	switch {
	case IsPrefixOf(s[i:], marker):
		return 0, false, more
	case !HasPrefix(s[i:], marker):
		return 0, false, NoMatch
	}
	if i, v = skipBars(s, i+len(marker), more); v != Match {
		return 0, false, v
	}
	if !closing && s[i] == '/' {
		return i + 1, true, Match
	}
	return i, closing, Match
}

// skipBars returns the index after one or more bars at s[i], with spaces between them. If more bars
// may follow at the end of s, the verdict is more.
func skipBars[S text](s S, i int, more Verdict) (after int, v Verdict) {
	for begun := i; i-begun < maxBars; {
		if i == len(s) {
			return 0, more
		}
		if s[i] == ' ' {
			i++
			continue
		}
		switch next, bar := skipSign(s, i, bars[:], NeedMore); bar {
		case Match:
			i, v = next, Match
		case NeedMore:
			return 0, more
		default:
			return i, v
		}
	}
	return 0, NoMatch
}

// matchPrefix is [matchSigns] for the signs of the spelling.
func (g *Spelling) matchPrefix(s []byte, text string, more Verdict) (n int, v Verdict) {
	return matchSigns(s, text, g.Signs, more)
}

// matchSigns matches text at the start of s. With signs, the signs in it may differ: see
// [Spelling.Signs]. n is the length of the match. more is the verdict if s may still become text.
func matchSigns[S text](s S, text string, signs bool, more Verdict) (n int, v Verdict) {
	if !signs {
		switch {
		case HasPrefix(s, text):
			return len(text), Match
		case IsPrefixOf(s, text):
			return 0, more
		}
		return 0, NoMatch
	}
	for len(text) > 0 {
		alike, sign := blankSigns[:], blankSigns[0]
		switch {
		case HasPrefix(text, "｜"):
			alike, sign = bars[:], "｜"
		case n == len(s):
			return 0, more
		case HasPrefix(text, sign):
		case s[n] != text[0]:
			return 0, NoMatch
		default:
			n, text = n+1, text[1:]
			continue
		}
		after, v := skipSign(s, n, alike, more)
		if v != Match {
			return 0, v
		}
		n, text = after, text[len(sign):]
	}
	return n, Match
}

// blankSigns are the signs that mean a blank in names.
var blankSigns = [...]string{"▁", "_", " "}

// skipSign returns the index after one of signs at s[i]. more is the verdict if s may still become
// one.
func skipSign[S text](s S, i int, signs []string, more Verdict) (after int, v Verdict) {
	for _, sign := range signs {
		switch {
		case HasPrefix(s[i:], sign):
			return i + len(sign), Match
		case IsPrefixOf(s[i:], sign):
			v = more
		}
	}
	return i, v
}
