package markup

// This file compares text, as a string or in a buffer, and classifies bytes.

// text is a string or a buffer.
type text interface{ ~string | ~[]byte }

// HasPrefix reports whether s begins with prefix.
func HasPrefix[S text](s S, prefix string) bool {
	return len(s) >= len(prefix) && string(s[:len(prefix)]) == prefix
}

// IsPrefixOf reports whether s is a proper prefix of whole, so that more text could complete it.
func IsPrefixOf[S text](s S, whole string) bool {
	return len(s) < len(whole) && string(s) == whole[:len(s)]
}

// hasPrefixFold does what [HasPrefix] does, in any ASCII case.
func hasPrefixFold[S text](s S, prefix string) bool {
	return len(s) >= len(prefix) && equalFold(s[:len(prefix)], prefix)
}

// isPrefixFoldOf does what [IsPrefixOf] does, in any ASCII case.
func isPrefixFoldOf[S text](s S, whole string) bool {
	return len(s) < len(whole) && equalFold(s, whole[:len(s)])
}

// equalFold reports whether a and b, which have the same length, are equal in any ASCII case.
func equalFold[S text](a S, b string) bool {
	for i := range len(b) {
		if x, y := a[i], b[i]; x != y && lower(x) != lower(y) {
			return false
		}
	}
	return true
}

// lower returns an ASCII letter in lower case, and any other byte unchanged.
func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// IsBlank reports whether c is white space that may come between tags.
func IsBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// SkipBlanks returns the index of the first byte from i on that is not white space. It skips at
// most limit bytes.
func SkipBlanks[S text](s S, i, limit int) int {
	for end := min(len(s), i+limit); i < end && IsBlank(s[i]); {
		i++
	}
	return i
}

// IsNameByte reports whether a name may have c. Non-ASCII bytes are allowed, because property names
// may be in any script.
func IsNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '_' || c == '-' || c == '.' || c == ':' || c >= 0x80
}

// allNameBytes reports whether s has only bytes that a name may have.
func allNameBytes(s []byte) bool {
	for _, c := range s {
		if !IsNameByte(c) {
			return false
		}
	}
	return true
}
