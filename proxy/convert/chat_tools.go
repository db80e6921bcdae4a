package convert

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// tools writes the tools, if there are any. Only functions are supported: tools of other types are dropped.
func (c *chatConverter) tools(at *memberPath, list jsontext.Value) {
	begin := len(c.out)
	c.write(`"tools":[`)
	for at, v := range c.items(at, list, messages.MaxTools) {
		tool := c.object(at, v, []string{"type", "function"})
		if typ := c.stringValue(at.member("type"), tool.Take("type")); typ != "" && typ != "function" {
			c.drop(at.member(withoutDots(typ)))
			continue
		}
		c.function(at.member("function"), tool.Take("function"))
		c.toolPlaces = append(c.toolPlaces, int32(at.index))
		c.dropUsed(at, &tool)
	}
	if len(c.toolPlaces) == 0 {
		c.out = c.out[:begin]
		return
	}
	c.close(']')
	c.write(",")
}

// function writes one tool.
func (c *chatConverter) function(at *memberPath, v jsontext.Value) {
	if nonNull(v) == nil {
		c.failBy(messages.FaultMissingField, at, "Field required")
	}
	from := c.object(at, v, []string{"name", "description", "parameters", "strict"})
	name := from.Take("name")
	c.toolNames = append(c.toolNames, c.stringValue(at.member("name"), name))
	c.write("{")
	c.writeMember("name", name)
	c.writeMember("description", from.Take("description"))
	c.write(`"input_schema":`)
	c.parameters(at.member("parameters"), from.Take("parameters"))
	c.write(",")
	c.writeMember("strict", from.Take("strict"))
	c.close('}')
	c.write(",")
	c.dropUsed(at, &from)
}

// parameters writes the schema of a tool. Here the type may be missing, and the schema too, if there are no parameters.
func (c *chatConverter) parameters(at *memberPath, schema jsontext.Value) {
	schema = nonNull(schema)
	switch {
	case schema == nil:
		c.write(`{"type":"object","properties":{}}`)
	case schema.Kind() == '{' && rawjson.Lookup(schema, "type") == nil:
		c.write(`{"type":"object",`)
		c.write(string(schema[1 : len(schema)-1]))
		c.close('}')
	default:
		c.write(string(schema))
	}
}

// toolChoice writes which tools the model may or must call. It returns whether the model must call one.
func (c *chatConverter) toolChoice(v, parallel jsontext.Value) (forced bool) {
	var top *memberPath
	at := top.member("tool_choice")
	mode, name := messages.ChoiceAuto, jsontext.Value(nil)
	switch v = nonNull(v); v.Kind() {
	case 0:
	case '"':
		mode = c.choiceMode(at, v)
	default:
		mode, name = c.choiceObject(at, v)
	}
	if parallel = nonNull(parallel); parallel != nil && parallel.Kind() != 't' && parallel.Kind() != 'f' {
		c.fail(top.member("parallel_tool_calls"), "This should be a boolean.")
	}
	single := parallel.Kind() == 'f' && mode != messages.ChoiceNone && len(c.toolNames) > 0
	if v == nil && !single {
		return false
	}
	c.write(`"tool_choice":{"type":"` + mode + `",`)
	c.writeMember("name", name)
	if single {
		c.write(`"disable_parallel_tool_use":true`)
	}
	c.close('}')
	c.write(",")
	return mode == messages.ChoiceAny || mode == messages.ChoiceTool
}

// choiceMode returns the tool_choice for a mode, which is a string.
func (c *chatConverter) choiceMode(at *memberPath, v jsontext.Value) string {
	switch mode := c.stringValue(at, v); mode {
	case "required":
		return messages.ChoiceAny
	case messages.ChoiceAuto, messages.ChoiceNone:
		return mode
	}
	c.fail(at, "This should be none, auto, required, or an object with the type function or allowed_tools.")
	return messages.ChoiceAuto
}

// choiceObject returns the tool_choice for an object: one function, or the functions that are allowed.
func (c *chatConverter) choiceObject(at *memberPath, v jsontext.Value) (mode string, name jsontext.Value) {
	from := c.object(at, v, []string{"type", "function", "allowed_tools"})
	switch c.stringValue(at.member("type"), from.Take("type")) {
	case "function":
		at = at.member("function")
		function := c.object(at, from.Take("function"), []string{"name"})
		name = c.rawString(at.member("name"), function.Take("name"))
		if name == nil {
			c.failBy(messages.FaultMissingField, at.member("name"), "Field required")
		}
		return messages.ChoiceTool, name
	case "allowed_tools":
		return c.allowedTools(at.member("allowed_tools"), from.Take("allowed_tools"))
	}
	c.fail(at.member("type"), "This should be function or allowed_tools.")
	return messages.ChoiceAuto, nil
}

// allowedTools returns the tool_choice for a list of tools that the model may call. All tools stay in the prompt, so
// that prompt caches hit. A list of one tool that has to be called is a choice of this tool. The Messages API has no
// other list: it is dropped, unless it has all tools.
func (c *chatConverter) allowedTools(at *memberPath, v jsontext.Value) (mode string, name jsontext.Value) {
	from := c.object(at, v, []string{"mode", "tools"})
	if len(from.Members) == 0 {
		c.failBy(messages.FaultMissingField, at, "Field required")
	}
	mode = c.choiceMode(at.member("mode"), from.Take("mode"))
	allowed := map[string]bool{}
	for at, v := range c.items(at.member("tools"), from.Take("tools"), messages.MaxTools) {
		tool := c.object(at, v, []string{"type", "function"})
		function := c.object(at.member("function"), tool.Take("function"), []string{"name"})
		name = c.rawString(at.member("function").member("name"), function.Take("name"))
		allowed[c.stringValue(at, name)] = true
	}
	switch every := !slices.ContainsFunc(c.toolNames, func(tool string) bool { return !allowed[tool] }); {
	case mode == messages.ChoiceAny && len(allowed) == 1:
		return messages.ChoiceTool, name
	case !every:
		c.drop(at.member("tools"))
	}
	return mode, nil
}
