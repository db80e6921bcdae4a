package schema

import (
	"dragoman/translate/markup"
)

// A value that the model writes is text. The schema of its parameter decides
// what JSON value it is; nothing is guessed and nothing is evaluated:
//
//	string     the text as it is: 007 stays "007"
//	integer    digits of any number, kept as they are; 3.0 too. "5" in quotes is 5
//	number     any JSON number, digits kept
//	boolean    true, false in any case
//	null       null
//	array      JSON, or elements of one name, each typed by items
//	object     JSON, or elements named like properties, each typed by its schema
//	enum       the member that the text spells, with or without quotes
//	anyOf      the first that fits; JSON where one allows anything and none speaks of strings; strings last
//	none       JSON if the text is JSON, else a string
//
// JSON may itself stand in a JSON string. What fits nothing is kept as a string,
// and is not clean (OutcomeTypeFallback).

// appendTyped appends the JSON value that text stands for under s, on one line.
// It reports whether the text fitted.
func AppendTyped(dst []byte, s *Schema, text string) ([]byte, bool) {
	t := conversion{budget: minBudget + budgetPerByte*len(text)}
	return t.appendValue(dst, s, text, 0)
}

// appendItems appends elements of one name as an array that s describes. It
// reports whether each fitted.
func AppendTypedItems(dst []byte, s *Schema, list []markup.Element) ([]byte, bool) {
	t := conversion{budget: minBudget}
	for _, e := range list {
		t.budget += budgetPerByte * len(e.Text)
	}
	return t.appendItems(dst, s, list, 0)
}
