package convert

import (
	"math"
	"strconv"
	"strings"
)

// place is where a block of the body comes from in the client's messages.
type place struct {
	field          placeField
	message, index int32 // of the message, and of the part or call in it
}

// placeField is the field of a message that a block comes from.
type placeField uint8

const (
	placeContent   placeField = iota // content, as a string
	placePart                        // a part of content
	placeCall                        // one of tool_calls
	placeResult                      // the whole message, which is a result
	placeReasoning                   // reasoning_content
)

// chatPlaces are the places of the parts of the body in the client's request.
type chatPlaces struct {
	limit      string   // the client's name of max_tokens
	system     []place  // of the blocks of the system prompt
	blocks     []place  // of the blocks of all messages, one after the other
	starts     []int32  // index in blocks of each message's first block
	messageAt  []int32  // index of the client's message that each message begins with
	toolPlaces []int32  // index of the client's tool for each tool
	toolNames  []string // of the tools
}

// Names of the Messages API and their counterparts in Chat Completions: for fields of a request, for fields further
// inside, and in the text of an error.
var (
	chatMembers = map[string]string{
		"stop_sequences":                        "stop",
		"thinking":                              "reasoning_effort",
		"output_config.effort":                  "reasoning_effort",
		"output_config.format":                  "response_format",
		"tool_choice.name":                      "tool_choice.function.name",
		"tool_choice.disable_parallel_tool_use": "parallel_tool_calls",
		"messages.content.thinking":             "messages.reasoning_content",
	}
	chatFields = map[string]string{
		"tool_use.id":             "id",
		"tool_use.name":           "function.name",
		"tool_use.input":          "function.arguments",
		"tool_result.tool_use_id": "tool_call_id",
		"image.source.url":        "image_url.url",
		"image.source.data":       "image_url.url",
		"image.source.media_type": "image_url.url",
	}
	chatWords = strings.NewReplacer(
		"`tool_use_id`", "`tool_call_id`", "`tool_use` ids", "ids of `tool_calls`", "`tool_use` blocks", "`tool_calls`", "`tool_use` block", "call in `tool_calls`",
		"each `tool_use`", "each call", "`tool_result` blocks", "`tool` messages", "`tool_result` block", "`tool` message", "Type `any`", "The value `required`",
		"a source of the type 'base64'", "a data URL ('data:image/png;base64,…')", "without a `data:` URL before them", "after 'data:image/png;base64,'",
	)
)

// path converts a path in the body to the path in the client's request: "messages.0.content.1.tool_use.input" to
// "messages.2.tool_calls.1.function.arguments".
func (p *chatPlaces) path(path string) string {
	if name, ok := chatMembers[path]; ok {
		return name
	}
	steps := strings.Split(path, ".")
	switch steps[0] {
	case "max_tokens":
		return p.limit
	case "messages":
		return p.messagePath(steps)
	case "system":
		if i, ok := indexIn(steps, 1, len(p.system)); ok {
			return p.system[i].path(steps[2:])
		}
		return "messages"
	case "tools":
		return p.toolPath(steps)
	case "output_config":
		return strings.Replace(strings.TrimPrefix(path, "output_config."), "format.schema", "response_format.json_schema.schema", 1)
	case "stop_sequences", "thinking":
		return chatMembers[steps[0]] + strings.TrimPrefix(path, steps[0])
	}
	return path
}

// messagePath converts the steps of a path in a message. The path of a dropped field has no indexes.
func (p *chatPlaces) messagePath(steps []string) string {
	message, ok := indexIn(steps, 1, len(p.starts))
	if !ok {
		return strings.Join(steps, ".")
	}
	at := "messages." + strconv.Itoa(int(p.messageAt[message]))
	if len(steps) < 4 {
		return strings.Join(append([]string{at}, steps[2:]...), ".")
	}
	end := len(p.blocks)
	if message+1 < len(p.starts) {
		end = int(p.starts[message+1])
	}
	first := int(p.starts[message])
	block, ok := indexIn(steps, 3, end-first)
	if !ok {
		return at
	}
	return p.blocks[first+block].path(steps[4:])
}

// path returns the path of a value in a block: inside are the steps from the block.
func (p place) path(inside []string) string {
	at := "messages." + strconv.Itoa(int(p.message))
	switch p.field {
	case placeContent:
		return at + ".content"
	case placePart:
		at += ".content." + strconv.Itoa(int(p.index))
	case placeCall:
		at += ".tool_calls." + strconv.Itoa(int(p.index))
	case placeReasoning:
		return at + ".reasoning_content"
	case placeResult:
		if i, ok := indexIn(inside, 2, math.MaxInt); ok { // tool_result.content.1
			return place{placePart, p.message, int32(i)}.path(inside[3:])
		}
	}
	for n := len(inside); n > 0; n-- {
		if name, ok := chatFields[strings.Join(inside[:n], ".")]; ok {
			return strings.Join(append([]string{at, name}, inside[n:]...), ".")
		}
	}
	if len(inside) > 1 { // the first is the type of the block
		at += "." + strings.Join(inside[1:], ".")
	}
	return at
}

// toolPath converts the steps of a path in a tool. The path of a dropped field has no index, and the path of an error
// has the type of the tool.
func (p *chatPlaces) toolPath(steps []string) string {
	at, rest := "tools", steps[1:]
	if i, ok := indexIn(steps, 1, len(p.toolPlaces)); ok {
		at += "." + strconv.Itoa(int(p.toolPlaces[i]))
		rest = steps[2:]
	}
	if len(rest) > 0 && rest[0] == "custom" {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return at
	}
	if rest[0] == "input_schema" {
		rest[0] = "parameters"
	}
	return at + ".function." + strings.Join(rest, ".")
}

// indexIn returns a step that is an index below n.
func indexIn(steps []string, step, n int) (i int, ok bool) {
	if len(steps) <= step {
		return 0, false
	}
	i, err := strconv.Atoi(steps[step])
	return i, err == nil && i >= 0 && i < n
}
