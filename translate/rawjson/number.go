package rawjson

import "strings"

// This file recognizes numbers in text that is not known to be JSON.

// IsNumber reports whether text is a JSON number and nothing else (RFC 8259 §6).
func IsNumber(text string) bool {
	text = strings.TrimPrefix(text, "-")
	whole := countDigits(text)
	if whole == 0 || whole > 1 && text[0] == '0' {
		return false
	}
	text = text[whole:]
	if fraction, ok := strings.CutPrefix(text, "."); ok {
		n := countDigits(fraction)
		if n == 0 {
			return false
		}
		text = fraction[n:]
	}
	if text != "" && text[0]|0x20 == 'e' {
		exponent := text[1:]
		if exponent != "" && (exponent[0] == '+' || exponent[0] == '-') {
			exponent = exponent[1:]
		}
		n := countDigits(exponent)
		return n > 0 && n == len(exponent)
	}
	return text == ""
}

// countDigits returns how many digits text begins with.
func countDigits(text string) int {
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
