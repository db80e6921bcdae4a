// A program that holds conversations through the OpenAI SDK for Go.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/shared"

	"dragoman/conformance"
)

func main() {
	err := conformance.RunProgram(os.Stdin, os.Stdout, func(baseURL, key string, setup conformance.Setup) conformance.Conversation {
		client := openai.NewClient(option.WithBaseURL(baseURL+"/v1"), option.WithAPIKey(cmp.Or(key, "none")), option.WithMaxRetries(0))
		return open(client, setup)
	})
	if err != nil {
		log.Fatal(err)
	}
}

// conversation is a dialogue. The params of the next request hold its history.
type conversation struct {
	client openai.Client
	params openai.ChatCompletionNewParams
}

func open(client openai.Client, setup conformance.Setup) conformance.Conversation {
	c := &conversation{client: client, params: openai.ChatCompletionNewParams{
		Model:      setup.Model,
		MaxTokens:  openai.Int(int64(setup.MaxTokens)),
		ToolChoice: choice(setup.Choice),
	}}
	if setup.System != "" {
		c.params.Messages = append(c.params.Messages, openai.SystemMessage(setup.System))
	}
	if len(setup.StopSequences) > 0 {
		c.params.Stop.OfStringArray = setup.StopSequences
	}
	for _, tool := range setup.Tools {
		c.params.Tools = append(c.params.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: tool.Name, Description: openai.String(tool.Description),
			Parameters: shared.FunctionParameters{"type": "object", "properties": tool.Schema.Properties, "required": tool.Schema.Required},
		}))
	}
	return c
}

func choice(c *conformance.Choice) (param openai.ChatCompletionToolChoiceOptionUnionParam) {
	switch {
	case c == nil:
	case c.Type == "tool":
		return openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: c.Name})
	default:
		param.OfAuto = openai.String(map[string]string{"any": "required"}[c.Type])
		if c.Type != "any" {
			param.OfAuto = openai.String(c.Type)
		}
	}
	return param
}

func (c *conversation) Ask(ctx context.Context, turn conformance.Turn) (conformance.Answer, error) {
	c.say(turn)
	completion, err := c.client.Chat.Completions.New(ctx, c.params)
	if err != nil {
		return conformance.Answer{}, failure(err, nil)
	}
	return c.answer(completion)
}

func (c *conversation) Stream(ctx context.Context, turn conformance.Turn, leave bool) (conformance.Answer, error) {
	c.say(turn)
	var response *http.Response
	stream := c.client.Chat.Completions.NewStreaming(ctx, c.params, option.WithResponseInto(&response))
	defer stream.Close()
	var whole openai.ChatCompletionAccumulator
	for stream.Next() {
		chunk := stream.Current()
		if !whole.AddChunk(chunk) {
			return conformance.Answer{}, fmt.Errorf("the chunk %s does not fit", chunk.RawJSON())
		}
		if leave && len(chunk.Choices) > 0 && chunk.Choices[0].Delta.Content != "" {
			return conformance.Answer{Content: []conformance.Block{{Text: chunk.Choices[0].Delta.Content}}}, nil
		}
	}
	if err := stream.Err(); err != nil {
		return conformance.Answer{}, failure(err, response)
	}
	return c.answer(&whole.ChatCompletion)
}

func (c *conversation) say(turn conformance.Turn) {
	var rest []openai.ChatCompletionContentPartUnionParam
	for _, part := range turn {
		if part.Type == "tool_result" {
			c.params.Messages = append(c.params.Messages, openai.ToolMessage(part.Content[0].Text, part.ToolUseID))
		} else {
			rest = append(rest, openai.TextContentPart(part.Text))
		}
	}
	if rest != nil {
		c.params.Messages = append(c.params.Messages, openai.UserMessage(rest))
	}
}

// answer adds the answer to the history.
func (c *conversation) answer(completion *openai.ChatCompletion) (conformance.Answer, error) {
	choice := completion.Choices[0]
	c.params.Messages = append(c.params.Messages, choice.Message.ToParam())
	a := conformance.Answer{
		Model:      completion.Model,
		StopReason: map[string]string{"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}[choice.FinishReason],
	}
	if choice.Message.Content != "" {
		a.Content = append(a.Content, conformance.Block{Text: choice.Message.Content})
	}
	for _, call := range choice.Message.ToolCalls {
		input := json.RawMessage(call.Function.Arguments)
		if !json.Valid(input) {
			return a, fmt.Errorf("the arguments of %s are not JSON: %s", call.Function.Name, input)
		}
		a.Content = append(a.Content, conformance.Block{ID: call.ID, Name: call.Function.Name, Input: input})
	}
	return a, nil
}

// failure returns the library's error in a form that tests can compare. An error within a stream has no status.
func failure(err error, response *http.Response) error {
	if e, ok := errors.AsType[*openai.Error](err); ok {
		return &conformance.Failure{Status: e.StatusCode, Body: json.RawMessage(cmp.Or(e.RawJSON(), "null")), RequestID: e.Response.Header.Get("X-Request-Id")}
	}
	if e, ok := errors.AsType[*ssestream.StreamError](err); ok {
		return &conformance.Failure{Body: json.RawMessage(e.Event.Data), RequestID: response.Header.Get("X-Request-Id")}
	}
	return err
}
