package markup

// This file matches a marker before the names of tags, as models write it: <｜DSML｜invoke>, <||DSML|| invoke>,
// < ｜DSML｜ invoke>.
// And it matches the signs in names: <｜tool▁sep｜>, <|tool_sep|>.

// maxBars bounds the bars on one side of a marker with the blanks among them, in bytes.
const maxBars = 16

// matchMarker matches what stands before the name of a tag that s begins with, and returns the index after
// it. closing says that there is a slash in it, before the marker or behind it.
func (g *Spelling) matchMarker(s []byte, eof bool) (n int, closing bool, v Verdict) {
	more := NeedMore
	if eof {
		more = NoMatch
	}
	i := 1
	if closing = len(s) > 1 && s[1] == '/'; closing {
		i++
	}
	if s[0] != '<' {
		return 0, false, NoMatch
	}
	if i, v = skipBars(s, i, more); v != Match {
		return 0, false, v
	}
	switch {
	case IsPrefixOf(s[i:], g.Marker):
		return 0, false, more
	case !HasPrefix(s[i:], g.Marker):
		return 0, false, NoMatch
	}
	if i, v = skipBars(s, i+len(g.Marker), more); v != Match {
		return 0, false, v
	}
	if !closing && s[i] == '/' {
		return i + 1, true, Match
	}
	return i, closing, Match
}

// skipBars returns the index after the bars at s[i], of which there has to be one, and the spaces among
// them. More of them may follow at the end of s: more is the verdict there.
func skipBars(s []byte, i int, more Verdict) (after int, v Verdict) {
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

// matchPrefix matches text at the beginning of s, in which its signs may be others: see [Spelling.Signs].
// n is its length there; more is the verdict if s may go on to it.
func (g *Spelling) matchPrefix(s []byte, text string, more Verdict) (n int, v Verdict) {
	if !g.Signs {
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
func skipSign(s []byte, i int, signs []string, more Verdict) (after int, v Verdict) {
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
