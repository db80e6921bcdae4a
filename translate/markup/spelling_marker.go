package markup

// This file matches a marker before the names of tags, as models write it: <｜DSML｜invoke>, <||DSML|| invoke>,
// < ｜DSML｜ invoke>.
// And it matches the signs in names: <｜tool▁sep｜>, <|tool_sep|>.

// maxBars bounds the bars on one side of a marker with the blanks among them, in bytes.
const maxBars = 16

// matchMarker matches what stands between the `<` of a tag and its name, where s goes on behind the `<`, and
// returns the index after it. closing says that there is a slash in it, before the marker or behind it.
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

// skipBars returns the index after the bars at s[i], of which there has to be one, and the spaces among
// them. More of them may follow at the end of s: more is the verdict there.
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

// matchSigns matches text at the beginning of s. With signs, those in it may be others: see [Spelling.Signs].
// n is its length there; more is the verdict if s may go on to it.
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

// blankSigns are the signs that stand for a blank in names.
var blankSigns = [...]string{"▁", "_", " "}

// skipSign returns the index after the one of signs that stands at s[i]. more is the verdict if one may.
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
