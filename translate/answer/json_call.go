package answer

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// What a call in JSON says.

// jsonCall is what a call in JSON says. Models also call the arguments parameters or input, and may
// give it an id, and a type.
type jsonCall struct {
	Name       *string                   `json:"name"`
	ToolName   *string                   `json:"tool_name"`
	Arguments  jsontext.Value            `json:"arguments"`
	Parameters jsontext.Value            `json:"parameters"`
	Input      jsontext.Value            `json:"input"`
	ID         jsontext.Value            `json:"id"`
	ToolCallID jsontext.Value            `json:"tool_call_id"`
	Type       jsontext.Value            `json:"type"`
	Rest       map[string]jsontext.Value `json:",embed"`
}

// name returns the name of the tool.
func (c *jsonCall) name() string { return *cmp.Or(c.Name, c.ToolName) }

// arguments returns the arguments of the call, "" if it has none.
func (c *jsonCall) arguments() string {
	for _, v := range []jsontext.Value{c.Arguments, c.Parameters, c.Input} {
		if len(v) > 0 && v.Kind() != 'n' {
			return string(v)
		}
	}
	return ""
}

// holdsOthers reports whether arguments of the tool stand beside those of the call as well.
func (c *jsonCall) holdsOthers(s *schema.Schema) bool {
	sets := 0
	for _, v := range []jsontext.Value{c.Arguments, c.Parameters, c.Input} {
		if len(v) > 0 && v.Kind() != 'n' {
			sets++
		}
	}
	for name := range c.Rest {
		if s.Declares([]byte(markup.ParamTag(name))) {
			return true
		}
	}
	return sets > 1
}

// flatArguments returns the arguments of a call that has none under a name of theirs: {}, or what stands
// beside the name of the tool if that takes it all. It reports false if the tool requires some and they
// cannot be told.
func (c *jsonCall) flatArguments(s *schema.Schema) (arguments string, ok bool) {
	for name, v := range map[string]jsontext.Value{"id": c.ID, "tool_call_id": c.ToolCallID, "type": c.Type} {
		if len(v) > 0 && len(c.Rest) > 0 && s.Declares([]byte(name)) {
			return "", false // it may be the call's or an argument
		}
	}
	if len(c.Rest) > 0 {
		flat, err := json.Marshal(c.Rest, json.Deterministic(true))
		if err == nil && len(s.Properties) > 0 && declaresAll(s, flat) {
			c.Rest = nil
			return string(flat), true
		}
	}
	return "{}", len(c.Rest) == 0 || len(s.Required) == 0
}

// openArguments returns the arguments in text, which is the beginning of a call that was cut. They
// are cut, too, unless the call was cut after them: {"name":"f","arguments":{"a":1 gives {"a":1.
// It returns "" if the arguments had not begun.
func openArguments(text string) string {
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
		if s := name.String(); s == "arguments" || s == "parameters" || s == "input" {
			return strings.TrimLeft(string(mended[d.InputOffset():]), " \t\r\n:")
		}
		if _, err := d.ReadValue(); err != nil {
			return ""
		}
	}
}

// mayLackAnother reports whether an input without its last brace may have lost another one: a member of an
// object that ends with it may as well follow that object. s is the schema of the input.
func mayLackAnother(s *schema.Schema, input jsontext.Value) bool {
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
			if n++; n > 1 && (s == nil || takesAny(s) || s.Declares([]byte(markup.ParamTag(name)))) {
				return true
			}
		}
		input, s = last, nil
	}
}

// takesAny reports whether an input may have members that the schema does not declare.
func takesAny(s *schema.Schema) bool { return s.AdditionalProperties != nil || len(s.Properties) == 0 }

// looseInput returns the input that a text is, or that stands in a JSON string, with slips of models.
func (p *parser) looseInput(text string) (input []byte, ok bool) {
	if input, ok = rawjson.AppendLooseKind(nil, text, '{'); !ok {
		text = strings.TrimSpace(rawjson.Once(rawjson.UnquoteLoose(text)))
		if plain := rawjson.UnquoteLoose(`"` + text + `"`); strings.HasPrefix(text, `{\`) && plain[0] == '{' {
			text = plain
		}
		switch {
		case text == "":
			input, ok = []byte("{}"), !p.call.unoffered && len(p.call.schema.Required) == 0
		case text[0] == '{':
			input, ok = p.mendJSON(text)
		}
		if ok {
			p.noteReason("mended_json")
		}
	}
	if !ok || p.value.guessed && !declaresAll(p.call.schema, input) || p.value.braced && mayLackAnother(p.call.schema, input) {
		return nil, false
	}
	return p.unwrapped(input), true
}

// unwrapped returns the arguments that an input holds as its one member, or as one of two beside the name of
// the tool, where the tool declares some of those, and neither member.
func (p *parser) unwrapped(input []byte) []byte {
	var call jsonCall
	if p.call.unoffered || json.Unmarshal(input, &call) != nil {
		return input
	}
	members := 1
	if name := cmp.Or(call.Name, call.ToolName); name != nil {
		members++
		if *name != p.call.tool {
			return input
		}
	}
	for range rawjson.NamedMembers(input) {
		members--
	}
	s, inner := p.call.schema, jsontext.Value(call.arguments())
	if members != 0 || inner.Kind() != '{' || declaresAny(s, input) || !declaresAny(s, inner) || !declaresAll(s, inner) {
		return input
	}
	p.noteReason("extra_element")
	return inner
}

// wrapsInput reports whether the parameter that is named in a tag may be all of the input: see
// [markup.Spelling.Input].
func (p *parser) wrapsInput(tag string) bool {
	call := &p.call
	if call.spelling == nil || tag != call.spelling.Input || call.unoffered || len(call.parameters) > 0 || call.schema.AdditionalProperties != nil {
		return false
	}
	_, _, declared := call.schema.PropertyByTag(tag)
	return !declared
}

// writeWrapped writes the value as all of the input, and reports whether it is that.
func (p *parser) writeWrapped() bool {
	text := strings.TrimSpace(p.heldText())
	if !strings.HasPrefix(text, "{") {
		return false
	}
	if input, ok := p.mendJSON(text); ok && declaresAll(p.call.schema, input) {
		p.noteReason("extra_element")
		p.call.members, p.call.jsonInput = p.out.writeObject(string(input))
	}
	return p.call.jsonInput
}

// mendJSON returns the JSON that a text is which may have slips of models: braces that stand twice, or
// those of rawjson.AppendSlipped.
func (p *parser) mendJSON(text string) (mended []byte, ok bool) {
	if mended, ok = rawjson.AppendLoose(nil, text); ok {
		return mended, true
	}
	mended, guessed, ok := rawjson.AppendSlipped(nil, text)
	if !ok && strings.Contains(text, "{{") {
		mended, guessed, ok = rawjson.AppendSlipped(nil, rawjson.Undouble(text))
	}
	p.value.guessed = p.value.guessed || guessed
	return mended, ok
}

// callWrappers are the names of members that some models put all of a call into.
var callWrappers = []string{"tool_call", "function_call", "tool_use", "action", "call"}

// decodeCall decodes a call in JSON, with slips of models: all of it, or the name of the tool, as the member
// function or tool, all of it as one of callWrappers, or the name of the tool as that of the one member.
func (p *parser) decodeCall(said string) (call jsonCall, ok bool) {
	text, ok := p.mendJSON(said)
	if !ok || json.Unmarshal(text, &call) != nil {
		return call, false
	}
	for _, key := range [...]string{"function", "tool"} {
		if call.Name != nil || call.ToolName != nil || len(call.Rest) != 1 || key == "tool" && call.arguments() == "" {
			break
		}
		switch function := call.Rest[key]; function.Kind() {
		case '{':
			call = jsonCall{}
			ok = json.Unmarshal(function, &call) == nil
		case '"':
			name := rawjson.Unquote(function)
			call.Name, call.Rest = &name, nil
		}
	}
	if call.Name == nil && call.ToolName == nil && len(call.Rest) == 1 {
		for name, value := range call.Rest {
			var within jsonCall
			if value.Kind() == '{' && slices.Contains(callWrappers, name) && json.Unmarshal(value, &within) == nil && (within.Name != nil || within.ToolName != nil) {
				return within, true
			}
		}
		for name, value := range call.Rest {
			if value.Kind() == '{' && p.tools.Named(name) != nil {
				call = jsonCall{Name: &name, Arguments: value}
			}
		}
	}
	return call, ok && (call.Name != nil || call.ToolName != nil)
}

// inferTool names the tool of a call whose id has no name in it: the one offered tool that takes such an
// input. It reports false if there is none, or several.
func (p *parser) inferTool(input jsontext.Value) bool {
	found := ""
	for i := range p.tools.List {
		if !declaresAll(p.schemas.Of(&p.tools.List[i]), input) {
			continue
		}
		if found != "" {
			return false
		}
		found = p.tools.List[i].Name
	}
	if found == "" {
		return false
	}
	p.nameTool(found)
	p.noteReason("tool_name")
	return true
}

// isCallID reports whether a label is an id that other APIs give calls, or a number, and no name of a tool.
func isCallID(label string) bool {
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
