package constrain

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// How a value that fits a schema is written, as rules.

// style is how values are written: as JSON, or as Python has them.
type style struct {
	colon, comma string
	words        map[string]string // true, false and null, as expressions
	write        func([]byte, jsontext.Value) []byte
	// characters are those of a string, besides escapes, and escape is one of these.
	characters, escape string
	end                string // what may stand before the last quote
}

// What stands in strings. A surrogate alone is no character.
const (
	anyCharacter = `[^"\\\x00-\x1F]`
	hexDigit     = `[0-9a-fA-F]`
	escapedCode  = `"u" ([0-9abcefABCEF] ` + hexDigit + `{3} | [dD] [0-7] ` + hexDigit + `{2}`
	codeEscape   = escapedCode + `)`
	jsonEscape   = `"\\" (["\\/bfnrt] | ` + escapedCode + ` | [dD] [89abAB] ` + hexDigit + `{2} "\\u" [dD] [c-fC-F] ` + hexDigit + `{2}))`
	pythonEscape = `"\\" (["\\\x27bfnrt] | ` + codeEscape + `)`
)

// newStyle returns how JSON is written, with a blank behind colons and commas or without; or Python, which
// has its own words and escapes.
func newStyle(spaced, python, literals bool) *style {
	s := &style{colon: ":", comma: ",", characters: anyCharacter, escape: jsonEscape,
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

// values makes the rules of values in one style.
type values struct {
	*grammar
	*style
	names map[*schema.Schema]string // of the rules of schemas
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

// kinds returns the alternatives of values that fit a schema.
func (v *values) kinds(s *schema.Schema) (list []string) {
	for one := range s.Possible() {
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

// typed returns the alternatives of the types that a schema names.
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

func (v *values) str() string {
	return v.rule(`"\"" (` + v.characters + ` | ` + v.escape + `)* ` + v.end + `"\""`)
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

// array returns the expression of a list of such items; nil allows anything.
func (v *values) array(items *schema.Schema) string {
	item := v.value(items)
	return v.rule(literal("[") + " (" + item + " (" + literal(v.comma) + " " + item + ")*)? " + literal("]"))
}

// object returns the expression of an object.
func (v *values) object(s *schema.Schema) string {
	return sequence(literal("{"), v.members(s, true), literal("}"))
}

// members returns the expression of what stands between the brackets of an object: its properties in the
// order of the schema, and then those that are not listed, if there may be any and more says so.
func (v *values) members(s *schema.Schema, more bool) string {
	var list []part
	var names []string
	for i := range s.Properties {
		p := &s.Properties[i]
		names = append(names, p.Name)
		list = append(list, part{v.member(literal(quoted(p.Name)), v.value(p.Schema())), slices.Contains(s.Required, p.Name)})
	}
	unlisted, any := s.Unlisted()
	for _, name := range s.Required {
		if !slices.Contains(names, name) {
			names = append(names, name)
			list = append(list, part{v.member(literal(quoted(name)), v.value(unlisted)), true})
		}
	}
	rest := ""
	if any && more {
		rest = v.member(v.nameBesides(names), v.value(unlisted))
	}
	return v.listed(list, literal(v.comma), rest, "")
}

// member returns the expression of a member of an object.
func (v *values) member(name, value string) string { return sequence(name, literal(v.colon), value) }

// nameBesides returns the expression of a name in quotes that is none of these. It has no escapes, so that it
// spells none of these in another way.
func (v *values) nameBesides(names []string) string {
	if len(names) == 0 {
		return v.str()
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.ContainsFunc(quoted(name), isEscape) })
	return v.rule(`"\"" ` + v.otherWord(names, "") + ` "\""`)
}

// otherWord returns the expression of what may follow the beginning of a name, so that it is none of these.
func (v *values) otherWord(names []string, begun string) string {
	var next []rune
	is := false
	for _, name := range names {
		if rest, ok := strings.CutPrefix(name, begun); ok && rest == "" {
			is = true
		} else if r := []rune(rest); ok && !slices.Contains(next, r[0]) {
			next = append(next, r[0])
		}
	}
	if len(next) == 0 && !is {
		return `[^"\\\x00-\x1F]*`
	}
	var list []string
	if !is {
		list = append(list, `""`)
	}
	slices.Sort(next)
	for _, r := range next {
		list = append(list, "["+class(r)+"] "+v.otherWord(names, begun+string(r)))
	}
	list = append(list, `[^`+class(next...)+`"\\\x00-\x1F] [^"\\\x00-\x1F]*`)
	return v.rule(strings.Join(list, " | "))
}

// isEscape reports whether a character begins an escape.
func isEscape(r rune) bool { return r == '\\' }

// part is one of the parts of a list that stand in a fixed order.
type part struct {
	text     string
	required bool
}

// listed returns the expression of parts in their order, with a separator between them, and of what ends
// them. rest may come behind them any number of times; "" for nothing. Each part has a rule for what follows
// it, so that the grammar grows with the number of parts. The end is in these rules: engines that read ahead
// could not go back from the tag of a part that is left out to the one that ends all.
func (g *grammar) listed(parts []part, between, rest, end string) string {
	behind, first := sequence(end), sequence(end) // what may follow a part, and what may stand there if no part has come
	if rest != "" {
		more := sequence(between, rest)
		behind = g.rule("(" + more + ")* " + behind)
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

// quoted returns a text as a JSON string.
func quoted(text string) string { return string(rawjson.AppendString(nil, text)) }

// written returns the expression of one value.
func (v *values) written(value jsontext.Value) string {
	return literal(string(v.write(nil, rawjson.Compact(value))))
}
