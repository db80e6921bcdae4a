package markup

// This file matches the signs in the names of tags, as models write them: <|tool_sep|> for
// <｜tool▁sep｜>; <||DSML|| invoke> and < ｜DSML｜ invoke> for <｜DSML｜invoke>.

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
		switch {
		case HasPrefix(text, bar):
			if n, v = skipBars(s, n, more); v != Match {
				return 0, v
			}
			text = text[len(bar):]
		case n == len(s):
			return 0, more
		case HasPrefix(text, blankSigns[0]):
			if n, v = skipSign(s, n, blankSigns[:], more); v != Match {
				return 0, v
			}
			text = text[len(blankSigns[0]):]
		case s[n] != text[0]:
			return 0, NoMatch
		default:
			n, text = n+1, text[1:]
		}
	}
	return n, Match
}

// bar is the bar in declarations.
const bar = "｜"

// blankSigns are the signs that mean a blank in names. The first is the one in declarations.
var blankSigns = [...]string{"▁", "_", " "}

// maxBars is the most bytes of bars and spaces that stand for one bar.
const maxBars = 16

// skipBars returns the index after one or more bars at s[i], with spaces around them. If more bars
// may follow at the end of s, the verdict is more.
func skipBars[S text](s S, i int, more Verdict) (after int, v Verdict) {
	for begun := i; i-begun < maxBars; {
		switch {
		case i == len(s) && more == NeedMore:
			return i, more
		case i < len(s) && s[i] == ' ':
			i++
			continue
		}
		switch next, bar := skipSign(s, i, bars[:], NeedMore); {
		case bar == Match:
			i, v = next, Match
		case bar == NeedMore && i < len(s):
			return i, more
		default:
			return i, v
		}
	}
	return i, NoMatch
}

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
