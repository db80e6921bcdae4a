package rawjson

import "strings"

// isNumber tells whether text is a JSON number (RFC 8259, section 6).
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

// digits counts the digits that text begins with.
func countDigits(text string) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}

// isInteger tells whether text is a JSON number without a fraction other than zeros.
func IsInteger(text string) bool {
	if !IsNumber(text) || strings.ContainsAny(text, "eE") {
		return false
	}
	_, fraction, _ := strings.Cut(text, ".")
	return strings.Trim(fraction, "0") == ""
}
