package upstream

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
)

// CallTools asks the model over the server's own tools API: the tools and the conversation of the request
// as chat completions have them, and not as a prompt. It yields the events of the answer, which comes
// whole. A call whose arguments are not a JSON object is text. The range can be ranged over once; a
// failure is an [*Error].
//
// It is for comparing that API with prompts: images and documents are an error.
func (s *Server) CallTools(ctx context.Context, m Model, r *messages.Request) iter.Seq2[messages.Event, error] {
	return newSequence(ctx, func(ctx context.Context, _ context.CancelFunc, yield func(messages.Event, error) bool) {
		answer, err := s.askWithTools(ctx, m, r)
		if err != nil {
			yield(messages.Event{}, err)
			return
		}
		for _, e := range answer.events(r) {
			if !yield(e, nil) {
				return
			}
		}
	})
}

// toolAnswer is a whole chat completion of a model with tools.
type toolAnswer struct {
	Choices []struct {
		Message struct {
			Content chatText   `json:"content"`
			Calls   []toolCall `json:"tool_calls"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage tokenUsage `json:"usage"`
}

// toolCall is a call of such a model. Its arguments are JSON in a string; some servers write the object itself.
type toolCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string         `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
	} `json:"function"`
}

// askWithTools sends the request and reads the answer.
func (s *Server) askWithTools(ctx context.Context, m Model, r *messages.Request) (*toolAnswer, error) {
	body, err := encodeChatTools(m, r)
	if err != nil {
		return nil, err
	}
	completions := s.at("/chat/completions")
	response, err := completions.post(ctx, body, readChatError, "application/json")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var answer toolAnswer
	for data, err := range wholeBody(response.Body) {
		if err != nil {
			return nil, err
		}
		if failure := chatError(data, 0); failure != nil {
			return nil, failure
		}
		if err := json.Unmarshal(data, &answer, lenient); err != nil || len(answer.Choices) == 0 {
			return nil, gatewayError("the upstream sent an answer that cannot be read", err)
		}
	}
	return &answer, nil
}

// events returns the answer as the events of a message.
func (a *toolAnswer) events(r *messages.Request) []messages.Event {
	choice := &a.Choices[0]
	start := &messages.Message{ID: r.ID, Model: r.Model, Usage: a.Usage.usage()}
	list := []messages.Event{{Type: messages.MessageStart, Message: start}}
	blocks := 0
	add := func(b messages.ContentBlock, kind messages.DeltaType, text []byte) {
		list = append(list,
			messages.Event{Type: messages.ContentBlockStart, Index: blocks, Block: &b},
			messages.Event{Type: messages.ContentBlockDelta, Index: blocks, Delta: kind, Text: text},
			messages.Event{Type: messages.ContentBlockStop, Index: blocks})
		blocks++
	}
	if text := choice.Message.Content; text != "" {
		add(messages.ContentBlock{Type: messages.BlockText}, messages.TextDelta, []byte(text))
	}
	end := &messages.Message{StopReason: messages.StopEndTurn, Usage: a.Usage.usage()}
	for i, call := range choice.Message.Calls {
		input, ok := call.input()
		if !ok {
			add(messages.ContentBlock{Type: messages.BlockText}, messages.TextDelta, input)
			continue
		}
		add(messages.ContentBlock{Type: messages.BlockToolUse, ID: fmt.Sprintf("toolu_%d", i), Name: call.Function.Name}, messages.InputJSONDelta, input)
		end.StopReason = messages.StopToolUse
	}
	if choice.FinishReason == "length" {
		end.StopReason = messages.StopMaxTokens
	}
	return append(list, messages.Event{Type: messages.MessageDelta, Message: end}, messages.Event{Type: messages.MessageStop})
}

// input returns the arguments of a call, and whether they are a JSON object. No arguments are an empty one.
func (c *toolCall) input() (input []byte, ok bool) {
	data := c.Function.Arguments
	var text string
	if data.Kind() == '"' && json.Unmarshal(data, &text) == nil {
		data = jsontext.Value(text)
	}
	if len(data) == 0 || data.Kind() == 'n' {
		return []byte("{}"), true
	}
	return data, data.Kind() == '{' && data.IsValid()
}

// chatToolsBody is a request body of chat completions with tools.
type chatToolsBody struct {
	Model       string            `json:"model"`
	Messages    []chatToolMessage `json:"messages"`
	Tools       []chatTool        `json:"tools,omitempty"`
	MaxTokens   int               `json:"max_tokens"`
	Temperature *float64          `json:"temperature,omitzero"`
	Stream      bool              `json:"stream"`
}

type chatToolMessage struct {
	Role    string     `json:"role"`
	CallID  string     `json:"tool_call_id,omitzero"`
	Content string     `json:"content"`
	Calls   []chatTool `json:"tool_calls,omitempty"`
}

// chatTool is a tool, or a call of one.
type chatTool struct {
	ID       string `json:"id,omitzero"` // of a call
	Type     string `json:"type"`
	Function struct {
		Name        string         `json:"name"`
		Description string         `json:"description,omitzero"`
		Parameters  jsontext.Value `json:"parameters,omitzero"`
		Arguments   string         `json:"arguments,omitzero"` // of a call
	} `json:"function"`
}

// encodeChatTools returns the body for a request with tools.
func encodeChatTools(m Model, r *messages.Request) ([]byte, error) {
	b := chatToolsBody{Model: m.ID, MaxTokens: r.MaxTokens, Temperature: r.Temperature}
	if len(r.System) > 0 {
		b.Messages = append(b.Messages, chatToolMessage{Role: messages.RoleSystem, Content: joinBlocks(r.System)})
	}
	for _, message := range r.Messages {
		list, err := toolMessages(message)
		if err != nil {
			return nil, err
		}
		b.Messages = append(b.Messages, list...)
	}
	for _, t := range r.Tools {
		tool := chatTool{Type: "function"}
		tool.Function.Name, tool.Function.Description, tool.Function.Parameters = t.Name, t.Description, t.InputSchema
		b.Tools = append(b.Tools, tool)
	}
	return encodeBody(b)
}

// toolMessages returns what a message is: results of calls as messages of their own, then its text with its calls.
func toolMessages(message messages.MessageParam) (list []chatToolMessage, err error) {
	var text []messages.BlockParam
	own := chatToolMessage{Role: message.Role}
	for _, block := range message.Content {
		switch block.Type {
		case messages.BlockText:
			text = append(text, block)
		case messages.BlockToolUse:
			call := chatTool{ID: block.ID, Type: "function"}
			call.Function.Name, call.Function.Arguments = block.Name, string(block.Input)
			own.Calls = append(own.Calls, call)
		case messages.BlockToolResult:
			list = append(list, chatToolMessage{Role: "tool", CallID: block.ToolUseID, Content: joinBlocks(block.Content)})
		default:
			return nil, invalidRequest.error("the server's own tools API is not sent blocks of type " + block.Type)
		}
	}
	if own.Content = joinBlocks(text); own.Content != "" || len(own.Calls) > 0 {
		list = append(list, own)
	}
	return list, nil
}

// joinBlocks returns the text of blocks, with a blank line between them.
func joinBlocks(blocks []messages.BlockParam) string {
	texts := make([]string, len(blocks))
	for i := range blocks {
		texts[i] = blocks[i].Text
	}
	return strings.Join(texts, "\n\n")
}
