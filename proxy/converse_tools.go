package proxy

import (
	"dragoman/translate/messages"

	"github.com/go-json-experiment/json/jsontext"
)

// toolKinds are the members of a tool: a union, like all that has a cachePoint.
var toolKinds = []string{"toolSpec", "cachePoint"}

// tools writes the tools, if there are any. A cache point is a mark on the tool
// before it.
func (c *converter) tools(at *spot, list jsontext.Value) {
	begin, end := len(c.out), 0 // of the list, and of the tool before
	c.write(`"tools":[`)
	for at, v := range c.items(at, list, messages.MaxTools) {
		tool := c.open(at, v, toolKinds)
		switch kind := c.union(at, &tool, toolKinds); {
		case c.err != nil:
		case kind == "toolSpec":
			c.toolSpec(at.member(kind), tool.Take(kind))
			end = len(c.out) - 1
			c.write(",")
		case end > 0:
			c.skip(toolsList, at.index)
			c.reopen(end)
			c.mark(at, tool.Take(kind))
			c.write("},")
		default:
			c.skip(toolsList, at.index)
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

func (c *converter) toolSpec(at *spot, v jsontext.Value) {
	spec := c.open(at, v, []string{"name", "description", "inputSchema", "strict"})
	schema := c.open(at.member("inputSchema"), spec.Take("inputSchema"), []string{"json"})
	c.write("{")
	c.member("name", spec.Take("name"))
	c.member("description", spec.Take("description"))
	c.member("input_schema", schema.Take("json"))
	c.member("strict", spec.Take("strict"))
	c.close('}')
	c.leave(at, &spec)
	c.leave(at.member("inputSchema"), &schema)
}

// choice writes which tools the model may or must call: a union.
func (c *converter) choice(at *spot, v jsontext.Value) {
	if v = given(v); v == nil {
		return
	}
	kinds := []string{messages.ChoiceAuto, messages.ChoiceAny, messages.ChoiceTool}
	from := c.open(at, v, kinds)
	kind := c.union(at, &from, kinds)
	tool := c.open(at.member(kind), from.Take(kind), []string{"name"})
	c.write(`"tool_choice":{"type":"` + kind + `",`)
	if kind == messages.ChoiceTool {
		c.member("name", tool.Take("name"))
		c.leave(at.member(kind), &tool)
	}
	c.close('}')
	c.write(",")
}
