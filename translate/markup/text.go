package markup

// text is text at rest or in a buffer.
type text interface{ ~string | ~[]byte }

// hasPrefix tells whether s begins with prefix.
func HasPrefix[S text](s S, prefix string) bool {
	return len(s) >= len(prefix) && string(s[:len(prefix)]) == prefix
}

// isPrefixOf tells whether s is a proper beginning of whole.
func IsPrefixOf[S text](s S, whole string) bool {
	return len(s) < len(whole) && string(s) == whole[:len(s)]
}

// hasPrefixFold is hasPrefix in any case of ASCII letters.
func hasPrefixFold[S text](s S, prefix string) bool {
	return len(s) >= len(prefix) && equalFold(s[:len(prefix)], prefix)
}

// isPrefixFoldOf is isPrefixOf in any case of ASCII letters.
func isPrefixFoldOf[S text](s S, whole string) bool {
	return len(s) < len(whole) && equalFold(s, whole[:len(s)])
}

// equalFold compares two texts of one length in any case of ASCII letters.
func equalFold[S text](a S, b string) bool {
	for i := range len(b) {
		if x, y := a[i], b[i]; x != y && lower(x) != lower(y) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// isBlank tells whether c is white space between elements.
func IsBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// skipBlanks returns where the white space from s[i] on ends, at most limit bytes later.
func SkipBlanks[S text](s S, i, limit int) int {
	for end := min(len(s), i+limit); i < end && IsBlank(s[i]); {
		i++
	}
	return i
}

// isNameByte tells whether c may stand in a name. Bytes beyond ASCII may: names
// of properties are in any script.
func IsNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '_' || c == '-' || c == '.' || c == ':' || c >= 0x80
}

func allNameBytes(s []byte) bool {
	for _, c := range s {
		if !IsNameByte(c) {
			return false
		}
	}
	return true
}
