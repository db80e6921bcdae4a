package rawjson

import "strings"

// This file recognizes numbers in text that is not known to be JSON.

// IsNumber reports whether text is a JSON number and nothing else (RFC 8259 §6).
func IsNumber(text string) bool { return text != "" && numberLen(text) == len(text) }

// numberLen returns the length of the longest JSON number that text begins with, 0 if there is none.
func numberLen[S ~string | ~[]byte](text S) int {
	n := 0
	if len(text) > 0 && text[0] == '-' {
		n = 1
	}
	whole := countDigits(text[n:])
	if whole == 0 {
		return 0
	}
	if text[n] == '0' {
		whole = 1
	}
	n += whole
	if n < len(text) && text[n] == '.' {
		fraction := countDigits(text[n+1:])
		if fraction == 0 {
			return n
		}
		n += 1 + fraction
	}
	if n < len(text) && text[n]|0x20 == 'e' {
		sign := n + 1
		if sign < len(text) && (text[sign] == '+' || text[sign] == '-') {
			sign++
		}
		if exponent := countDigits(text[sign:]); exponent > 0 {
			n = sign + exponent
		}
	}
	return n
}

// countDigits returns how many digits text begins with.
func countDigits[S ~string | ~[]byte](text S) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

// IsInteger reports whether text is a JSON number without an exponent, whose fraction, if
// it has one, is all zeros: 3 and 3.0, but not 3e0.
func IsInteger(text string) bool {
	if !IsNumber(text) || strings.ContainsAny(text, "eE") {
		return false
	}
	_, fraction, _ := strings.Cut(text, ".")
	return strings.Trim(fraction, "0") == ""
}
