package schema

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// This file judges values that a model wrote as JSON by the rules of [AppendTyped], which types text.

// Misfits reports whether a member of input, an object, has a value of a type that its property does not allow. Like
// [AppendTyped], it does not look inside lists and objects.
func (s *Schema) Misfits(input jsontext.Value) bool {
	for name, value := range rawjson.NamedMembers(input) {
		tag := markup.ParamTag(name)
		_, property, declared := s.PropertyByTag(tag)
		if (declared || property != stringSchema) && !property.fits(value) {
			return true
		}
		s = s.Given(tag, value)
	}
	return false
}

// fits reports whether value has a type that s allows, or is in its enum.
func (s *Schema) fits(value jsontext.Value) bool {
	isString := value.Kind() == '"'
	if s.accepts()&acceptsAny != 0 || isString && s.AcceptsString() {
		return true
	}
	text := string(value)
	if isString {
		text = rawjson.Unquote(value)
	}
	r, t := newTypedText(text, 0), conversion{budget: minBudget + budgetPerByte*len(text)}
	if len(s.enum) > 0 {
		if out, ok := appendEnum(nil, s, &r, false); ok && (out[0] == '"') == isString {
			return true
		}
	}
	out, ok := t.appendFitting(nil, s, &r, true)
	return ok && (out[0] == '"') == isString
}
