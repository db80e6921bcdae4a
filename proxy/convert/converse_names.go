package convert

import (
	"slices"
	"strconv"
	"strings"
)

// Names of the Messages API and their counterparts in Converse: for fields of a request, and for steps further inside.
var (
	converseMembers = map[string]string{
		"messages":       "messages",
		"system":         "system",
		"max_tokens":     "inferenceConfig.maxTokens",
		"temperature":    "inferenceConfig.temperature",
		"top_p":          "inferenceConfig.topP",
		"stop_sequences": "inferenceConfig.stopSequences",
		"tools":          "toolConfig.tools",
		"tool_choice":    "toolConfig.toolChoice",
		"output_config":  "outputConfig",
	}
	converseSteps = map[string]string{
		"tool_use":          "toolUse",
		"tool_result":       "toolResult",
		"thinking":          "reasoningContent",
		"redacted_thinking": "reasoningContent",
		"id":                "toolUseId",
		"tool_use_id":       "toolUseId",
		"title":             "name",
		"custom":            "toolSpec",
		"input_schema":      "inputSchema.json",
		"cache_control":     "cachePoint",
		"data":              "bytes", // of an image's source
	}
)

// converseWords replaces names of the Messages API in the text of an error.
var converseWords = strings.NewReplacer(
	"`tool_use_id`", "`toolUseId`", "`tool_use`", "`toolUse`", "`tool_result`", "`toolResult`", "`tools`", "`toolConfig.tools`",
)

// ownNames are the steps after which the client chooses the names, such as the parameters of its tools.
var ownNames = []string{"input_schema", "input", "schema"}

// conversePath converts a path in the converted body to the path in the Converse request:
// "messages.0.content.1.tool_use.input" to "messages.0.content.2.toolUse.input".
func conversePath(path string, left gaps, from origins) string {
	steps := strings.Split(path, ".")
	if additional := from.path(steps); additional != "" {
		return additional
	}
	first := steps[0]
	switch {
	case path == "tool_choice.name":
		return "toolConfig.toolChoice.tool.name"
	case converseMembers[first] == "":
		return path // the client's own name already, such as a header or the model in the URL
	case first == "messages" && len(steps) > 3:
		if i, err := strconv.Atoi(steps[1]); err == nil {
			steps[3] = left.clientIndex(i, steps[3])
		}
	case first == "system" && len(steps) > 1:
		steps[1] = left.clientIndex(systemList, steps[1])
	case first == "tools":
		steps = toolSteps(steps, left)
	case first == "output_config" && len(steps) > 1 && steps[1] == "format":
		steps = formatSteps(steps)
	}
	for i, step := range steps {
		if name, ok := converseSteps[step]; ok {
			steps[i] = name
		}
		if slices.Contains(ownNames, step) {
			break
		}
	}
	steps[0] = converseMembers[first]
	return strings.Join(steps, ".")
}

// toolSteps returns the steps to a part of a tool, whose fields are in a toolSpec in Converse. The path of a dropped
// field has no index, and the path of an error within a tool has the tool's kind.
func toolSteps(steps []string, left gaps) []string {
	member := 1
	if len(steps) > 1 {
		if _, err := strconv.Atoi(steps[1]); err == nil {
			steps[1] = left.clientIndex(toolsList, steps[1])
			member = 2
		}
	}
	if len(steps) > member && steps[member] != "custom" && steps[member] != "cache_control" {
		steps = slices.Insert(steps, member, "custom")
	}
	return steps
}

// formatSteps returns the steps to a part of the answer's required format.
func formatSteps(steps []string) []string {
	steps = slices.Clone(steps)
	steps[1] = "textFormat"
	if len(steps) > 2 && steps[2] == "schema" {
		steps = slices.Insert(steps, 2, "structure", "jsonSchema")
	}
	return steps
}
