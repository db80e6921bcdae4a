package translate

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// What an object says that is a whole call.

// jsonCall is what a call in JSON says. Models also call the arguments parameters or input, and name the
// tool as the function, which may have the arguments in it.
type jsonCall struct {
	Name       *string                   `json:"name"`
	Function   jsontext.Value            `json:"function"`
	Arguments  jsontext.Value            `json:"arguments"`
	Parameters jsontext.Value            `json:"parameters"`
	Input      jsontext.Value            `json:"input"`
	Rest       map[string]jsontext.Value `json:",embed"`
}

// parseJSONCall returns the call that text says. It reports false if that names no tool.
func parseJSONCall(text []byte) (call jsonCall, ok bool) {
	if json.Unmarshal(text, &call) != nil {
		return call, false
	}
	if call.Name != nil {
		return call, true
	}
	switch call.Function.Kind() {
	case '{':
		var function jsonCall
		err := json.Unmarshal(call.Function, &function)
		return function, err == nil && function.Name != nil
	case '"':
		name := rawjson.Unquote(call.Function)
		call.Name = &name
	}
	return call, call.Name != nil
}

// arguments returns the arguments of the call, "" if it has none.
func (c *jsonCall) arguments() string {
	for _, v := range []jsontext.Value{c.Arguments, c.Parameters, c.Input} {
		if len(v) > 0 && v.Kind() != 'n' {
			return string(v)
		}
	}
	return ""
}

// flatArguments returns the arguments of a call that has none under a name of theirs: {}, or what stands
// beside the name of the tool if that takes it all. It reports false if the tool requires some and they
// cannot be told.
func (c *jsonCall) flatArguments(s *schema.Schema) (arguments string, ok bool) {
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
