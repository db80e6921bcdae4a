package messages

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file leaves out tools that run in the upstream. A model that only completes text cannot have
// them.

// serverTools are prefixes of the types of such tools.
var serverTools = []string{"tool_search_tool", "web_search", "web_fetch", "code_execution", "mcp_toolset", "advisor"}

// serverTool is a tool that was left out, because it runs in the upstream.
type serverTool struct{ path, typ, name string }

// serverTool leaves out a tool that runs in the upstream. In strict mode it fails.
func (d *decoder) serverTool(at *fieldPath, typ string, name jsontext.Value) {
	t := serverTool{path: at.String(), typ: typ, name: d.optionalText(at.member("name"), name)}
	if d.opt.Strict {
		d.failServerTool(&t)
		return
	}
	family := serverTools[slices.IndexFunc(serverTools, func(p string) bool { return strings.HasPrefix(typ, p) })]
	tools := member("tools")
	d.drop(tools.member(family))
	d.serverTools = append(d.serverTools, t)
}

// failServerTool fails because tool_choice forces a tool that runs in the upstream.
func (d *decoder) failServerTool(t *serverTool) {
	if d.err == nil {
		d.err = &InvalidRequestError{
			Fault:   FaultUnsupported,
			Path:    t.path,
			Message: fmt.Sprintf("`%s` runs in the upstream, and this model only completes text. Remove the tool, or use a model with a tool API.", clip(t.typ)),
		}
	}
}

// forcedServerTool returns the left-out tool that tool_choice forces: by name, or because no other
// tool is left. It returns nil if there is no such tool.
func (d *decoder) forcedServerTool(c *ToolChoice, tools []Tool) *serverTool {
	if c.Type == ChoiceAny && len(tools) > 0 || c.Type == ChoiceTool && hasTool(tools, c.Name) {
		return nil
	}
	for i := range d.serverTools {
		if t := &d.serverTools[i]; c.Type == ChoiceAny || c.Name == t.name {
			return t
		}
	}
	return nil
}

// mcpServers leaves out MCP servers, because their tools run in the upstream. In strict mode it
// fails.
func (d *decoder) mcpServers(list jsontext.Value) {
	at := member("mcp_servers")
	if !d.list(at, list) {
		return
	}
	for e := range d.elements(at, list, MaxTools) {
		o, ok := d.openItem(e, []string{"type", "name", "url", "authorization_token", "tool_configuration"})
		if !ok {
			return
		}
		d.drop(at)
		if d.opt.Strict {
			name := d.optionalText(e.at.member("name"), o.Take("name"))
			d.failBy(FaultUnsupported, e.at, "The tools of the MCP server '%s' run in the upstream, and this model only completes text. Remove the server, or use a model with a tool API.", clip(name))
		}
	}
}

// serverToolChange leaves out a change to tools that run in the upstream. In strict mode it fails.
func (d *decoder) serverToolChange(at *fieldPath, o *rawjson.Object, kind string) {
	if d.opt.Strict {
		d.failBy(FaultUnsupported, at.member("tool"), "The tools of MCP servers run in the upstream, and this model only completes text. Remove the block, or use a model with a tool API.")
	}
	d.drop(at.member(kind))
	o.Take("server_name")
	o.Take("name")
}
