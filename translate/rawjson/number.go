package rawjson

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// This file recognizes numbers in text that may not be JSON.

// IsNumber reports whether text is exactly a JSON number (RFC 8259 §6).
func IsNumber(text string) bool {
	if text == "" {
		return false
	}
	v, last := jsontext.Value(text), text[len(text)-1] // then the text has no white space around it
	return (text[0] == '-' || isDigit(text[0])) && isDigit(last) && v.IsValid()
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsInteger reports whether text is a JSON number without an exponent and without a fraction,
// except zeros: 3 and 3.0, but not 3e0.
func IsInteger(text string) bool {
	if !IsNumber(text) || strings.ContainsAny(text, "eE") {
		return false
	}
	_, fraction, _ := strings.Cut(text, ".")
	return strings.Trim(fraction, "0") == ""
}
