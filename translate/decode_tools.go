package translate

import (
	"slices"
	"strings"
)

// unusableInTool are the members of a tool that the API knows and a text model
// has no use for.
var unusableInTool = []string{
	"cache_control", "input_examples", "defer_loading", "allowed_callers",
}

// serverTools run in the upstream, toolsets name no tool: neither can be shown
// to a model as text. Both are prefixes of a tool's type.
var (
	serverTools = []string{"web_search", "web_fetch", "code_execution", "mcp_toolset", "advisor"}
	toolsets    = []string{"computer_toolset_", "browser_toolset_"}
)

// tools reads the tools that the client offers.
func (d *decoder) tools(w *wireList[wireTool]) []Tool {
	at := member("tools")
	if !d.list(at, w.at) {
		return nil
	}
	tools := make([]Tool, 0, len(w.items))
	names := make(map[string]bool, len(w.items))
	for i := range w.items {
		element := at.element(i)
		t, ok := d.tool(&element, &w.items[i])
		if d.err != nil {
			return nil
		}
		if !ok {
			continue
		}
		if names[t.Name] {
			d.fail(at, "Tool names must be unique.")
		}
		names[t.Name] = true
		tools = append(tools, t)
	}
	return tools
}

// tool reads one tool. It is not ok if the tool is left out.
func (d *decoder) tool(at *fieldPath, w *wireTool) (t Tool, ok bool) {
	if !d.object(*at, w.at) {
		return t, false
	}
	typ := d.optional(at.member("type"), w.Type)
	switch {
	case d.err != nil:
		return t, false
	case typ == "" && w.Type.absent() || typ == "custom":
		tagged := at.tagged("custom")
		return d.customTool(&tagged, w), true
	case hasAnyPrefix(typ, toolsets):
		d.fail(*at, "`%s` comes without schemas that a model which only completes text could be shown. Remove it, or use a model with a tool API.", clip(typ))
	case strings.HasPrefix(typ, "tool_search_tool") && !d.opt.Strict:
		d.drop("tools.tool_search_tool") // nothing to search: deferred tools are in the prompt
	case strings.HasPrefix(typ, "tool_search_tool") || hasAnyPrefix(typ, serverTools):
		d.fail(*at, "`%s` runs in the upstream, and this model only completes text. Remove the tool, or use a model with a tool API.", clip(typ))
	default:
		if b := findBuiltin(typ); b != nil {
			tagged := at.tagged(typ)
			return d.builtinTool(&tagged, w, typ, b), true
		}
		d.failTag(*at, typ, builtinTypes())
	}
	return t, false
}

func hasAnyPrefix(s string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// customTool reads a tool with a schema of the client's.
func (d *decoder) customTool(at *fieldPath, w *wireTool) Tool {
	t := Tool{
		Name:        d.text(at.member("name"), w.Name),
		Description: d.optional(at.member("description"), w.Description),
	}
	d.checkToolName(at.member("name"), t.Name)
	schema := at.member("input_schema")
	if d.object(schema, w.InputSchema.at) {
		d.checkSchema(&schema, &w.InputSchema)
		t.InputSchema = d.raw(w.InputSchema.at)
	}
	if v := w.Rest["strict"]; v.absent() || v.kind == 't' || v.kind == 'f' {
		t.Strict = v.kind == 't'
		delete(w.Rest, "strict")
	}
	t.Streaming = d.inputStreaming(at, w)
	d.leave(at, w.Rest, unusableInTool)
	return t
}

// inputStreaming reads eager_input_streaming, which every client tool can have.
func (d *decoder) inputStreaming(at *fieldPath, w *wireTool) InputStreaming {
	const name = "eager_input_streaming"
	v := w.Rest[name]
	delete(w.Rest, name)
	switch {
	case v.absent():
		return StreamAsTargeted
	case d.flag(at.member(name), v):
		return StreamEagerly
	}
	return StreamWhole
}

// checkSchema checks what is certain at the top of a schema.
func (d *decoder) checkSchema(at *fieldPath, w *wireSchema) {
	const invalid = "JSON schema is invalid. It must match JSON Schema draft 2020-12: "
	if typ := at.member("type"); w.Type.kind != '"' || d.text(typ, w.Type) != "object" {
		if w.Type.kind == 0 {
			d.fail(typ, fieldRequired)
		}
		d.fail(typ, "Input should be 'object'")
	}
	if k := w.Properties.kind; k != 0 && k != '{' {
		d.fail(*at, invalid+"`properties` is not an object.")
	}
	if k := w.Required.kind; k != 0 && k != '[' {
		d.fail(*at, invalid+"`required` is not an array.")
	}
}

// toolChoice reads which tools the model may or must call.
func (d *decoder) toolChoice(w *wireChoice, tools []Tool) ToolChoice {
	at := member("tool_choice")
	if w == nil {
		return ToolChoice{Type: ChoiceAuto}
	}
	if !d.object(at, w.at) {
		return ToolChoice{}
	}
	c := ToolChoice{Type: d.text(at.member("type"), w.Type)}
	if d.err != nil {
		return c
	}
	switch c.Type {
	case ChoiceTool:
		c.Name = d.text(at.member("name"), take(&w.Name))
		fallthrough
	case ChoiceAny:
		if len(tools) == 0 {
			d.fail(at, "Type `%s` may only be specified while providing `tools`.", c.Type)
		}
		fallthrough
	case ChoiceAuto:
		c.DisableParallelToolUse = d.flag(at.member("disable_parallel_tool_use"), take(&w.Parallel))
	case ChoiceNone:
	default:
		d.failTag(at, c.Type, []string{ChoiceAuto, ChoiceAny, ChoiceTool, ChoiceNone})
	}
	if c.Type == ChoiceTool && !slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == c.Name }) {
		d.fail(at.member("name"), "Tool '%s' not found in provided tools", clip(c.Name))
	}
	d.leaveUnknown(at.member("name"), w.Name)
	d.leaveUnknown(at.member("disable_parallel_tool_use"), w.Parallel)
	d.leave(&at, w.Rest, nil)
	return c
}

// refuseServers refuses MCP servers: their tools run in the upstream.
func (d *decoder) refuseServers(w *wireList[wireServer]) {
	at := member("mcp_servers")
	if !d.list(at, w.at) || len(w.items) == 0 {
		return
	}
	element := at.element(0)
	if d.object(element, w.items[0].at) {
		name := d.optional(element.member("name"), w.items[0].Name)
		d.fail(element, "The tools of the MCP server '%s' run in the upstream, and this model only completes text. Remove the server, or use a model with a tool API.", clip(name))
	}
}
