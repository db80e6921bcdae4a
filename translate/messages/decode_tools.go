package messages

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file reads the tools of a request, and tool_choice.

// toolsets are prefixes of the types of toolsets. A toolset names no single tool, so Dragoman
// cannot show it to a text model.
var toolsets = []string{"computer_toolset_", "browser_toolset_"}

// toolMembers are the names of all members that some type of tool has.
var toolMembers = slices.Concat([]string{
	"type", "name", "description", "input_schema", "input_examples", "strict", "defer_loading", eagerStreaming,
	"max_characters", "display_width_px", "display_height_px", "display_number", "enable_zoom",
}, unsupportedInTool)

// tools reads the tools that the client offers.
func (d *decoder) tools(list jsontext.Value) []Tool {
	at := member("tools")
	if !d.list(at, list) {
		return nil
	}
	tools := []Tool{}
	names := make(map[string]bool)
	for e := range d.elements(at, list, MaxTools) {
		t, ok := d.tool(e)
		if !ok || d.err != nil {
			continue
		}
		if names[t.Name] {
			d.fail(at, "Tool names must be unique.")
		}
		names[t.Name] = true
		t.Index = e.at.index
		tools = append(tools, t)
	}
	return tools
}

// tool reads one tool of the list. It returns false if the tool is left out.
func (d *decoder) tool(e *listItem) (t Tool, ok bool) {
	o, ok := d.openItem(e, toolMembers)
	if !ok {
		return t, false
	}
	return d.toolOf(&e.at, &o)
}

// toolOf reads a tool from the object o. It returns false if the tool is left out.
func (d *decoder) toolOf(at *fieldPath, o *rawjson.Object) (t Tool, ok bool) {
	given, examples := o.Take("type"), o.Take("input_examples")
	typ := d.optionalText(at.member("type"), given)
	switch {
	case d.err != nil:
		return t, false
	case absent(given) || typ == "custom":
		tagged := at.tagged("custom")
		t = d.customTool(&tagged, o)
		t.InputExamples = d.inputExamples(at.member("input_examples"), examples)
		return t, true
	case hasAnyPrefix(typ, toolsets):
		d.failBy(FaultUnsupported, *at, "`%s` has no schemas, so a model that only completes text cannot use it. Remove it, or use a model with a tool API.", clip(typ))
	case hasAnyPrefix(typ, serverTools):
		d.serverTool(at, typ, o.Take("name"))
	default:
		if b := findBuiltin(typ); b != nil {
			tagged := at.tagged(typ)
			t = d.builtinTool(&tagged, o, typ, b)
			t.InputExamples = d.inputExamples(at.member("input_examples"), examples)
			return t, true
		}
		d.failTag(*at, typ, builtinTypes())
	}
	return t, false
}

// hasAnyPrefix reports whether s begins with one of prefixes.
func hasAnyPrefix(s string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// hasTool reports whether tools has a tool with this name.
func hasTool(tools []Tool, name string) bool {
	return slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == name })
}

// customTool reads a tool with a schema from the client.
func (d *decoder) customTool(at *fieldPath, o *rawjson.Object) Tool {
	t := Tool{
		Name:        d.text(at.member("name"), o.Take("name")),
		Description: d.optionalText(at.member("description"), o.Take("description")),
		InputSchema: o.Take("input_schema"),
	}
	d.checkToolName(at.member("name"), t.Name)
	if schema := at.member("input_schema"); d.object(schema, t.InputSchema.Kind()) {
		d.countSchema(schema, t.InputSchema)
		t.InputSchema = d.checkSchema(&schema, t.InputSchema)
	}
	if v := o.Take("strict"); absent(v) || v.Kind() == 't' || v.Kind() == 'f' {
		t.Strict = v.Kind() == 't'
	} else {
		d.dropUnknown(at.member("strict"), v)
	}
	t.Streaming = d.inputStreaming(at, o)
	d.deferTool(at, o, t.Name)
	d.dropRest(at, o, unsupportedInTool)
	return t
}

// inputExamples reads the examples of a tool's input. It does not check whether they fit the
// schema.
func (d *decoder) inputExamples(at fieldPath, list jsontext.Value) []jsontext.Value {
	if !d.list(at, list) {
		return nil
	}
	var examples []jsontext.Value
	for e := range d.elements(at, list, MaxExamples) {
		if d.examples++; d.examples > MaxExamples {
			d.failBy(FaultLimit, at, "The tools of a request should have at most %d examples in all", MaxExamples)
		}
		if d.object(e.at, e.from.Kind()) {
			examples = append(examples, e.value())
		}
	}
	return examples
}

// chosenTool returns the name of the tool that tool_choice names, or "".
func chosenTool(choice jsontext.Value) string {
	if name := rawjson.Lookup(choice, "name"); name.Kind() == '"' {
		return rawjson.Unquote(name)
	}
	return ""
}

// toolChoice reads which of the tools the model may or must call.
func (d *decoder) toolChoice(v jsontext.Value, tools []Tool) ToolChoice {
	at := member("tool_choice")
	if absent(v) {
		return ToolChoice{Type: ChoiceAuto}
	}
	o, ok := d.openObject(&at, v, []string{"type", "name", "disable_parallel_tool_use"})
	if !ok {
		return ToolChoice{}
	}
	c := ToolChoice{Type: d.text(at.member("type"), o.Take("type"))}
	if d.err != nil {
		return c
	}
	switch c.Type {
	case ChoiceTool:
		c.Name = d.text(at.member("name"), o.Take("name"))
		fallthrough
	case ChoiceAny:
		if t := d.forcedServerTool(&c, tools); t != nil {
			d.failServerTool(t)
		}
		if len(tools) == 0 {
			d.fail(at, "Type `%s` may only be specified while providing `tools`.", c.Type)
		}
		fallthrough
	case ChoiceAuto:
		c.DisableParallelToolUse = d.boolean(at.member("disable_parallel_tool_use"), o.Take("disable_parallel_tool_use"))
	case ChoiceNone:
	default:
		d.failTag(at, c.Type, []string{ChoiceAuto, ChoiceAny, ChoiceTool, ChoiceNone})
	}
	if c.Type == ChoiceTool && !hasTool(tools, c.Name) {
		d.fail(at.member("name"), "Tool '%s' not found in provided tools", clip(c.Name))
	}
	d.dropRest(&at, &o, nil)
	return c
}

// checkToolName checks the name of an offered tool.
func (d *decoder) checkToolName(at fieldPath, name string) {
	const longest = 128
	ok := len(name) <= longest && onlyBytes(name, "-_") || d.opt.LooseNames
	if name == "" || !ok {
		d.fail(at, "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'")
	}
}
