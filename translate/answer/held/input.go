package held

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// Tool describes the tool of a call.
type Tool struct {
	Name      string
	Schema    *schema.Schema
	Unoffered bool // the tool is not offered, and its schema is unknown
	Braced    bool // the parser added the last brace of the text
}

// Input reads text as the JSON of an input, or as a JSON string that contains it. It repairs common slips of
// models.
func (t *Tool) Input(text string) (input []byte, slips []messages.Reason, ok bool) {
	guessed := false
	if input, ok = rawjson.AppendLooseKind(nil, text, '{'); !ok {
		text = strings.TrimSpace(rawjson.Once(rawjson.UnquoteLoose(text)))
		if plain := rawjson.UnquoteLoose(`"` + text + `"`); strings.HasPrefix(text, `{\`) && plain[0] == '{' {
			text = plain
		}
		switch {
		case isEmptyInput(text):
			input, ok = []byte("{}"), !t.Unoffered && len(t.Schema.Required) == 0
		case text[0] == '{':
			input, guessed, ok = mend(text)
		}
		if ok {
			slips = append(slips, messages.ReasonMendedJSON)
		}
	}
	if !ok || guessed && !Takes(t.Schema, input) || t.Braced && MayLackAnother(t.Schema, input) {
		return nil, slips, false
	}
	input, slip := t.Unwrapped(input)
	slips = with(slips, slip)
	input, slip = t.unquoted(input)
	return input, with(slips, slip), true
}

// emptyInputs are what models write in place of {}.
var emptyInputs = []string{"", "null", "None", "[]", "{}"}

// isEmptyInput reports whether text, or the JSON string in it, is one of emptyInputs.
func isEmptyInput(text string) bool {
	return slices.Contains(emptyInputs, strings.TrimSpace(rawjson.UnquoteLoose(text)))
}

// Unwrapped removes an extra object around the arguments. The input must have the arguments as its only member, or
// beside the name of the tool. The tool must declare all members of the inner object, and none of the outer one.
// Unwrapped also returns the values of an input that has the shape of a schema.
func (t *Tool) Unwrapped(input []byte) (inner []byte, slip messages.Reason) {
	if t.Unoffered {
		return input, messages.ReasonNone
	}
	o := rawjson.ReadObject(input)
	for _, m := range o.Members {
		switch isName := m.Name == "name" || m.Name == "tool_name"; {
		case isName && m.Value.Kind() == '"' && rawjson.Unquote(m.Value) == t.Name && len(o.Members) == 2:
		case m.Value.Kind() == '{' && len(o.Members) <= 2 && inner == nil && (slices.Contains(argumentKeys, m.Name) || slices.Contains(ownKeys, m.Name)):
			inner = m.Value
		case m.Name == "properties" && m.Value.Kind() == '{' && hasType(o, "object") && t.holdsValues(m.Value):
			return m.Value, messages.ReasonSchemaShape
		case m.Name != "type" && m.Name != "required":
			return input, messages.ReasonNone
		}
	}
	if inner == nil || declaresAny(t.Schema, input) || !declaresAny(t.Schema, inner) || !Takes(t.Schema, inner) {
		return input, messages.ReasonNone
	}
	return inner, messages.ReasonExtraElement
}

// IsInputKey reports whether an undeclared parameter of that name may hold the whole input.
func IsInputKey(name string) bool {
	return slices.Contains(ownKeys, name) || slices.Contains(argumentKeys, name) || name == "properties"
}

// ownKeys are the usual names of the arguments in a call.
var ownKeys = []string{"arguments", "parameters", "input"}

// hasType reports whether an object has the member "type" with the value name.
func hasType(o rawjson.Object, name string) bool {
	return slices.ContainsFunc(o.Members, func(m rawjson.Member) bool {
		return m.Name == "type" && m.Value.Kind() == '"' && rawjson.Unquote(m.Value) == name
	})
}

// holdsValues reports whether the members of properties are arguments of the tool, and not their schemas.
func (t *Tool) holdsValues(properties jsontext.Value) bool {
	if t.Schema.Declares([]byte("properties")) || !Takes(t.Schema, properties) {
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

// unquoted replaces strings that contain a list or an object, if the schema accepts no strings there.
func (t *Tool) unquoted(input []byte) (typed []byte, slip messages.Reason) {
	if t.Unoffered || bytes.IndexByte(input, '[') < 0 && bytes.Count(input, []byte("{")) < 2 {
		return input, messages.ReasonNone
	}
	o := rawjson.ReadObject(input)
	for i := range o.Members {
		m := &o.Members[i]
		if m.Value.Kind() != '"' || len(m.Value) < 3 || m.Value[1] != '[' && m.Value[1] != '{' {
			continue
		}
		if value := format.Retype(t.Schema, m.Name, m.Value); value.Kind() != '"' {
			m.Value, slip = value, messages.ReasonJSONString
		}
	}
	if slip == messages.ReasonNone {
		return input, messages.ReasonNone
	}
	return o.JSON(), slip
}

// mend returns text as JSON. It repairs slips of models: doubled braces, and the slips of [rawjson.AppendSlipped].
// guessed: the repair is certain only if the tool declares all parameters of the result.
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

// Wrapped returns the text of one undeclared parameter as the whole input of a tool with the schema s.
func Wrapped(text string, s *schema.Schema) (input []byte, ok bool) {
	mended, _, ok := mend(text)
	return mended, ok && Takes(s, mended)
}

// CutArguments returns the arguments in text, the beginning of a call that was cut off:
// {"name":"f","arguments":{"a":1 gives {"a":1. It returns "" if the arguments had not begun.
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

// MayLackAnother reports whether an input without its last brace may lack a second brace too. That is so if a
// member of the object at its end may belong after that object instead. s is the schema of the input.
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

// Infer returns the index of the only tool that accepts an input. The function of returns the schema of the tool at
// an index. ok is false if no tool, or more than one, accepts the input.
func Infer(n int, of func(int) *schema.Schema, input jsontext.Value) (index int, ok bool) {
	index = -1
	for i := range n {
		if !Takes(of(i), input) {
			continue
		}
		if index >= 0 {
			return 0, false
		}
		index = i
	}
	return index, index >= 0
}

// IsCallID reports whether a label is only a number, or a call id of another API, so that it contains no tool name.
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

// Takes reports whether a schema declares every member of an input, and the input has every required member.
func Takes(s *schema.Schema, input jsontext.Value) bool {
	given := map[string]bool{}
	for name := range rawjson.NamedMembers(input) {
		if !s.Declares([]byte(markup.ParamTag(name))) {
			return false
		}
		given[name] = true
	}
	return !slices.ContainsFunc(s.Required, func(name string) bool { return !given[name] })
}

// ClosesWithin reports whether, in text, a comma and another member follow a closing brace.
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
