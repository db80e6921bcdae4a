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
		return "a line of an agent's for the API's own servers; no model is to read it"
	case slices.Contains(hints, name):
		return "a hint that changes no answer"
	case name == BlockImage, name == BlockDocument:
		return "a raw prompt is one text, in which [image] or [document] stands in its place"
	case name == "tool_search_tool":
		return "all tools are in the prompt: there is nothing to search"
	case slices.Contains(serverTools, name), slices.Contains([]string{"mcp_servers", "mcp_tool_reference", "mcp_toolset_reference", "systemTool"}, name):
		return "it runs in the upstream: only a model with a tool API of its own can have it"
	case slices.Contains(foreignBlocks, name), slices.Contains(inToolResult.drops, name):
		return "a block of a model that thinks, or of a server with tools of its own"
	case slices.Contains(unsupported, name), slices.Contains(unsupportedInTool, name), isUnsupportedInBlock(name), name == "task_budget":
		return "a model that only completes text has no use for it"
	}
	return "the API has no such field there"
}

func isUnsupportedInBlock(name string) bool {
	for _, names := range unsupportedInBlock {
		if slices.Contains(names, name) {
			return true
		}
	}
	return false
}
