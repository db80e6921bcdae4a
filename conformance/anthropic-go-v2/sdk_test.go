package anthropicgo

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"dragoman/conformance"
)

func TestMain(m *testing.M) { os.Exit(conformance.Main(m)) }

func TestConformance(t *testing.T) {
	for name, c := range clients {
		t.Run(name, func(t *testing.T) {
			conformance.Run(t, c.dialect, func(baseURL, key string, setup conformance.Setup) conformance.Conversation {
				return open(c.options(t.Context(), baseURL, key), setup)
			})
		})
	}
}

// TestCount asks how many tokens a conversation has. Bedrock's client asks as that of the Messages
// API does.
func TestCount(t *testing.T) {
	url := conformance.Serve(t, nil, "--simulated")
	for name, c := range clients {
		client := anthropic.NewClient(c.options(t.Context(), url, "")...)
		count, err := client.Messages.CountTokens(t.Context(), anthropic.MessageCountTokensParams{
			Model:    "claude-2.1",
			Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Good morning!"))},
		})
		if err != nil || count.InputTokens == 0 {
			t.Errorf("%s: %+v, %v", name, count, err)
		}
	}
}

// conversation is a dialogue whose history is the params of its next request.
type conversation struct {
	client anthropic.Client
	params anthropic.MessageNewParams
}

func open(options []option.RequestOption, setup conformance.Setup) conformance.Conversation {
	c := &conversation{
		client: anthropic.NewClient(options...),
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
			InputSchema: anthropic.ToolInputSchemaParam{Properties: tool.Properties, Required: tool.Required},
		}})
	}
	return c
}

func choice(c conformance.Choice) anthropic.ToolChoiceUnionParam {
	switch c.Type {
	case "auto":
		return anthropic.ToolChoiceUnionParam{OfAuto: &anthropic.ToolChoiceAutoParam{}}
	case "any":
		return anthropic.ToolChoiceUnionParam{OfAny: &anthropic.ToolChoiceAnyParam{}}
	case "tool":
		return anthropic.ToolChoiceParamOfTool(c.Name)
	case "none":
		return anthropic.ToolChoiceUnionParam{OfNone: &anthropic.ToolChoiceNoneParam{}}
	}
	return anthropic.ToolChoiceUnionParam{}
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

func (c *conversation) Stream(ctx context.Context, turn conformance.Turn, seen func(string) bool) (conformance.Answer, error) {
	c.say(turn)
	stream := c.client.Messages.NewStreaming(ctx, c.params)
	defer stream.Close()
	var message anthropic.Message
	for stream.Next() {
		event := stream.Current()
		if err := message.Accumulate(event); err != nil {
			return answer(message), err
		}
		if !seen(event.Type) {
			return answer(message), nil
		}
	}
	if err := stream.Err(); err != nil {
		return answer(message), failure(err)
	}
	c.params.Messages = append(c.params.Messages, message.ToParam())
	return answer(message), nil
}

func (c *conversation) say(turn conformance.Turn) {
	var blocks []anthropic.ContentBlockParamUnion
	for _, result := range turn.Results {
		blocks = append(blocks, anthropic.NewToolResultBlock(result.ID, result.Text, result.IsError))
	}
	if turn.Text != "" {
		blocks = append(blocks, anthropic.NewTextBlock(turn.Text))
	}
	c.params.Messages = append(c.params.Messages, anthropic.NewUserMessage(blocks...))
}

func answer(message anthropic.Message) conformance.Answer {
	a := conformance.Answer{
		Model:        string(message.Model),
		StopReason:   string(message.StopReason),
		StopSequence: message.StopSequence,
		OutputTokens: message.Usage.OutputTokens,
	}
	for _, block := range message.Content {
		switch block.Type { // AsAny knows nothing of a block that is still streaming
		case "text":
			a.Content = append(a.Content, conformance.Block{Text: block.Text})
		case "tool_use":
			a.Content = append(a.Content, conformance.Block{ID: block.ID, Name: block.Name, Input: block.Input})
		}
	}
	return a
}

// failure makes what the library says of an error answer comparable.
func failure(err error) error {
	if e, ok := errors.AsType[*anthropic.Error](err); ok {
		return &conformance.Failure{Status: e.StatusCode, Body: e.RawJSON(), RequestID: e.RequestID}
	}
	return err
}
