package held

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// Object is a call as one JSON object. Models add an id or a type, and use several names for the arguments.
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

// Member names that models use:
//
//   - callWrappers: names of a member that contains the whole call.
//   - placeholders: placeholders for the tool name in the prompts of other projects.
//   - argumentKeys: further names for the arguments.
//   - callTypes: the types of a call. An object of another type may describe a parameter.
var (
	callWrappers = []string{"tool_call", "tool_calls", "function_call", "tool_use", "tool", "action", "call"}
	placeholders = []string{"$TOOL_NAME", "$FUNCTION_NAME"}
	argumentKeys = []string{"options", "params", "args", "kwargs", "tool_input", "action_input"}
	callTypes    = []string{"function", "function_call", "tool_use", "tool_call", "tool", "custom"}
)

// ObjectKeys are the names of the members with which such an object may begin.
var ObjectKeys = slices.Concat([]string{"name", "arguments", "parameters", "input", "type", "function", "id", "tool_call_id", "tool_name"}, argumentKeys, callWrappers, placeholders)

// ReadObject reads a call as one JSON object, and repairs slips of models. The member "function" or "tool" may hold
// the whole call, or the name of the tool. The only member may be one of callWrappers with the whole call, or may
// have the name of the tool. ReadObject returns false if text is no call.
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
	for _, key := range [...]string{"function", "tool", "action"} {
		switch function := o.Rest[key]; {
		case o.isNamed():
		case function.Kind() == '"' && o.isNamedBy(key):
			o.Name = new(rawjson.Unquote(function))
			delete(o.Rest, key)
		case function.Kind() == '{' && len(o.Rest) == 1 && (key == "function" || key == "tool" && o.arguments() != ""):
			o = Object{}
			ok = json.Unmarshal(function, &o) == nil
		}
	}
	if !o.isNamed() && len(o.Rest) == 1 {
		for name, value := range o.Rest {
			var within Object
			switch {
			case value.Kind() != '{':
			case tools.Named(name) == nil && slices.Contains(callWrappers, name) && json.Unmarshal(value, &within) == nil && within.isNamed():
				return within, true
			case tools.Named(name) != nil:
				o = Object{Name: &name, Arguments: value}
			}
		}
	}
	return o, ok && o.isNamed()
}

// isNamedBy reports whether the member key, a string, names the tool: the object has nothing else but arguments, maybe
// under one of argumentKeys.
func (o *Object) isNamedBy(key string) bool {
	switch len(o.Rest) {
	case 1:
		return key == "function" || o.arguments() != ""
	case 2:
		return o.arguments() == "" && slices.ContainsFunc(argumentKeys, func(key string) bool { return o.Rest[key].Kind() == '{' })
	}
	return false
}

func (o *Object) isNamed() bool { return o.Name != nil || o.ToolName != nil }

// Tool returns the name of the tool, as the model wrote it.
func (o *Object) Tool() string { return *cmp.Or(o.Name, o.ToolName) }

// IsBare reports whether the object has nothing but a name and arguments.
func (o *Object) IsBare() bool { return len(o.Arguments) > 0 && len(o.Rest) == 0 }

// IsPlain reports whether the object has nothing but a name and arguments, and maybe an id and a type. input is the
// arguments as they were read. Arguments in the shape of a schema show that the object describes a tool.
func (o *Object) IsPlain(input jsontext.Value) bool {
	i := rawjson.ReadObject(input)
	return o.arguments() != "" && len(o.Rest) == 0 && !(hasType(i, "object") && i.Member("properties") != nil)
}

// arguments returns the arguments of the call, or "" if the call has none under a usual name.
func (o *Object) arguments() string {
	for _, v := range []jsontext.Value{o.Arguments, o.Parameters, o.Input} {
		if len(v) > 0 && v.Kind() != 'n' {
			return string(v)
		}
	}
	return ""
}

// holdsOthers reports whether the object has arguments in more than one place.
func (o *Object) holdsOthers(s *schema.Schema) bool {
	sets := 0
	for _, v := range []jsontext.Value{o.Arguments, o.Parameters, o.Input} {
		if len(v) > 0 && v.Kind() != 'n' {
			sets++
		}
	}
	empty := o.arguments() == "{}"
	for name, v := range o.Rest {
		if s.Declares([]byte(markup.ParamTag(name))) || empty && v.Kind() == '{' {
			return true
		}
	}
	return sets > 1
}

// flatArguments returns the arguments of a call that has none under a usual name. They may be an object under one of
// argumentKeys, or all other members of the call if the tool accepts them all. If there are no other members, they are
// {}. Otherwise it returns false: a part of the call would stay unread.
func (o *Object) flatArguments(s *schema.Schema) (arguments string, slip messages.Reason, ok bool) {
	for name, v := range map[string]jsontext.Value{"id": o.ID, "tool_call_id": o.ToolCallID, "type": o.Type} {
		if len(v) > 0 && s.Declares([]byte(name)) {
			return "", messages.ReasonNone, false // the member may belong to the call or to the arguments
		}
	}
	if k := o.Type.Kind(); len(o.Type) > 0 && k != 'n' && (k != '"' || !slices.Contains(callTypes, rawjson.Unquote(o.Type))) {
		return "", messages.ReasonNone, false
	}
	if len(o.Rest) == 1 {
		for name, value := range o.Rest {
			if value.Kind() == '{' && slices.Contains(argumentKeys, name) && !s.Declares([]byte(name)) {
				o.Rest = nil
				return string(value), messages.ReasonArgumentKey, true
			}
		}
	}
	if len(o.Rest) > 0 {
		flat, err := json.Marshal(o.Rest, json.Deterministic(true))
		if err == nil && len(s.Properties) > 0 && Takes(s, flat) {
			o.Rest = nil
			return string(flat), messages.ReasonNoArguments, true
		}
	}
	return "{}", messages.ReasonNone, len(o.Rest) == 0
}

// Arguments returns the input of a call to the tool, and its slips. It returns false if the input is uncertain, or if a
// part of the call would stay unread.
func (t *Tool) Arguments(o *Object) (input []byte, slips []messages.Reason, ok bool) {
	arguments := o.arguments()
	switch {
	case arguments == "":
		var slip messages.Reason
		if arguments, slip, ok = o.flatArguments(t.Schema); !ok || t.Unoffered { // an input with a member of that name
			return nil, []messages.Reason{messages.ReasonExtraElement}, false
		}
		slips = with(slips, slip)
	case o.holdsOthers(t.Schema):
		return nil, []messages.Reason{messages.ReasonExtraElement}, false
	}
	input, more, ok := t.Input(arguments)
	if !ok {
		return nil, nil, false
	}
	slips = append(slips, more...)
	if len(o.Rest) > 0 {
		slips = with(slips, messages.ReasonExtraElement)
	}
	return input, slips, true
}

// with appends slip to the list, if it is not ReasonNone.
func with(slips []messages.Reason, slip messages.Reason) []messages.Reason {
	if slip == messages.ReasonNone {
		return slips
	}
	return append(slips, slip)
}
