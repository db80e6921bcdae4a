package messages

import (
	"slices"
	"strings"
)

// WhyDropped returns why a field in [Request.Dropped] was left out.
func WhyDropped(field string) string {
	name := field[strings.LastIndexByte(field, '.')+1:]
	switch {
	case name == "billing_header":
		return "a line that an agent writes for the API's own servers; models must not see it"
	case slices.Contains(hints, name):
		return "a hint that does not change the answer"
	case name == BlockImage, name == BlockDocument:
		return "a raw prompt is text only: it has [image] or [document] instead"
	case name == "tool_search_tool":
		return "all tools are in the prompt, so there is nothing to search"
	case slices.Contains(serverTools, name), slices.Contains([]string{"mcp_servers", "mcp_tool_reference", "mcp_toolset_reference", "systemTool"}, name):
		return "it runs in the upstream, which needs a model with a tool API of its own"
	case slices.Contains(foreignBlocks, name), slices.Contains(inToolResult.drops, name):
		return "a block from a model that thinks, or from a server with tools of its own"
	case slices.Contains(unsupported, name), slices.Contains(unsupportedInTool, name), isUnsupportedInBlock(name), name == "task_budget":
		return "a model that only completes text cannot use it"
	}
	return "the API has no such field here"
}

func isUnsupportedInBlock(name string) bool {
	for _, names := range unsupportedInBlock {
		if slices.Contains(names, name) {
			return true
		}
	}
	return false
}
