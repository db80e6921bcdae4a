package upstream

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// The tool API of chat completions (docs/reference/vertex.md §5): tools, the tool choice, and past calls and
// their results as messages.

// chatTools are the members of a body for a model with tools.
type chatTools struct {
	Tools    []chatTool `json:"tools,omitempty"`
	Choice   any        `json:"tool_choice,omitzero"`
	Parallel *bool      `json:"parallel_tool_calls,omitzero"` // false or absent
}

// chatTool is a tool, or a call of a tool.
type chatTool struct {
	ID       string       `json:"id,omitzero"` // only of a call
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

// chatFunction is the function of a tool or of a call. A call has Arguments, a string with JSON.
type chatFunction struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Parameters  jsontext.Value `json:"parameters,omitzero"`
	Strict      bool           `json:"strict,omitzero"`
	Arguments   *string        `json:"arguments,omitzero"`
}

const typeFunction = "function"

// chatToolsOf returns the members about tools. required is the server's word for a choice that forces a call. lacks
// are the members that the model has refused.
func chatToolsOf(api *translate.ToolAPI, required string, lacks Features) (t chatTools) {
	if api == nil || len(api.Tools) == 0 {
		return t
	}
	for _, tool := range api.Tools {
		t.Tools = append(t.Tools, chatTool{Type: typeFunction, Function: chatFunction{
			Name: tool.Name, Description: tool.Description, Parameters: tool.InputSchema, Strict: tool.Strict && !lacks.Has(StrictMember),
		}})
	}
	switch api.Choice {
	case messages.ChoiceAuto, messages.ChoiceNone:
		t.Choice = api.Choice
	case messages.ChoiceAny:
		t.Choice = required
	case messages.ChoiceTool:
		t.Choice = chatTool{Type: typeFunction, Function: chatFunction{Name: api.Name}}
	}
	if api.Single && !lacks.Has(ParallelMember) {
		t.Parallel = new(bool)
	}
	return t
}

// chatMessages returns the messages for a turn. Each result of a call becomes its own message, before the
// rest of the turn. A result can only be text, so its images and documents go into the message after it.
// If the model takes no such message and it has only text, the text goes into the last result.
// index is the number of the turn, for errors.
func chatMessages(m Model, turn translate.Turn, index int) (list []chatMessage, err error) {
	rest := translate.Turn{Role: turn.Role}
	folds := m.Lacks.Has(UserAfterTool)
	own := chatMessage{Role: turn.Role}
	var thinking string
	for _, part := range turn.Parts {
		switch part.Type {
		case translate.PartToolResult:
			result := chatMessage{Role: roleTool, CallID: part.ID}
			var text string
			if text, rest.Parts = chatResult(part, rest.Parts); folds {
				text = strings.ReplaceAll(text, afterResults, "&#91;"+afterResults[1:])
			}
			result.Content = text
			list = append(list, result)
		case translate.PartToolUse:
			arguments := string(part.Input)
			own.Calls = append(own.Calls, chatTool{part.ID, typeFunction, chatFunction{Name: part.Name, Arguments: &arguments}})
		case translate.PartThinking:
			thinking += part.Text
		default:
			rest.Parts = append(rest.Parts, part)
		}
	}
	if len(list) > 0 && len(rest.Parts) == 0 {
		return list, nil
	}
	if own.Content, err = chatContent(m.Can, rest, index); len(list) > 0 && folds {
		if text, ok := own.Content.(string); ok {
			last := &list[len(list)-1]
			last.Content = last.Content.(string) + "\n\n" + afterResults + "\n" + text
			return list, nil
		}
	}
	if thinking != "" && !m.Lacks.Has(ReasoningMember) {
		own.think(thinking, isMistral(m.ID+" "+m.Family) && m.Server == "")
	}
	return append(list, own), err
}

// think adds past thinking to a message. inContent: Mistral's own API has it in a part of the content. Other servers of
// its models, which say their names, do not.
func (c *chatMessage) think(thinking string, inContent bool) {
	text, ok := c.Content.(string)
	if !inContent || !ok {
		c.Reasoning = thinking
		return
	}
	parts := []chatPart{{Type: translate.PartThinking, Thinking: []chatPart{{Type: translate.PartText, Text: thinking}}}}
	if text != "" {
		parts = append(parts, chatPart{Type: translate.PartText, Text: text})
	}
	c.Content = parts
}

const roleTool = "tool"

// afterResults is the line before a text of the user in the last result. The text of a result cannot spell it.
const afterResults = "[The user writes, after the results:]"

// chatResult returns the text of a result. It also returns parts, with the result's images and documents
// added.
func chatResult(result translate.Part, parts []translate.Part) (string, []translate.Part) {
	var text []translate.Part
	for _, part := range result.Content {
		if part.Type == translate.PartText {
			text = append(text, part)
		} else {
			parts = append(parts, part)
		}
	}
	content := joinLines(text)
	if len(text) < len(result.Content) {
		content = strings.TrimPrefix(content+"\n(Images and documents of this result are in the next user message.)", "\n")
	}
	if result.IsError {
		content = "Error: " + content
	}
	return content, parts
}
