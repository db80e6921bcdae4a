package convert

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
)

// toolKinds are the fields of an element of the tool list, which is a union.
var toolKinds = []string{"toolSpec", "systemTool", "cachePoint"}

// tools writes the tools, if there are any. A cache point is a tool of its own in Converse, and a field of the
// preceding tool in the Messages API. A system tool runs in the upstream, so it is dropped.
func (c *converseConverter) tools(at *memberPath, list jsontext.Value) {
	begin, end := len(c.out), 0 // the beginning of the list, and the end of the preceding tool
	c.write(`"tools":[`)
	for at, v := range c.items(at, list, messages.MaxTools) {
		tool := c.object(at, v, toolKinds)
		switch kind := c.union(at, &tool, toolKinds); {
		case c.err != nil:
		case kind == "toolSpec":
			c.toolSpec(at.member(kind), tool.Take(kind))
			end = len(c.out) - 1
			c.write(",")
		case kind == "cachePoint" && end > 0:
			c.gaps.add(toolsList, at.index)
			c.reopen(end)
			c.cacheControl(at, tool.Take(kind))
			c.write("},")
		default:
			c.gaps.add(toolsList, at.index)
			c.drop(at.member(kind))
		}
	}
	if end == 0 {
		c.out = c.out[:begin]
		return
	}
	c.close(']')
	c.write(",")
}

// toolSpec writes a tool.
func (c *converseConverter) toolSpec(at *memberPath, v jsontext.Value) {
	spec := c.object(at, v, []string{"name", "description", "inputSchema", "strict"})
	schema := c.object(at.member("inputSchema"), spec.Take("inputSchema"), []string{"json"})
	c.write("{")
	c.writeMember("name", spec.Take("name"))
	c.writeMember("description", spec.Take("description"))
	c.writeMember("input_schema", schema.Take("json"))
	c.writeMember("strict", spec.Take("strict"))
	c.close('}')
	c.dropRest(at, &spec)
	c.dropRest(at.member("inputSchema"), &schema)
}

// toolChoice writes which tools the model may or must call: a union.
func (c *converseConverter) toolChoice(at *memberPath, v jsontext.Value) {
	if v = nonNull(v); v == nil {
		return
	}
	kinds := []string{messages.ChoiceAuto, messages.ChoiceAny, messages.ChoiceTool}
	from := c.object(at, v, kinds)
	kind := c.union(at, &from, kinds)
	tool := c.object(at.member(kind), from.Take(kind), []string{"name"})
	c.write(`"tool_choice":{"type":"` + kind + `",`)
	if kind == messages.ChoiceTool {
		c.writeMember("name", tool.Take("name"))
		c.dropRest(at.member(kind), &tool)
	}
	c.close('}')
	c.write(",")
}
