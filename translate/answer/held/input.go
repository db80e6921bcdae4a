package held

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// Tool is what is known of the tool of a call.
type Tool struct {
	Name      string
	Schema    *schema.Schema
	Unoffered bool // the tool is not offered: nothing is known of its schema
	Braced    bool // the last brace of the text is not the model's
}

// Input reads text as the JSON of an input, or as a JSON string that holds it, with slips of models.
func (t *Tool) Input(text string) (input []byte, slips []string, ok bool) {
	guessed := false
	if input, ok = rawjson.AppendLooseKind(nil, text, '{'); !ok {
		text = strings.TrimSpace(rawjson.Once(rawjson.UnquoteLoose(text)))
		if plain := rawjson.UnquoteLoose(`"` + text + `"`); strings.HasPrefix(text, `{\`) && plain[0] == '{' {
			text = plain
		}
		switch {
		case text == "":
			input, ok = []byte("{}"), !t.Unoffered && len(t.Schema.Required) == 0
		case text[0] == '{':
			input, guessed, ok = mend(text)
		}
		if ok {
			slips = append(slips, "mended_json")
		}
	}
	if !ok || guessed && !declaresAll(t.Schema, input) || t.Braced && MayLackAnother(t.Schema, input) {
		return nil, slips, false
	}
	input, slip := t.unwrapped(input)
	slips = with(slips, slip)
	input, slip = t.unquoted(input)
	return input, with(slips, slip), true
}

// unwrapped returns the arguments that an input holds as its one member, or as one of two beside the name of
// the tool, where the tool declares some of those, and neither member; or as the values of a schema.
func (t *Tool) unwrapped(input []byte) (inner []byte, slip string) {
	if t.Unoffered {
		return input, ""
	}
	o := rawjson.ReadObject(input)
	for _, m := range o.Members {
		switch isName := m.Name == "name" || m.Name == "tool_name"; {
		case isName && m.Value.Kind() == '"' && rawjson.Unquote(m.Value) == t.Name && len(o.Members) == 2:
		case m.Value.Kind() == '{' && len(o.Members) <= 2 && inner == nil && (slices.Contains(argumentKeys, m.Name) || slices.Contains(ownKeys, m.Name)):
			inner = m.Value
		case m.Name == "properties" && m.Value.Kind() == '{' && hasType(o, "object") && t.holdsValues(m.Value):
			return m.Value, "schema_shape"
		case m.Name != "type" && m.Name != "required":
			return input, ""
		}
	}
	if inner == nil || declaresAny(t.Schema, input) || !declaresAny(t.Schema, inner) || !declaresAll(t.Schema, inner) {
		return input, ""
	}
	return inner, "extra_element"
}

// IsInputKey reports whether a parameter of that name, which no tool declares, may be all of an input.
func IsInputKey(name string) bool {
	return slices.Contains(ownKeys, name) || slices.Contains(argumentKeys, name) || name == "properties"
}

// ownKeys are the names of arguments in a call.
var ownKeys = []string{"arguments", "parameters", "input"}

// hasType reports whether an object says that its type is name.
func hasType(o rawjson.Object, name string) bool {
	return slices.ContainsFunc(o.Members, func(m rawjson.Member) bool {
		return m.Name == "type" && m.Value.Kind() == '"' && rawjson.Unquote(m.Value) == name
	})
}

// holdsValues reports whether the members of an object are arguments of the tool, and not their schemas.
func (t *Tool) holdsValues(properties jsontext.Value) bool {
	if t.Schema.Declares([]byte("properties")) || !declaresAll(t.Schema, properties) {
		return false
	}
	for name, value := range rawjson.NamedMembers(properties) {
		var s struct {
			Type jsontext.Value `json:"type"`
		}
		_, ps, _ := t.Schema.PropertyByTag(markup.ParamTag(name))
		if value.Kind() == '{' && (!ps.AcceptsObject() || json.Unmarshal(value, &s) == nil && len(s.Type) > 0) {
			return false
		}
	}
	return true
}

// unquoted returns an input with the lists and objects that stand in strings where the schema takes no strings.
func (t *Tool) unquoted(input []byte) (typed []byte, slip string) {
	if t.Unoffered || bytes.IndexByte(input, '[') < 0 && bytes.Count(input, []byte("{")) < 2 {
		return input, ""
	}
	o := rawjson.ReadObject(input)
	for i := range o.Members {
		m := &o.Members[i]
		if m.Value.Kind() != '"' || len(m.Value) < 3 || m.Value[1] != '[' && m.Value[1] != '{' {
			continue
		}
		if value := format.Retype(t.Schema, m.Name, m.Value); value.Kind() != '"' {
			m.Value, slip = value, "json_string"
		}
	}
	if slip == "" {
		return input, ""
	}
	return o.JSON(), slip
}

// mend returns the JSON that a text is which may have slips of models: braces that stand twice, or
// those of [rawjson.AppendSlipped]. guessed says that it is certain only if the tool has all parameters in it.
func mend(text string) (mended []byte, guessed, ok bool) {
	if mended, ok = rawjson.AppendLoose(nil, text); ok {
		return mended, false, true
	}
	mended, guessed, ok = rawjson.AppendSlipped(nil, text)
	if !ok && strings.Contains(text, "{{") {
		mended, guessed, ok = rawjson.AppendSlipped(nil, rawjson.Undouble(text))
	}
	return mended, guessed, ok
}

// Wrapped returns the input that the text of one parameter is, which no tool declares that has the schema s.
func Wrapped(text string, s *schema.Schema) (input []byte, ok bool) {
	mended, _, ok := mend(text)
	return mended, ok && declaresAll(s, mended)
}

// CutArguments returns the arguments in text, which is the beginning of a call that was cut. They
// are cut, too, unless the call was cut after them: {"name":"f","arguments":{"a":1 gives {"a":1.
// It returns "" if the arguments had not begun.
func CutArguments(text string) string {
	mended := rawjson.Mend(text)
	d := jsontext.NewDecoder(bytes.NewReader(mended))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return ""
	}
	for {
		name, err := d.ReadToken()
		if err != nil || name.Kind() != '"' {
			return ""
		}
		if slices.Contains(ownKeys, name.String()) {
			return strings.TrimLeft(string(mended[d.InputOffset():]), " \t\r\n:")
		}
		if _, err := d.ReadValue(); err != nil {
			return ""
		}
	}
}

// MayLackAnother reports whether an input without its last brace may have lost another one: a member of an
// object that ends with it may as well follow that object. s is the schema of the input.
func MayLackAnother(s *schema.Schema, input jsontext.Value) bool {
	for {
		var last jsontext.Value
		for _, value := range rawjson.NamedMembers(input) {
			last = value
		}
		if last.Kind() != '{' {
			return false
		}
		n := 0
		for name := range rawjson.NamedMembers(last) {
			if n++; n > 1 && (s == nil || TakesAny(s) || s.Declares([]byte(markup.ParamTag(name)))) {
				return true
			}
		}
		input, s = last, nil
	}
}

// TakesAny reports whether an input may have members that the schema does not declare.
func TakesAny(s *schema.Schema) bool { return s.AdditionalProperties != nil || len(s.Properties) == 0 }

// Infer returns the one tool of a list that takes an input; nil if there is none, or several. of returns the schema
// of the tool at an index.
func Infer(n int, of func(int) *schema.Schema, input jsontext.Value) (index int, ok bool) {
	index = -1
	for i := range n {
		if !declaresAll(of(i), input) {
			continue
		}
		if index >= 0 {
			return 0, false
		}
		index = i
	}
	return index, index >= 0
}

// IsCallID reports whether a label is an id that other APIs give calls, or a number, and no name of a tool.
func IsCallID(label string) bool {
	const digits = "0123456789"
	for _, prefix := range [...]string{"call_", "toolu_", "chatcmpl-tool-"} {
		if rest, ok := strings.CutPrefix(label, prefix); ok {
			return strings.ContainsAny(rest, digits)
		}
	}
	return strings.Trim(label, digits) == ""
}

// declaresAny reports whether a schema declares a member of an input.
func declaresAny(s *schema.Schema, input jsontext.Value) bool {
	for name := range rawjson.NamedMembers(input) {
		if s.Declares([]byte(markup.ParamTag(name))) {
			return true
		}
	}
	return false
}

// declaresAll reports whether a schema declares every member of an input, which has all that it requires.
func declaresAll(s *schema.Schema, input jsontext.Value) bool {
	given := map[string]bool{}
	for name := range rawjson.NamedMembers(input) {
		if !s.Declares([]byte(markup.ParamTag(name))) {
			return false
		}
		given[name] = true
	}
	return !slices.ContainsFunc(s.Required, func(name string) bool { return !given[name] })
}

// Takes reports whether a schema declares every member of an input, which has all that it requires.
func Takes(s *schema.Schema, input jsontext.Value) bool { return declaresAll(s, input) }

// ClosesWithin reports whether another member may follow one that is an object in text.
func ClosesWithin(text string) bool {
	for {
		_, rest, found := strings.Cut(text, "}")
		if !found {
			return false
		}
		text = rest
		if rest, found = strings.CutPrefix(strings.TrimLeft(rest, " \t\r\n"), ","); found && !strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), "{") {
			return true
		}
	}
}
