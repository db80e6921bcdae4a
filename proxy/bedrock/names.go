package bedrock

import (
	"strconv"
	"strings"
)

// Names of the Messages API and what Converse calls them: of the members of a request,
// and of a step further inside.
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
		"data":              "bytes", // of the source of an image
	}
)

// converseWords replaces the names of the Messages API in the text of an error.
var converseWords = strings.NewReplacer(
	"`tool_use_id`", "`toolUseId`", "`tool_use`", "`toolUse`", "`tool_result`", "`toolResult`", "`tools`", "`toolConfig.tools`",
)

// conversePath returns what a path in the converted body is in the request of Converse:
// "messages.0.content.2.toolUse.input" for "messages.0.content.1.tool_use.input".
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
		return path // the client's own word, such as a header or the model in the URL
	case first == "messages" && len(steps) > 3:
		if i, err := strconv.Atoi(steps[1]); err == nil {
			steps[3] = left.clientIndex(i, steps[3])
		}
	case first == "system" && len(steps) > 1:
		steps[1] = left.clientIndex(systemList, steps[1])
	case first == "tools" && len(steps) > 1:
		steps[1] = left.clientIndex(toolsList, steps[1])
	}
	for i, step := range steps {
		if name, ok := converseSteps[step]; ok {
			steps[i] = name
		}
	}
	steps[0] = converseMembers[first]
	return strings.Join(steps, ".")
}
