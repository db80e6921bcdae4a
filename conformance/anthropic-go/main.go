// A program that holds conversations through the Anthropic SDK for Go. Its first argument names one of the clients.
// The second may be "sampling". The package clients also builds the program with release 1 of the SDK.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"dragoman/conformance"
)

func main() {
	options := clients[os.Args[1]]
	err := conformance.RunProgram(os.Stdin, os.Stdout, func(baseURL, key string, setup conformance.Setup) conformance.Conversation {
		options := options(context.Background(), baseURL, key)
		if len(os.Args) > 2 { // "sampling"
			options = append(options, option.WithJSONSet("temperature", 0), option.WithJSONSet("top_k", 40))
		}
		return open(options, setup)
	})
	if err != nil {
		log.Fatal(err)
	}
}

// conversation is a dialogue. The params of the next request hold its history.
type conversation struct {
	client anthropic.Client
	params anthropic.MessageNewParams
	tools  []conformance.Tool
}

func open(options []option.RequestOption, setup conformance.Setup) conformance.Conversation {
	c := &conversation{
		client: anthropic.NewClient(options...),
		tools:  setup.Tools,
		params: anthropic.MessageNewParams{
			Model:         anthropic.Model(setup.Model),
			MaxTokens:     int64(setup.MaxTokens),
			StopSequences: setup.StopSequences,
			ToolChoice:    choice(setup.Choice),
		},
	}
	if setup.System != "" {
		c.params.System = []anthropic.TextBlockParam{{Text: setup.System}}
	}
	for _, tool := range setup.Tools {
		c.params.Tools = append(c.params.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
			Name:        tool.Name,
			Description: anthropic.String(tool.Description),
			InputSchema: anthropic.ToolInputSchemaParam{Properties: tool.Schema.Properties, Required: tool.Schema.Required},
		}})
	}
	return c
}

func choice(c *conformance.Choice) anthropic.ToolChoiceUnionParam {
	switch {
	case c == nil:
		return anthropic.ToolChoiceUnionParam{}
	case c.Type == "auto":
		return anthropic.ToolChoiceUnionParam{OfAuto: &anthropic.ToolChoiceAutoParam{}}
	case c.Type == "any":
		return anthropic.ToolChoiceUnionParam{OfAny: &anthropic.ToolChoiceAnyParam{}}
	case c.Type == "tool":
		return anthropic.ToolChoiceParamOfTool(c.Name)
	case c.Type == "none":
		return anthropic.ToolChoiceUnionParam{OfNone: &anthropic.ToolChoiceNoneParam{}}
	}
	panic("unknown tool_choice " + c.Type)
}

func (c *conversation) Ask(ctx context.Context, turn conformance.Turn) (conformance.Answer, error) {
	c.say(turn)
	message, err := c.client.Messages.New(ctx, c.params)
	if err != nil {
		return conformance.Answer{}, failure(err)
	}
	c.params.Messages = append(c.params.Messages, message.ToParam())
	return answer(*message), nil
}

func (c *conversation) Stream(ctx context.Context, turn conformance.Turn, leave bool) (conformance.Answer, error) {
	c.say(turn)
	stream := c.client.Messages.NewStreaming(ctx, c.params)
	defer stream.Close()
	var message anthropic.Message
	var events []string
	for stream.Next() {
		event := stream.Current()
		events = append(events, event.Type)
		if err := message.Accumulate(event); err != nil {
			return conformance.Answer{}, err
		}
		if leave && event.Type == "content_block_delta" {
			return answer(message), nil
		}
	}
	if err := stream.Err(); err != nil {
		return conformance.Answer{}, failure(err)
	}
	c.params.Messages = append(c.params.Messages, message.ToParam())
	a := answer(message)
	a.Events = events
	return a, nil
}

func (c *conversation) say(turn conformance.Turn) {
	var blocks []anthropic.ContentBlockParamUnion
	for _, part := range turn {
		if part.Type == "tool_result" {
			blocks = append(blocks, anthropic.ContentBlockParamUnion{OfToolResult: result(part)})
		} else {
			blocks = append(blocks, anthropic.NewTextBlock(part.Text))
		}
	}
	c.params.Messages = append(c.params.Messages, anthropic.NewUserMessage(blocks...))
}

func result(part conformance.Part) *anthropic.ToolResultBlockParam {
	result := &anthropic.ToolResultBlockParam{ToolUseID: part.ToolUseID, IsError: anthropic.Bool(part.IsError)}
	for _, inner := range part.Content {
		var content anthropic.ToolResultBlockParamContentUnion
		if inner.Source != nil {
			content.OfImage = anthropic.NewImageBlockBase64(inner.Source.MediaType, inner.Source.Data).OfImage
		} else {
			content.OfText = &anthropic.TextBlockParam{Text: inner.Text}
		}
		result.Content = append(result.Content, content)
	}
	return result
}

func answer(message anthropic.Message) conformance.Answer {
	a := conformance.Answer{
		Model:        string(message.Model),
		StopReason:   string(message.StopReason),
		StopSequence: message.StopSequence,
	}
	for _, block := range message.Content {
		switch block.Type { // AsAny does not work for a block that is still streaming
		case "text":
			a.Content = append(a.Content, conformance.Block{Text: block.Text})
		case "tool_use":
			a.Content = append(a.Content, conformance.Block{ID: block.ID, Name: block.Name, Input: block.Input})
		}
	}
	return a
}

// failure returns the library's error in a form that tests can compare.
func failure(err error) error {
	if e, ok := errors.AsType[*anthropic.Error](err); ok {
		return &conformance.Failure{Status: e.StatusCode, Body: json.RawMessage(cmp.Or(e.RawJSON(), "null")), RequestID: e.RequestID}
	}
	return err
}
