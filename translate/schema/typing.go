package schema

import (
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// This file turns the text of a value into JSON. The schema of the parameter decides the type.
// Nothing is guessed, and nothing is evaluated:
//
//	string     the text itself: 007 stays "007"
//	integer    a number without a fraction, of any length, digits kept; 3.0 too. "5" in quotes is 5
//	number     any JSON number, digits kept
//	boolean    true or false, in any case
//	null       null
//	array      JSON, or elements with one name, each typed by items; maybe in <array> (typing_named.go)
//	object     JSON, or elements named like properties, each typed by its schema; maybe in <object>
//	enum       the member that the text spells, with or without quotes
//	anyOf      the first alternative that fits; string comes last. If no alternative names
//	           string, an alternative that allows anything takes JSON after the others
//	branches   of the tool's schema: as the branch that fits the earlier values (union.go)
//	pattern    of patternProperties: as the pattern that matches the name (patterns.go)
//	(nothing)  JSON if the text is JSON, otherwise a string
//
// JSON may also be in a JSON string. Text that fits nothing is kept as a string; the call then
// counts as a type fallback, not as clean.

// AppendTyped appends the JSON value of text under s to dst, on one line. It returns false if the
// text does not fit; it then appends the text as a string.
func AppendTyped(dst []byte, s *Schema, text string) ([]byte, bool) {
	t := conversion{budget: minBudget + budgetPerByte*len(text)}
	return t.appendValue(dst, s, text, 0)
}

// AppendTypedLiteral does what [AppendTyped] does, and also reads Python in place of JSON: True,
// ['a'].
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

// AppendTypedItems appends the elements of list to dst as an array under s. It returns false, and
// appends nothing, if one does not fit or if the tags differ.
func AppendTypedItems(dst []byte, s *Schema, list []markup.Element) ([]byte, bool) {
	t := conversion{budget: minBudget}
	for _, e := range list {
		t.budget += budgetPerByte * len(e.Text)
	}
	return t.appendItems(dst, s, list, 0)
}
