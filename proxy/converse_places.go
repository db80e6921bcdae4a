package proxy

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// spot is a place in a request, innermost step first. It becomes text only when
// something has to be said about it.
type spot struct {
	up    *spot
	name  string // of a member
	index int    // of an element of an array; -1 for a member
}

// member is the place of a member of the object at s; of the request itself, if s is nil.
func (s *spot) member(name string) *spot { return &spot{s, name, -1} }

func (s *spot) element(i int) *spot { return &spot{s, "", i} }

func (s *spot) String() string { return string(s.append(nil, true)) }

// append appends the place, with its indexes or without them.
func (s *spot) append(dst []byte, whole bool) []byte {
	if s == nil {
		return dst
	}
	dst = s.up.append(dst, whole)
	if s.index >= 0 && !whole {
		return dst
	}
	if len(dst) > 0 {
		dst = append(dst, '.')
	}
	if s.index >= 0 {
		return strconv.AppendInt(dst, int64(s.index), 10)
	}
	return append(dst, s.name...)
}

// gap is an element of a list that is not written: those behind it are written at
// indexes of their own.
type gap struct {
	list  int32 // the index of the message, whose content the list is, or one of the below
	index int32
}

// Lists that are not the content of a message.
const (
	systemList = -1 - iota
	toolsList
	innerList // has no gaps
)

// skip takes down that an element is not written.
func (c *converter) skip(list, index int) { c.gaps = append(c.gaps, gap{int32(list), int32(index)}) }

// indexOf returns where an element was that was written as the nth of a list.
func (c *converter) indexOf(list int, n string) string {
	i, err := strconv.Atoi(n)
	if err != nil {
		return n
	}
	for _, g := range c.gaps {
		if int(g.list) == list && int(g.index) <= i {
			i++
		}
	}
	return strconv.Itoa(i)
}

// What members are called in a request, by their names in the body that is written.
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
	}
)

// converseWords are those of messages about a body in the words of the request.
var converseWords = strings.NewReplacer(
	"`tool_use_id`", "`toolUseId`", "`tool_use`", "`toolUse`", "`tool_result`", "`toolResult`", "`tools`", "`toolConfig.tools`",
)

// place returns what a place in the body that was written is called in the request:
// "messages.0.content.2.toolUse.input" for "messages.0.content.1.tool_use.input".
func (c *converter) place(path string) string {
	steps := strings.Split(path, ".")
	first := steps[0]
	switch {
	case slices.Contains(additionalFields, first):
		return "additionalModelRequestFields." + path
	case path == "tool_choice.name":
		return "toolConfig.toolChoice.tool.name"
	case converseMembers[first] == "":
		return path // a name of the request's own
	case first == "messages" && len(steps) > 3:
		if i, err := strconv.Atoi(steps[1]); err == nil {
			steps[3] = c.indexOf(i, steps[3])
		}
	case first == "system" && len(steps) > 1:
		steps[1] = c.indexOf(systemList, steps[1])
	case first == "tools" && len(steps) > 1:
		steps[1] = c.indexOf(toolsList, steps[1])
	}
	for i, step := range steps {
		if name, ok := converseSteps[step]; ok {
			steps[i] = name
		}
	}
	steps[0] = converseMembers[first]
	return strings.Join(steps, ".")
}

// left returns what is left out, sorted.
func (c *converter) left() []string { return slices.Sorted(maps.Keys(c.dropped)) }
