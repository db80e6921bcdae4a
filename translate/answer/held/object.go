package held

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// Object is a call that is one JSON object. Models give it an id, and a type, and call its arguments by several
// names.
type Object struct {
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

// callWrappers are the names of members that some models put all of a call into, placeholders those that stand for
// the name of the tool in prompts of others, and argumentKeys those that arguments have besides their own.
var (
	callWrappers = []string{"tool_call", "function_call", "tool_use", "action", "call"}
	placeholders = []string{"$TOOL_NAME", "$FUNCTION_NAME"}
	argumentKeys = []string{"options", "params", "args", "kwargs"}
)

// ObjectKeys are the names of members that such an object may begin with.
var ObjectKeys = slices.Concat([]string{"name", "arguments", "parameters", "input", "type", "function", "id", "tool_call_id", "tool_name"}, callWrappers, placeholders)

// ReadObject reads a call that is one JSON object, with slips of models: all of it, or the name of the tool, as the
// member function or tool, all of it as one of callWrappers, or the name of the tool as that of the one member. It
// reports false if text is none.
func ReadObject(text string, tools *format.ToolNames) (o Object, ok bool) {
	mended, _, ok := mend(text)
	if !ok || json.Unmarshal(mended, &o) != nil {
		return o, false
	}
	for _, key := range placeholders {
		if name := o.Rest[key]; name.Kind() == '"' && !o.isNamed() {
			delete(o.Rest, key)
			o.Name = new(rawjson.Unquote(name))
		}
	}
	for _, key := range [...]string{"function", "tool"} {
		if o.isNamed() || len(o.Rest) != 1 || key == "tool" && o.arguments() == "" {
			break
		}
		switch function := o.Rest[key]; function.Kind() {
		case '{':
			o = Object{}
			ok = json.Unmarshal(function, &o) == nil
		case '"':
			o.Name, o.Rest = new(rawjson.Unquote(function)), nil
		}
	}
	if !o.isNamed() && len(o.Rest) == 1 {
		for name, value := range o.Rest {
			var within Object
			switch {
			case value.Kind() != '{':
			case slices.Contains(callWrappers, name) && json.Unmarshal(value, &within) == nil && within.isNamed():
				return within, true
			case tools.Named(name) != nil:
				o = Object{Name: &name, Arguments: value}
			}
		}
	}
	return o, ok && o.isNamed()
}

func (o *Object) isNamed() bool { return o.Name != nil || o.ToolName != nil }

// Tool returns the name of the tool, as the model wrote it.
func (o *Object) Tool() string { return *cmp.Or(o.Name, o.ToolName) }

// IsBare reports whether the object has nothing but a name and arguments.
func (o *Object) IsBare() bool { return len(o.Arguments) > 0 && len(o.Rest) == 0 }

// arguments returns the arguments of the call, "" if it has none under a name of theirs.
func (o *Object) arguments() string {
	for _, v := range []jsontext.Value{o.Arguments, o.Parameters, o.Input} {
		if len(v) > 0 && v.Kind() != 'n' {
			return string(v)
		}
	}
	return ""
}

// holdsOthers reports whether arguments of the tool stand beside those of the call as well.
func (o *Object) holdsOthers(s *schema.Schema) bool {
	sets := 0
	for _, v := range []jsontext.Value{o.Arguments, o.Parameters, o.Input} {
		if len(v) > 0 && v.Kind() != 'n' {
			sets++
		}
	}
	for name := range o.Rest {
		if s.Declares([]byte(markup.ParamTag(name))) {
			return true
		}
	}
	return sets > 1
}

// flatArguments returns the arguments of a call that has none under a name of theirs: {}, what stands under another
// name, or what stands beside the name of the tool if that takes it all. It reports false if the tool requires
// some and they cannot be told.
func (o *Object) flatArguments(s *schema.Schema) (arguments, slip string, ok bool) {
	for name, v := range map[string]jsontext.Value{"id": o.ID, "tool_call_id": o.ToolCallID, "type": o.Type} {
		if len(v) > 0 && len(o.Rest) > 0 && s.Declares([]byte(name)) {
			return "", "", false // it may be the call's or an argument
		}
	}
	if len(o.Rest) == 1 {
		for name, value := range o.Rest {
			if value.Kind() == '{' && slices.Contains(argumentKeys, name) && !s.Declares([]byte(name)) {
				o.Rest = nil
				return string(value), "argument_key", true
			}
		}
	}
	if len(o.Rest) > 0 {
		flat, err := json.Marshal(o.Rest, json.Deterministic(true))
		if err == nil && len(s.Properties) > 0 && declaresAll(s, flat) {
			o.Rest = nil
			return string(flat), "no_arguments", true
		}
	}
	return "{}", "", len(o.Rest) == 0 || len(s.Required) == 0
}

// Arguments returns the input of the call, for the tool that it names, and how it is malformed. It reports false if
// that cannot be told.
func (t *Tool) Arguments(o *Object) (input []byte, slips []string, ok bool) {
	arguments := o.arguments()
	switch {
	case arguments == "":
		var slip string
		if arguments, slip, ok = o.flatArguments(t.Schema); !ok || t.Unoffered { // an input, with a member that is named so
			return nil, nil, false
		}
		slips = with(slips, slip)
	case o.holdsOthers(t.Schema):
		return nil, nil, false
	}
	input, more, ok := t.Input(arguments)
	slips = append(slips, more...)
	if len(o.Rest) > 0 {
		slips = with(slips, "extra_element")
	}
	return input, slips, ok
}

// with returns the list with a slip, unless that is "".
func with(slips []string, slip string) []string {
	if slip == "" {
		return slips
	}
	return append(slips, slip)
}
