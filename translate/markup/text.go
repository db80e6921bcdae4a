package markup

// This file compares text, at rest or in a buffer, and classifies bytes.

// text is a string or a buffer.
type text interface{ ~string | ~[]byte }

// HasPrefix reports whether s begins with prefix.
func HasPrefix[S text](s S, prefix string) bool {
	return len(s) >= len(prefix) && string(s[:len(prefix)]) == prefix
}

// IsPrefixOf reports whether s is the beginning of whole and shorter than it: more text could
// complete it.
func IsPrefixOf[S text](s S, whole string) bool {
	return len(s) < len(whole) && string(s) == whole[:len(s)]
}

// hasPrefixFold is [HasPrefix] in any case of ASCII letters.
func hasPrefixFold[S text](s S, prefix string) bool {
	return len(s) >= len(prefix) && equalFold(s[:len(prefix)], prefix)
}

// isPrefixFoldOf is [IsPrefixOf] in any case of ASCII letters.
func isPrefixFoldOf[S text](s S, whole string) bool {
	return len(s) < len(whole) && equalFold(s, whole[:len(s)])
}

// equalFold reports whether a and b, which have one length, are equal in any case of ASCII
// letters.
func equalFold[S text](a S, b string) bool {
	for i := range len(b) {
		if x, y := a[i], b[i]; x != y && lower(x) != lower(y) {
			return false
		}
	}
	return true
}

// lower returns the lower case of an ASCII letter, and any other byte as it is.
func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// IsBlank reports whether c is white space that may stand between tags.
func IsBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// SkipBlanks returns the index of the first byte from i on that is no white space, but goes
// no further than limit bytes.
func SkipBlanks[S text](s S, i, limit int) int {
	for end := min(len(s), i+limit); i < end && IsBlank(s[i]); {
		i++
	}
	return i
}

// IsNameByte reports whether c may stand in a name. Bytes beyond ASCII may: names of
// properties are in any script.
func IsNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '_' || c == '-' || c == '.' || c == ':' || c >= 0x80
}

// allNameBytes reports whether every byte of s may stand in a name.
func allNameBytes(s []byte) bool {
	for _, c := range s {
		if !IsNameByte(c) {
			return false
		}
	}
	return true
}
