package markup

// This file finds a protected name after a `<`.

// The most bytes between `<` and a protected name. They limit how much text a matcher needs for a
// verdict.
const (
	MaxTagBlanks = 8
	maxNamespace = 32
)

// matchName matches the text after a `<`: white space, a slash, white space, a namespace, and then
// one of names. It returns the tag of the name. parameter is the tag of the parameter that has this
// value, for [TagOwnParameter].
func matchName[S text](s S, names TagSet, parameter string, eof bool) (TagSet, Verdict) {
	i := SkipBlanks(s, 0, MaxTagBlanks)
	if i < len(s) && s[i] == '/' {
		i = SkipBlanks(s, i+1, MaxTagBlanks)
	}
	best := NoMatch
	for range 2 { // without a namespace, then after one
		tag, v := matchBareName(s[i:], names, parameter, eof)
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

// matchBareName does what [matchName] does, at the start of the name itself.
func matchBareName[S text](s S, names TagSet, parameter string, eof bool) (TagSet, Verdict) {
	if len(s) == 0 {
		if eof {
			return 0, NoMatch
		}
		return 0, NeedMore
	}
	best := NoMatch
	if begun := names & namesFrom[s[0]|0x20]; begun != 0 {
		for i := range tagNames {
			if t := &tagNames[i]; begun&t.tag != 0 {
				v := matchWholeName(s, t.name, eof)
				if v == Match {
					return t.tag, v
				}
				best = max(best, v)
			}
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
	if names&TagMarker != 0 {
		for _, bar := range bars {
			switch {
			case HasPrefix(s, bar):
				return TagMarker, Match
			case !eof && IsPrefixOf(s, bar):
				best = NeedMore
			}
		}
	}
	if names&TagOwnParameter != 0 && parameter != "" {
		v := matchWholeName(s, parameter, eof)
		if v == Match {
			return TagOwnParameter, v
		}
		best = max(best, v)
	}
	return 0, best
}

// matchBracketed matches the text after a `[`: a slash, then a name in brackets and its `]`.
func matchBracketed[S text](s S, eof bool) (v Verdict) {
	if len(s) > 0 && s[0] == '/' {
		s = s[1:]
	}
	for _, name := range bracketed {
		switch {
		case len(s) <= len(name):
			if !eof && isPrefixFoldOf(s, name+"]") {
				v = NeedMore
			}
		case s[len(name)] == ']' && hasPrefixFold(s, name):
			return Match
		}
	}
	return v
}

// matchWholeName matches name, in any ASCII case, if it is followed by a byte that names cannot
// have, or by the end of the text.
func matchWholeName[S text](s S, name string, eof bool) Verdict {
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
	case IsNameByte(s[len(name)]), s[len(name)] == '%': // ParamTag writes %XX in names
		return NoMatch
	}
	return Match
}
