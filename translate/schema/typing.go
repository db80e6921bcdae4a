package schema

import (
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// This file turns the text of a value into JSON. The schema of the parameter decides what JSON
// value the text is; nothing is guessed, nothing is evaluated:
//
//	string     the text as it is: 007 stays "007"
//	integer    a number without a fraction, of any length, digits kept; 3.0 too. "5" in quotes is 5
//	number     any JSON number, digits kept
//	boolean    true or false, in any case
//	null       null
//	array      JSON, or elements of one name, each typed by items
//	object     JSON, or elements named like properties, each typed by its schema
//	enum       the member that the text spells, with or without quotes
//	anyOf      the first alternative that fits; string comes last, and an alternative that
//	           allows anything takes JSON after the others, if none names string
//	branches   of the tool's schema: as the one says that fits what came before (union.go)
//	pattern    of patternProperties: as the one says that fits the name (patterns.go)
//	(nothing)  JSON if the text is JSON, else a string
//
// JSON may itself stand in a JSON string. Text that fits nothing is kept as a string; the call
// then counts as a type fallback, not as clean.

// AppendTyped appends to dst, on one line, the JSON value that text stands for under s. It
// reports whether the text fits; text that does not is appended as a string.
func AppendTyped(dst []byte, s *Schema, text string) ([]byte, bool) {
	t := conversion{budget: minBudget + budgetPerByte*len(text)}
	return t.appendValue(dst, s, text, 0)
}

// AppendTypedLiteral is [AppendTyped] for text in which Python may stand for JSON: True, ['a'].
func AppendTypedLiteral(dst []byte, s *Schema, text string) ([]byte, bool) {
	out, fits := AppendTyped(dst, s, text)
	if fits {
		return out, true
	}
	literal, ok := rawjson.AppendPython(nil, strings.Trim(text, " \t\r\n"))
	if !ok {
		return out, false
	}
	both, fits := AppendTyped(out, s, string(literal))
	if !fits {
		return out, false
	}
	return append(dst, both[len(out):]...), true
}

// AppendTypedItems appends to dst the elements of list as an array that s describes, and reports
// whether each fits. It appends nothing if one does not, or if not all have one tag.
func AppendTypedItems(dst []byte, s *Schema, list []markup.Element) ([]byte, bool) {
	t := conversion{budget: minBudget}
	for _, e := range list {
		t.budget += budgetPerByte * len(e.Text)
	}
	return t.appendItems(dst, s, list, 0)
}
