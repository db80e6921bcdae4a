package markup

import "slices"

// This file matches a marker before the names of tags, as models write it: <｜DSML｜invoke>, <||DSML|| invoke>.

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
	switch {
	case s[0] != '<':
		return 0, false, NoMatch
	case i < len(s) && IsBlank(s[i]): // as in a < b
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
		k := slices.IndexFunc(bars[:], func(bar string) bool { return HasPrefix(s[i:], bar) })
		switch {
		case k >= 0:
			i, v = i+len(bars[k]), Match
		case slices.ContainsFunc(bars[:], func(bar string) bool { return IsPrefixOf(s[i:], bar) }):
			return 0, more
		default:
			return i, v
		}
	}
	return 0, NoMatch
}
