package constrain

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// This file writes rules for values that fit a schema.

// style is how values are written: as JSON, or as in Python.
type style struct {
	colon, comma string
	words        map[string]string // true, false and null, as expressions
	write        func([]byte, jsontext.Value) []byte
	escape       string // the expression of an escape in a string
	// shown returns a text as the prompt shows it, in the element with this tag.
	shown func(text, element string) string
	// For values in an element: its tag, the text of strings in them, and the elements that the text may have.
	element string
	inTag   *text
	pairs   func() []string
}

// Characters in strings. A lone surrogate is not a character.
const (
	notInStrings = `\\\x00-\x1F`
	anyCharacter = `[^"` + notInStrings + `]`
	hexDigit     = `[0-9a-fA-F]`
	escapedCode  = `"u" ([0-9abcefABCEF] ` + hexDigit + `{3} | [dD] [0-7] ` + hexDigit + `{2}`
	codeEscape   = escapedCode + `)`
	jsonEscape   = `"\\" (["\\/bfnrt] | ` + escapedCode + ` | [dD] [89abAB] ` + hexDigit + `{2} "\\u" [dD] [c-fC-F] ` + hexDigit + `{2}))`
	// nameEscape escapes a character that a name cannot have unescaped. It has one spelling only.
	nameEscape   = `"\\" (["\\bfnrt] | "u00" ("0" [0-7bBeEfF] | "1" ` + hexDigit + `))`
	pythonEscape = `"\\" (["\\\x27bfnrt] | ` + codeEscape + `)`
)

// newStyle returns the style of JSON, with or without a space after colons and commas; or of
// Python, with its own words and escapes.
func newStyle(spaced, python, literals bool) *style {
	s := &style{colon: ":", comma: ",", escape: jsonEscape,
		words: map[string]string{"true": `"true"`, "false": `"false"`, "null": `"null"`}}
	s.write = func(dst []byte, value jsontext.Value) []byte { return append(dst, value...) }
	if spaced || literals {
		s.colon, s.comma, s.write = ": ", ", ", rawjson.AppendSpaced
	}
	if python || literals {
		s.words = map[string]string{"true": `("True" | "true")`, "false": `("False" | "false")`, "null": `("None" | "null")`}
	}
	if literals {
		s.escape, s.write = pythonEscape, rawjson.AppendAsPython
	}
	return s
}

// values makes the rules for values in one style.
type values struct {
	*grammar
	*style
	names map[*schema.Schema]string // schema to the name of its rule
}

func newValues(g *grammar, s *style) *values {
	return &values{grammar: g, style: s, names: map[*schema.Schema]string{}}
}

// value returns the expression of the values that fit a schema; nil allows anything.
func (v *values) value(s *schema.Schema) string {
	if s == nil {
		return v.anything()
	}
	if name, ok := v.names[s]; ok {
		return name
	}
	if isPlain, _ := s.IsString(); isPlain && s.SaysType() && !s.IsEnum() && !s.Allows("null") {
		return v.str()
	}
	if s.IsScalar() && !s.IsEnum() {
		return either(v.typed(s)...)
	}
	name := v.declare()
	v.names[s] = name
	v.define(name, either(v.kinds(s)...))
	return name
}

// kinds returns the alternatives for values that fit a schema.
func (v *values) kinds(s *schema.Schema) (list []string) {
	for one := range s.Possible() {
		v.spend(1)
		switch enum := one.Enum(); {
		case len(enum) > 0:
			for _, e := range enum {
				list = append(list, v.written(e))
			}
		case !one.SaysType():
			list = append(list, v.anything())
		default:
			list = append(list, v.typed(one)...)
		}
	}
	return list
}

// typed returns the alternatives for the types that a schema names.
func (v *values) typed(s *schema.Schema) (list []string) {
	for _, t := range []struct {
		name string
		make func() string
	}{
		{"object", func() string { return v.object(s) }},
		{"array", func() string { return v.array(s.Items()) }},
		{"string", v.str},
		{"number", v.number},
		{"integer", v.integer},
		{"boolean", v.boolean},
		{"null", func() string { return v.words["null"] }},
	} {
		if s.Allows(t.name) && !(t.name == "integer" && s.Allows("number")) {
			list = append(list, t.make())
		}
	}
	return list
}

func (v *values) integer() string { return v.rule(`"-"? ("0" | [1-9] [0-9]{0,31})`) }

func (v *values) number() string {
	return v.rule(v.integer() + ` ("." [0-9]{1,31})? ([eE] [+\x2D]? [0-9]{1,3})?`)
}

func (v *values) boolean() string { return v.rule(v.words["true"] + " | " + v.words["false"]) }

func (v *values) str() string { return v.rule(`"\"" ` + v.inString()) }

// inString returns the rule of the rest of a string and its closing quote.
func (v *values) inString() string {
	if v.inTag == nil {
		return v.rule("(" + anyCharacter + " | " + v.escape + `)* "\""`)
	}
	return v.rule(v.inTag.any(v.pairs()) + ` "\""`)
}

// anything returns the expression of any value.
func (v *values) anything() string {
	if name, ok := v.names[nil]; ok {
		return name
	}
	name := v.declare()
	v.names[nil] = name
	object := v.rule(literal("{") + " (" + v.member(v.str(), name) + " (" + literal(v.comma) + " " + v.member(v.str(), name) + ")*)? " + literal("}"))
	v.define(name, either(object, v.array(nil), v.str(), v.number(), v.boolean(), v.words["null"]))
	return name
}

// array returns the expression of a list with such items; nil allows anything.
func (v *values) array(items *schema.Schema) string {
	item := v.value(items)
	return v.rule(literal("[") + " (" + item + " (" + literal(v.comma) + " " + item + ")*)? " + literal("]"))
}

// object returns the expression of an object.
func (v *values) object(s *schema.Schema) string {
	return sequence(literal("{"), v.members(s, true), literal("}"))
}

// members returns the expression of the members of an object: its properties in the order of the
// schema, and then unlisted ones, if the schema allows them and more is true.
func (v *values) members(s *schema.Schema, more bool) string {
	var list []part
	var names []string
	isRequired, listed := setOf(s.Required), map[string]bool{}
	unlisted, open := s.Unlisted()
	open = open && more
	add := func(name string, s *schema.Schema, required bool) {
		expression := v.text(quoted(name))
		if open { // a token of its own, beside those of unlisted names
			expression = v.rule(expression)
		}
		names, listed[name] = append(names, name), true
		list = append(list, part{v.member(expression, v.value(s)), required})
	}
	for i := range s.Properties {
		p := &s.Properties[i]
		add(p.Name, p.Schema(), isRequired[p.Name])
	}
	for _, name := range s.Required {
		if !listed[name] {
			add(name, unlisted, true)
		}
	}
	rest := ""
	if open {
		rest = v.member(v.nameBesides(names), v.value(unlisted))
	}
	return v.listed(list, literal(v.comma), rest, "")
}

// member returns the expression of a member of an object.
func (v *values) member(name, value string) string { return sequence(name, literal(v.colon), value) }

// nameBesides returns the expression of a quoted name that is not in names.
func (v *values) nameBesides(names []string) string {
	if len(names) == 0 {
		return v.str()
	}
	var listed [][]string
	for _, name := range names {
		listed = append(listed, letters(name))
	}
	return v.rule(spelled(`"`) + " " + v.otherWord(listed))
}

// spelled returns the expression of a text, character by character. Otherwise, engines that read
// whole words ahead would mistake the start of another name for this one.
func spelled(text string) string {
	var list []string
	for _, r := range text {
		list = append(list, "["+class(r)+"]")
	}
	return strings.Join(list, " ")
}

// letters splits a name into characters as a string has them. An escape counts as one character.
func letters(name string) (list []string) {
	for text := string(rawjson.AppendEscaped(nil, name)); text != ""; {
		_, size := utf8.DecodeRuneInString(text)
		switch {
		case strings.HasPrefix(text, `\u`):
			size = len(`\u0000`)
		case text[0] == '\\':
			size = 2
		}
		list, text = append(list, text[:size]), text[size:]
	}
	return list
}

// otherWord returns the expression of the rest of a name that is not in rests, and its closing
// quote. The first different character has only one spelling, because an escape could otherwise
// spell a listed name.
func (v *values) otherWord(rests [][]string) string {
	behind := map[string][][]string{} // the rests after each character that continues a listed name
	is := false
	for _, rest := range rests {
		if is = is || len(rest) == 0; len(rest) > 0 {
			behind[rest[0]] = append(behind[rest[0]], rest[1:])
		}
	}
	var list []string
	if !is {
		list = append(list, spelled(`"`))
	}
	var characters []rune
	escape := nameEscape
	for _, letter := range slices.Sorted(maps.Keys(behind)) {
		if list = append(list, spelled(letter)+" "+v.otherWord(behind[letter])); letter[0] == '\\' {
			escape = ""
		} else {
			r, _ := utf8.DecodeRuneInString(letter)
			characters = append(characters, r)
		}
	}
	if escape != "" {
		list = append(list, escape+" "+v.inString())
	}
	if v.inTag != nil && behind["<"] == nil {
		list = append(list, spelled("<")+" "+v.inTag.behindBracket()+" "+v.inString())
		characters = append(characters, '<')
	}
	return v.rule(strings.Join(append(list, "[^"+class(characters...)+`"`+notInStrings+"] "+v.inString()), " | "))
}

// part is an element of a list with a fixed order.
type part struct {
	text     string
	required bool
}

// listed returns the expression of parts in order, with between as separator, and of end. rest may
// come after the parts any number of times; "" means nothing. Each part has a rule for the text
// after it, so the grammar grows linearly with the parts. The end is part of these rules: engines
// that read ahead could not go back from the tag of an omitted part to the closing tag.
func (g *grammar) listed(parts []part, between, rest, end string) string {
	behind, first := sequence(end), sequence(end) // expressions of the text after a part, and of the text if no part has come
	if rest != "" {
		behind = g.repeated(sequence(between, rest), behind)
		first = g.rule(first + " | " + sequence(rest, behind))
	}
	for i := len(parts) - 1; i >= 0; i-- {
		here, follow := sequence(parts[i].text, behind), behind
		behind = sequence(between, here)
		if parts[i].required {
			first = here
		} else {
			first, behind = either(here, first), either(behind, follow)
		}
		if i > 0 {
			first, behind = g.named(first), g.named(behind)
		}
	}
	return first
}

// repeated returns the rule for part any number of times, and then end. It refers to itself, because llguidance would
// make one token of it otherwise. That token would hide the tokens for listed members, which begin in the same way.
func (g *grammar) repeated(part, end string) string {
	name := g.declare()
	g.define(name, sequence(part, name)+" | "+end)
	return name
}

// quoted returns a text as a JSON string.
func quoted(text string) string { return string(rawjson.AppendString(nil, text)) }

// written returns the expression of one value.
func (v *values) written(value jsontext.Value) string {
	return v.text(string(v.write(nil, rawjson.Compact(value))))
}

// text returns the expression of a whole value, as the prompt shows it. If a string in it would have a tag that no string
// may have, an escape is used.
func (v *values) text(value string) string {
	shown := v.shown(value, v.element)
	v.spend(len(shown))
	if v.inTag == nil || !strings.Contains(shown, "</") {
		return literal(shown)
	}
	for _, name := range slices.Concat(v.inTag.names, v.inTag.params) {
		v.spend(len(shown))
		name = strings.TrimSuffix(name, anyRest)
		shown = strings.ReplaceAll(shown, "</"+name, `<\/`+name)
	}
	return literal(shown)
}
